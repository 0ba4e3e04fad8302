"""A queue is opened from the plan with JavaScript off, over exactly what the plan listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.access.world import World
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_queue_is_opened_from_the_plan_without_javascript(
    world: World, sign_in: SignIn, complaints: list[str]
) -> None:
    from labeling import queues
    from labeling.models import Queue

    # What a queue asks for already is not listed again.
    for queue in Queue.objects.exclude(state="closed"):
        queues.close(queue)
    page = sign_in(world.people.lead, java_script_enabled=False)
    page.goto("/sets/small/")
    page.locator(".link-list").get_by_role("link", name="Plan", exact=True).click()
    page.get_by_label("Statements to list").fill("3")
    page.get_by_role("button", name="Plan").click()
    assert "limit=3" in page.url
    names = page.locator("table.errors tbody th a").all_inner_texts()
    assert len(names) == 3

    page.get_by_role("button", name="Have these labelled").click()
    assert page.get_by_text("without regard to any judge").is_visible()
    # First with a mistake: the list goes along.
    page.get_by_role("button", name="Open the queue").click()
    assert page.get_by_text("Not saved.").is_visible()
    page.get_by_label("Title").fill("Asked by the plan")
    page.get_by_role("button", name="Open the queue").click()
    assert page.get_by_text("The queue is open").is_visible()
    queue = Queue.objects.get(title="Asked by the plan")
    statements = {slot.statement for slot in queue.slots.select_related("statement__case")}
    found = {f"{one.case.case_id} {one.statement_id}" for one in statements}
    assert found == set(names)
    assert queue.selected is None
    # The mistake answered 422, which a browser's console tells of.
    assert [one for one in complaints if "422" not in one] == []
