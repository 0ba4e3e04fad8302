"""The learned judge with weights set by hand, so that what it must say is known."""

from __future__ import annotations

import json
from math import exp

import pytest

from grounding.digests import digest
from grounding.errors import Refused
from grounding.interchange.models import Case, Passage, Statement
from grounding.judges import learned, lexical
from grounding.judges.learned.features import FEATURES, see
from grounding.judges.learned.weights import Head, from_files
from grounding.judges.lexical.model import load_model
from grounding.judges.lexical.verifying import Text
from grounding.judges.registry import Services, create_judge
from grounding.pipeline import grade_case
from grounding.rubrics import fingerprint
from tests.grounding.rubric_examples import case, shipped_data, with_changes

EVIDENCE = shipped_data()["judge"]["parameters"]
NONE = "sha256:" + "0" * 64
CONTEXT = "Nightly report: 3 failed jobs, 2 skipped."
CLAIM = "The nightly report shows 3 failed jobs."


def head(answers, **weights):
    """Weights by answer and feature, nought for all others; ``__`` is the intercept."""
    by_answer = [weights.get(answer, {}) for answer in answers]
    return {
        "answers": list(answers),
        "intercepts": [float(each.get("__", 0.0)) for each in by_answer],
        "weights": [[float(each.get(name, 0.0)) for name in FEATURES] for each in by_answer],
    }


VERDICTS = head(
    ("contradictory", "supported", "unsupported"),
    contradictory={"lexical_refuted": 4.0},
    supported={"overlap": 3.0},
    unsupported={"__": 2.0},
)
ALWAYS = {
    verdict: {"verdict": head((verdict,)), "claim_class": None}
    for verdict in ("supported", "unsupported", "contradictory")
}
CLASSES = head(
    ("external", "interpretation", "subject_specific"),
    interpretation={"modal": 5.0},
    external={"lexical_external": 3.0},
    subject_specific={"__": 1.0},
)


def payload(whole=None, held_out=(), folds=None, **changes):
    return {
        "implementation": learned.IMPLEMENTATION,
        "lexical": lexical.IMPLEMENTATION,
        "features": list(FEATURES),
        "references": NONE,
        "held_out": list(held_out),
        "whole": whole or {"verdict": VERDICTS, "claim_class": None},
        "folds": folds or {},
    } | changes


def rubric(artifact, **changes):
    judge = {
        "kind": "learned",
        "implementation": learned.IMPLEMENTATION,
        "model": None,
        "parameters": {
            "artifact": digest(artifact),
            "references": NONE,
            "lexical": lexical.IMPLEMENTATION,
            "evidence": EVIDENCE,
        },
    }
    return with_changes(judge=judge, **changes)


def made(artifact, **changes):
    definition = rubric(artifact, **changes)
    return create_judge(definition, Services(artifact=lambda _: artifact)), definition


def graded(artifact, *claims, context=(CONTEXT,), **changes):
    judge, definition = made(artifact, **changes)
    return grade_case(case(*claims, context=context), judge, definition)


def test_probabilities_are_the_softmax_of_what_the_weights_come_to():
    small = Head.model_validate_json(json.dumps(VERDICTS))
    row = [0.0] * len(FEATURES)
    row[FEATURES.index("overlap")] = 0.5
    shares = small.probabilities(tuple(row))
    total = exp(0) + exp(1.5) + exp(2)
    assert shares == pytest.approx(
        {"contradictory": 1 / total, "supported": exp(1.5) / total, "unsupported": exp(2) / total}
    )
    assert sum(shares.values()) == pytest.approx(1)


def test_scores_that_are_huge_overflow_nothing():
    sure = Head.model_validate_json(json.dumps(head(("a", "b"), a={"__": 5_000.0})))
    assert sure.probabilities((0.0,) * len(FEATURES)) == {"a": 1.0, "b": 0.0}


@pytest.mark.parametrize(
    ("claim", "verdict", "quotes"),
    [
        # All words stand there: 3 against 2 for unsupported.
        ("The nightly report shows 3 failed jobs.", "supported", (CONTEXT,)),
        # The lexical judge finds the other number: 4 are the most.
        ("The nightly report shows 5 failed jobs.", "contradictory", (CONTEXT,)),
        ("The chief executive resigned yesterday.", "unsupported", ()),
    ],
)
def test_the_likeliest_verdict_counts_and_cites_what_it_was_seen_beside(claim, verdict, quotes):
    (found,) = graded(payload(), claim)
    assert found.verdict == verdict
    assert tuple(one.quote for one in found.evidence) == quotes
    assert found.judge_model == "learned-1"


def test_supported_without_a_text_is_not_given():
    (found,) = graded(payload(whole=ALWAYS["supported"]), CLAIM, context=())
    assert (found.verdict, found.confidence) == ("unsupported", 0.0)
    two = {"verdict": head(("contradictory", "supported"), supported={"__": 3.0})}
    (found,) = graded(payload(whole=two | {"claim_class": None}), CLAIM, context=())
    assert found.verdict == "contradictory"


def test_of_equal_verdicts_the_strictest_counts():
    even = {"verdict": head(("supported", "unsupported", "contradictory")), "claim_class": None}
    (found,) = graded(payload(whole=even), CLAIM)
    assert found.verdict == "contradictory"


def test_each_statement_is_graded_by_the_fit_that_did_not_see_it():
    context = [Passage(id="p1", text=CONTEXT)]
    claims = ("The report is long.", "The report is short.", "The report is new.")
    folds = {fingerprint(claims[0], context): 0, fingerprint(claims[1], context): 1}
    weights = payload(
        whole=ALWAYS["contradictory"],
        held_out=(ALWAYS["supported"], ALWAYS["unsupported"]),
        folds=folds,
    )
    grades = graded(weights, *claims)
    assert [one.verdict for one in grades] == ["supported", "unsupported", "contradictory"]
    assert "fold 1" in grades[0].explanation
    assert "all references" in grades[2].explanation
    # Under other ids it is the same text; beside another context it is another statement.
    elsewhere = graded(weights, claims[0], context=("Something else.",))
    assert elsewhere[0].verdict == "contradictory"


def test_what_is_split_from_a_known_answer_otherwise_is_held_out_as_well():
    claim = "You should rerun them because the nightly report shows 3 failed jobs."
    context = [Passage(id="p1", text=CONTEXT)]
    known = payload(
        whole=ALWAYS["contradictory"],
        held_out=(ALWAYS["supported"],),
        folds={fingerprint(claim, context): 0},
    )
    (found,) = graded(known, claim)
    assert [one.verdict for one in found.premises] == ["supported"]
    (found,) = graded(known | {"folds": {}}, claim)
    assert [one.verdict for one in found.premises] == ["contradictory"]


def test_classes_are_learned_where_there_were_enough():
    learned_classes = payload(whole={"verdict": VERDICTS, "claim_class": CLASSES})
    claims = ("The report may be long.", "Caching reduces load on databases.", CLAIM)
    found = [one.claim_class for one in graded(learned_classes, *claims)]
    assert found == ["interpretation", "external", "subject_specific"]
    ruled = [one.claim_class for one in graded(payload(), *claims)]
    assert ruled == ["subject_specific", "external", "subject_specific"]


def test_the_class_of_a_speech_act_is_the_contracts_and_not_learned():
    always = {"verdict": VERDICTS, "claim_class": head(("external",))}
    claims = ("Which job do you mean?", "I cannot answer that from the context.")
    found = graded(payload(whole=always), *claims)
    assert [one.claim_class for one in found] == ["interpretation", "subject_specific"]
    assert [one.outcome for one in found] == ["graded", "graded"]


def test_refusals_go_by_the_lexical_rules():
    asked = Case(
        case_id="c1",
        question="Who painted the fence?",
        context=(Passage(id="p1", text=CONTEXT),),
        answer="No.",
        statements=(Statement(statement_id="s1", text="I cannot answer that from the context."),),
    )
    judge, definition = made(payload(whole=ALWAYS["contradictory"]))
    (found,) = grade_case(asked, judge, definition)
    assert (found.verdict, found.evidence) == ("supported", ())


def test_it_says_the_first_word_that_the_rubric_maps_to_the_verdict():
    mapping = {"yes": "supported", "aye": "supported", "no": "contradictory", "open": "unsupported"}
    (found,) = graded(payload(), CLAIM, verdict_mapping=mapping)
    assert (found.raw_verdict, found.verdict) == ("aye", "supported")


def test_a_rubric_without_a_word_for_a_verdict_is_refused():
    with pytest.raises(Refused, match="nothing to contradictory"):
        made(payload(), verdict_mapping={"yes": "supported", "no": "unsupported"})


@pytest.mark.parametrize(
    ("artifact", "said"),
    [
        (payload(features=list(FEATURES[:-1])), "other features"),
        (payload(implementation=99), "other code"),
        (payload(lexical=1), "other code"),
        (payload(folds={NONE: 0}), "fold that is not there"),
        (payload(whole={"verdict": head(("fine",)), "claim_class": None}), "graded verdict"),
        (payload(extra=1), "Extra inputs"),
    ],
)
def test_weights_that_do_not_fit_this_code_are_refused(artifact, said):
    with pytest.raises(Refused, match=said):
        made(artifact)


def test_weights_that_are_not_at_hand_are_refused():
    with pytest.raises(Refused, match="not at hand"):
        create_judge(rubric(payload(references="sha256:" + "1" * 64)))


def test_weights_are_held_to_the_digest_that_the_rubric_names():
    named = payload(references="sha256:" + "2" * 64)
    with pytest.raises(Refused, match="others came back"):
        create_judge(rubric(named), Services(artifact=lambda _: payload()))


def test_features_of_another_lexical_implementation_are_refused():
    definition = rubric(payload(), judge__parameters__lexical=2)
    with pytest.raises(Refused, match="lexical implementation 2"):
        create_judge(definition, Services(artifact=lambda _: payload()))


def test_artifacts_are_read_from_files_for_grading_elsewhere(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(payload(), indent=1))
    judge = create_judge(rubric(payload()), Services(artifact=from_files(path)))
    assert grade_case(case(CLAIM, context=(CONTEXT,)), judge, rubric(payload()))[0].verdict
    with pytest.raises(Refused, match="none of these files"):
        from_files(path)(NONE)


def row_of(claim, *context):
    model = load_model(EVIDENCE["coefficients"], "a test")
    texts = [Text(f"p{number}", False, text) for number, text in enumerate(context)]
    parameters = rubric(payload()).judge.parameters.evidence
    return dict(
        zip(FEATURES, see(claim, "subject_specific", texts, parameters, model).row, strict=True)
    )


def test_every_figure_is_from_0_to_1_whatever_the_text():
    for claim in (
        CLAIM,
        "💊",
        "all " * 500,
        "No. Never! May be? 1 2 3 4 5",
        "契約は署名された。",
    ):
        for context in ((), ("",), (CONTEXT, "Other. Text.")):
            row = row_of(claim, *context)
            assert all(0 <= value <= 1 for value in row.values()), row


CHANGED = (
    "the learned judge sees another thing than implementation 1 did. If that is meant, raise "
    "grounding.judges.learned.IMPLEMENTATION, and only then write the new values here"
)

# The statement; what differs from nought among the marks; the verdict.
GOLDEN = (
    (CLAIM, {"lexical_entailed": 1.0, "overlap": 5 / 6, "numbers": 1 / 3}, "supported"),
    (
        "All jobs of the nightly report may have failed.",
        {"universal": 1.0, "hedged": 1.0, "modal": 1.0},
        "supported",
    ),
    (
        "The nightly report does not show 5 failed jobs for Acme.",
        {"lexical_refuted": 1.0, "numbers": 1 / 3, "own_names": 1 / 3, "negated": 1.0},
        "contradictory",
    ),
    ("The chief executive resigned yesterday.", {"overlap": 0.0}, "unsupported"),
)


@pytest.mark.parametrize(("claim", "marks", "verdict"), GOLDEN)
def test_golden_verdicts(claim, marks, verdict):
    assert learned.IMPLEMENTATION == 1
    row = row_of(claim, CONTEXT)
    found = {name: row[name] for name in marks}
    assert found == pytest.approx(marks), CHANGED
    assert graded(payload(), claim)[0].verdict == verdict, CHANGED
