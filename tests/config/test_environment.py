"""Nonsense in the environment stops the start, with one line that names the variable."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

KEY = "0zqm7T3kWv9-RbX2cLfYh6NsPd4GjUe8aCoViQw1"  # of no installation
ROOT = Path(settings.BASE_DIR)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """manage.py and config/ in a folder without a `.env`; the rest is found where it is."""
    shutil.copy(ROOT / "manage.py", tmp_path)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    return tmp_path


def manage(house: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=house,
        env=kept | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_does_not_start_without_a_secret_key(house: Path) -> None:
    assert_refused(manage(house, "check"), "SECRET_KEY")


def test_it_starts_with_nothing_but_a_secret_key(house: Path) -> None:
    """The control: what the tests below refuse is refused for the variable they set."""
    assert manage(house, "check", SECRET_KEY=KEY).returncode == 0


@pytest.mark.parametrize(
    "key", ["short", "a" * 50, "django-insecure-" + KEY, "changeme" + KEY, "secret" + KEY]
)
def test_a_key_that_can_be_guessed_is_refused(house: Path, key: str) -> None:
    done = manage(house, "check", SECRET_KEY=key)
    assert_refused(done, "SECRET_KEY")
    assert key not in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", "mysql://root@127.0.0.1/assize"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "postgres://127.0.0.1:5432"),
        ("DATABASE_URL", "postgres://127.0.0.1:port/assize"),
        ("CELERY_BROKER_URL", "http://127.0.0.1"),
        ("CELERY_BROKER_URL", "filesystem://"),
        ("DEBUG", "perhaps"),
        ("ALLOWED_HOSTS", "https://assize.example"),
        ("JUDGE_ALLOWED_HOSTS", "api.example/v1"),
        ("CSRF_TRUSTED_ORIGINS", "assize.example"),
    ],
)
def test_nonsense_is_refused_by_name(house: Path, variable: str, value: str) -> None:
    assert_refused(manage(house, "check", SECRET_KEY=KEY, **{variable: value}), variable)


def test_a_database_that_is_away_is_one_line_and_exit_3(house: Path) -> None:
    away = "postgres://nobody@127.0.0.1:9/assize"
    done = manage(house, "check_set", "any", SECRET_KEY=KEY, DATABASE_URL=away)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_production_rules_hold_where_nothing_is_said(house: Path) -> None:
    said = _settings(house, "DEBUG", "SESSION_COOKIE_HTTPONLY", "CSRF_COOKIE_HTTPONLY")
    assert said == ["False", "True", "True"]


def test_cookies_are_for_tls_alone_once_another_host_is_served(house: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
    assert _settings(house, *names) == ["False", "False"]
    assert _settings(house, *names, ALLOWED_HOSTS="assize.example") == ["True", "True"]
    origin = "https://assize.example"
    assert _settings(house, *names, CSRF_TRUSTED_ORIGINS=origin) == ["True", "True"]


def test_the_embedded_broker_is_a_file_beside_the_database(house: Path) -> None:
    database = f"sqlite:///{house / 'team.sqlite3'}"
    (broker,) = _settings(house, "CELERY_BROKER_URL", DATABASE_URL=database)
    assert broker == f"sqla+sqlite:///{house / 'team-broker.sqlite3'}"


@pytest.mark.django_db
def test_there_are_no_default_accounts() -> None:
    assert not User.objects.exists()


def assert_refused(done: subprocess.CompletedProcess[str], variable: str) -> None:
    assert done.returncode == 3
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith(f"{variable}: ")


def _settings(house: Path, *names: str, **variables: str) -> list[str]:
    code = "from django.conf import settings as s; print(" + ", ".join(f"s.{n}" for n in names)
    done = manage(house, "shell", "-v0", "-c", code + ', sep="\\n")', SECRET_KEY=KEY, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
