"""The lead's main job with JavaScript off: a run is started, watched, and its report read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.access.world import World
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_run_is_started_watched_and_its_report_read(
    world: World, sign_in: SignIn, complaints: list[str]
) -> None:
    from calibration import judging
    from calibration.models import Run
    from tests.access.world import judged

    page = sign_in(world.people.lead, java_script_enabled=False)
    page.goto("/sets/small/runs/")
    page.get_by_label("Rubric version").select_option(label="groundedness@1.0.0")
    page.get_by_role("button", name="Start").click()
    run = Run.objects.latest("pk")
    assert page.url.endswith(f"/runs/{run.pk}/")
    assert page.get_by_role("strong").get_by_text(f"0 of {run.planned}").is_visible()

    judging.judge_batch(run.pk, worker="tests")
    judged(run)
    page.get_by_role("link", name="Refresh").click()
    assert page.get_by_role("strong").get_by_text(f"{run.planned} of {run.planned}").is_visible()

    page.get_by_role("button", name="Make the report").click()
    for asked in ("How often", "In which direction", "How sure"):
        assert page.get_by_text(asked, exact=True).is_visible()
    assert page.get_by_text("groundedness@1.0.0 gives the reference's verdict on").is_visible()
    page.get_by_text("The same as a table: Verdict").click()
    cell = page.locator(".matrix .agreed a").first
    count = cell.inner_text()
    cell.click()
    assert page.locator("tbody tr").count() == int(count)
    assert complaints == []
