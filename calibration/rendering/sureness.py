"""What a report says of the judge's confidence and evidence, and of what its errors cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from calibration.rendering import pictures
from calibration.rendering.laid_out import COEFFICIENT, RATE, Section, Table
from calibration.wording.numbers import coefficient_cells, counted, decimal, rate_cells, words

Report = Mapping[str, Any]

DIRECTED: Final = ("lenient", "strict", "class_escape")
SCORES: Final = {
    "brier": ("Brier score", "0 is best; a judge that says 50% to everything has 0.25"),
    "reliability": ("Reliability", "of the score: how far the bins are off; less is better"),
    "resolution": ("Resolution", "taken from it: how far the bins are apart; more is better"),
    "uncertainty": ("Uncertainty", "of the score: what always saying the overall rate would cost"),
    "within": ("Within bins", "of the score: what varies inside them"),
    "expected_error": ("Expected calibration error", "how far a bin is off on average"),
    "chance_error": ("The same by chance", "if the judge meant exactly what it says"),
}
_LIFTED: Final = "chance alone lifts it, and resampling would lift it again"
_NO_INTERVAL: Final = {
    "reliability": _LIFTED,
    "resolution": _LIFTED,
    "uncertainty": "it follows from how often the verdict is right, which has one",
    "within": "what the bins leave over, which depends on where they are cut",
    "expected_error": f"{_LIFTED}; read it beside the same by chance",
    "chance_error": "a mean over judges drawn by chance",
}
CONFIDENCE: Final = (
    "A judge that means what it says is right on 80% of what it is 80% sure of. Right is the "
    "verdict, of which it was asked how sure it is; the class has figures of its own."
)
NO_CONFIDENCE: Final = "The judge says of no compared statement how sure it is."
HUMAN_EVIDENCE: Final = (
    "The evidence of a reference is what everybody behind it cites: the adjudication that "
    "decided, else all labels that say what the reference says, else the author. Quotes are "
    "compared character by character; several of one side count as their union."
)
OVERLAPS: Final = {
    "precision": ("Precision", "of what the judge cites, the reference cites too"),
    "recall": ("Recall", "of what the reference cites, the judge cites too"),
    "f1": ("F1", "both in one: twice what is shared, of what the two cite"),
    "iou": ("Overlap", "what is shared, of what either cites"),
}
MET: Final = {
    "both_cite": "both cite evidence",
    "apart": "both do, and share no character",
    "only_human": "the reference alone cites",
    "only_judge": "the judge alone cites",
    "neither": "neither cites",
}
COSTS: Final = (
    "Mean cost over the statements on which such an error could be made. One is what it costs to "
    "pass an unsupported statement."
)


def on_a_page(report: Report) -> Mapping[str, Any]:
    """The words that a page puts beside the figures; empty for a report without them."""
    if "confidence" not in report:
        return {}
    return {
        "confidence": CONFIDENCE,
        "no_confidence": NO_CONFIDENCE,
        "scores": [
            (name, *said, no_interval(report["confidence"], name)) for name, said in SCORES.items()
        ],
        "human_evidence": HUMAN_EVIDENCE,
        "overlaps": [(name, *said) for name, said in OVERLAPS.items()],
        "met": MET,
        "costs": COSTS,
        "directed": DIRECTED,
    }


def severity(report: Report) -> Iterable[Section]:
    """Nothing of a report that was made before errors were weighed; so with the others here."""
    if "severity" not in report:
        return
    found = report["severity"]
    costs = [(words(name), *coefficient_cells(found[name])) for name in DIRECTED]
    errors = [
        (
            f"{words(one['direction'])}: {words(one['reference'])} judged {words(one['judged'])}",
            decimal(one["weight"], 1),
            f"{one['count']:,}",
        )
        for one in found["weights"]
    ]
    yield Section(
        "Severity of errors",
        [
            Table(("cost", *COEFFICIENT), costs),
            Table(("error", "weight", "statements"), errors, numeric_last=True),
        ],
        [COSTS],
    )


def confidence(report: Report) -> Iterable[Section]:
    if "confidence" not in report:
        return
    found = report["confidence"]
    if not found["with"]:
        yield Section("Confidence", notes=[NO_CONFIDENCE])
        return
    bins = [
        (_between(one), decimal(one["confidence"], 3), *rate_cells(one["right"]))
        for one in found["bins"]
    ]
    scores = [
        (*cells, why) if (why := no_interval(found, name)) else (*cells, interval)
        for name, (*cells, interval) in zip(SCORES, _told(found, SCORES), strict=True)
    ]
    yield Section(
        "Confidence",
        [Table(("confidence", "mean", *RATE), bins), Table(("", *COEFFICIENT), scores)],
        [CONFIDENCE, f"{_stated(found['without'])} no confidence, and none of these figures."],
        figures=[curve] if (curve := pictures.confidence(report)) else [],
    )


def no_interval(found: Report, name: str) -> str | None:
    """Why the score ``name`` has no interval, where it has a value and none."""
    score = found[name]
    if score["value"] is None or score["interval"] is not None or name not in _NO_INTERVAL:
        return None
    return f"no interval: {_NO_INTERVAL[name]}"


def _between(one: Mapping[str, Any]) -> str:
    low, high = (decimal(one[end], 3) for end in ("low", "high"))
    return low if low == high else f"{low} to {high}"


def _stated(without: int) -> str:
    return counted(without, "compared statement has", "compared statements have")


def evidence(report: Report) -> Iterable[Section]:
    if "evidence" not in report:
        return
    found = report["evidence"]
    overlaps = _told(found, OVERLAPS)
    counts = [(meaning, f"{found[name]:,}") for name, meaning in MET.items()]
    yield Section(
        "Evidence",
        [
            Table(("", *RATE), [("share a character at least", *rate_cells(found["shared"]))]),
            Table(("mean over the statements where both cite", *COEFFICIENT), overlaps),
            Table(("compared statements", "count"), counts, numeric_last=True),
        ],
        [HUMAN_EVIDENCE],
    )


def _told(found: Report, words_of: Mapping[str, tuple[str, str]]) -> list[tuple[str, ...]]:
    return [
        (f"{title}: {meaning}", *coefficient_cells(found[name]))
        for name, (title, meaning) in words_of.items()
    ]
