"""The page of a rubric's versions and the lists behind its numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration import reports, rubrics, versions
from calibration.models import RubricVersion
from calibration.reports import looks
from calibration.versions import links
from labeling.models import Annotator, Case, Membership, Role, Statement
from tests.calibration.agreement.comparison_records import two_runs
from tests.calibration.pages.reading import Page
from tests.calibration.report_records import label
from tests.calibration.versions.records import NAME, a_ground, ran
from tests.grounding.rubric_examples import with_changes
from tests.kept_rows import put_back

pytestmark = pytest.mark.django_db

HUMANS = ["Ss", "Ss", "Ss", "Su", "Su", "Su", "Su", "Su", "Sc", "Es", ".s", ".."]


def a_history(slug="made"):
    """Two versions, the first run twice and then by another model; one run is partial."""
    made = a_ground(HUMANS, slug=slug)
    right = ["Ss", "Ss", "Ss", "Su", "Su", "Su", "Su", "Su", "Sc", "Es", "Ss", "Ss"]
    lenient = ["Ss", "Es", "Su", "Ss", "Ss", "Ss", "Ss", "Ss", "Ss", "Ss", "Su", "Su"]
    ran(made, right, "1.0.0", day=0)
    ran(made, ["Su", *right[1:]], "1.0.0", day=1)
    ran(made, [*lenient[:-1], "timeout"], "1.0.0", day=2, model="model-2")
    mixed = ran(made, ["timeout", *lenient[1:]], "1.1.0", day=3, model=None)
    some = mixed.judgments.filter(outcome="graded").order_by("pk")[:3]
    mixed.judgments.filter(pk__in=[one.pk for one in some]).update(judge_model="model-1")
    ran(made, ["timeout"] * 12, "1.2.0", day=4, failure_ceiling=0.05)
    Case.objects.filter(set=made, position__in=[0, 1]).update(tags=[looks.HOLDOUT])
    for run in made.runs.exclude(rubric_version__version="1.2.0"):
        reports.create(run)
    return made


@pytest.fixture
def made(people):
    def make():
        held = a_history()
        Membership.objects.create(set=held, user=people.lead, role=Role.LEAD)
        return held

    return put_back("a history beside the small set", make)


def page_of(client, held, name=NAME) -> Page:
    response = client.get(reverse("versions", args=[held.slug, name]))
    assert response.status_code == 200
    return Page(response.content)


def length(client, url: str) -> int:
    return client.get(url).context["page"].paginator.count


def numbers(node: Any, path: str = "") -> Iterator[tuple[str, str, int]]:
    """Every count among the figures with the link of its list."""
    if isinstance(node, Mapping):
        for name, url in node.get("behind", {}).items():
            inside = {**node, **node.get("lacks", {}), **node.get("statements_", {})}
            if isinstance(node.get("statements"), Mapping):
                inside |= node["statements"]
            if isinstance(inside.get(name), int):
                yield f"{path}.{name}", url, inside[name]
        for name, value in node.items():
            if name != "behind":
                yield from numbers(value, f"{path}.{name}")
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from numbers(value, f"{path}[{at}]")


def test_every_number_opens_a_list_of_exactly_what_it_counts(lead, made):
    from calibration.views.versions import _places

    told = versions.full(versions.read(NAME, made))
    linked = links.linked(told, _places(made.slug, NAME))
    found = list(numbers(linked))
    assert len(found) > 150
    by_list = {(url, count): path for path, url, count in found}
    for (url, count), path in by_list.items():
        assert length(lead, url) == count, (path, url)
    kinds = {path.rpartition(".")[2] for path, _, _ in found}
    assert {"common", "asked", "failed", "not_planned", "gained", "lost", "worn", "differ"} <= kinds
    assert any(count for path, _, count in found if path.endswith(".gained"))
    assert any(count for path, _, count in found if ".against." in path)


def test_each_link_of_the_page_opens_something(lead, made):
    page = page_of(lead, made)
    lists = reverse("version-statements", args=[made.slug, NAME])
    links = {href for href, _ in page.links if href.startswith("/sets/")}
    # Those lists are opened, each, by the test above.
    for href in sorted(href for href in links if not href.startswith(lists)):
        assert lead.get(href).status_code == 200, href


def test_the_table_behind_a_picture_opens_what_is_counted_and_what_it_is_counted_of(lead, made):
    """Every count and every n of the lines, each its own list."""
    context = lead.get(reverse("versions", args=[made.slug, NAME])).context
    rows = [row for panels in context["blocks"][0]["pictures"] for row in panels.rows]
    cells = {cell for row in rows for cell in row[2:4] if cell.href}
    assert len(cells) > 15
    for cell in cells:
        assert length(lead, cell.href) == int(cell.text), cell


def test_a_baseline_that_was_run_again_is_named_on_the_page(lead, made):
    first = made.runs.order_by("pk").first()
    page = page_of(lead, made)
    assert f"1.0.0, first run {first.pk}" in page.plain


def test_the_page_opens_with_leniency_drift_and_hold_out(lead, made):
    page = page_of(lead, made)
    assert "more lenient than" in page.plain
    assert "Held out: 2 statements, looked at by 2 rubric versions" in page.plain
    assert "Recorded elsewhere: scope not stated" in page.plain
    assert "Partial, so on no line: run" in page.plain
    assert "3 runs" in page.plain
    assert page.tags("figure")
    assert page.tags("svg")


def test_without_a_finished_run_it_says_what_to_do_next(lead, people):
    released = rubrics.release(with_changes()).rubric_version
    page = page_of(lead, people.set, released.name)
    assert "No version of groundedness has a finished run on this set" in page.plain
    assert "Released: groundedness@1.0.0" in page.plain
    assert page.link("Start a run") == reverse("runs", args=[people.set.slug])


def test_one_run_alone_says_what_would_make_it_a_line(lead, people):
    held = a_ground(["Ss", "Su"])
    Membership.objects.create(set=held, user=people.lead, role=Role.LEAD)
    ran(held, ["Ss", "Su"])
    page = page_of(lead, held)
    assert "stands alone in its scope" in page.plain
    assert "No version was run to the end twice" in page.plain
    assert "Run a version again" in page.plain
    assert "No case has the tag “holdout”" in page.plain


def test_another_scope_is_shown_beside_and_called_not_comparable(lead, people):
    held = a_ground(["Ss", "Su"])
    Membership.objects.create(set=held, user=people.lead, role=Role.LEAD)
    for day, definition in enumerate(
        [with_changes(), with_changes(version="2.0.0", verdict_mapping__refuted="unsupported")]
    ):
        run = ran(held, ["Ss", "Su"], f"0.0.{day}", day=day)
        run.rubric_version = rubrics.release(definition).rubric_version
        run.save()
    page = page_of(lead, held, "groundedness")
    assert "groundedness@2.0.0 is not comparable with groundedness@1.0.0" in page.plain
    assert "verdict_mapping.refuted (contradictory → unsupported)" in page.plain
    assert "have a baseline of their own" in page.plain
    assert "Both baselines, each on all that it graded itself: not comparable" in page.plain


def test_a_list_says_when_references_have_changed_since(lead, made):
    url = page_of(lead, made).link("11")
    assert "References have changed" not in lead.get(url).content.decode()
    statement = Statement.objects.get(case__set=made, position=11)
    label(statement, Annotator.objects.create(set=made, code="ann-2"), "Ss")
    assert "References have changed" in lead.get(url).content.decode()


@pytest.mark.parametrize("query", ["", "runs=", "runs=x", "runs=1,", "runs=999999", "runs=²"])
def test_runs_that_are_not_there_are_not_found(lead, made, query):
    url = reverse("version-statements", args=[made.slug, NAME])
    assert lead.get(f"{url}?{query}").status_code == 404


def test_a_run_of_another_set_or_rubric_is_not_found(lead, made, people):
    other = two_runs(slug="other")[0]
    url = reverse("version-statements", args=[made.slug, NAME])
    assert lead.get(f"{url}?runs={other.pk}").status_code == 404
    own = made.runs.first().pk
    assert lead.get(f"{url}?runs={own}&run={other.pk}").status_code == 404
    rubrics.release(with_changes())
    url = reverse("version-statements", args=[made.slug, "groundedness"])
    assert lead.get(f"{url}?runs={own}").status_code == 404


def test_a_model_that_did_not_answer_there_is_not_found(lead, made):
    first, second = made.runs.order_by("pk")[:2]
    url = reverse("version-moved", args=[made.slug, NAME])
    known = f"{url}?first={first.pk}&second={second.pk}&first_model=model-1&second_model="
    assert lead.get(f"{known}model-1").status_code == 200
    assert lead.get(f"{known}model-9").status_code == 404


def test_a_rubric_that_is_only_recorded_elsewhere_is_not_there_for_others(people, signed_in):
    a_history("theirs")
    client = signed_in(people.lead)
    assert client.get(reverse("versions", args=[people.set.slug, NAME])).status_code == 404
    assert client.get(reverse("versions", args=["theirs", NAME])).status_code == 404


def test_the_page_makes_as_many_queries_for_many_runs_as_for_few(lead, people):
    counted = []
    for slug, versions_of, size in (("few", 2, 6), ("many", 7, 40)):
        held = a_ground(["Ss", "Su"] * (size // 2), slug=slug)
        Membership.objects.create(set=held, user=people.lead, role=Role.LEAD)
        Case.objects.filter(set=held).update(tags=[looks.HOLDOUT])
        for day in range(versions_of):
            run = ran(held, ["Ss", "Su"] * (size // 2), f"1.{day}.0", day=day)
            ran(held, ["Ss", "Ss"] * (size // 2), f"1.{day}.0", day=day + 10, model="model-2")
            reports.create(run)
        url = reverse("versions", args=[slug, NAME])
        lead.get(url)
        with CaptureQueriesContext(connection) as queries:
            assert lead.get(url).status_code == 200
        counted.append(len(queries))
    assert counted[0] == counted[1] <= 25, counted


def test_runs_reports_and_rubrics_lead_there(lead, made):
    there = reverse("versions", args=[made.slug, NAME])
    report = made.runs.order_by("pk").first().reports.first()
    for name, args in (
        ("runs", [made.slug]),
        ("report", [made.slug, report.pk]),
    ):
        page = Page(lead.get(reverse(name, args=args)).content)
        assert there in [href for href, _ in page.links], name
    page = Page(lead.get(f"{reverse('rubrics')}?set={made.slug}").content)
    assert there in [href for href, _ in page.links]


def test_a_report_has_one_line_about_its_hold_out(lead, made):
    report = made.runs.order_by("pk").first().reports.first()
    page = Page(lead.get(reverse("report", args=[made.slug, report.pk])).content)
    assert "Held out: 2 of its statements." in page.plain
    assert page.link("The hold-out as it is now") == reverse("holdout", args=[made.slug])


# ---- the command


def run_command(*arguments):
    out, err = StringIO(), StringIO()
    try:
        call_command("versions", *arguments, stdout=out, stderr=err)
    except (CommandError, SystemExit) as stopped:
        code = getattr(stopped, "returncode", None) or getattr(stopped, "code", None)
        return out.getvalue(), err.getvalue() + str(stopped), code
    return out.getvalue(), err.getvalue(), 0


@pytest.fixture
def held(db):
    return put_back("a history", a_history)


def test_the_command_prints_one_json_object(held):
    out, _, code = run_command(NAME, held.slug, "--json")
    told = json.loads(out)
    assert code == 0
    assert told == json.loads(json.dumps(versions.full(versions.read(NAME, held))))
    line = [one["rubric"]["version"] for one in told["blocks"][0]["versions"]]
    assert line == ["1.0.0", "1.0.0", "1.1.0"]


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_the_command_writes_for_people(held, form):
    out, _, code = run_command(NAME, held.slug, "--format", form)
    assert code == 0
    for said in ("lenient", "Cell by cell", "too little", "1.1.0", "Hold-out"):
        assert said in out, said


def test_without_a_finished_run_the_command_could_not_be_done():
    held = a_ground(["Ss"])
    RubricVersion.objects.create(name="idle", version="1.0.0", recorded=True)
    _, err, code = run_command("idle", held.slug)
    assert code == 3
    assert "no version of idle has a finished run on made" in err
    _, err, code = run_command("nobody", held.slug)
    assert code == 3
    assert "there is no rubric nobody" in err
