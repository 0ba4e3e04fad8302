"""A new password of one's own."""

from __future__ import annotations

from django.test import Client

from tests.labeling.pages.cast import PASSWORD, Cast, give_password

NEW = "four-wet-horses-in-may"


def ask(client: Client, **changes: str) -> int:
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW} | changes
    return client.post("/password/", form).status_code


def here(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.annotator)
    return client


def test_the_new_one_works_the_old_one_does_not_and_only_this_session_goes_on(cast: Cast) -> None:
    give_password(cast.annotator)
    mine, other = here(cast), here(cast)
    assert 'href="/password/"' in mine.get("/sets/").content.decode()
    assert ask(mine) == 302
    assert mine.get("/sets/").status_code == 200
    assert other.get("/sets/").status_code == 302
    cast.annotator.refresh_from_db()
    assert cast.annotator.check_password(NEW)


def test_nothing_changes_without_the_old_one_or_with_a_poor_new_one(cast: Cast) -> None:
    give_password(cast.annotator)
    client = here(cast)
    assert ask(client, old_password="a guess") == 422
    assert ask(client, new_password1="short", new_password2="short") == 422
    assert ask(client, new_password2="another entirely") == 422
    cast.annotator.refresh_from_db()
    assert cast.annotator.check_password(PASSWORD)
