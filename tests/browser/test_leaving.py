"""Who signs out leaves no passage behind, not even for the Back button (row A8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests import services
from tests.browser.conftest import FLAGS, session_of
from tests.labeling.pages.cast import Cast, desk_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSAGE = "Retries ended at 04:10."


@pytest.fixture(scope="module")
def keeping(playwright: Any) -> Iterator[Browser]:
    """A browser as people have it: Playwright's own never keeps a page for the Back button."""
    browser = playwright.chromium.launch(
        executable_path=services.chromium(),
        args=list(FLAGS),
        ignore_default_args=["--disable-back-forward-cache"],
    )
    yield browser
    browser.close()


def at_the_desk(keeping: Browser, server: LiveServer, cast: Cast) -> Page:
    context = keeping.new_context(base_url=server.url)
    context.add_cookies([session_of(cast.annotator, server.url)])
    page = context.new_page()
    page.goto("/sets/")
    page.goto(desk_of(cast.statement))
    assert PASSAGE in page.content()
    return page


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()


def stored(page: Page) -> dict[str, str]:
    """What the browser keeps for the site, beside the path by which htmx knows this page."""
    kept: dict[str, str] = page.evaluate("({...localStorage, ...sessionStorage})")
    return {key: value for key, value in kept.items() if value != "/sign-in/"}


def test_after_signing_out_back_shows_no_passage_and_storage_is_empty(
    keeping: Browser, live_server: LiveServer, cast: Cast
) -> None:
    page = at_the_desk(keeping, live_server, cast)
    for kind in ("localStorage", "sessionStorage"):
        page.evaluate(f"{kind}.setItem('left', 'behind')")
    sign_out(page)
    assert stored(page) == {}
    page.go_back()
    page.get_by_role("heading", name="Sign in").wait_for()
    assert PASSAGE not in page.content()
    page.go_back()
    assert PASSAGE not in page.content()
    assert page.evaluate("caches.keys().then((names) => names.length)") == 0
    page.context.close()


def test_without_the_headers_back_would_show_it(
    keeping: Browser, live_server: LiveServer, cast: Cast
) -> None:
    """The control: the same steps, the two headers taken off on their way."""
    page = at_the_desk(keeping, live_server, cast)

    def bare(route: Any) -> None:
        answer = route.fetch(max_redirects=0)
        kept = {k: v for k, v in answer.headers.items() if k != "clear-site-data"}
        kept["cache-control"] = "max-age=600"
        route.fulfill(response=answer, headers=kept)

    page.route("**/label/**", bare)
    page.route("**/sign-out/", bare)
    page.reload()
    sign_out(page)
    # A page that was kept whole has no load event to wait for.
    page.go_back(wait_until="commit")
    page.get_by_role("button", name="Sign out").wait_for()
    assert PASSAGE in page.content()
    page.context.close()


@pytest.mark.parametrize("how", ["ended", "deactivated"])
def test_who_is_shut_out_in_mid_session_is_refused_at_the_next_request(
    keeping: Browser, live_server: LiveServer, cast: Cast, how: str
) -> None:
    from labeling.people import accounts

    page = at_the_desk(keeping, live_server, cast)
    if how == "ended":
        accounts.leave(cast.set, cast.annotator)
    else:
        accounts.deactivate(cast.annotator)
    page.reload()
    heading = "Not found" if how == "ended" else "Sign in"
    page.get_by_role("heading", name=heading).wait_for()
    assert PASSAGE not in page.content()
    page.context.close()
