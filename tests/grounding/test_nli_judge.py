"""The entailment judge on a tiny model whose weights are set by hand."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec

import pytest

from grounding.errors import Refused
from grounding.interchange.models import Case, Passage, Statement
from grounding.judges import lexical, nli
from grounding.judges.nli.models import digest_of
from grounding.judges.registry import create_judge
from grounding.pipeline import grade_case
from tests.grounding import entailment_models
from tests.grounding.entailment_models import probability
from tests.grounding.rubric_examples import case, with_changes

MISSING = [name for name in ("torch", "transformers") if find_spec(name) is None]
with_model = [
    pytest.mark.model,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
CLAIM = "Both colours are there."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return entailment_models.build(tmp_path_factory.mktemp("models") / "tiny")


def rubric(folder, revision=None, words=None, **changes):
    parameters = {
        "entail": 0.5,
        "contradict": 0.5,
        "join_passages": 1,
        "run_sentences": 0,
        "overlap_sentences": 0,
        "max_tokens": 128,
        "batch": 2,
        "words": {
            "entailment": "entailed",
            "neutral": "not_stated",
            "contradiction": "refuted",
            "not_entailment": "not_stated",
        }
        | (words or {}),
        "classifier": lexical.IMPLEMENTATION,
        "window_sentences": 1,
        "anchor_overlap": 0.5,
        "answerable_overlap": 0.6,
    }
    judge = {
        "kind": "nli",
        "implementation": nli.IMPLEMENTATION,
        "model": str(folder),
        "revision": revision or digest_of(folder),
        "parameters": parameters | changes,
    }
    return with_changes(judge=judge)


def graded(definition, *context, claim=CLAIM):
    return grade_case(case(claim, context=context), create_judge(definition), definition)[0]


def test_the_judge_is_refused_by_name_where_its_packages_are_not_installed(folder_of_files):
    if not MISSING:
        pytest.skip("torch and transformers are installed")
    with pytest.raises(Refused, match=f"needs {' and '.join(MISSING)}.*extra nli"):
        create_judge(rubric(folder_of_files))


@pytest.fixture
def folder_of_files(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "config.json").write_text("{}")
    return tmp_path


def test_the_digest_of_a_folder_covers_what_is_loaded_and_nothing_else(folder_of_files):
    first = digest_of(folder_of_files)
    (folder_of_files / "README.md").write_text("about it")
    assert digest_of(folder_of_files) == first
    (folder_of_files / "config.json").write_text('{"id2label": {}}')
    changed = digest_of(folder_of_files)
    assert changed != first
    (folder_of_files / "model.safetensors").rename(folder_of_files / "other.safetensors")
    assert digest_of(folder_of_files) not in (first, changed)


def test_a_folder_without_safetensors_is_refused(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"anything")
    with pytest.raises(Refused, match="no weights as safetensors"):
        digest_of(tmp_path)
    with pytest.raises(Refused, match="no folder"):
        digest_of(tmp_path / "away")


class TestWithAModel:
    pytestmark = with_model

    def test_what_the_model_gives_is_what_its_weights_were_set_to(self, folder):
        # [CLS] yes [SEP] both colours are there . [SEP]: nine tokens, five votes.
        found = graded(rubric(folder), "Yes")
        assert found.verdict == "supported"
        assert found.raw_verdict == "entailed"
        assert found.confidence == round(probability(9, 5.0), 4) == 0.9817
        assert found.judge_model == f"{folder}@{digest_of(folder)}"
        assert found.claim_class == "subject_specific"

    @pytest.mark.parametrize(
        ("passage", "verdict"),
        [("Yes.", "supported"), ("No.", "contradictory"), ("The box.", "unsupported")],
    )
    def test_each_output_is_mapped_by_the_rubric(self, folder, passage, verdict):
        found = graded(rubric(folder), passage)
        assert found.verdict == verdict
        quotes = [one.quote for one in found.evidence]
        assert quotes == ([passage] if verdict != "unsupported" else [])

    def test_a_claim_that_rests_on_two_passages_is_seen_beside_both(self, folder):
        passages = ("The box is red", "The lid is blue")
        apart = graded(rubric(folder), *passages)
        assert apart.verdict == "unsupported"
        joined = graded(rubric(folder, join_passages=2), *passages)
        assert joined.verdict == "supported"
        cited = [(one.passage_id, one.start, one.end, one.quote) for one in joined.evidence]
        assert cited == [("p1", 0, 14, passages[0]), ("p2", 0, 15, passages[1])]

    def test_a_sentence_drowned_in_its_passage_is_found_by_runs(self, folder):
        passage = "The box is a box. " * 8 + "Yes. " + "The lid is a lid. " * 8
        assert graded(rubric(folder), passage).verdict == "unsupported"
        found = graded(rubric(folder, run_sentences=1), passage)
        assert found.verdict == "supported"
        (cited,) = found.evidence
        assert (cited.quote, passage[cited.start : cited.end]) == ("Yes.", "Yes.")

    def test_what_stands_past_the_models_length_is_read_and_not_cut(self, folder):
        passage = "The box is a box. " * 60 + "Yes."
        assert len(passage.split()) > 128
        found = graded(rubric(folder, max_tokens=32), passage)
        assert found.verdict == "supported"
        assert found.evidence[0].quote.endswith("Yes.")
        assert found.evidence[0].end == len(passage)

    def test_a_sentence_longer_than_the_model_takes_is_read_to_its_end(self, folder):
        passage = "box " * 100 + "yes"
        assert graded(rubric(folder, max_tokens=32), passage).verdict == "supported"

    def test_a_statement_that_leaves_no_room_is_too_long_and_no_verdict(self, folder):
        # 13 words and a full stop with three marks are 17 tokens; 8 more must stay.
        claim = "Both colours are there and both colours are there and both colours there."
        room = graded(rubric(folder, max_tokens=25), "Yes.", claim=claim)
        assert room.outcome == "graded"
        none = graded(rubric(folder, max_tokens=24), "Yes.", claim=claim)
        assert (none.outcome, none.verdict) == ("too_long", None)
        assert "24 tokens" in none.error

    def test_the_models_own_length_bounds_the_rubrics(self, tmp_path):
        short = entailment_models.build(tmp_path / "short", longest=32)
        found = graded(rubric(short, max_tokens=512), "The box is a box. " * 60 + "Yes.")
        assert found.verdict == "supported"

    def test_outputs_in_another_order_and_spelling_give_the_same(self, tmp_path):
        other = entailment_models.build(
            tmp_path / "other",
            ("CONTRADICTION", "entailed", "Neutral"),
            meanings=("contradiction", "entailment", "neutral"),
        )
        assert graded(rubric(other), "Yes.").verdict == "supported"
        assert graded(rubric(other), "No.").verdict == "contradictory"

    def test_a_model_of_two_outputs_is_mapped_as_the_rubric_says(self, tmp_path):
        two = entailment_models.build(tmp_path / "two", ("not_entailment", "entailment"))
        assert graded(rubric(two), "Yes.").verdict == "supported"
        found = graded(rubric(two), "No.")
        assert (found.raw_verdict, found.verdict) == ("not_stated", "unsupported")
        harsh = graded(rubric(two, words={"not_entailment": "refuted"}), "No.")
        assert (harsh.raw_verdict, harsh.verdict) == ("refuted", "contradictory")

    def test_unknown_outputs_are_refused_by_name_before_a_run(self, tmp_path):
        named = entailment_models.build(
            tmp_path / "named", ("LABEL_0", "LABEL_1", "LABEL_2"), meanings=entailment_models.LABELS
        )
        with pytest.raises(Refused, match="LABEL_0, LABEL_1, LABEL_2"):
            create_judge(rubric(named))

    def test_a_word_that_the_rubric_does_not_map_is_refused_before_a_run(self, folder):
        with pytest.raises(Refused, match="'perhaps'"):
            create_judge(rubric(folder, words={"neutral": "perhaps"}))

    def test_other_rules_for_the_first_pass_are_refused(self, folder):
        with pytest.raises(Refused, match="lexical implementation 2"):
            create_judge(rubric(folder, classifier=2))

    def test_files_that_were_changed_are_refused_by_their_pin(self, folder, tmp_path):
        copied = shutil.copytree(folder, tmp_path / "copied")
        definition = rubric(copied)
        assert create_judge(definition)
        config = json.loads((copied / "config.json").read_text())
        config["id2label"] = {"0": "contradiction", "1": "neutral", "2": "entailment"}
        (copied / "config.json").write_text(json.dumps(config))
        with pytest.raises(Refused, match="pins a model"):
            create_judge(definition)

    def test_an_id_that_was_not_fetched_is_refused_and_not_downloaded(self):
        with pytest.raises(Refused, match="was not fetched"):
            create_judge(rubric("somebody/some-model", revision="0" * 40))

    def test_weights_that_are_missing_are_no_verdict(self, folder, tmp_path):
        from safetensors.torch import load_file, save_file

        lame = shutil.copytree(folder, tmp_path / "lame")
        weights = load_file(lame / "model.safetensors")
        del weights["classifier.weight"]
        save_file(weights, lame / "model.safetensors", metadata={"format": "pt"})
        found = graded(rubric(lame), "Yes.")
        assert (found.outcome, found.verdict) == ("unavailable", None)
        assert "lacks weights" in found.error

    def test_what_a_statement_gets_does_not_depend_on_its_neighbours_or_the_batch(self, folder):
        context = ("The box is red. Yes.", "No. The lid is blue and the box is cold.", "A box.")
        one = graded(rubric(folder, run_sentences=1, batch=1), *context)
        many = rubric(folder, run_sentences=1, batch=64)
        grades = grade_case(
            case("The box is there.", CLAIM, "Both are there.", context=context),
            create_judge(many),
            many,
        )
        assert (grades[1].verdict, grades[1].confidence) == (one.verdict, one.confidence)
        again = grade_case(
            case("The box is there.", CLAIM, "Both are there.", context=context),
            create_judge(many),
            many,
        )
        assert again == grades

    def test_no_passage_supports_nothing(self, folder):
        found = graded(rubric(folder, entail=0.0))
        assert (found.verdict, found.evidence) == ("unsupported", ())

    def test_refusals_are_judged_by_the_lexical_rules(self, folder):
        asked = Case(
            case_id="c1",
            question="Who painted the fence?",
            context=(Passage(id="p1", text="Yes."),),
            answer="I cannot say.",
            statements=(
                Statement(statement_id="s1", text="I cannot answer that from the context."),
            ),
        )
        definition = rubric(folder)
        (found,) = grade_case(asked, create_judge(definition), definition)
        assert (found.speech_act, found.verdict, found.evidence) == ("refusal", "supported", ())


# The statement; its class by the lexical rules; verdict and quotes.
CONTEXT = ("Red. The box is there.", "Blue lid.", "The box is a box.")
GOLDEN = (
    # Red and blue are two votes of 17 tokens, where 11.2% are needed: only where both stand.
    (
        "Both are there.",
        "subject_specific",
        "supported",
        ("Red. The box is there.", "Blue lid."),
    ),
    # Two more tokens, and they are too few.
    ("Both of the colours are there.", "subject_specific", "unsupported", ()),
    ("The box is cold and wet.", "subject_specific", "contradictory", ("Blue lid.",)),
    ("You should open the box.", "interpretation", "not_applicable", ()),
    # No approved source is there to entail it.
    ("Caching reduces load on databases.", "external", "unsupported", ()),
    ("Which box is it?", "interpretation", "not_applicable", ()),
)


class TestGolden:
    """They guard the implementation number: a change of these needs a new one."""

    pytestmark = with_model

    def test_golden_verdicts(self, folder):
        assert nli.IMPLEMENTATION == 1
        definition = rubric(folder, join_passages=2, run_sentences=1, overlap_sentences=1)
        grades = grade_case(
            case(*(row[0] for row in GOLDEN), context=CONTEXT), create_judge(definition), definition
        )
        found = tuple(
            (
                text,
                str(grade.claim_class),
                str(grade.verdict),
                tuple(str(one.quote) for one in grade.evidence),
            )
            for (text, *_), grade in zip(GOLDEN, grades, strict=True)
        )
        assert found == GOLDEN, (
            "the nli judge gives another outcome than implementation 1 did. If that is meant, "
            "raise grounding.judges.nli.IMPLEMENTATION, and only then write the new outcomes here"
        )
