"""One answer as its report decides it: both views side by side, each claim with its sources.

Decisions, verdicts and stage are the report's. What is cited for references is read from the
labels as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration.loading import NO_REFERENCE, Reference
from calibration.models import Judgment, Report
from calibration.readings.attribution import Placed, Quote, Stretch, place, stretches
from calibration.reports import answersheets
from calibration.reports.answer_lists import Row, Sheet
from calibration.runs.rounds import AsOf
from grounding.answers import AnswerDecision, decide
from grounding.contract import CONTRACT, FAILING, ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.errors import NotFound
from grounding.evidence import Texts
from grounding.grades import Grade
from grounding.interchange.models import Outcome, Premise
from labeling.models import Case, Source, Statement
from labeling.references import evidence_behind
from labeling.references.evidence_behind import Behind
from labeling.wording.marking import Mark

HUMAN, JUDGE = "human", "judge"
_LETTERS: Final = {HUMAN: "h", JUDGE: "j"}


@dataclass(frozen=True)
class Claim:
    """A statement as one side reads it. Without a verdict, ``missing`` says why."""

    name: str
    number: int
    statement: Statement
    claim_class: str | None
    speech_act: SpeechAct
    verdict: str | None
    missing: str | None
    said: Sequence[tuple[str, str]]
    quotes: Sequence[Quote]
    premises: Sequence[tuple[str, str]]
    tier: str | None
    judgment_pk: int | None

    @property
    def floats(self) -> bool:
        """Whether nothing bears it: it is unsupported or contradictory, or a part of it is."""
        return not FAILING.isdisjoint({self.verdict, *(verdict for _, verdict in self.premises)})

    @property
    def rests_on_nothing_shown(self) -> bool:
        """Whether it is supported and no quote of it stands in any text, though the contract sees
        something to quote: the warrant of a refusal is what is not there."""
        quotable = CONTRACT.speech_acts[self.speech_act].quotable
        quoted = any(quote.name for quote in self.quotes)
        return self.verdict == Verdict.SUPPORTED and quotable and not quoted

    @property
    def in_words(self) -> bool:
        """Whether it stands in the answer's own words."""
        return self.statement.span_start is not None


@dataclass(frozen=True)
class View:
    """What one side makes of the answer. ``decided`` gives its reasons; ``decision`` is the
    report's, which decides nothing where a part could not be read."""

    side: str
    decision: str
    behaviour: str | None
    decided: AnswerDecision
    claims: Sequence[Claim]
    answer: Sequence[Stretch]

    @property
    def graded(self) -> int:
        """Claims that are supported, unsupported or contradictory."""
        one = self.decided
        return one.supported + one.unsupported + one.contradictory

    @property
    def floating(self) -> Sequence[Claim]:
        return [claim for claim in self.claims if claim.floats]

    @property
    def unshown(self) -> Sequence[Claim]:
        return [claim for claim in self.claims if claim.rests_on_nothing_shown]

    @property
    def unknown(self) -> Sequence[Claim]:
        return [claim for claim in self.claims if claim.verdict is None]

    @property
    def unplaced(self) -> bool:
        """Whether no claim states where it stands, so that none can be said to leave words out."""
        return not any(claim.in_words for claim in self.claims)

    @property
    def unclaimed(self) -> Sequence[Stretch]:
        """The stretches of the answer that are in no claim."""
        return [] if self.unplaced else [one for one in self.answer if one.bare]

    @property
    def unclaimed_id(self) -> str | None:
        """Where on the page these are listed."""
        return f"{self.side}-unclaimed" if self.unclaimed else None

    @property
    def free(self) -> bool:
        """Whether anything may float free."""
        found = (self.floating, self.unclaimed, self.unshown, self.unknown)
        return any(found) or self.unplaced

    @property
    def rewritten(self) -> Sequence[Claim]:
        return [claim for claim in self.claims if not claim.in_words]

    @property
    def verdicts(self) -> Mapping[str, str]:
        """How each claim is drawn in the answer."""
        return {claim.name: claim.verdict or "none" for claim in self.claims}


@dataclass(frozen=True)
class ShownText:
    id: str
    origin: str | None
    stretches: Sequence[Stretch]


@dataclass(frozen=True)
class AnswerPage:
    row: Row
    human: View
    judge: View
    context: Sequence[ShownText]
    beyond: Sequence[ShownText]
    """Retrieved and not admitted."""
    sources: Sequence[ShownText]

    @property
    def views(self) -> Sequence[View]:
        return (self.human, self.judge)


@dataclass(frozen=True)
class _Side:
    """What is to be laid out of a side: a grade a statement, and what it cites."""

    side: str
    grades: Sequence[Grade]
    cited: Sequence[Sequence[Behind]]
    tiers: Sequence[str | None]
    pks: Sequence[int | None]


def lay_out(report: Report, sheet: Sheet, case: Case) -> AnswerPage:
    """NotFound for a case that the report's run did not judge."""
    at = sheet.place_of(case.pk)
    if at is None:
        raise NotFound("this report has no such answer")
    statements = list(Statement.objects.filter(case=case).order_by("position"))
    sides = (_human(report, case, statements), _judge(report, statements))
    texts, sources = _texts(case, sides)
    placed = place(_evidence(sides), texts)
    row = sheet.row(at, case)
    human, judge = (_view(one, statements, placed, row, report) for one in sides)
    admitted = {passage["id"] for passage in case.context}
    beyond = [one for one in case.retrieved or () if one["id"] not in admitted]
    return AnswerPage(
        row=row,
        human=human,
        judge=judge,
        context=[_passage(one, placed) for one in case.context],
        beyond=[_passage(one, placed) for one in beyond],
        sources=[_source(one, placed) for one in sources],
    )


def _human(report: Report, case: Case, statements: Sequence[Statement]) -> _Side:
    frozen = report.snapshot.references
    found = [
        Reference(*frozen[str(one.pk)]) if str(one.pk) in frozen else NO_REFERENCE
        for one in statements
    ]
    known = {
        one.pk: (reference.tier, str(reference.verdict))
        for one, reference in zip(statements, found, strict=True)
        if reference.verdict is not None
    }
    cited = evidence_behind.of_case(case, report.snapshot.contract_major, known)
    return _Side(
        HUMAN,
        [_referred(*each) for each in zip(statements, found, strict=True)],
        [cited.get(one.pk, []) for one in statements],
        [one.tier if one.verdict else None for one in found],
        [None] * len(statements),
    )


def _referred(statement: Statement, reference: Reference) -> Grade:
    """A reference as a grade, so that the one rule decides on both sides."""
    if reference.verdict is None:
        return Grade("answer", statement.statement_id, 0, Outcome.MISSING)
    kind = reference.claim_type or statement.claim_type
    act = reference.speech_act or statement.speech_act
    return Grade(
        "answer",
        statement.statement_id,
        0,
        Outcome.GRADED,
        claim_class=ClaimClass(reference.claim_class) if reference.claim_class else None,
        verdict=Verdict(reference.verdict),
        claim_type=ClaimType(kind) if kind else None,
        speech_act=SpeechAct(act) if act else None,
        premises=tuple(Premise(text="", verdict=Verdict(one)) for one in reference.premises),
    )


def _judge(report: Report, statements: Sequence[Statement]) -> _Side:
    rows = Judgment.objects.filter(run=report.run_id, repeat=0, statement__in=statements)
    then = AsOf(report.run, report.round).shown(rows)
    by_statement = {row.statement_id: row for row in then}
    judged = [by_statement[one.pk] for one in statements]
    return _Side(
        JUDGE,
        [_graded(*each) for each in zip(statements, judged, strict=True)],
        [[Behind("the judge", row.explanation or row.error, row.evidence)] for row in judged],
        [None] * len(judged),
        [row.pk for row in judged],
    )


def _graded(statement: Statement, row: Judgment) -> Grade:
    kind = row.claim_type or statement.claim_type
    return Grade(
        "answer",
        statement.statement_id,
        0,
        Outcome(str(row.outcome)),
        claim_class=ClaimClass(row.claim_class) if row.claim_class else None,
        verdict=Verdict(row.verdict) if row.verdict else None,
        claim_type=ClaimType(kind) if kind else None,
        speech_act=SpeechAct(row.speech_act) if row.speech_act else None,
        premises=tuple(Premise(text=one["text"], verdict=_verdict(one)) for one in row.premises),
    )


def _verdict(premise: Mapping[str, Any]) -> Verdict | None:
    return Verdict(premise["verdict"]) if premise.get("verdict") else None


def _name(side: str, at: int) -> str:
    return f"{_LETTERS[side]}{at + 1}"


def _evidence(sides: Sequence[_Side]) -> dict[str, list[Mapping[str, Any]]]:
    """What each claim cites, by its name."""
    return {
        _name(side.side, at): [one for each in cited for one in each.evidence]
        for side in sides
        for at, cited in enumerate(side.cited)
    }


def _texts(case: Case, sides: Sequence[_Side]) -> tuple[Texts, list[Source]]:
    """Every text that may be cited: passages admitted or not, and the sources that are."""
    wanted = {
        one.get("source_id")
        for side in sides
        for cited in side.cited
        for each in cited
        for one in each.evidence
    } - {None}
    sources = list(Source.objects.filter(set_id=case.set_id, source_id__in=wanted).order_by("pk"))
    passages = {one["id"]: one["text"] for one in [*(case.retrieved or ()), *case.context]}
    return Texts(passages, {source.source_id: source.text for source in sources}), sources


def _view(
    side: _Side, statements: Sequence[Statement], placed: Placed, row: Row, report: Report
) -> View:
    policy, _ = answersheets.policy_of(report.run.rubric_version)
    claims = [_claim(side, at, statement, placed) for at, statement in enumerate(statements)]
    return View(
        side=side.side,
        decision=str(row.words[side.side]),
        behaviour=row.words[f"{side.side}_behaviour"],
        decided=decide(side.grades, policy),
        claims=claims,
        answer=stretches(row.case.answer, _spans(claims)),
    )


def _spans(claims: Sequence[Claim]) -> list[Mark]:
    return [
        Mark(one.statement.span_start, one.statement.span_end or 0, one.name)
        for one in claims
        if one.statement.span_start is not None
    ]


def _claim(side: _Side, at: int, statement: Statement, placed: Placed) -> Claim:
    grade, name = side.grades[at], _name(side.side, at)
    return Claim(
        name=name,
        number=at + 1,
        statement=statement,
        claim_class=grade.claim_class,
        speech_act=grade.speech_act or SpeechAct.ASSERTION,
        verdict=grade.verdict,
        missing=None if grade.verdict else _missing(side, grade),
        said=[(one.who, one.rationale) for one in side.cited[at] if one.rationale],
        quotes=placed.quotes.get(name, ()),
        premises=[(one.text, one.verdict) for one in grade.premises if one.verdict],
        tier=side.tiers[at],
        judgment_pk=side.pks[at],
    )


def _missing(side: _Side, grade: Grade) -> str:
    return "no reference" if side.side == HUMAN else str(grade.outcome)


def _passage(passage: Mapping[str, Any], placed: Placed) -> ShownText:
    marks = placed.marks.get(("passage", passage["id"]), ())
    return ShownText(passage["id"], passage["source"], stretches(passage["text"], marks))


def _source(source: Source, placed: Placed) -> ShownText:
    marks = placed.marks.get(("source", source.source_id), ())
    return ShownText(source.source_id, source.uri, stretches(source.text, marks))
