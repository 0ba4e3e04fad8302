"""The report's page: what it opens with, how it counts, that it never changes."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from html import unescape
from io import BytesIO

import pytest
from django.urls import reverse
from django.utils import timezone

from calibration import bundles, rendering, reports
from calibration.agreement import DIRECTIONS
from calibration.bundles import recorded
from calibration.charts import drawing, engine
from calibration.models import DrawnPicture
from calibration.rendering.sentences import in_pieces
from calibration.wording.numbers import read
from labeling.models import Annotator, CalibrationSet, Label, Membership, Role
from labeling.sets import exposures
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page, rows_behind
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def lenient(people, tmp_path):
    """A report on 50 lamps: 25 right, 25 lenient. Of a class nothing is known."""
    report = sets.lenient_report("lamps", 50, tmp_path)
    Membership.objects.create(set=report.run.set, user=people.lead, role=Role.LEAD)
    return report


def page_of(client, report, name="report", query="") -> Page:
    response = client.get(reverse(name, args=[report.run.set.slug, report.pk]) + query)
    assert response.status_code == 200
    return Page(response.content)


def test_it_opens_with_the_three_sentences(lead, lenient):
    said = page_of(lead, lenient).plain
    places = [said.index(" ".join(one.split())) for one in map(read, in_pieces(lenient.figures, 3))]
    assert places == sorted(places)
    assert places[-1] < said.index("By verdict Every number")


def test_every_rate_stands_with_its_count_n_and_interval(lead, lenient):
    """25 of 50: Wilson with z = 1.959964 is (25 + z²/2 ± z·√(25·25/50 + z²/4)) / (50 + z²),
    so 0.5 ± 0.1337: 36.6 to 63.4."""
    said = page_of(lead, lenient).plain
    assert "Verdict right 25 of 50 50.0% [36.6, 63.4]" in said
    assert "Lenient fails by the reference, passed as supported 25 of 25 100.0%" in said
    assert "Strict supported by the reference, refused 0 of 25 0.0%" in said


def test_what_is_undefined_is_a_dash_with_n_and_the_reason(lead, lenient):
    said = page_of(lead, lenient).plain
    assert "Both right — n = 0; no compared statement has a class on both sides" in said
    assert "needs no attribution — n = 0;" in said
    assert "None" not in said.replace("None neither label", "")


def test_the_table_has_a_rate_for_each_cell_and_says_what_the_contract_rules_out(
    people, lead, report
):
    cells = {(c["claim_class"], c["verdict"]): c for c in report.figures["by_class_and_verdict"]}
    assert cells["subject_specific", "supported"]["n"]
    said = page_of(lead, report).plain
    begin, end = "Class × verdict Every", "Agreement and direction How"
    table = said[said.index(begin) : said.index(end)]
    for cell in cells.values():
        if cell["n"]:
            assert f"{cell['count']} of {cell['n']} {100 * cell['rate']:.1f}%" in table
    empty = [cell for cell in cells.values() if not cell["n"]]
    assert table.count("— n = 0;") == len(empty)
    assert table.count("ruled out") == 12 - len(cells) == 5


def test_errors_come_most_harmful_first_twenty_of_each_with_a_link_to_all(lead, lenient):
    page = page_of(lead, lenient)
    places = [page.plain.index(f"{name.replace('_', ' ').capitalize()}: ") for name in DIRECTIONS]
    assert places == sorted(places)
    shown = [url for url, _ in page.links if "/cases/" in url and url.count("/") == 5]
    assert len(shown) == 20
    everything = page.link("All 25 of them")
    rows = [
        u
        for u, _ in Page(lead.get(everything).content).links
        if "/cases/" in u and u.count("/") == 5
    ]
    assert len(rows) == 25
    assert all(lead.get(url).status_code == 200 for url in rows[:2])


def test_each_direction_lists_as_many_as_its_count_says(lead, report):
    counts = reports.disagreement_counts(report)
    assert counts["all"]
    for direction, count in counts.items():
        query = "" if direction == "all" else f"?direction={direction}"
        page = page_of(lead, report, "disagreements", query)
        rows = [url for url, _ in page.links if "/judgments/" in url]
        assert len(rows) == count, direction


def test_every_number_opens_a_list_of_exactly_so_many(lead, report):
    """Of statements: sentences, cells, rates, sums, tiers. A nought is no link."""
    page = page_of(lead, report)
    behind: dict[str, int] = {}
    for url, shown in page.links:
        if "/statements/" in url:
            count = int(shown.replace(",", ""))
            assert behind.setdefault(url, count) == count > 0, url
    confusion = report.figures["confusion"]
    cells = [n for m in confusion.values() for row in m["rows_human_columns_judge"] for n in row]
    assert len(behind) > len([n for n in cells if n]) + 20
    drawn = {url: _first_count(name) for url, name in page.named if "/statements/" in url}
    assert len(drawn) > len([n for n in cells if n])
    assert drawn.items() <= behind.items()
    for url, count in behind.items():
        assert rows_behind(lead, url) == count, url


def test_all_pictures_of_a_new_report_are_begun_before_they_are_asked_for(lead, run, monkeypatch):
    begun, asked = [], []
    svg = engine.Engine.svg
    monkeypatch.setattr(engine.Engine, "ahead", lambda self, specs: begun.extend(specs))
    monkeypatch.setattr(
        engine.Engine, "svg", lambda self, spec: asked.append(spec) or svg(self, spec)
    )
    drawing._drawn.cache_clear()
    DrawnPicture.objects.all().delete()
    lead.post(reverse("report-create", args=[run.set.slug, run.pk]))
    assert begun == asked
    assert len(asked) == 5


def test_the_request_that_makes_a_report_draws_its_pictures_and_no_view_does(
    lead, run, monkeypatch
):
    lead.post(reverse("report-create", args=[run.set.slug, run.pk]))
    assert DrawnPicture.objects.count() == 5
    drawing._drawn.cache_clear()
    monkeypatch.setattr(engine.Engine, "svg", lambda *_: pytest.fail("drawn again"))
    page = page_of(lead, run.reports.get())
    assert len([one for one in page.tags("svg") if one.get("role") == "group"]) == 5


def _first_count(name: str) -> int:
    """Of what a part of a picture is called: “Reference supported, judge not: 3 of 40 …”."""
    return int(re.search(r": ([\d,]+) of ", name)[1].replace(",", ""))


def test_a_rate_opens_what_it_counts_and_what_it_counts_among(lead, lenient):
    """25 lamps are expected to be unsupported, and the judge calls all 50 supported."""
    page = page_of(lead, lenient)
    body = lead.get(reverse("report", args=["lamps", lenient.pk])).content.decode()
    row = body[body.index("passed as supported</span></th>") :]
    count, n = re.findall(r'<a href="([^"]*)">25</a>', row)[:2]
    assert (rows_behind(lead, unescape(count)), rows_behind(lead, unescape(n))) == (25, 25)
    assert "judge_verdict=supported" in count
    assert "judge_verdict" not in n
    assert not [url for url, shown in page.links if shown == "0"]


def test_where_no_judgment_has_a_confidence_the_section_says_so_in_one_line(lead, lenient):
    body = lead.get(reverse("report", args=["lamps", lenient.pk])).content.decode()
    section = body[body.index('<h2 id="confidence">') : body.index('<h2 id="evidence">')]
    assert "The judge says of no compared statement how sure it is." in section
    assert "<table" not in section
    assert "<svg" not in section


@pytest.fixture
def sure(people, tmp_path):
    """Lamps judged with one of two confidences, or with none; every second one states its risk."""
    cases = sets.lamps(24)
    for case in cases[::2]:
        case["tags"] += ["risk:high"]
    measured = sets.imported("sure", cases, tmp_path)
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    judged = [
        one | {"confidence": [0.55, 0.8125, None][at % 3]}
        for at, one in enumerate(sets.verdicts(cases))
    ]
    return reports.create(sets.recorded_run(measured, judged))


def test_the_curve_of_the_confidence_stands_with_its_table_and_each_count_opens_its_list(
    lead, sure
):
    page = page_of(lead, sure)
    figures = sure.figures["confidence"]
    assert (figures["with"], figures["without"], len(figures["bins"])) == (16, 8, 2)
    asked = [(url, shown) for url, shown in page.links if "confidence=" in url]
    assert {int(shown) for _, shown in asked if shown} == {4, 8, 16}
    for url in {url for url, _ in asked}:
        n = {int(shown) for link, shown in asked if link == url and shown}
        assert {rows_behind(lead, url)} == n, url
    assert "16 compared statements have one, 8 have none." in page.plain
    assert "0.550 0.550 4 of 8 50.0%" in page.plain
    assert page.tags("svg")


def test_a_score_of_confidence_without_an_interval_says_why(lead, sure):
    said = page_of(lead, sure).plain
    filed = " ".join(rendering.render(reports.full(sure), "text").split())
    for why in (
        "no interval: chance alone lifts it",
        "no interval: it follows from how often the verdict is right",
        "no interval: what the bins leave over",
        "no interval: a mean over judges drawn by chance",
    ):
        assert why in said
        assert why in filed
    brier = said[said.index("Brier score 0 is best") : said.index("Reliability of the score")]
    assert "no interval" not in brier


def test_a_bin_of_another_report_is_no_filter(lead, sure):
    """Only the bins of this report are on the list of what may be asked."""
    url = reverse("report-statements", args=["sure", sure.pk])
    assert lead.get(url, {"confidence": "0.55 to 0.55"}).status_code == 200
    for value in ("0.5 to 0.55", "0.55", "nan to nan", "0.55 to 0.55 or 1"):
        assert lead.get(url, {"confidence": value}).status_code == 400, value


def test_risk_and_tags_are_broken_down_and_lead_to_their_lists(lead, sure):
    page = page_of(lead, sure)
    assert "Risk of the case: verdict right high 12 of 12 100.0%" in page.plain
    assert "Tag of the case: verdict right lit 12 of 24 50.0%" in page.plain
    found = {shown: url for url, shown in page.links if "tag=risk%3Ahigh" in url}
    assert rows_behind(lead, found["12"]) == 12


def test_a_report_of_before_these_figures_is_still_read(lead, sure):
    """Frozen by an older implementation: nothing is made up for it, and nothing breaks."""
    newer = (
        *("verdict_given_class", "by_tag", "by_risk", "tags_left_out", "per_class"),
        *("severity", "confidence", "evidence"),
    )
    figures = {key: value for key, value in sure.figures.items() if key not in newer}
    for name in ("lenient", "strict"):
        del figures["floor"][f"always_majority_{name}"]
    for scores in figures["per_verdict"].values():
        del scores["f1_score"]
    sure.figures = figures
    sure.save()
    said = page_of(lead, sure).plain
    assert "Verdict right 12 of 24" in said
    assert "Expected calibration error" not in said
    url = reverse("report-statements", args=["sure", sure.pk])
    assert lead.get(url, {"tag": "lit"}).status_code == 200
    for form in ("md", "html", "json"):
        url = reverse("report-download", args=["sure", sure.pk, form])
        assert lead.get(url).status_code == 200, form


def test_every_outcome_of_the_pairs_opens_a_list_of_exactly_those(lead, report):
    counts = report.figures["pairs"]
    page = page_of(lead, report)
    links = {url: int(n) for url, n in page.links if "/pairs/" in url}
    complete = counts["n"] - counts["incomplete"]
    assert f"{counts['both_right']} of {complete} " in page.plain
    assert any("outcome=complete" in url and n == complete for url, n in links.items())
    assert sum(links.values()) == 2 * counts["n"] + complete > 0
    for url, count in links.items():
        shown = Page(lead.get(url).content)
        rows = [one for one, _ in shown.links if f"/sets/{report.run.set.slug}/pairs/" in one]
        assert len(rows) == count, url


def test_a_refusal_spells_names_as_they_are(lead, people, report):
    rows = [Row("Ss", "Ss")]
    elsewhere = a_run(a_set(rows), rows)
    Membership.objects.create(set=elsewhere.set, user=people.lead, role=Role.LEAD)
    version = elsewhere.rubric_version
    gate = reverse("gate", args=[elsewhere.set.slug, version.name, version.version])
    url = reverse("report-statements", args=[people.set.slug, report.pk])
    assert f" {version} is recorded" in Page(lead.get(gate).content).plain
    refused = Page(lead.get(f"{url}?human_verdict=x").content).plain
    assert " human_verdict: takes one of: " in refused
    assert " This list has 1 pages." in Page(lead.get(f"{url}?page=9").content).plain


def test_a_list_takes_no_filter_that_the_page_does_not_have(lead, report):
    for name, query in (
        ("report-statements", "?human_verdict=maybe"),
        ("report-statements", "?verdict__gt=a"),
        ("report-pairs", "?outcome=lucky"),
    ):
        url = reverse(name, args=[report.run.set.slug, report.pk]) + query
        assert lead.get(url).status_code == 400, query


def test_an_error_shows_its_quote_in_its_passage(people, lead, tmp_path):
    cases = sets.lamps(2)
    text = cases[1]["context"][0]["text"]
    quoted = [{"passage_id": cases[1]["context"][0]["id"], "quote": text, "start": 0,
               "end": len(text)}]  # fmt: skip
    measured = sets.imported("lamps", cases, tmp_path)
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    judged = sets.verdicts(cases[:1]) + sets.verdicts(cases[1:], evidence=quoted)
    report = reports.create(sets.recorded_run(measured, judged))
    body = lead.get(reverse("report", args=["lamps", report.pk])).content.decode()
    assert (
        f'<mark class="cited by-judge">{text}<span class="note"> [the judge] </span></mark>' in body
    )


def test_outcomes_reconcile_on_the_page(lead, report):
    said = page_of(lead, report).plain
    assert "11 planned = 11 graded + 0 failed." in said
    figures = report.figures
    without = figures["without_reference"]
    assert f"11 graded = {figures['compared']} compared + {without} without a reference." in said


def test_the_link_shows_the_same_after_new_labels_arrive(people, lead, lenient):
    url = reverse("report", args=[lenient.run.set.slug, lenient.pk])
    before = Page(lead.get(url).content).plain
    annotator = Annotator.objects.create(set=lenient.run.set, code="late")
    statements = [row.statement for row in reports.disagreements(lenient, limit=50)]
    Label.objects.bulk_create(
        Label(
            statement=statement,
            annotator=annotator,
            role="label",
            verdict="supported",
            origin="blind",
            contract_major=1,
            contract_version="1.0.0",
            labeled_at=timezone.now(),
        )
        for statement in statements
    )
    assert Page(lead.get(url).content).plain == before
    # The control: a report made now does see the labels.
    newer = reports.create(lenient.run)
    assert newer.pk != lenient.pk
    assert "Verdict right 50 of 50" in page_of(lead, newer).plain


def test_asked_twice_with_nothing_changed_it_is_the_same_report(people, lead, run):
    url = reverse("report-create", args=[people.set.slug, run.pk])
    assert lead.post(url)["Location"] == lead.post(url)["Location"]
    assert run.reports.count() == 1


def test_a_tier_that_does_not_exist_is_refused(people, lead, run):
    url = reverse("report-create", args=[people.set.slug, run.pk])
    assert lead.post(url, {"minimum": "hearsay"}).status_code == 400
    assert not run.reports.exists()


def test_a_pair_kind_may_be_called_items(people, lead, tmp_path):
    """In a template, `mapping.items` is the value under the key "items" where there is one."""
    cases = sets.lamps(4)
    for case in cases:
        case["pair_kind"] = "items"
    measured = sets.imported("odd", cases, tmp_path)
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    report = reports.create(sets.recorded_run(measured, sets.verdicts(cases)))
    assert "items 2 of 4 50.0%" in page_of(lead, report).plain


@pytest.mark.parametrize(
    ("name", "kind", "starts"),
    [("json", "application/json", "{"), ("md", "text/markdown", "# "), ("html", "text/html", "<!")],
)
def test_a_report_is_downloaded_as_a_file_and_never_shown(lead, report, name, kind, starts):
    response = lead.get(reverse("report-download", args=[report.run.set.slug, report.pk, name]))
    assert response["Content-Type"] == f"{kind}; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="report-{report.pk}.{name}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "no-store"
    assert response.content.decode().startswith(starts)
    if name == "json":
        assert json.loads(response.content) == json.loads(json.dumps(reports.full(report)))


def test_a_format_that_does_not_exist_is_404(lead, report):
    for name in ("exe", "text", "json/../md"):
        url = f"/sets/{report.run.set.slug}/reports/{report.pk}/report.{name}"
        assert lead.get(url).status_code == 404


@pytest.mark.parametrize(
    ("name", "ending", "members"),
    [
        ("export-bundle", "", {"cases.jsonl", "labels.jsonl", "judgments.jsonl", "manifest.json"}),
        ("export-csv", "-csv", {"statements.csv", "labels.csv"}),
        ("export-parquet", "-parquet", {"statements.parquet", "labels.parquet"}),
    ],
)
def test_an_export_is_a_file_under_a_name_that_the_server_makes(
    people, lead, run, name, ending, members
):
    response = lead.get(reverse(name, args=[people.set.slug]))
    wanted = f'attachment; filename="small-revision-{people.set.revision}{ending}.zip"'
    assert response["Content-Disposition"] == wanted
    assert response["Content-Type"] == "application/zip"
    assert response["X-Content-Type-Options"] == "nosniff"
    with zipfile.ZipFile(BytesIO(b"".join(response.streaming_content))) as packed:
        assert members <= set(packed.namelist())
        assert packed.testzip() is None


def test_parquet_is_offered_where_it_can_be_written(people, lead, monkeypatch):
    page = reverse("exports", args=[people.set.slug])
    download = reverse("export-parquet", args=[people.set.slug])
    links = {url for url, _ in Page(lead.get(page).content).links}
    assert download in links
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert {url for url, _ in Page(lead.get(page).content).links} == links - {download}
    refused = lead.get(download)
    assert refused.status_code == 409
    assert b"it is the extra parquet" in refused.content
    assert not exposures.exposed(people.set, people.lead)


@pytest.mark.parametrize(
    ("judge", "figures"),
    [
        ("gpt-4-0613", ["77 of 100 77.0% [67.8, 84.2]", "0.462", "19 of 78", "4 of 22"]),
        ("gpt-3.5-turbo-0613", ["39 of 100", "0.063", "58 of 78", "3 of 22"]),
    ],
)
def test_the_published_figures_of_real_data_stand_on_its_page(
    people, lead, data_folder, judge, figures
):
    bundles.import_set("wice", data_folder / "wice")
    measured = CalibrationSet.objects.get(slug="wice")
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    with (data_folder / "wice" / f"judgments-{judge}.jsonl").open("rb") as stream:
        run = recorded.import_judgments(measured, stream, source=judge).run
    said = page_of(lead, reports.create(run)).plain
    for figure in [*figures, "Floor: always the commonest answer 78 of 100"]:
        assert figure in said, figure
    # The data set states no class, and the page says so instead of showing a number.
    assert "No reference states a class, so class and verdict are not measured together." in said


def test_what_a_kind_of_judge_that_need_not_cite_left_out_is_said_to_be_that(lead, lenient):
    said = page_of(lead, lenient).plain
    assert (
        "50 graded without the evidence that the contract asks for, to which this kind of judge is "
        "not held." in said
    )


def test_where_no_reference_states_a_class_the_page_leads_with_verdicts(people, lead):
    rows = [Row(".s", "Ss"), Row(".u", "Ss"), Row(".u", "Su")]
    report = reports.create(a_run(a_set(rows), rows))
    Membership.objects.create(set=report.run.set, user=people.lead, role=Role.LEAD)
    page = page_of(lead, report)
    shown = page.plain
    opening = shown[shown.index("By verdict Every") : shown.index("Agreement and direction How")]
    assert "No reference states a class, so class and verdict are not measured together." in opening
    assert "unsupported 1 of 2 50.0%" in opening
    assert "Class × verdict" not in shown
    assert "— of 0" not in shown[: shown.index("By verdict Every")]
    titles = ("Right by verdict", "Right by class", "Right by class and verdict")
    assert [one for one in titles if one in shown] == ["Right by verdict"]
    assert len([one for one in page.tags("svg") if one.get("role") in ("group", "img")]) >= 3
    for form in ("md", "html", "json"):
        url = reverse("report-download", args=[report.run.set.slug, report.pk, form])
        assert lead.get(url).status_code == 200, form
