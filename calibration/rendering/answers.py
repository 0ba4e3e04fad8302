"""What a report says of answers, speech acts, abstention and the place where answers failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from calibration.rendering.laid_out import RATE, Item, Section, Table
from calibration.wording.numbers import counted, rate_cells, words

Report = Mapping[str, Any]

SIDES: Final = {"human": "by its references", "judge": "by the judge"}
UNDECIDED_MEANINGS: Final = {
    "judge_failed": "a judgment on a statement of it failed",
    "without_reference": "a statement of it has no reference",
    "nothing_to_grade": "no claim of it can be graded",
}
STAGE_MEANINGS: Final = {
    "generation": "the fact was in the admitted context",
    "budget": "the fact was retrieved, and not admitted",
    "retrieval": "the fact was in neither, or there was none to find",
    "pool_not_captured": "not in the admitted context, and the pool is not known",
    "external": "only claims about the world fail, which do not rest on retrieval",
    "not_searched": "the passages were too many to look through",
}
BASIS_MEANINGS: Final = {
    "stated": "as the case's author states",
    "reference": "as its references show",
    "lexical": "as the lexical judge finds it",
}
BEHAVIOUR_MEANINGS: Final = {
    "abstained": "refuses, and states no fact beside",
    "mixed": "refuses, and states facts all the same",
    "asserted": "states facts, and refuses nothing",
    "neither": "asks back, or speaks of the retrieval or how to go on",
    "unread": "not read whole: a failure, or a side that says too little",
}
LEXICAL_LIMIT: Final = (
    "The lexical judge looks for the words of a failing statement in the passages that were "
    "retrieved and not admitted. It reads words, not meanings: what it does not find may be there "
    "in other words, and what was made up altogether counts as retrieval too."
)


def sections(report: Report, listed: int) -> list[Section]:
    """None for a report that was made before answers were measured; ``listed`` answers at most
    are told one by one."""
    if "answers" not in report:
        return []
    return [
        _answers(report, listed),
        _speech_acts(report),
        _abstention(report),
        _sources(report, listed),
    ]


def on_a_page(report: Report) -> Mapping[str, Any]:
    """The words that a page puts beside the figures; empty for a report without them."""
    if "answers" not in report:
        return {}
    return {
        "policy": policy(report["answers"]["policy"]),
        "undecided": UNDECIDED_MEANINGS,
        "stages": STAGE_MEANINGS,
        "bases": BASIS_MEANINGS,
        "lexical_limit": f"{LEXICAL_LIMIT} It was {report['failure_source']['searched_by']}.",
        "not_abstaining": _not_abstaining(report["abstention"]),
        "speech_acts": _rows(report["speech_acts"]["confusion"]),
    }


def _not_abstaining(
    found: Mapping[str, Any],
) -> list[tuple[str, str, list[tuple[int, str | None]]]]:
    """What else an answer does, in words, and how often: where it should abstain and where not,
    each as either side reads it, with the link of each count."""
    sides = [found[among][side] for among in ("should_abstain", "answerable") for side in SIDES]
    return [
        (name, meaning, [(one[name], one.get("behind", {}).get(name)) for one in sides])
        for name, meaning in BEHAVIOUR_MEANINGS.items()
        if name != "abstained"
    ]


def _rows(confusion: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, int]]]]:
    """A row for each answer of the references: its counts with the judge's answer they are for."""
    labels, counts = confusion["labels"], confusion["rows_human_columns_judge"]
    return [
        (name, list(zip(labels, row, strict=True)))
        for name, row in zip(labels, counts, strict=True)
    ]


def policy(stated: Mapping[str, Any]) -> str:
    """The answer policy in a sentence."""
    strict = ", ".join(map(words, stated["strict_claim_types"]))
    forgiven = "no contradiction" if stated["contradiction_fails"] else "contradictions in count"
    singly = f", and no unsupported claim of these types: {strict}" if strict else ""
    whose = "" if stated["stated_by_rubric"] else " (the default: the rubric states none)"
    share = f"{100 * stated['ratio_threshold']:g}%"
    return f"Grounded{whose}: at least {share} of its claims supported, {forgiven}{singly}."


def _answers(report: Report, listed: int) -> Section:
    found = report["answers"]
    rates = [
        ("decided alike", *rate_cells(found["agreement"])),
        ("lenient: ungrounded by its references, passed", *rate_cells(found["lenient"])),
        ("strict: grounded by its references, failed", *rate_cells(found["strict"])),
        *(
            (f"{name}, {whose}", *rate_cells(found[key][side]))
            for key, name in (("grounded", "grounded"), ("claims", "claims supported"))
            for side, whose in SIDES.items()
        ),
    ]
    rows = found.get("disagreements", [])
    counts = [
        ("decided on both sides", f"{found['decided']:,}"),
        *((UNDECIDED_MEANINGS[name], f"{n:,}") for name, n in found["undecided"].items()),
    ]
    return Section(
        f"Answers ({found['planned']:,})",
        [Table(("", *RATE), rates), Table(("answers", "count"), counts, numeric_last=True)],
        [policy(found["policy"]), *_left(rows, listed)],
        [
            Item(
                f"{one['direction']}: {one['case_id']}",
                [("human", one["human"]), ("judge", one["judge"])],
            )
            for one in rows[:listed]
        ],
    )


def _left(rows: Sequence[Any], listed: int) -> list[str]:
    left = len(rows) - listed
    return [f"{counted(left, 'more is', 'more are')} not listed."] if left > 0 else []


def _speech_acts(report: Report) -> Section:
    found = report["speech_acts"]
    refusals = found["refusals"]
    rows = [
        ("speech act alike", *rate_cells(found["agreement"])),
        ("refusals warranted, by their references", *rate_cells(refusals["human"])),
        ("refusals warranted, by the judge", *rate_cells(refusals["judge"])),
        ("on what both read as a refusal, verdict alike", *rate_cells(refusals["agreement"])),
    ]
    rest = counted(found["not_judged"], "compared statement", "compared statements")
    return Section(
        "Speech acts",
        [Table(("", *RATE), rows), _matrix(found["confusion"])],
        [f"The judge gives {rest} no speech act."],
    )


def _matrix(confusion: Mapping[str, Any]) -> Table:
    labels = confusion["labels"]
    counts = confusion["rows_human_columns_judge"]
    rows = [
        (words(name), *(f"{n:,}" for n in row), f"{sum(row):,}")
        for name, row in zip(labels, counts, strict=True)
    ]
    return Table(("reference ↓ judge →", *map(words, labels), "n"), rows, numeric_last=True)


def _abstention(report: Report) -> Section:
    found = report["abstention"]
    rows = [
        (f"{name}, {whose}", *rate_cells(found[key][side]["abstained"]))
        for key, name in (
            ("should_abstain", "abstained where it should"),
            ("answerable", "refused what the context answers"),
        )
        for side, whose in SIDES.items()
    ]
    counts = [
        (BEHAVIOUR_MEANINGS[name], *(f"{each[side][name]:,}" for each, side in _columns(found)))
        for name in ("mixed", "asserted", "neither", "unread")
    ]
    headers = (
        "the others",
        *("should abstain, reference", "judge", "answerable, reference", "judge"),
    )
    unstated = counted(found["not_stated"], "answer", "answers")
    return Section(
        "Abstention",
        [Table(("", *RATE), rows), Table(headers, counts, numeric_last=True)],
        [f"Of {unstated} nobody says whether the admitted context holds what was asked."],
    )


def _columns(found: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str]]:
    return [(found[key], side) for key in ("should_abstain", "answerable") for side in SIDES]


def _sources(report: Report, listed: int) -> Section:
    found = report["failure_source"]
    answers = found.get("answers", [])
    traced = ("generation", "budget", "retrieval")
    rows = [(f"{name}: {STAGE_MEANINGS[name]}", *rate_cells(found[name])) for name in traced]
    gap = [
        ("passages retrieved and not admitted", *rate_cells(found["gap"]["dropped"])),
        ("cases whose pool alone holds the answer", *rate_cells(found["gap"]["lost"])),
    ]
    untraced = [
        *((f"not traced: {STAGE_MEANINGS[key]}", f"{n:,}") for key, n in found["untraced"].items()),
        *((f"traced {BASIS_MEANINGS[key]}", f"{n:,}") for key, n in found["basis"].items()),
    ]
    return Section(
        f"Where ungrounded answers failed ({found['ungrounded']:,})",
        [
            Table(("", *RATE), rows),
            Table(("answers", "count"), untraced, numeric_last=True),
            Table(("pool and context", *RATE), gap),
        ],
        [f"{LEXICAL_LIMIT} It was {found['searched_by']}.", *_left(answers, listed)],
        [
            Item(
                f"{words(one['stage'])}: {one['case_id']}",
                [("traced", BASIS_MEANINGS[one["basis"]])] if one["basis"] else [],
            )
            for one in answers[:listed]
        ],
    )
