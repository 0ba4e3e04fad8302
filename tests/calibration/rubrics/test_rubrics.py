"""Releasing rubric versions: law 8, row D12, and law 9 on running them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from calibration import rubrics
from calibration.models import RubricVersion
from grounding.errors import NotFound, Refused, VersionRefused
from grounding.rubrics import RubricDefinition, check_release
from tests.grounding.rubric_examples import SHIPPED, with_changes

EXAMPLE = {
    "statement": "Three jobs failed.",
    "context": [{"id": "p1", "text": "3 failed jobs"}],
    "claim_class": "subject_specific",
    "verdict": "supported",
    "rationale": "Stated.",
}


def test_a_release_says_what_it_needed_and_whose_baseline_it_opens(db: None) -> None:
    first = rubrics.release(with_changes())
    assert (first.required_bump, first.baseline_of) == ("none", "groundedness@1")
    minor = rubrics.release(with_changes(version="1.1.0", prompts__verify="Look twice."))
    assert (minor.required_bump, minor.baseline_of) == ("minor", None)
    major = rubrics.release(
        with_changes(
            version="2.0.0", prompts__verify="Look twice.", verdict_mapping__refuted="unsupported"
        )
    )
    assert (major.required_bump, major.baseline_of) == ("major", "groundedness@2")
    assert major.rubric_version.scope_digest != minor.rubric_version.scope_digest
    assert minor.rubric_version.scope_digest == first.rubric_version.scope_digest


def test_the_same_content_again_is_the_same_release(db: None) -> None:
    rubrics.release(with_changes())
    again = rubrics.release(with_changes(version="1.1.0", prompts__verify="Look twice."))
    later = rubrics.release(with_changes(version="1.1.0", prompts__verify="Look twice."))
    assert later == again
    assert RubricVersion.objects.count() == 2


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("prompts__verify", "Look twice. ", "prompts.verify"),
        ("prompts__classify", "Which class", "prompts.classify"),
        ("examples", [{**EXAMPLE, "statement": "Three jobs failed!"}], "examples.0.statement"),
        ("examples", [{**EXAMPLE, "rationale": "stated."}], "examples.0.rationale"),
        ("examples", [], "examples"),
        ("verdict_mapping__refuted", "unsupported", "verdict_mapping.refuted"),
        ("verdict_mapping__maybe", "unsupported", "verdict_mapping.maybe"),
        ("judge__parameters__support_probability", 0.81, "judge.parameters.support_probability"),
        ("judge__implementation", 2, "judge.implementation"),
        ("contract__evidence__external__supported_needs_quote", False, "contract.evidence"),
        ("contract__speech_acts__refusal__quotable", True, "contract.speech_acts"),
        ("contract__version", "2.0.0", "contract.version"),
        ("splitting__language", "de", "splitting.language"),
        ("claim_types__precedence", ["date", "quantity"], "claim_types.precedence"),
        ("common_knowledge__exempt", "stable_definitions", "common_knowledge.exempt"),
        ("common_knowledge__statement", "Common knowledge is exempt.", "common_knowledge"),
        ("answer_policy__ratio_threshold", 0.5, "answer_policy.ratio_threshold"),
        ("gate__failure_ceiling", 0.5, "gate.failure_ceiling"),
    ],
)
def test_an_edit_that_can_move_a_verdict_under_the_same_version_is_refused_by_its_field(
    db: None, field: str, value: Any, named: str
) -> None:
    said = {
        "prompts__verify": "Look twice.",
        "prompts__classify": "Which class?",
        "examples": [EXAMPLE],
    }
    before = rubrics.release(with_changes(**said)).rubric_version
    with pytest.raises(VersionRefused) as refused:
        rubrics.release(with_changes(**{**said, field: value}))
    assert any(path.startswith(named) for path in refused.value.fields)
    stored = RubricVersion.objects.get()
    assert (stored.digest, stored.definition) == (before.digest, before.definition)


def test_too_small_a_bump_ends_the_command_with_3_and_names_what_moved(
    db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("release_rubric", str(SHIPPED), json=True)
    assert json.loads(capsys.readouterr().out)["baseline_of"] == "groundedness@1"
    changed = tmp_path / "changed.yaml"
    text = SHIPPED.read_text("utf-8").replace("version: 1.0.0\n", "version: 1.0.1\n", 1)
    changed.write_text(text.replace("support_probability: 0.5", "support_probability: 0.4"))
    with pytest.raises(CommandError, match=r"judge\.parameters\.support_probability") as refused:
        call_command("release_rubric", str(changed))
    assert refused.value.returncode == 3
    assert RubricVersion.objects.count() == 1


def test_a_policy_by_which_nothing_ever_passes_is_released_with_a_warning(
    db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("release_rubric", str(SHIPPED))
    assert "warning" not in capsys.readouterr().err
    nothing = {f"gate__{name}": None for name in ("lenient", "class_escape", "regression")}
    definition = with_changes(name="open", gate__cells=[], **nothing)
    (tmp_path / "open.json").write_text(definition.model_dump_json())
    call_command("release_rubric", str(tmp_path / "open.json"))
    assert "warning: the gate policy asks nothing of agreement" in capsys.readouterr().err


def test_a_file_that_is_no_rubric_is_refused_with_its_name_and_line(
    db: None, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"name: x\nversion: \xff\n")
    with pytest.raises(CommandError, match=r"broken\.yaml, line 2: is not UTF-8") as refused:
        call_command("release_rubric", str(broken))
    assert refused.value.returncode == 3


def test_get_finds_a_version_by_name_and_number(rubric: RubricVersion) -> None:
    assert rubrics.get("groundedness@1.0.0") == rubric
    for unknown in ("groundedness@1.0.1", "groundedness", "@", "other@1.0.0"):
        with pytest.raises(NotFound):
            rubrics.get(unknown)


def test_a_stored_definition_that_was_changed_does_not_run(rubric: RubricVersion) -> None:
    assert rubrics.definition_of(rubric).digest == rubric.digest
    assert rubric.definition is not None
    rubric.definition["judge"]["parameters"]["support_probability"] = 0.1
    rubric.save()
    with pytest.raises(Refused, match="released as sha256:"):
        rubrics.definition_of(RubricVersion.objects.get())


def test_a_definition_does_not_run_under_another_name(rubric: RubricVersion) -> None:
    assert rubric.definition is not None
    rubric.definition["name"] = "other"
    rubric.save()
    with pytest.raises(Refused, match=r"holds the definition of other@1\.0\.0"):
        rubrics.definition_of(rubric)


def test_a_rubric_for_another_implementation_of_the_judge_can_be_read_and_not_run(
    db: None,
) -> None:
    other = rubrics.release(with_changes(judge__implementation=999)).rubric_version
    assert rubrics.verified_definition(other).judge.implementation == 999
    with pytest.raises(Refused, match="implementation 999"):
        rubrics.definition_of(other)


def test_a_recorded_version_has_nothing_to_run_and_its_name_is_taken(db: None) -> None:
    recorded = rubrics.register_recorded("groundedness", "1.0.0")
    assert recorded.recorded
    assert rubrics.register_recorded("groundedness", "1.0.0") == recorded
    with pytest.raises(Refused, match="recorded"):
        rubrics.definition_of(recorded)
    with pytest.raises(Refused, match="recorded elsewhere"):
        rubrics.release(with_changes())


def _release_together(definitions: list[RubricDefinition]) -> list[str]:
    """Release from as many threads, each held where it has read what stands and not yet written."""
    gate = threading.Barrier(len(definitions))

    def checked(*arguments: Any) -> Any:
        bump = check_release(*arguments)
        with suppress(threading.BrokenBarrierError):
            gate.wait(timeout=1)
        return bump

    def release(definition: RubricDefinition) -> str:
        try:
            return str(rubrics.release(definition).rubric_version)
        except Refused as refusal:
            return type(refusal).__name__
        finally:
            connections.close_all()

    with (
        mock.patch.object(rubrics, "check_release", checked),
        ThreadPoolExecutor(len(definitions)) as pool,
    ):
        return sorted(pool.map(release, definitions))


def _two_scopes() -> list[RubricDefinition]:
    """Two first releases of one major line that measure different things."""
    return [
        with_changes(version="1.0.0"),
        with_changes(version="1.1.0", verdict_mapping__refuted="unsupported"),
    ]


@pytest.mark.django_db(transaction=True)
def test_of_two_releases_at_once_the_later_is_measured_against_the_earlier() -> None:
    found = _release_together(_two_scopes())
    assert found[0] == "VersionRefused"
    assert RubricVersion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_two_releases_at_once_miss_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control. On SQLite the lock is that a transaction begins IMMEDIATE."""
    released: Callable[[RubricDefinition], Any] = rubrics.release.__wrapped__  # type: ignore[attr-defined]
    monkeypatch.setattr(rubrics, "_one_release_at_a_time", lambda: None)
    monkeypatch.setattr(rubrics, "release", released)
    found = _release_together(_two_scopes())
    assert found == ["groundedness@1.0.0", "groundedness@1.1.0"]
