"""The page on which a lead reads one version against another."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from calibration import reports, rubrics, runs
from calibration.agreement.comparison import HEADLINES
from calibration.rendering.sentences import AUTHOR_ALONE
from labeling.models import Annotator, Membership, Role
from labeling.people import accounts
from labeling.sets import exposures
from tests.calibration.agreement.comparison_records import HAND, next_revision, two_runs
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page
from tests.calibration.report_records import label
from tests.grounding.rubric_examples import with_changes
from tests.kept_rows import put_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def recorded(people):
    """Two runs of the hand-made rows, on a set that the lead leads."""

    def make():
        both = two_runs()
        Membership.objects.create(set=both[0].set, user=people.lead, role=Role.LEAD)
        return both

    return put_back("two runs beside the small set", make)


def url(run, /, **given) -> str:
    asked = "&".join(f"{name}={value}" for name, value in given.items())
    return f"{reverse('compare', args=[run.set.slug])}?{asked}"


def page_of(client, address: str) -> Page:
    response = client.get(address)
    assert response.status_code == 200, response.content
    return Page(response.content)


def both(first, second) -> str:
    return url(first, first=first.pk, second=second.pk)


def released(**changes):
    return rubrics.release(with_changes(**changes)).rubric_version


def test_it_opens_with_whether_it_became_lenient_where_and_how_sure(lead, recorded):
    page = page_of(lead, both(*recorded))
    assert page.plain.index("judge@1.1.0 is more lenient than") < page.plain.index("Compare others")
    assert "3 of 4 (75.0%)" in page.plain
    assert (
        "More failing statements pass in: subject-specific, unsupported (0 → 2 of 2)" in page.plain
    )
    assert "Over the same 10 statements" in page.plain
    assert "Scope not stated" in page.plain


def test_the_four_counts_the_cells_and_the_lists_are_there(lead, recorded):
    page = page_of(lead, both(*recorded))
    assert "First right 3 4 First wrong 2 1" in page.plain
    assert "exact McNemar p = 0.6875" in page.plain
    for heading in ("Broken: the first alone is right: 4", "Fixed: the second alone is right: 2",
                    "judged supported: 3"):  # fmt: skip
        assert heading in page.plain


def test_every_statement_listed_links_to_its_case_and_both_judgments(lead, recorded):
    page = page_of(lead, both(*recorded))
    case = recorded[0].set.cases.get(case_id="case-2")
    assert page.link("case-2 s2") == reverse("case", args=["made", case.pk])
    for run in recorded:
        judgment = run.judgments.get(statement__case=case)
        assert reverse("judgment", args=["made", judgment.pk]) in dict(page.links)


def test_every_number_opens_a_list_of_exactly_so_many(lead, recorded):
    """With a case of the first's revision alone, and failures on either side and on both."""
    next_revision(recorded[1].set, recorded[1], position=2)
    page = page_of(lead, both(*recorded))
    behind: dict[str, int] = {}
    for link, shown in page.links:
        if "/compare/statements/" in link and shown.isdigit():
            assert behind.setdefault(link, int(shown)) == int(shown) > 0, link
    asked = " ".join(behind)
    for filters in ("among=first_failed", "among=without_reference", "among=only_in_first",
                    "first_right=no&second_right=yes", "second_passed=yes", "human_class=none",
                    "tier=single"):  # fmt: skip
        assert filters in asked, filters
    for link, count in behind.items():
        listed = page_of(lead, link)
        rows = [one for one, _ in listed.links if "/cases/" in one and one.count("/") == 5]
        assert len(rows) == count, link
        assert "References have changed" not in listed.plain


def test_each_cell_of_the_picture_opens_as_many_statements_as_it_names(lead, recorded):
    page = page_of(lead, both(*recorded))
    cells = {link: int(re.search(r"n = (\d+)$", name)[1]) for link, name in page.named}
    assert sum(cells.values()) == 10
    for link, n in cells.items():
        listed = page_of(lead, link)
        rows = [one for one, _ in listed.links if "/cases/" in one and one.count("/") == 5]
        assert len(rows) == n, link


def test_a_list_says_when_its_references_are_others_than_those_counted(lead, recorded):
    page = page_of(lead, both(*recorded))
    opened = next(link for link, _ in page.links if "first_right=yes&second_right=no" in link)
    statement = recorded[0].judgments.get(statement__position=9).statement
    label(statement, Annotator.objects.create(set=recorded[0].set, code="late"), "Ss")
    assert "References have changed" in page_of(lead, opened).plain


def test_looking_stores_nothing_but_that_it_was_seen(lead, recorded):
    page = page_of(lead, both(*recorded))
    page_of(lead, next(link for link, _ in page.links if "/compare/statements/" in link))
    assert not recorded[0].set.snapshots.exists()


def test_two_are_chosen_by_a_plain_form(lead, recorded):
    first, second = recorded
    page = page_of(lead, reverse("compare", args=["made"]))
    form = next(one for one in page.tags("form") if one.get("method") == "get")
    assert form["action"] == reverse("compare", args=["made"])
    values = [one["value"] for one in page.tags("option")]
    assert {"judge@1.0.0", "judge@1.1.0", str(first.pk), str(second.pk)} <= set(values)
    chosen = page_of(lead, f"{form['action']}?first=judge@1.0.0&second={second.pk}")
    assert "Over the same 10 statements" in chosen.plain
    selected = [one["value"] for one in chosen.tags("option") if "selected" in one]
    assert selected == ["judge@1.0.0", str(second.pk)]


def test_by_default_the_latest_run_is_read_against_its_baseline(people, lead):
    older = sets.judged_run(people.set)
    newer = runs.start(people.set, released(version="1.0.1", notes="Later."))
    sets.judged(newer)
    page = page_of(lead, reverse("compare", args=["small"]))
    assert "groundedness@1.0.0 → groundedness@1.0.1" in page.plain
    assert "baseline of groundedness@1" in page.plain
    assert page_of(lead, url(older, second=newer.pk)).plain.count("→") >= 1


def test_a_baseline_is_not_read_against_itself(people, lead, run):
    sets.judged_run(people.set)
    page = page_of(lead, url(run, second=run.pk))
    assert f"Run {run.pk} is itself the baseline of groundedness@1" in page.plain


def test_a_recorded_run_has_no_baseline_to_be_read_against(lead, recorded):
    page = page_of(lead, url(recorded[0], second=recorded[1].pk))
    assert "has no baseline on this set" in page.plain


def test_one_run_alone_says_what_to_do_next(lead, run, people):
    page = page_of(lead, reverse("compare", args=["small"]))
    assert "One finished run" in page.plain
    assert page.link("Start a run") == reverse("runs", args=["small"])


def test_another_scope_is_refused_in_words_with_what_moved_and_its_own_baseline(people, lead):
    older = sets.judged_run(people.set)
    newer = released(version="2.0.0", verdict_mapping__refuted="unsupported")
    other = sets.judged(runs.start(people.set, newer))
    page = page_of(lead, both(older, other))
    assert "groundedness@2.0.0 cannot be compared with groundedness@1.0.0" in page.plain
    assert "verdict_mapping.refuted (contradictory → unsupported)" in page.plain
    assert f"groundedness@2 has a baseline of its own, run {other.pk}" in page.plain
    assert f"not comparable with run {older.pk}, the baseline of groundedness@1" in page.plain
    assert "Cell by cell" not in page.plain


def test_both_baselines_of_a_refusal_stand_on_its_page_and_each_number_opens_its_list(people, lead):
    older = sets.judged_run(people.set)
    newer = released(version="2.0.0", verdict_mapping__refuted="unsupported")
    other = sets.judged(runs.start(people.set, newer))
    response = lead.get(both(older, other))
    page = Page(response.content)
    assert "Both baselines, each on all that it graded itself: not comparable" in page.plain
    there = reverse("versions", args=[people.set.slug, "groundedness"])
    assert page.link("All versions of groundedness") == there
    for run in response.context["baselines"].values():
        for name in HEADLINES:
            for what, url in run[name]["behind"].items():
                found = lead.get(url).context
                assert not found["moved"]
                assert found["page"].paginator.count == run[name][what], (name, what)


def test_another_revision_is_compared_on_what_both_hold(lead, recorded):
    next_revision(recorded[1].set, recorded[1], position=2)
    page = page_of(lead, both(*recorded))
    assert f"only the {len(HAND) - 1} statements of both can be compared" in page.plain


def test_what_has_only_the_author_for_a_reference_says_so(people, lead, tmp_path):
    report = sets.lenient_report("lamps", 4, tmp_path)
    Membership.objects.create(set=report.run.set, user=people.lead, role=Role.LEAD)
    run = report.run
    assert AUTHOR_ALONE in page_of(lead, reverse("report", args=["lamps", report.pk])).plain
    assert AUTHOR_ALONE in page_of(lead, both(run, run)).plain


def test_where_people_labelled_it_is_not_said(lead, recorded):
    report = reports.create(recorded[0])
    for address in (both(*recorded), reverse("report", args=["made", report.pk])):
        assert AUTHOR_ALONE not in page_of(lead, address).plain


def test_the_runs_and_each_report_lead_there(people, lead, run, report):
    listed = page_of(lead, reverse("runs", args=["small"]))
    assert listed.link("Compare two runs") == reverse("compare", args=["small"])
    page = page_of(lead, reverse("report", args=["small", report.pk]))
    assert page.link("Against the baseline") == url(run, second=run.pk)


def test_whoever_opens_it_is_blind_no_more_before_it_is_drawn(lead, recorded, people, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("the template broke")

    monkeypatch.setattr("calibration.views.comparing.render", broken)
    with pytest.raises(RuntimeError, match="the template broke"):
        lead.get(both(*recorded))
    assert exposures.exposed(recorded[0].set, people.lead)


@pytest.mark.parametrize("query", ["first=1&first=2", "third=1", "first=%00"])
def test_what_is_no_choice_is_a_bad_request(lead, recorded, query):
    assert lead.get(f"{reverse('compare', args=['made'])}?{query}").status_code == 400


@pytest.mark.parametrize("name", ["999999", "99999999999999999999", "judge@9.9.9", "<b>", "²"])
def test_a_run_or_version_that_is_not_there_is_404(lead, recorded, name):
    assert lead.get(url(recorded[0], first=name)).status_code == 404


def test_a_run_of_another_set_is_not_there(lead, recorded, run):
    assert lead.get(url(recorded[0], first=run.pk, second=recorded[1].pk)).status_code == 404


def test_annotators_do_not_find_it(people, signed_in, recorded):
    accounts.join(recorded[0].set, people.annotator, Role.ANNOTATOR)
    assert signed_in(people.annotator).get(both(*recorded)).status_code == 404
