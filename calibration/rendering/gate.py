"""What a gate says: for a terminal, for a pull request, for a CI server. Each takes the dict of
`calibration.gate.full` and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from xml.etree import ElementTree

from calibration.rendering import markdown, text
from calibration.rendering.laid_out import Document, Section, Table
from calibration.wording.numbers import counted, rate_cells, share_of, words
from calibration.wording.visible import visible

Gate = Mapping[str, Any]

FORMATS: Final = ("text", "json", "md")
SIGNS: Final = {"pass": "✓", "fail": "✗", "inconclusive": "?"}
_SAID: Final = {
    "pass": "This version may gate a release.",
    "fail": "This version may not gate a release.",
    "inconclusive": "Too little is known to let this version gate a release.",
}
_BOUNDS: Final = (
    ("minimum_n", "n ≥ {:,}"),
    ("minimum_rate", "rate ≥ {:.1%}"),
    ("minimum_lower_bound", "lower bound ≥ {:.1%}"),
    ("maximum_rate", "rate ≤ {:.1%}"),
    ("maximum_upper_bound", "upper bound ≤ {:.1%}"),
    ("level", "p > {:g}"),
    ("minimum_checks", "checks of agreement or direction ≥ {:,}"),
)


def render(gate: Gate, form: str) -> str:
    renderer = {"text": text.render, "md": markdown.render}[form]
    return renderer(outline(gate))


def outline(gate: Gate) -> Document:
    rubric, run = gate["rubric"], gate["run"]["id"]
    return Document(
        title=f"Gate: {rubric['name']}@{rubric['version']} on {gate['set']['slug']}: "
        f"{gate['result']}",
        sentences=[sentence(gate)],
        facts=[
            ("run", f"{run}, of revision {gate['set']['revision']}"),
            ("baseline", _baseline(gate)),
            ("rubric digest", str(rubric["digest"])),
            ("reference digest", gate["reference"]["digest"]),
        ],
        sections=[Section("Checks", [Table(_HEADERS, list(map(_row, gate["checks"])))])],
    )


_HEADERS: Final = ("check", "count", "n", "rate", "95% interval", "required", "result")


def sentence(gate: Gate) -> str:
    """What it comes to, and how many checks stand in the way."""
    open_checks = sum(check["result"] != "pass" for check in gate["checks"])
    if not open_checks:
        checks = len(gate["checks"])
        every = "Both" if checks == 2 else f"All {checks:,}"
        return f"{_SAID['pass']} {every} checks pass."
    what = counted(open_checks, "check stands", "checks stand")
    return f"{_SAID[gate['result']]} {what} in the way, of {len(gate['checks'])}."


def required(check: Mapping[str, Any]) -> str:
    """What a check asks for, in words."""
    asked = check["required"]
    return ", ".join(
        told.format(asked[name]) for name, told in _BOUNDS if asked.get(name) is not None
    )


def reach(check: Mapping[str, Any]) -> str | None:
    """How far the interval goes beyond the rate asked for, of a check that passes on its rate and
    has no bound for the interval."""
    asked, interval = check["required"], check["measured"]["interval"]
    if check["result"] != "pass" or "minimum_n" not in asked or interval is None:
        return None
    low, high = interval
    if asked.get("maximum_upper_bound") is None and high > asked.get("maximum_rate", 1):
        return f"its interval reaches {high:.1%}"
    if asked.get("minimum_lower_bound") is None and low < asked.get("minimum_rate", 0):
        return f"its interval begins at {low:.1%}"
    return None


def name_of(check: Mapping[str, Any]) -> str:
    return words(check["name"])


def junit(gate: Gate) -> str:
    """One test case a check: a red one is a failure, an inconclusive one an error, since a CI
    server shows a skipped test as nothing to look at."""
    checks, rubric = gate["checks"], gate["rubric"]
    counts = {word: sum(check["result"] == word for check in checks) for word in SIGNS}
    suite = ElementTree.Element(
        "testsuite",
        name=visible(f"gate {rubric['name']}@{rubric['version']} on {gate['set']['slug']}"),
        tests=str(len(checks)),
        failures=str(counts["fail"]),
        errors=str(counts["inconclusive"]),
    )
    for check in checks:
        case = ElementTree.SubElement(suite, "testcase", classname="gate", name=name_of(check))
        if check["result"] != "pass":
            tag = "failure" if check["result"] == "fail" else "error"
            said = ElementTree.SubElement(case, tag, message=visible(check["why"]))
            said.text = visible(f"{share_of(check['measured'])}; required: {required(check)}")
    xml = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def _row(check: Mapping[str, Any]) -> tuple[str, ...]:
    told = f"{SIGNS[check['result']]} {check['result']}"
    beyond = reach(check)
    said = f": {check['why']}" if check["why"] else f"; {beyond}" if beyond else ""
    return (
        name_of(check),
        *rate_cells(check["measured"]),
        required(check),
        told + said,
    )


def _baseline(gate: Gate) -> str:
    baseline = gate["baseline"]
    if baseline is None:
        return "none yet"
    own = " (this run)" if baseline["run"] == gate["run"]["id"] else ""
    return f"run {baseline['run']} of {baseline['rubric']}{own}"
