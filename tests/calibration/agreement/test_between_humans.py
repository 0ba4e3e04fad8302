"""Agreement between annotators: which labels are ratings, and what is made of them."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calibration.agreement import between_humans
from calibration.rendering.between_humans import how_much
from grounding.errors import Refused
from labeling.models import Annotator, Case, Statement
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_set, label, labelled

pytestmark = pytest.mark.django_db

COEFFICIENT = {"value", "n", "interval", "reason"}
RATE = {"count", "n", "rate", "interval", "reason"}


def short(rate):
    return rate["count"], rate["n"]


# Four statements: three ratings, two, two, and one that pairs with nothing.
#   s0  Ss Ss Su      s1  Su Su -      s2  .s - Ec      s3  Ss
MADE = ["Ss Ss Su", "Su Su", ".s - Ec", "Ss"]


def test_units_have_two_ratings_and_what_stands_alone_is_said():
    measured = between_humans.measure(labelled(*MADE))
    assert (measured["units"], measured["ratings"]) == (3, 7)
    assert measured["excluded"]["single"] == 1
    assert measured["alpha"]["n"] == 3


def test_alpha_and_pairwise_by_hand():
    measured = between_humans.measure(labelled(*MADE))
    # Pairs: s0 has ss su su, s1 uu, s2 sc; two of the five agree.
    assert short(measured["pairwise"]) == (2, 5)
    # Coincidences, each unit's ordered pairs over m - 1: s0 gives ss 2/2, su and us 2/2 each;
    # s1 uu 2; s2 sc 1 and cs 1. Margins s 3, u 3, c 1 of n = 7; off the diagonal lie 2 + 2 = 4.
    # alpha = 1 - (7 - 1) 4 / (7² - 3² - 3² - 1²) = 1 - 24/30.
    assert measured["alpha"]["value"] == pytest.approx(1 - 24 / 30)


def test_each_verdict_is_measured_against_all_others():
    each = between_humans.measure(labelled(*MADE))["per_verdict"]
    # Of the pairs with at least one "supported" (ss su su | sc), one has two.
    assert short(each["supported"]["pairwise"]) == (1, 4)
    assert short(each["unsupported"]["pairwise"]) == (1, 3)
    assert short(each["contradictory"]["pairwise"]) == (0, 1)
    # Supported against the rest: margins 3 and 4 of 7; off the diagonal 2 in s0, 2 in s2.
    assert each["supported"]["alpha"]["value"] == pytest.approx(1 - 6 * 4 / (49 - 9 - 16))
    assert each["not_applicable"]["alpha"]["value"] is None
    assert each["not_applicable"]["pairwise"]["reason"] == "no pair of ratings uses it"


def test_classes_are_compared_among_ratings_that_state_one():
    each = between_humans.measure(labelled(*MADE, "Ss Es"))["per_class"]
    # s2 has but one class. s0 has three pairs of S, s1 one, the last none.
    assert short(each["subject_specific"]["pairwise"]) == (4, 5)
    assert each["subject_specific"]["alpha"]["n"] == 3
    assert each["interpretation"]["pairwise"]["n"] == 0


def test_the_keys_are_those_published():
    measured = between_humans.measure(labelled(*MADE))
    published = {"alpha", "pairwise", "units", "ratings", "per_class", "per_verdict"}
    assert set(measured) == published | {"contract_major", "seed", "excluded"}
    assert set(measured["alpha"]) == COEFFICIENT
    for each in (*measured["per_class"].values(), *measured["per_verdict"].values()):
        assert set(each) == {"alpha", "pairwise"}
        assert (set(each["alpha"]), set(each["pairwise"])) == (COEFFICIENT, RATE)


def test_adjudicators_are_not_raters():
    made = labelled("Ss Ss", "Su Ss")
    before = between_humans.measure(made)
    for statement in Statement.objects.filter(case__set=made):
        label(statement, Annotator.objects.get(set=made, code="ann-4"), "Sc", role="adjudication")
    assert between_humans.measure(made) == before


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"origin": "revealed"}, "revealed"),
        ({"origin": "model"}, "model"),
        ({"selected": "production_risk"}, "selected"),
        ({"contract_version": "2.0.0", "contract_major": 2}, "other_contract"),
        ({"contract_version": None, "contract_major": 0}, "other_contract"),
    ],
)
def test_labels_that_do_not_count_are_left_out_and_counted_by_reason(fields, reason):
    made = labelled("Ss Ss", "Su Ss")
    before = between_humans.measure(made)
    third = Annotator.objects.get(set=made, code="ann-3")
    label(Statement.objects.filter(case__set=made).first(), third, "Sc", **fields)
    after = between_humans.measure(made)
    assert after.pop("excluded") == {**before.pop("excluded"), reason: 1}
    assert after == before


def test_superseded_labels_and_cases_are_of_the_past():
    made = labelled("Ss Ss", "Su Su", "Ss Su")
    gone = Statement.objects.get(case__set=made, statement_id="s2")
    Case.objects.filter(pk=gone.case_id).update(superseded_in=2)
    corrected = Statement.objects.get(case__set=made, statement_id="s1").labels.first()
    corrected.superseded_at = corrected.recorded_at
    corrected.save()
    measured = between_humans.measure(made)
    assert (measured["units"], measured["ratings"]) == (1, 2)


def test_where_no_label_counts_it_is_refused_and_said_why():
    made = a_set([Row("..", "Ss")])
    statement = Statement.objects.get(case__set=made)
    label(statement, Annotator.objects.get(set=made), "Ss", origin="model")
    with pytest.raises(Refused, match="1 model"):
        between_humans.measure(made)


def test_of_labels_that_never_meet_the_sentence_says_just_that():
    said = how_much(between_humans.figures(between_humans.read(labelled("Ss", "- Su"))))
    assert said == (
        "No statement has two blind ratings, so there is neither Krippendorff's alpha nor a "
        "pair of ratings to compare."
    )


def test_labels_that_never_meet_leave_alpha_undefined_not_zero():
    measured = between_humans.figures(between_humans.read(labelled("Ss", "- Su")))
    assert measured["alpha"] == {
        "value": None, "n": 0, "interval": None, "reason": "no unit has two ratings",
    }  # fmt: skip
    assert measured["pairwise"]["rate"] is None


def test_labels_that_never_meet_are_refused_and_said_why():
    with pytest.raises(Refused, match="no statement of made has two blind ratings: 2 single"):
        between_humans.measure(labelled("Ss", "- Su"))


def test_intervals_come_from_the_seed_that_is_printed():
    made = labelled(*["Ss Ss Su", "Su Su", "Ss Su", "Sc Sc"] * 5)
    first = between_humans.measure(made, seed=4)
    assert first == between_humans.measure(made, seed=4)
    assert first["seed"] == 4
    assert first["alpha"]["interval"] != between_humans.measure(made, seed=5)["alpha"]["interval"]


def test_labels_are_read_by_one_query():
    made = labelled(*MADE)
    with CaptureQueriesContext(connection) as asked:
        between_humans.measure(made)
    assert len(asked) == 1


# ---- the command


def call(*arguments):
    out = StringIO()
    call_command("agreement", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_one_object_or_a_text():
    labelled(*MADE)
    assert json.loads(call("made", "--json"))["units"] == 3
    text = call("made")
    assert "Krippendorff's alpha of the verdict is 0.2000" in text
    assert "2 of 5 (40.0%)" in text


def test_the_command_ends_with_3_where_nothing_can_be_measured():
    a_set([Row("..", "Ss")])
    labelled("Ss", "- Su", slug="apart")
    for slug in ("made", "apart", "nowhere"):
        with pytest.raises(CommandError) as failed:
            call(slug, "--json")
        assert failed.value.returncode == 3


def test_qags_shows_its_published_alpha(data_folder):
    call_command(
        "import_set", "qags", str(data_folder / "qags"), stdout=StringIO(), stderr=StringIO()
    )
    measured = json.loads(call("qags", "--json"))
    assert measured["alpha"]["value"] == pytest.approx(0.48788, abs=5e-6)
    assert (measured["units"], measured["ratings"]) == (953, 2859)


@pytest.mark.parametrize(("part", "alpha"), [("cnndm", 0.5135), ("xsum", 0.3421)])
def test_parts_of_qags_show_their_published_alpha(data_folder, tmp_path, part, alpha):
    for name in ("cases.jsonl", "labels.jsonl"):
        lines = (data_folder / "qags" / name).read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["case_id"].startswith(f"qags-{part}-")]
        (tmp_path / name).write_text("".join(kept), "utf-8")
    call_command("import_set", part, str(tmp_path), stdout=StringIO(), stderr=StringIO())
    assert json.loads(call(part, "--json"))["alpha"]["value"] == pytest.approx(alpha, abs=5e-5)
