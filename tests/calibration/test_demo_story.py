"""The story that the demo tells with what ships: a version that became lenient and is seen as
such, and one whose scope moved and is not compared. No threshold is named here: whatever the
judge's parameters are, this must hold."""

from __future__ import annotations

import copy
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from calibration import bundles, comparing, reports, rubrics, runs
from calibration.management.commands import demo
from calibration.models import RubricVersion
from calibration.rendering.comparison import sentences
from calibration.rendering.sentences import AUTHOR_ALONE
from grounding.rubrics import load_rubric
from labeling import sets
from tests.calibration.pages.sets import judged

pytestmark = pytest.mark.django_db

HOME = Path(str(rubrics.__file__)).parent
VERSIONS = ("1.0.0", "1.1.0", "2.0.0")


@pytest.fixture
def story(ran):
    return copy.deepcopy(ran)


@pytest.fixture(scope="module")
def ran(module_database):
    """The shipped set, and a finished run of each shipped version of the default rubric."""
    bundles.import_set(demo.SLUG, HOME.parent / "sets" / demo.SLUG)
    shipped = sets.get(demo.SLUG)
    for version in VERSIONS:
        text = (HOME / f"groundedness@{version}.yaml").read_text("utf-8")
        judged(runs.start(shipped, rubrics.release(load_rubric(text)).rubric_version))
    return [
        runs.latest_finished(rubrics.get(f"groundedness@{version}"), shipped)
        for version in VERSIONS
    ]


def test_the_steps_are_those_that_the_changes_need(story):
    needed = RubricVersion.objects.values_list("version", "required_bump")
    assert dict(needed) == {"1.0.0": "none", "1.1.0": "minor", "2.0.0": "major"}


def test_the_minor_version_became_lenient_and_the_comparison_says_so(story):
    first, lenient, _ = story
    compared = comparing.compare(first, lenient)
    figures = compared.figures
    assert figures["comparable"]
    assert figures["scope"] == "same"
    assert figures["first"]["baseline"]["run"] == first.pk
    assert figures["lenient"]["second"]["count"] > figures["lenient"]["first"]["count"]
    told = sentences(figures)
    assert told[0].startswith("groundedness@1.1.0 is more lenient than groundedness@1.0.0")
    assert "refuses supported statements less often" in told[1]
    assert "More failing statements pass in:" in told[2]
    assert compared.changes["newly_lenient"]


def test_the_major_version_is_not_compared_and_has_a_baseline_of_its_own(story):
    first, _, other = story
    figures = comparing.compare(first, other).figures
    assert not figures["comparable"]
    assert figures["fields"]
    assert all(one["first"] != one["second"] for one in figures["moved"])
    assert figures["second"]["baseline"] == {"of": "groundedness@2", "run": other.pk}
    told = " ".join(sentences(figures))
    assert all(field in told for field in figures["fields"])
    assert f"not comparable with run {first.pk}" in told


def test_no_human_label_is_invented_and_the_comparison_says_so(story):
    first, lenient, _ = story
    figures = comparing.compare(first, lenient).figures
    tiers = figures["reference"]["tiers"]
    assert tiers == {"adjudicated": 0, "consensus": 0, "single": 0, "author": figures["n"]}
    assert AUTHOR_ALONE in sentences(figures)


def test_the_demo_tells_it_in_order(story):
    """Its runs are there already, so that no worker need be started."""
    text = " ".join(_told().split())
    parts = (
        "groundedness@1.0.0: run",
        "groundedness@1.1.0: run",
        "groundedness@2.0.0: run",
        "groundedness@1.1.0 is more lenient than groundedness@1.0.0",
        "groundedness@2.0.0 cannot be compared with groundedness@1.0.0",
        AUTHOR_ALONE,
    )
    _stand_in_order(text, parts)
    assert text.count(AUTHOR_ALONE) == 1


def test_each_run_of_the_demo_says_how_much_how_well_and_how_leniently(story):
    figures = reports.figures(reports.create(story[0]))
    verdict, lenient = figures["verdict"], figures["lenient"]
    block = _told().split("\n\n")[0].strip().splitlines()
    assert block[0] == f"groundedness@1.0.0: run {story[0].pk}, complete"
    said = dict(line.split(maxsplit=1) for line in block[1:])
    assert said["graded"] == f"{verdict['n']} of {verdict['n']} planned"
    assert said["agreement"].startswith(f"{verdict['count']} of {verdict['n']} (")
    assert "95% interval" in said["agreement"]
    assert said["lenient"].startswith(f"{lenient['count']} of {lenient['n']} (")
    floor = figures["floor"]["always_majority"]
    assert said["floor"].startswith(f"{floor['count']} of {floor['n']} (")


def test_the_demo_ends_with_an_account_for_each_role_and_its_password(story):
    err = StringIO()
    _told(stderr=err)
    told = [line.split() for line in err.getvalue().strip().splitlines()[-3:]]
    assert [name for name, _ in told] == ["annotator", "lead", "admin"]
    for name, password in told:
        assert User.objects.get(username=name).check_password(password)


def test_asked_for_the_reports_the_demo_prints_what_each_opens_with(story):
    text = " ".join(_told(reports=True).split())
    parts = (
        "groundedness@1.0.0 gives the reference's verdict",
        "groundedness@1.1.0 gives the reference's verdict",
        "groundedness@2.0.0 gives the reference's verdict",
        "groundedness@1.1.0 is more lenient than groundedness@1.0.0",
        "groundedness@2.0.0 cannot be compared with groundedness@1.0.0",
    )
    _stand_in_order(text, parts)
    assert text.count(AUTHOR_ALONE) == 4
    assert "Class × verdict" not in text, "each report is in its short form"


def _told(**options):
    out = StringIO()
    call_command("demo", stdout=out, **({"stderr": StringIO()} | options))
    return out.getvalue()


def _stand_in_order(text, parts):
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
