"""Who may reach runs, judgments, reports and rubric versions: each view's first line.

What is not yours to see does not exist for you, exactly as in `labeling.access`.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from calibration.models import Judgment, Report, RubricDraft, RubricVersion, Run
from grounding.errors import NotFound
from labeling.access import Account, Member, leads_anywhere, set_for
from labeling.models import CalibrationSet, Case, Role


def run_for(user: Account, slug: str, pk: int) -> tuple[Member, Run]:
    """A run on this set, for those who lead it."""
    member = set_for(user, slug, at_least=Role.LEAD)
    run = Run.objects.select_related("rubric_version").filter(set=member.set, pk=pk).first()
    if run is None:
        raise NotFound("there is no such run on this set")
    run.set = member.set
    return member, run


def probe_for(user: Account, slug: str, pk: int) -> tuple[Member, Run]:
    """A run on this set that is a probe, for those who lead it."""
    member, run = run_for(user, slug, pk)
    if run.probe is None:
        raise NotFound("this run is no probe")
    return member, run


def judgment_for(user: Account, slug: str, pk: int) -> tuple[Member, Judgment]:
    """A judgment of a run on this set, for those who lead it."""
    member = set_for(user, slug, at_least=Role.LEAD)
    judgment = (
        Judgment.objects.select_related("run__rubric_version", "statement__case")
        .filter(run__set=member.set, pk=pk)
        .first()
    )
    if judgment is None:
        raise NotFound("there is no such judgment on this set")
    return member, judgment


def report_for(user: Account, slug: str, pk: int) -> tuple[Member, Report]:
    """A report of a run on this set, for those who lead it."""
    member = set_for(user, slug, at_least=Role.LEAD)
    report = (
        Report.objects.select_related("run__rubric_version")
        .filter(run__set=member.set, pk=pk)
        .first()
    )
    if report is None:
        raise NotFound("there is no such report on this set")
    report.run.set = member.set
    return member, report


def answer_for(user: Account, slug: str, pk: int, case_pk: int) -> tuple[Member, Report, Case]:
    """A report with one of the cases that its run judged, for those who lead the set."""
    member, report = report_for(user, slug, pk)
    cases = Case.objects.at(report.run.revision).filter(set=member.set)
    case = cases.filter(pk=case_pk).first()
    if case is None:
        raise NotFound("this report has no such answer")
    return member, report, case


def sets_led_by(user: Account) -> QuerySet[CalibrationSet]:
    return CalibrationSet.objects.filter(
        memberships__user_id=user.pk or 0,
        memberships__active=True,
        memberships__role__in=[Role.LEAD, Role.ADMIN],
    )


def member_beside(user: Account, slug: str | None) -> Member | None:
    """Rubric versions belong to no set: the one that a page about them was opened from, or the
    only one that the reader leads. NotFound for one that is not theirs to lead."""
    if slug:
        return set_for(user, slug, at_least=Role.LEAD)
    led = list(sets_led_by(user).values_list("slug", flat=True)[:2])
    return set_for(user, led[0], at_least=Role.LEAD) if len(led) == 1 else None


def rubric_versions_for(user: Account) -> QuerySet[RubricVersion]:
    """Every released version, for whoever leads a set; a recorded one comes from a set's
    own results, so it shows only to those who lead a set with a run of it."""
    leads_anywhere(user)
    led = Run.objects.filter(set__in=sets_led_by(user)).values("rubric_version")
    return RubricVersion.objects.filter(Q(recorded=False) | Q(pk__in=led))


def rubric_version_for(user: Account, name: str, version: str) -> RubricVersion:
    """One rubric version, by the rule of `rubric_versions_for`."""
    found = rubric_versions_for(user).filter(name=name, version=version).first()
    if found is None:
        raise NotFound("there is no such rubric version")
    return found


def rubric_named_for(user: Account, name: str) -> None:
    """NotFound where no version of that name is theirs to see, by the same rule."""
    if not rubric_versions_for(user).filter(name=name).exists():
        raise NotFound("there is no such rubric")


def draft_for(user: Account, pk: int) -> RubricDraft:
    """A draft, open or not, for whoever leads a set: drafts belong to none."""
    leads_anywhere(user)
    drafts = RubricDraft.objects.select_related("based_on", "updated_by", "released_as")
    found = drafts.filter(pk=pk).first()
    if found is None:
        raise NotFound("there is no such draft")
    return found
