"""Cases written by a lead: the intake's own rules, one revision a save, nothing overwritten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from grounding.errors import BadInput, NotFound
from labeling import authoring, exchange
from labeling.authoring import CaseConflict, Written
from labeling.cases import checks
from labeling.models import CalibrationSet, Case, Label, Statement

pytestmark = pytest.mark.django_db


def live(calibration_set: CalibrationSet, case_id: str) -> Case:
    return Case.objects.live().get(set=calibration_set, case_id=case_id)


def opened(calibration_set: CalibrationSet, case_id: str, **changes: object) -> Written:
    """The live revision of a case as somebody who opened it would change it."""
    case = live(calibration_set, case_id)
    record = exchange.records_of([case])[0]
    return Written(record.model_copy(update=changes), case.digest)


def anew(calibration_set: CalibrationSet, case_id: str, of: str, **changes: object) -> Written:
    record = opened(calibration_set, of).record
    return Written(record.model_copy(update={"case_id": case_id} | changes))


def saved(calibration_set: CalibrationSet, *written: Written) -> int | None:
    checked = authoring.check(calibration_set, written).token
    return authoring.save(calibration_set, written, checked=checked)


def labels(calibration_set: CalibrationSet, case_id: str) -> int:
    return Label.objects.live().filter(statement__case=live(calibration_set, case_id)).count()


def test_a_check_reports_what_a_save_then_does_and_writes_nothing(small_set) -> None:
    written = [anew(small_set, f"new-{x}", "manual-9", pair_id="new") for x in "ab"]
    before = list(Case.objects.values_list("pk", "superseded_in")), Statement.objects.count()
    check = authoring.check(small_set, written)
    assert [(one.case_id, one.change) for one in check.effects] == [
        ("new-a", "new"),
        ("new-b", "new"),
    ]
    assert check.revision == 2
    assert (
        list(Case.objects.values_list("pk", "superseded_in")),
        Statement.objects.count(),
    ) == before
    small_set.refresh_from_db()
    assert small_set.revision == 1
    assert authoring.save(small_set, written, checked=check.token) == 2


def test_a_check_finds_what_the_lint_finds_afterwards(small_set) -> None:
    written = [anew(small_set, f"new-{x}", "manual-9", pair_id="new") for x in "ab"]
    found = authoring.check(small_set, written).findings
    assert {one.kind for one in found} == {"equal_sides", "texts_identical", "duplicate"}
    saved(small_set, *written)
    after = checks.lint(small_set, minimum=0)
    assert [one for one in after if one.case_id in ("new-a", "new-b")] == list(found)


def test_a_check_finds_an_earlier_case_that_now_reads_like_a_later_one(small_set) -> None:
    first, later = "jobs-001-a", "silent-3"
    same = exchange.records_of([live(small_set, later)])[0]
    copied = {name: getattr(same, name) for name in ("question", "context", "answer", "statements")}
    found = authoring.check(small_set, [opened(small_set, first, **copied)]).findings
    assert ("duplicate", later) in {(one.kind, one.case_id) for one in found}


@pytest.mark.parametrize("name", ["question", "answer"])
def test_labels_stay_with_the_old_revision_where_what_they_rest_on_changed(small_set, name) -> None:
    count = labels(small_set, "jobs-001-a")
    written = opened(small_set, "jobs-001-a", **{name: "Changed. " + "x" * 107})
    old = live(small_set, "jobs-001-a")
    (effect,) = authoring.check(small_set, [written]).effects
    assert (effect.change, effect.labels, effect.carried) == ("superseded", count, 0)
    assert saved(small_set, written) == 2
    assert labels(small_set, "jobs-001-a") == 0
    assert Label.objects.live().filter(statement__case=old).count() == count > 0


def test_labels_carry_over_where_only_what_annotators_never_see_changed(small_set) -> None:
    count = labels(small_set, "jobs-001-a")
    written = opened(small_set, "jobs-001-a", tags=("new",), licence="CC-BY-4.0")
    old = live(small_set, "jobs-001-a")
    (effect,) = authoring.check(small_set, [written]).effects
    assert (effect.labels, effect.carried, effect.staying) == (count, count, 0)
    assert saved(small_set, written) == 2
    assert labels(small_set, "jobs-001-a") == count > 0
    assert Label.objects.live().filter(statement__case=old).count() == count


def test_the_revision_grows_by_one_a_save_and_not_for_a_second_click(small_set) -> None:
    written = opened(small_set, "manual-9", tags=("x",))
    checked = authoring.check(small_set, [written]).token
    assert authoring.save(small_set, [written], checked=checked) == 2
    rows = Case.objects.count()
    assert authoring.save(small_set, [written], checked=checked) == 2
    small_set.refresh_from_db()
    assert (small_set.revision, Case.objects.count()) == (2, rows)
    assert saved(small_set, opened(small_set, "manual-9", tags=("y",))) == 3


def test_a_second_click_on_a_new_pair_is_the_same_pair(small_set) -> None:
    written = [anew(small_set, f"new-{x}", "manual-9", pair_id="new") for x in "ab"]
    checked = authoring.check(small_set, written).token
    for _ in range(2):
        assert authoring.save(small_set, written, checked=checked) == 2
    assert Case.objects.filter(pair_id="new").count() == 2


def test_what_was_not_checked_is_not_saved(small_set) -> None:
    first = opened(small_set, "manual-9", tags=("x",))
    checked = authoring.check(small_set, [first]).token
    other = opened(small_set, "manual-9", tags=("y",))
    assert authoring.save(small_set, [other], checked=checked) is None
    assert authoring.save(small_set, [first], checked="") is None
    # The set has moved on since, so the check may say something else by now.
    saved(small_set, opened(small_set, "silent-3", tags=("z",)))
    assert authoring.save(small_set, [first], checked=checked) is None
    assert live(small_set, "manual-9").added_in == 1


def test_superseding_what_somebody_else_superseded_is_a_conflict_with_both_texts(small_set) -> None:
    mine = opened(small_set, "manual-9", question="Mine?")
    saved(small_set, opened(small_set, "manual-9", question="Theirs?"))
    theirs = live(small_set, "manual-9")
    for act in (authoring.check, lambda *given: authoring.save(*given, checked="x")):
        with pytest.raises(CaseConflict) as conflict:
            act(small_set, [mine])
        (clash,) = conflict.value.clashes
        assert (clash.live.question, clash.mine.question) == ("Theirs?", "Mine?")
        assert clash.live_digest == theirs.digest
    assert live(small_set, "manual-9") == theirs


def test_a_new_case_does_not_take_the_place_of_one_that_is_there(small_set) -> None:
    written = [
        anew(small_set, "new", "silent-3"),
        anew(small_set, "manual-9", "silent-3"),
    ]
    with pytest.raises(BadInput, match="already") as refused:
        authoring.check(small_set, written)
    assert (refused.value.line, refused.value.field) == (2, "case_id")


def test_a_third_side_is_refused_by_the_rule_of_imports(small_set) -> None:
    with pytest.raises(BadInput, match="a pair is two") as refused:
        authoring.check(small_set, [anew(small_set, "new", "manual-9", pair_id="jobs-001")])
    assert refused.value.field == "pair_id"


def test_a_digest_is_of_a_case_of_this_set_or_of_none(small_set, people) -> None:
    case = live(small_set, "manual-9")
    authoring.require_opened_here(small_set, [("manual-9", case.digest)])
    for case_id, digest in (("silent-3", case.digest), ("manual-9", "sha256:0")):
        with pytest.raises(NotFound):
            authoring.require_opened_here(small_set, [(case_id, digest)])
    with pytest.raises(NotFound):
        authoring.require_opened_here(people.elsewhere, [("manual-9", case.digest)])


@pytest.mark.django_db(transaction=True)
def test_of_two_leads_who_save_at_once_one_saves_and_one_meets_the_other(small_set) -> None:
    mine, theirs = (opened(small_set, "manual-9", question=f"{who}?") for who in ("Mine", "Theirs"))
    tokens = [authoring.check(small_set, [one]).token for one in (mine, theirs)]
    ready = Barrier(2)

    def save(one: Written, token: str) -> str:
        try:
            ready.wait(timeout=10)
            return str(authoring.save(small_set, [one], checked=token))
        except CaseConflict:
            return "conflict"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(save, (mine, theirs), tokens))
    assert said == ["2", "conflict"]
    assert Case.objects.filter(set=small_set, case_id="manual-9").count() == 2
