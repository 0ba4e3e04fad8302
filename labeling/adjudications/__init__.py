"""Adjudications: decisions of a lead over the labels of a statement; appended, never overwritten.

Each keeps which labels it was made over, so that `disputes` can tell when others stand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grounding.contract import CONTRACT, ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.errors import BadInput, ContractViolation, Refused
from grounding.interchange.models import Evidence, LabelRole, Origin
from labeling import cases, labels
from labeling.adjudications import disputes
from labeling.adjudications.disputes import Dispute
from labeling.models import Adjudication, Annotator, CalibrationSet, Label, Statement
from labeling.sets import annotators, exposures
from labeling.values import LabelValues, checked


class AdjudicationConflict(Refused):
    """A decision over other labels, or another decision, than those that stand.

    ``standing`` is the decision that stands (None where none does), ``proposed`` what was
    sent; nothing was written.
    """

    def __init__(self, standing: Label | None, proposed: LabelValues) -> None:
        super().__init__("labels or the decision changed after this page was opened")
        self.standing = standing
        self.proposed = proposed


@dataclass(frozen=True)
class Opened:
    """What a form was opened over: the labels that counted, the decision that stood."""

    over: Collection[int]
    replaces: int | None = None


def decide(
    statement: Statement,
    user: User,
    values: LabelValues,
    *,
    submission: UUID,
    opened: Opened,
    split_as: int | None = None,
) -> Label:
    """Store ``values`` as the decision on the statement; one that stood is superseded.

    ``submission`` is the form's token: the same form again returns the same decision.
    ``split_as`` is the primary key of the label whose split is taken over. Raises
    ContractViolation or BadInput with the field named, Refused where no label counts or the
    case was superseded, and AdjudicationConflict where not everything is as it was ``opened``.
    """
    ready = checked(values, cases.texts(statement.case))
    if ready.rationale is None:
        raise ContractViolation("say in a sentence why", field="rationale")
    annotator = annotators.of(statement.case.set, user)
    with transaction.atomic():
        _held(statement)
        said = labels.said(ready) | {"premises": _split_of(statement, split_as)}
        found = Label.objects.filter(submission=submission).first()
        if found is not None:
            _require_unchanged(found, statement, annotator, said, ready)
            return found
        dispute = disputes.of_statement(statement)
        _require_as_opened(dispute, opened, ready)
        return _stored(dispute, statement, annotator, said, submission)


def said_by(label: Label) -> LabelValues:
    """What a label says, for a decision to say as well; how sure its annotator was stays out."""
    return LabelValues(
        claim_class=ClaimClass(label.claim_class) if label.claim_class else None,
        verdict=Verdict(label.verdict),
        claim_type=ClaimType(label.claim_type) if label.claim_type else None,
        speech_act=SpeechAct(label.speech_act) if label.speech_act else None,
        rationale=label.rationale,
        evidence=tuple(Evidence.model_validate(item) for item in label.evidence),
    )


def standing(dispute: Dispute) -> Label | None:
    """The decision that stands, as its row."""
    if dispute.decision is None:
        return None
    return Label.objects.select_related("annotator").get(pk=dispute.decision.label)


@dataclass
class Outcome:
    """What became of decisions that were made together; ``left`` are statements, each with why
    nothing was decided on it."""

    decided: list[Label] = field(default_factory=list)
    left: list[tuple[Statement, str]] = field(default_factory=list)


def follow_majorities(
    calibration_set: CalibrationSet,
    user: User,
    chosen: Mapping[UUID, Collection[int]],
    *,
    rationale: str,
    submission: UUID,
) -> Outcome:
    """Decide each of ``chosen`` (public keys of statements, with the labels that were shown) as
    all but one of its annotators say, with the evidence of the first of them.

    Each is a decision of its own; where labels changed, nothing is decided on that statement.
    """
    if not rationale.strip():
        raise BadInput("say in a sentence why", field="rationale")
    found = Statement.objects.filter(
        key__in=chosen, case__set=calibration_set, case__superseded_in__isnull=True
    ).select_related("case__set")
    outcome = Outcome()
    for statement in found.order_by("case__position", "position"):
        opened = Opened(chosen[statement.key])
        try:
            token = uuid5(submission, str(statement.key))
            outcome.decided.append(_followed(statement, user, opened, rationale, token))
        except (BadInput, Refused) as error:
            outcome.left.append((statement, error.message))
    return outcome


def record_over(calibration_set: CalibrationSet) -> None:
    """Say over which labels those adjudications were made that came with an import, or with an
    older revision of their case.

    A bundle does not tell: it was over the labels that stand beside it. What was carried is
    over the labels that were carried along with it, and over what was gone already.
    """
    fresh = Label.objects.live().filter(
        role=LabelRole.ADJUDICATION.value,
        adjudication__isnull=True,
        statement__case__set=calibration_set,
        statement__case__superseded_in__isnull=True,
    )
    rows = list(fresh.select_related("carried_from__adjudication"))
    carried = [row for row in rows if hasattr(row.carried_from, "adjudication")]
    brought = [row for row in rows if not hasattr(row.carried_from, "adjudication")]
    made = [*_over_carried(carried), *_over_beside(calibration_set, brought)]
    Adjudication.objects.bulk_create(made)


def _held(statement: Statement) -> None:
    """Decisions on a statement come one after another; labels of it do not wait for them."""
    held = Statement.objects.select_for_update(no_key=True, of=("self",)).select_related("case")
    if held.get(pk=statement.pk).case.superseded_in is not None:
        raise Refused("a newer revision of this case has taken its place; decide on that one")


def _require_as_opened(dispute: Dispute, opened: Opened, values: LabelValues) -> None:
    stands = dispute.decision.label if dispute.decision else None
    if sorted(opened.over) != dispute.over or opened.replaces != stands:
        raise AdjudicationConflict(standing(dispute), values)
    if not dispute.votes:
        raise Refused("no label of this statement counts, so there is nothing to decide between")


def _require_unchanged(
    found: Label,
    statement: Statement,
    annotator: Annotator,
    said: Mapping[str, Any],
    values: LabelValues,
) -> None:
    """Refused unless ``found`` is what this very form made, saying what it says now."""
    made_for = (found.statement_id, found.annotator_id, found.role)
    if made_for != (statement.pk, annotator.pk, LabelRole.ADJUDICATION):
        raise Refused("this form was already used for something else; open it anew")
    if {name: getattr(found, name) for name in said} != said:
        raise AdjudicationConflict(standing(disputes.of_statement(statement)), values)


def _stored(
    dispute: Dispute,
    statement: Statement,
    annotator: Annotator,
    said: Mapping[str, Any],
    submission: UUID,
) -> Label:
    now = timezone.now()
    role = LabelRole.ADJUDICATION.value
    Label.objects.live().filter(
        statement=statement, role=role, contract_major=CONTRACT.major
    ).update(superseded_at=now)
    label = Label.objects.create(
        statement=statement,
        annotator=annotator,
        role=role,
        **said,
        origin=_origin(statement.case.set, annotator).value,
        contract_version=CONTRACT.version,
        contract_major=CONTRACT.major,
        labeled_at=now,
        submission=submission,
    )
    Adjudication.objects.create(
        label=label, over=dispute.over, by_party=_by_party(dispute, annotator.pk)
    )
    return label


def _origin(calibration_set: CalibrationSet, annotator: Annotator) -> Origin:
    user = annotator.user
    seen = user is not None and exposures.saw_judges(calibration_set, user)
    return Origin.REVEALED if seen else Origin.BLIND


def _by_party(dispute: Dispute, annotator_pk: int) -> bool:
    voters = {vote.annotator for vote in dispute.votes}
    return annotator_pk in voters and disputes.disagree(dispute.votes)


def _split_of(statement: Statement, label_pk: int | None) -> list[Any]:
    if label_pk is None:
        return []
    label = Label.objects.filter(pk=label_pk, statement=statement).first()
    if label is None:
        raise BadInput("is no label of this statement", field="split_as")
    return list(label.premises)


def _followed(
    statement: Statement, user: User, opened: Opened, rationale: str, submission: UUID
) -> Label:
    leading = disputes.leading(disputes.of_statement(statement).votes)
    if leading is None:
        raise Refused("there is no majority with one dissent any more")
    label = Label.objects.get(pk=leading.label)
    values = replace(said_by(label), rationale=rationale)
    return decide(statement, user, values, submission=submission, opened=opened, split_as=label.pk)


def _over_carried(decisions: Sequence[Label]) -> Iterator[Adjudication]:
    older = {row.pk: row.carried_from.adjudication for row in decisions if row.carried_from}
    held = {pk for one in older.values() for pk in one.over}
    beside = Label.objects.filter(
        statement__in=[row.statement_id for row in decisions], carried_from__in=held
    )
    moved = dict(beside.values_list("carried_from", "pk"))
    for row in decisions:
        over = sorted(moved.get(pk, pk) for pk in older[row.pk].over)
        yield Adjudication(label=row, over=over, by_party=older[row.pk].by_party)


def _over_beside(
    calibration_set: CalibrationSet, decisions: Sequence[Label]
) -> Iterator[Adjudication]:
    found = {one.statement: one for one in disputes.of_set(calibration_set)} if decisions else {}
    for row in decisions:
        dispute = found.get(row.statement_id) or Dispute(row.statement_id, (), None)
        by_party = _by_party(dispute, row.annotator_id)
        yield Adjudication(label=row, over=dispute.over, by_party=by_party)
