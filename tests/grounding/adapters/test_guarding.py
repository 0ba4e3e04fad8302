"""What an adapter refuses before anything is asked, and that it says which."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from grounding.errors import Refused
from grounding.judges import adapters
from grounding.judges.adapters.__main__ import main
from grounding.judges.registry import NO_SERVICES, Services, create_judge
from grounding.rubrics import load_rubric
from tests.grounding.adapters.setting import draft, needs, rubric

KINDS = [pytest.param(kind, marks=needs(kind)) for kind in ("ragas", "deepeval")]
ROOT = Path(__file__).parents[3]


class Nobody:
    """Carries nothing: whoever asks it anything fails the test."""

    async def ask(self, request):
        raise AssertionError(f"asked: {request.body}")


def made(definition):
    return create_judge(definition, Services(carrier=Nobody()))


def refused(definition, *words):
    with pytest.raises(Refused) as caught:
        made(definition)
    assert definition.reference in str(caught.value)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


# Of either package.


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_is_made_where_all_is_as_it_was_and_nothing_is_asked(kind):
    judge = made(rubric(kind))
    assert (judge.name, judge.implementation) == (kind, adapters.IMPLEMENTATION)


@pytest.mark.parametrize("kind", KINDS)
def test_a_version_out_of_range_is_refused_and_one_in_range_runs(kind):
    here = metadata.version(kind)
    major = int(here.split(".")[0])
    pinned = rubric(kind).judge.fingerprint
    made(draft(kind, fingerprint=pinned, versions={"at_least": here, "below": f"{major + 1}"}))
    for versions in (
        {"at_least": "0.1", "below": here},
        {"at_least": f"{major + 1}", "below": "99"},
    ):
        refused(draft(kind, fingerprint=pinned, versions=versions), kind, f"{here} is installed")


@pytest.mark.parametrize("kind", KINDS)
def test_a_rubric_that_pins_nothing_is_refused(kind):
    refused(draft(kind), kind, "the rubric pins no fingerprint")


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_that_is_new_or_gone_is_named(kind):
    pinned = dict(rubric(kind).judge.fingerprint)
    pinned["spell"] = pinned.pop("reading")
    refused(draft(kind, fingerprint=pinned), "spell is gone", "reading is new")


@pytest.mark.parametrize("kind", KINDS)
def test_another_setting_than_it_was_calibrated_with_is_refused(kind):
    pinned = rubric(kind).judge.fingerprint
    refused(draft(kind, fingerprint=pinned, temperature=0.7), "verdicts_settings differs")
    refused(draft(kind, fingerprint=pinned, model="another"), "verdicts_settings differs")


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_does_not_say_yes_may_not_be_mapped_to_supported(kind):
    for word in ("idk", "borderline", "0", "no", "no_text", "2"):
        if word != adapters.HOOKS[kind].yes:
            refused(rubric(kind, words={word: "supported"}), repr(word), "to supported")


@pytest.mark.parametrize("kind", KINDS)
def test_other_rules_for_the_first_pass_are_refused(kind):
    pinned = rubric(kind).judge.fingerprint
    refused(draft(kind, fingerprint=pinned, classifier=2), "lexical implementation 2")


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_that_nothing_carries_requests_for_is_refused(kind):
    with pytest.raises(Refused, match="nothing here carries its requests"):
        create_judge(rubric(kind), NO_SERVICES)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_of_the_rubrics_own_is_held_to_the_fingerprint_too(kind):
    pinned = rubric(kind, verify="Be strict.").judge.fingerprint
    made(draft(kind, fingerprint=pinned, verify="Be strict."))
    for other in ("Be strict!", None):
        refused(draft(kind, fingerprint=pinned, verify=other), "verdicts_messages differs")


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_that_nothing_would_read_is_refused(kind):
    refused(rubric(kind, classify="Class it."), "a prompt for the first pass")


@pytest.mark.parametrize("kind", KINDS)
def test_the_fingerprint_is_the_same_in_another_process_whatever_its_hashes_and_its_terminal(kind):
    program = (
        "from tests.grounding.adapters.setting import rubric;"
        f"print(dict(rubric({kind!r}).judge.fingerprint))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "7", "COLUMNS": "20", "LANG": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == str(dict(rubric(kind).judge.fingerprint))


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_prints_the_lines_that_pin_what_is_here(kind, tmp_path, capsys):
    path = tmp_path / "draft.json"
    path.write_text(json.dumps(draft(kind).model_dump(mode="json")), encoding="utf-8")
    assert main([str(path)]) == 0
    text = yaml.safe_dump(draft(kind).model_dump(mode="json"))
    text = text.replace("  fingerprint: {}\n", capsys.readouterr().out)
    made(load_rubric(text, source="pinned.yaml"))


# Ragas, altered.


@needs("ragas")
def test_an_instruction_of_ragas_that_was_edited_is_refused(monkeypatch):
    from ragas.metrics.collections.faithfulness.util import NLIStatementPrompt

    before = rubric("ragas")
    monkeypatch.setattr(
        NLIStatementPrompt, "instruction", NLIStatementPrompt.instruction + " Be kind."
    )
    refused(before, "ragas", "verdicts_messages differs")
    monkeypatch.undo()
    made(before)


@needs("ragas")
def test_an_example_of_ragas_that_was_edited_is_refused(monkeypatch):
    from ragas.metrics.collections.faithfulness.util import NLIStatementPrompt

    before = rubric("ragas")
    monkeypatch.setattr(NLIStatementPrompt, "examples", [])
    refused(before, "verdicts_messages differs")


@needs("ragas")
def test_a_way_of_reading_of_ragas_that_changed_is_refused(monkeypatch):
    from ragas.metrics.collections import Faithfulness

    before, verdicts = rubric("ragas"), Faithfulness._create_verdicts

    async def lenient(self, statements, context):
        found = await verdicts(self, statements, context)
        for one in found.statements:
            one.verdict = max(one.verdict, 0)
        return found

    monkeypatch.setattr(Faithfulness, "_create_verdicts", lenient)
    refused(before, "reading differs")


@needs("ragas")
def test_a_step_of_ragas_that_is_gone_is_refused(monkeypatch):
    from ragas.metrics.collections import Faithfulness

    before = rubric("ragas")
    monkeypatch.delattr(Faithfulness, "_create_verdicts")
    refused(before, "Faithfulness has no _create_verdicts")


@needs("ragas")
def test_a_step_of_ragas_that_wants_something_else_is_refused(monkeypatch):
    from ragas.metrics.collections import Faithfulness

    async def other(self, row, statements, callbacks):
        raise AssertionError

    before = rubric("ragas")
    monkeypatch.setattr(Faithfulness, "_create_verdicts", other)
    refused(before, "ragas failed before it asked: TypeError")


@needs("ragas")
def test_a_ragas_that_cannot_read_a_plain_answer_is_refused(monkeypatch):
    from ragas.metrics.collections.faithfulness import util

    async def nothing(self, statements, context):
        return util.NLIStatementOutput(statements=[])

    before = rubric("ragas")
    monkeypatch.setattr("ragas.metrics.collections.Faithfulness._create_verdicts", nothing)
    refused(before, "ragas")


@needs("ragas")
def test_a_ragas_that_does_not_import_is_refused_with_its_reason(monkeypatch):
    before = rubric("ragas")
    monkeypatch.setitem(sys.modules, "ragas.metrics.collections", None)
    refused(before, "ragas", "does not import", "ragas.metrics.collections")


@needs("ragas")
def test_a_refusal_is_one_line_whatever_the_package_says(monkeypatch):
    def broken(*_args, **_kwargs):
        raise ValueError("first line\nsecond line")

    before = rubric("ragas")
    monkeypatch.setattr("ragas.llms.llm_factory", broken)
    refused(before, "which does not do as it did: ValueError: first line")


@needs("ragas")
def test_a_ragas_that_reports_its_use_is_refused(monkeypatch):
    from ragas import _analytics

    before = rubric("ragas")
    monkeypatch.setattr(_analytics, "do_not_track", lambda: False)
    refused(before, "RAGAS_DO_NOT_TRACK")


# DeepEval, altered.


@needs("deepeval")
@pytest.mark.parametrize("name", ["generate_truths", "generate_verdicts"])
def test_a_template_of_deepeval_that_was_edited_is_refused(monkeypatch, name):
    from deepeval.templates import resolver

    before = rubric("deepeval")
    templates = resolver._registry.get_base_templates("metrics")["FaithfulnessMetric"]
    monkeypatch.setitem(templates, name, templates[name] + "\nBe kind.")
    resolver._registry._compiled.clear()
    try:
        refused(before, "deepeval", f"{name.removeprefix('generate_')}_messages differs")
    finally:
        monkeypatch.undo()
        resolver._registry._compiled.clear()
    made(before)


@needs("deepeval")
def test_a_template_class_of_deepeval_that_was_replaced_is_refused(monkeypatch):
    from deepeval.metrics.faithfulness.faithfulness import FaithfulnessTemplate

    before = rubric("deepeval")
    kind = staticmethod(lambda **_: "Say yes. Claims: []")
    monkeypatch.setattr(FaithfulnessTemplate, "generate_verdicts", kind)
    refused(before, "verdicts_messages differs")


@needs("deepeval")
def test_a_limit_of_truths_that_was_not_calibrated_is_refused():
    pinned = rubric("deepeval").judge.fingerprint
    refused(
        draft("deepeval", fingerprint=pinned, truths_extraction_limit=3), "truths_messages differs"
    )


@needs("deepeval")
def test_a_way_of_reading_of_deepeval_that_changed_is_refused(monkeypatch):
    from deepeval.metrics import FaithfulnessMetric

    before, verdicts = rubric("deepeval"), FaithfulnessMetric._a_generate_verdicts

    async def padded(self, multimodal):
        return (await verdicts(self, multimodal))[: len(self.claims)]

    monkeypatch.setattr(FaithfulnessMetric, "_a_generate_verdicts", padded)
    refused(before, "reading differs")


@needs("deepeval")
@pytest.mark.parametrize("name", ["_a_generate_truths", "_a_generate_verdicts"])
def test_a_step_of_deepeval_that_is_gone_is_refused(monkeypatch, name):
    from deepeval.metrics import FaithfulnessMetric

    before = rubric("deepeval")
    monkeypatch.delattr(FaithfulnessMetric, name)
    refused(before, f"FaithfulnessMetric has no {name}")


@needs("deepeval")
def test_a_setting_of_deepeval_from_outside_the_rubric_is_refused(monkeypatch):
    # A temperature in the environment would not count, one that is in the rubric does; a mode
    # that has verdicts come from elsewhere does not reach the rubric's judge.
    before = rubric("deepeval")
    monkeypatch.setenv("TEMPERATURE", "0.9")
    monkeypatch.setenv("DEEPEVAL_EVAL_MODE", "hybrid")
    made(before)


@needs("deepeval")
def test_a_deepeval_that_reports_its_use_is_refused(monkeypatch):
    import deepeval.telemetry

    before = rubric("deepeval")
    monkeypatch.setattr(deepeval.telemetry, "telemetry_opt_out", lambda: False)
    refused(before, "DEEPEVAL_TELEMETRY_OPT_OUT")


# Without either.


@pytest.mark.parametrize("kind", ["ragas", "deepeval"])
def test_a_package_that_is_not_installed_is_refused_by_name(kind, monkeypatch):
    def gone(name):
        raise metadata.PackageNotFoundError(name)

    if find_spec(kind) is not None:
        monkeypatch.setattr(metadata, "version", gone)
    refused(draft(kind), f"{kind}, which is not installed", f"the extra {kind} brings it")


@pytest.mark.parametrize("kind", ["ragas", "deepeval"])
def test_a_word_of_the_package_that_is_not_mapped_is_refused(kind):
    data = draft(kind).model_dump(mode="json")
    del data["verdict_mapping"]["no_text"]
    refused(load_rubric(json.dumps(data), source="draft.json"), "maps no verdict from 'no_text'")


@pytest.mark.parametrize(
    ("version", "held"),
    [
        ("0.4", True),
        ("0.4.0", True),
        ("0.4.3", True),
        ("0.4.3.post1", True),
        ("0.4.99+local.7", True),
        ("0.3.9", False),
        ("0.5", False),
        ("0.5.0rc1", False),
        ("0.10.1", False),
        ("1", False),
        ("nonsense", False),
    ],
)
def test_versions_are_compared_by_their_numbers(version, held):
    made = draft("ragas", versions={"at_least": "0.4.0", "below": "0.5"})
    assert made.judge.versions.hold(version) is held


def test_a_range_that_no_version_is_in_is_no_rubric():
    with pytest.raises(Exception, match="at_least must come before below"):
        draft("ragas", versions={"at_least": "0.5", "below": "0.5.0"})


def test_the_command_says_in_one_line_what_is_wrong(tmp_path, capsys):
    assert main([]) == 3
    assert main([str(tmp_path / "none.yaml")]) == 3
    shipped = ROOT / "calibration" / "rubrics" / "groundedness@1.0.0.yaml"
    assert main([str(shipped)]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "groundedness@1.0.0 names a lexical judge, no adapter"
    assert len(lines) == 3
