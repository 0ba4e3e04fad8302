"""How a report was made, for its files: the standard, its identity, what the judge was told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from calibration.rendering.laid_out import Section, Verbatim
from calibration.rubrics.rubric_yaml import as_yaml

Report = Mapping[str, Any]

PASSES: Final = {
    "classify": "First pass, of which class a statement is: the instructions as sent",
    "verify": "Second pass, what its verdict is: the instructions as sent",
}

OWN: Final = {
    "classify": "The rubric's own prompt for the first pass",
    "verify": "The rubric's own prompt for the second pass",
}


def standard(report: Report) -> Iterable[str]:
    """Nothing for figures alone, as a terminal shows them first."""
    if "made" in report:
        yield report["made"]["standard"]


def facts(report: Report) -> list[tuple[str, str]]:
    rubric, run, reference = report["rubric"], report["run"], report["reference"]
    recorded = "none: recorded elsewhere"
    return [
        ("run", f"{run['id']}, {run['status']}"),
        ("judge models", models(run["judge_models"])),
        ("rubric digest", rubric["digest"] or recorded),
        ("scope digest", rubric["scope_digest"] or recorded),
        ("lowest reference taken", reference["minimum"]),
        ("reference digest", reference["digest"]),
        ("seed of the intervals", str(report["seed"])),
        *_when(report.get("made")),
    ]


def models(reported: list[str]) -> str:
    """Each as the judge reported it; more than one is a run of mixed models."""
    told = ", ".join(reported) or "not stated"
    return f"{told} (mixed: {len(reported)} models answered)" if len(reported) > 1 else told


def _when(made: Mapping[str, Any] | None) -> Iterable[tuple[str, str]]:
    if made is not None:
        yield "round of the run", str(made["round"])
        yield "computed by", f"implementation {made['implementation']} of these figures"
        yield "frozen at", made["created_at"]


def sections(report: Report) -> Iterable[Section]:
    """What the judge was told, letter for letter, last of all since it is long."""
    if "made" in report:
        yield Section(
            "How the judge was asked",
            notes=[report["made"]["asked"]],
            verbatim=list(told(report["rubric"], report["made"])),
        )


def told(rubric: Mapping[str, Any], made: Mapping[str, Any]) -> Iterable[Verbatim]:
    """The instructions of each pass as sent, or what of them the rubric states; then the rubric
    whole, with its prompts, examples and parameters as they were released."""
    yield from (Verbatim(PASSES[name], text) for name, text in made["prompts"].items())
    definition = made["definition"]
    if definition is not None:
        own = {} if made["prompts"] else definition["prompts"]
        yield from (Verbatim(OWN[name], text) for name, text in own.items() if text)
        title = f"The rubric as it was released: {rubric['name']}@{rubric['version']}.yaml"
        yield Verbatim(title, as_yaml(definition))
