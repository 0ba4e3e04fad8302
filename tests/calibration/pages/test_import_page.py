"""A file imported in the browser: checked first, then all of it or nothing."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from labeling.models import Case, Label
from labeling.web import uploads
from tests.access.test_writes import stored
from tests.calibration.pages.reading import Page
from tests.calibration.pages.sets import lamps
from tests.cast import SMALL

pytestmark = pytest.mark.django_db


def file(cases: list[dict], name: str = "lamps.jsonl") -> SimpleUploadedFile:
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    return SimpleUploadedFile(name, lines.encode())


@pytest.fixture
def url(people) -> str:
    return reverse("import", args=[people.set.slug])


def test_a_check_reports_and_writes_nothing_and_the_import_does(lead, url, people) -> None:
    lead.post(url)
    before = stored()
    checked = lead.post(url, {"file": file(lamps(4)), "do": "check"})
    assert stored() == before
    assert "Cases 4 new cases" in Page(checked.content).plain
    token = checked.context["upload"].token
    done = lead.post(url, {"file": file(lamps(4)), "do": "import", "checked": token})
    assert done["Location"] == reverse("revision", args=[people.set.slug, 2])
    assert Case.objects.live().filter(set=people.set, case_id__startswith="lamp-").count() == 4
    assert "Imported: 4 new cases" in Page(lead.get(done["Location"]).content).plain


def test_only_the_file_that_was_checked_is_imported(lead, url) -> None:
    lead.post(url)
    before = stored()
    token = lead.post(url, {"file": file(lamps(4))}).context["upload"].token
    for sent in (
        {"file": file(lamps(6)), "checked": token},
        {"file": file(lamps(4)), "checked": token, "supersede": "yes"},
        {"file": file(lamps(4)), "checked": "x"},
        {"file": file(lamps(4))},
    ):
        answer = lead.post(url, sent | {"do": "import"})
        assert answer.status_code == 200
        assert "Not imported yet." in Page(answer.content).plain
    assert stored() == before


def test_a_bad_row_is_named_by_file_line_and_field_and_nothing_is_written(lead, url) -> None:
    lead.post(url)
    before = stored()
    cases = lamps(3)
    cases[2]["statements"][0]["span"] = [5, 900]
    answer = lead.post(url, {"file": file(cases, "my <b>lamps.jsonl"), "do": "import"})
    assert answer.status_code == 422
    said = Page(answer.content).plain
    assert "my <b>lamps.jsonl, line 3, statements.0.span:" in said
    assert stored() == before


def test_other_content_is_refused_until_superseding_is_asked_for(lead, url, people) -> None:
    cases = [json.loads(line) for line in (SMALL / "cases.jsonl").read_text().splitlines()]
    cases[0]["question"] = "Changed?"
    refused = lead.post(url, {"file": file(cases)})
    assert (refused.status_code, "case_id" in Page(refused.content).plain) == (422, True)
    asked = {"file": file(cases), "supersede": "yes"}
    checked = lead.post(url, asked)
    said = Page(checked.content).plain
    assert "Cases 1 case becomes a new revision; 5 cases are there already" in said
    assert "--supersede" not in Page(refused.content).plain
    asked |= {"file": file(cases), "do": "import", "checked": checked.context["upload"].token}
    assert lead.post(url, asked).status_code == 302
    assert Case.objects.filter(set=people.set, case_id="jobs-001-a").count() == 2


def test_a_bundle_brings_its_labels_for_an_admin_alone(lead, signed_in, url, people) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        bundle.writestr("cases.jsonl", "".join(json.dumps(case) + "\n" for case in lamps(2)))
        label = {"case_id": "lamp-0", "statement_id": "s1", "annotator": "x", "role": "label"}
        label |= {"verdict": "supported", "origin": "blind"}
        bundle.writestr("labels.jsonl", json.dumps(label) + "\n")
    name = "set.zip"
    refused = lead.post(url, {"file": SimpleUploadedFile(name, packed.getvalue())})
    assert refused.status_code == 422
    assert "holds labels, which an admin brings in" in Page(refused.content).plain
    admin = signed_in(people.admin)
    checked = admin.post(url, {"file": SimpleUploadedFile(name, packed.getvalue())})
    assert checked.status_code == 200, Page(checked.content).plain
    sent = {"file": SimpleUploadedFile(name, packed.getvalue()), "do": "import"}
    admin.post(url, sent | {"checked": checked.context["upload"].token})
    assert Label.objects.filter(statement__case__case_id="lamp-0").count() == 1


def test_a_file_over_the_limit_is_not_read(lead, url, monkeypatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UPLOAD", 1_000)
    monkeypatch.setattr("calibration.views.imports.MAX_UPLOAD", 1_000)
    answer = lead.post(url, {"file": file(lamps(20))})
    assert answer.status_code == 422
    assert "is larger than" in Page(answer.content).plain


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cases.zip", b"no zip"),
        ("cases.jsonl", b"\xff\xfe"),
        ("cases.jsonl", b"{"),
        ("x.gz", b"\x1f\x8b\x08"),
        ("<b>", b"{}\n"),
    ],
)
def test_what_is_no_file_of_cases_is_refused_by_name(lead, url, name, content) -> None:
    answer = lead.post(url, {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 422
    assert "Nothing was written." in Page(answer.content).plain


def test_nothing_chosen_is_said(lead, url) -> None:
    assert "choose a file" in Page(lead.post(url, {"do": "import"}).content).plain


def test_within_htmx_an_import_goes_on_to_its_page(lead, url, people) -> None:
    token = lead.post(url, {"file": file(lamps(2))}).context["upload"].token
    sent = {"file": file(lamps(2)), "do": "import", "checked": token}
    answer = lead.post(url, sent, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == reverse("revision", args=[people.set.slug, 2])
