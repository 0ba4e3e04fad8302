"""Models are imported inside the fixtures: Django is not ready yet when this file is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.labeling.pages.cast import Cast


@pytest.fixture
def cast(db: None) -> Cast:
    from tests.kept_rows import put_back
    from tests.labeling.pages import cast as casting

    return put_back("cast of the pages", casting.assemble)


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    """Makes a client that acts as a user."""
    from django.test import Client

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
