"""A link from the Members page to a newcomer's first page, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labeling.models import Role
from labeling.people import invitations
from tests.browser.test_accessible import grave
from tests.labeling.pages.cast import PASSWORD, Cast

if TYPE_CHECKING:
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_link_is_made_copied_and_lets_a_newcomer_in(
    cast: Cast, sign_in: SignIn, complaints: list[str]
) -> None:
    admin = sign_in(cast.admin, permissions=["clipboard-read", "clipboard-write"])
    admin.goto("/sets/jobs/members/")
    admin.get_by_label("Note, for admins alone").fill("For Mara")
    admin.get_by_role("button", name="Make a link").click()
    admin.get_by_role("button", name="Copy", exact=True).click()
    admin.get_by_role("button", name="Copied").wait_for()
    link = admin.evaluate("navigator.clipboard.readText()")
    assert link == admin.get_by_label("Link", exact=True).input_value()
    assert grave(admin) == []
    newcomer = sign_in(None)
    newcomer.goto(link)
    newcomer.get_by_label("Name", exact=True).fill("mara")
    newcomer.get_by_label("Password", exact=True).fill(PASSWORD)
    newcomer.get_by_label("Password again").fill(PASSWORD)
    newcomer.get_by_role("button", name="Join").click()
    newcomer.get_by_text("You are now annotator of Nightly jobs.").wait_for()
    assert complaints == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_pages_on_the_way_in_are_accessible_and_fit(
    cast: Cast, sign_in: SignIn, width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    token = invitations.invite(cast.set, cast.admin, Role.LEAD)
    for user, path in (
        (None, f"/join/{token}/"),
        (None, "/join/never/"),
        (cast.stranger, f"/join/{token}/"),
        (cast.admin, f"/join/{token}/"),
        (cast.admin, "/sets/jobs/members/"),
        (cast.annotator, "/password/"),
    ):
        page = sign_in(user, **look)
        page.goto(path)
        assert grave(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page = sign_in(None, **look)
    for _ in range(10):
        page.goto("/sign-in/")
        page.get_by_label("Name").fill("eve")
        page.get_by_label("Password").fill("a guess")
        page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Wait a little").wait_for()
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
