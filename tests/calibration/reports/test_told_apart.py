"""Two judges of equal percent and equal coefficients, one lenient, one strict: whatever a lead
reads of them first tells them apart (row G5).

Of 240 statements each verdict makes a third. The lenient judge passes 40 of the 160 that fail, the
strict one refuses 40 of the 80 that are supported; all else both judge right, so 200 of 240.
"""

from __future__ import annotations

import copy
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from calibration import reports
from labeling.models import Role
from labeling.people import accounts
from tests.calibration.agreement.comparison_records import two_runs
from tests.calibration.pages.reading import Page
from tests.calibration.report_fixtures import VERDICT_LETTERS
from tests.calibration.stats.synthetic import opposite_judges

pytestmark = pytest.mark.django_db

DIRECTIONS = {
    "1.0.0": ("It errs towards leniency", "40 of 160 (25.0%)", "0 of 80 (0.0%)"),
    "1.1.0": ("It errs towards strictness", "0 of 160 (0.0%)", "40 of 80 (50.0%)"),
}
VERSIONS = pytest.mark.parametrize("version", DIRECTIONS)


@pytest.fixture
def judged(both):
    return copy.deepcopy(both)


@pytest.fixture(scope="module")
def both(module_database):
    """The runs of the lenient judge and of the strict one."""
    letters = ["S" + VERDICT_LETTERS[code] for code in range(3)]
    return two_runs(
        [tuple(letters[code] for code in row) for row in zip(*opposite_judges(), strict=True)]
    )


@pytest.fixture
def lead(client, judged, django_user_model):
    account = django_user_model.objects.create_user("lead")
    accounts.join(judged[0].set, account, Role.LEAD)
    client.force_login(account)
    return client


def printed(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def in_json(*arguments):
    return json.loads(printed(*arguments, "--format", "json"))


def counts(rate):
    return rate["count"], rate["n"]


def first_screen(text, lines=24):
    return " ".join(" ".join(text.splitlines()[:lines]).split())


def test_percent_and_every_coefficient_are_equal_and_the_directions_are_not(judged):
    lenient, strict = (in_json("report", f"judge@{version}", "made") for version in DIRECTIONS)
    assert counts(lenient["verdict"]) == counts(strict["verdict"]) == (200, 240)
    for name in ("kappa", "ac1", "mcc"):
        one, two = (report[name]["verdict"]["value"] for report in (lenient, strict))
        assert one == pytest.approx(two), name
    assert (counts(lenient["lenient"]), counts(lenient["strict"])) == ((40, 160), (0, 80))
    assert (counts(strict["lenient"]), counts(strict["strict"])) == ((0, 160), (40, 80))
    assert {row["direction"] for row in lenient["disagreements"]} == {"lenient"}
    assert {row["direction"] for row in strict["disagreements"]} == {"strict"}


@VERSIONS
@pytest.mark.parametrize("form", ["text", "md"])
def test_the_command_says_so_before_any_table(judged, version, form):
    told = printed("report", f"judge@{version}", "made", "--format", form)
    for said in DIRECTIONS[version]:
        assert said in first_screen(told)


@VERSIONS
def test_the_page_says_so_before_any_table(judged, lead, version):
    run = next(one for one in judged if one.rubric_version.version == version)
    page = Page(lead.get(reverse("report", args=["made", reports.create(run).pk])).content)
    opening = page.plain[: page.plain.index("Class × verdict")]
    for said in DIRECTIONS[version]:
        assert said in opening


OPENING = [
    "judge@1.1.0 is less lenient than judge@1.0.0",
    "it passes 0 of 160 (0.0%) as supported, where judge@1.0.0 passes 40 of 160 (25.0%)",
    "the one-sided test asks only whether it passes more, and it does not",
    "refuses supported statements more often: 40 of 80 (50.0%), "
    "where judge@1.0.0 refuses 0 of 80 (0.0%)",
]


def test_a_comparison_finds_no_difference_but_in_direction(judged):
    compared = in_json("compare", "judge@1.0.0", "judge@1.1.0", "made")
    assert compared["difference"]["value"] == 0
    assert (compared["only_first"], compared["only_second"]) == (40, 40)
    sides = [compared[kind][side] for kind in ("lenient", "strict") for side in ("first", "second")]
    assert list(map(counts, sides)) == [(40, 160), (0, 160), (0, 80), (40, 80)]
    assert compared["lenient"]["p_more_lenient"] == pytest.approx(1)
    turned = in_json("compare", "judge@1.1.0", "judge@1.0.0", "made")
    # All forty flips lie on one side: one in two to the fortieth.
    assert turned["lenient"]["p_more_lenient"] == pytest.approx(0.5**40)


def test_the_command_that_compares_opens_with_it(judged):
    told = first_screen(printed("compare", "judge@1.0.0", "judge@1.1.0", "made"))
    for said in OPENING:
        assert said in told
    turned = first_screen(printed("compare", "judge@1.1.0", "judge@1.0.0", "made"))
    assert "judge@1.0.0 is more lenient than judge@1.1.0, beyond chance" in turned
    assert "refuses supported statements less often" in turned


def test_the_page_that_compares_opens_with_it(judged, lead):
    first, second = judged
    url = f"{reverse('compare', args=['made'])}?first={first.pk}&second={second.pk}"
    page = Page(lead.get(url).content)
    opening = page.plain[: page.plain.index("Compare others")]
    for said in OPENING:
        assert said in opening
    assert "supported 0 of 80 0.0%" in page.plain[page.plain.index("how many each refused") :]
