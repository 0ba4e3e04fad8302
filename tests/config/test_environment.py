"""Nonsense in the environment stops the start, with one line that names the variable."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from config import environment

KEY = "0zqm7T3kWv9-RbX2cLfYh6NsPd4GjUe8aCoViQw1"  # of no installation
ROOT = Path(settings.BASE_DIR)
Refusal = Callable[..., str]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """manage.py and config/ in a folder without a `.env`; the rest is found where it is."""
    shutil.copy(ROOT / "manage.py", tmp_path)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    return tmp_path


@pytest.fixture
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment of this process that says nothing yet, and no `.env`."""
    monkeypatch.setitem(environment.Environment.model_config, "env_file", None)
    for name in environment.Environment.model_fields:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def refusal(nothing_said: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refusal:
    """The one line on which an environment is refused that has these variables alone."""

    def read(**variables: str) -> str:
        for name, value in variables.items():
            nothing_said.setenv(name, value)
        with pytest.raises(SystemExit) as stopped:
            environment.read()
        assert stopped.value.code == 3
        said = capsys.readouterr()
        assert said.out == ""
        (line,) = said.err.strip().splitlines()
        return line

    return read


def manage(house: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return started(house, "manage.py", *command, **variables)


def started(house: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *words],
        cwd=house,
        env=kept | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_does_not_start_without_a_secret_key(house: Path) -> None:
    assert_refused(manage(house, "check"), "SECRET_KEY")


def test_it_starts_with_nothing_but_a_secret_key(house: Path) -> None:
    """The control: what starts is refused for nonsense alone."""
    assert manage(house, "check", SECRET_KEY=KEY).returncode == 0


def test_it_does_not_start_with_nonsense(house: Path) -> None:
    done = manage(house, "check", SECRET_KEY=KEY, JUDGE_CONCURRENCY="0")
    assert_refused(done, "JUDGE_CONCURRENCY")


@pytest.mark.parametrize(
    "key", ["short", "a" * 50, "django-insecure-" + KEY, "changeme" + KEY, "secret" + KEY]
)
def test_a_key_that_can_be_guessed_is_refused(refusal: Refusal, key: str) -> None:
    line = refusal(SECRET_KEY=key)
    assert line.startswith("SECRET_KEY: ")
    assert key not in line


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", "mysql://root@127.0.0.1/assize"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "sqlite:////"),
        ("DATABASE_URL", "sqlite://host/assize.sqlite3"),
        ("DATABASE_URL", "sqlite:////no/such/folder/assize.sqlite3"),
        ("DATABASE_URL", "postgres://127.0.0.1:5432"),
        ("DATABASE_URL", "postgres://127.0.0.1:port/assize"),
        ("CELERY_BROKER_URL", "http://127.0.0.1"),
        ("CELERY_BROKER_URL", "filesystem://"),
        ("CELERY_BROKER_URL", "redis://"),
        ("CELERY_BROKER_URL", "redis://host:port/1"),
        ("CELERY_BROKER_URL", "redis://host/first"),
        ("CELERY_BROKER_URL", "amqp://host:99999//"),
        ("CELERY_BROKER_URL", "sqla+sqlite:"),
        ("DEBUG", "perhaps"),
        ("ALLOWED_HOSTS", "https://assize.example"),
        ("ALLOWED_HOSTS", "assize.example:8000"),
        ("ALLOWED_HOSTS", "[::1"),
        ("JUDGE_ALLOWED_HOSTS", "api.example/v1"),
        ("JUDGE_CONCURRENCY", "0"),
        ("JUDGE_CONCURRENCY", "1.5"),
        ("JUDGE_REQUESTS_PER_MINUTE", "-60"),
        ("JUDGE_REQUESTS_PER_MINUTE", "unlimited"),
        ("OPENAI_BASE_URL", "api.example/v1"),
        ("OPENAI_BASE_URL", "https://user:word@api.example/v1"),
        ("OPENAI_BASE_URL", "https://api.example/v1?key=1"),
        ("OPENAI_BASE_URL", "http://api.example/v1"),
        ("OPENAI_BASE_URL", "https://10.0.0.1/v1"),
        ("OPENAI_BASE_URL", "https://127.1/v1"),
        ("OPENAI_BASE_URL", "https://api.example:99999/v1"),
        ("ANTHROPIC_BASE_URL", "ftp://api.example"),
        ("OPENAI_API_KEY", "sk-with a space"),
        ("ANTHROPIC_API_KEY", "sk-with-\u00fcmlaut"),
        ("TRUSTED_PROXIES", "10.0.0.1,proxy.example"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("CSRF_TRUSTED_ORIGINS", "assize.example"),
        ("CSRF_TRUSTED_ORIGINS", "https://"),
        ("CSRF_TRUSTED_ORIGINS", "https://assize.example/path"),
    ],
)
def test_nonsense_is_refused_by_name(refusal: Refusal, variable: str, value: str) -> None:
    assert refusal(SECRET_KEY=KEY, **{variable: value}).startswith(f"{variable}: ")


def test_a_key_alone_is_read(nothing_said: pytest.MonkeyPatch) -> None:
    """The control: what the tests above refuse is refused for the variable they set."""
    nothing_said.setenv("SECRET_KEY", KEY)
    assert environment.read().SECRET_KEY == KEY


def test_what_is_refused_of_a_judges_endpoint_is_not_repeated(house: Path) -> None:
    """An address may hold a password, and a key is one."""
    for variable, value, secret in (
        ("OPENAI_BASE_URL", "https://user:canary-1@api.example/v1", "canary-1"),
        ("ANTHROPIC_API_KEY", "canary-2 \t", "canary-2 "),
        ("OPENAI_API_KEY", "canary-3\ncanary", "canary-3"),
    ):
        done = manage(house, "check", SECRET_KEY=KEY, **{variable: value})
        assert secret not in assert_one_line(done), variable


def test_a_judges_endpoint_is_the_providers_own_unless_it_is_named(house: Path) -> None:
    urls = [f'JUDGE_ENDPOINTS["{dialect}"].url' for dialect in ("openai", "anthropic")]
    assert _settings(house, *urls) == [
        "https://api.openai.com/v1/chat/completions",
        "https://api.anthropic.com/v1/messages",
    ]
    assert _settings(
        house,
        *urls,
        JUDGE_ALLOWED_HOSTS="127.0.0.1,models.example",
        OPENAI_BASE_URL="http://127.0.0.1:8080/v1/",
        ANTHROPIC_BASE_URL="http://models.example",
    ) == ["http://127.0.0.1:8080/v1/chat/completions", "http://models.example/v1/messages"]


def test_no_setting_shows_a_judges_key(house: Path) -> None:
    variables = {"OPENAI_API_KEY": "sk-canary-4", "ANTHROPIC_API_KEY": "sk-canary-5"}
    shown = manage(house, "diffsettings", "--all", SECRET_KEY=KEY, **variables)
    assert shown.returncode == 0
    assert "JUDGE_ENDPOINTS" in shown.stdout
    assert "sk-canary" not in shown.stdout
    keys = 'JUDGE_ENDPOINTS["openai"].key.get_secret_value()'
    assert _settings(house, keys, **variables) == ["sk-canary-4"]


def test_a_database_that_is_away_is_one_line_and_exit_3(house: Path) -> None:
    away = "postgres://nobody@127.0.0.1:9/assize"
    done = manage(house, "check_set", "any", SECRET_KEY=KEY, DATABASE_URL=away)
    assert_one_line(done)
    assert "refused" in done.stderr


def test_what_a_postgresql_url_asks_for_is_asked_of_the_server(house: Path) -> None:
    (options,) = _settings(
        house,
        'DATABASES["default"]["OPTIONS"]["sslmode"]',
        DATABASE_URL="postgres://127.0.0.1/assize?sslmode=require",
    )
    assert options == "require"


def test_a_dot_env_of_other_bytes_is_named(house: Path) -> None:
    (house / ".env").write_bytes(b"SECRET_KEY=\xff\xfe")
    assert_refused(manage(house, "check"), ".env")


@pytest.mark.parametrize(
    "words",
    [
        ("import_set", "a", "PATH", "--bogus"),
        ("import_set", "a"),
        ("start_run", "a@1.0.0", "a", "--repeats", "x"),
        ("report", "a@1.0.0", "a", "--reference", "nobody"),
        ("create_account", "a", "--set", "a", "--role", "king"),
        ("no_such_command",),
    ],
)
def test_wrong_usage_is_not_a_red_check(house: Path, words: tuple[str, ...]) -> None:
    done = manage(house, *words, SECRET_KEY=KEY)
    assert done.returncode == 3
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2


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
    assert assert_one_line(done).startswith(f"{variable}: ")


def assert_one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Exit 3, and one line that says why."""
    assert done.returncode == 3
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    return line


def _settings(house: Path, *names: str, **variables: str) -> list[str]:
    """As they are read in that folder; without the applications, which take long to load."""
    code = "from config import settings as s; print(" + ", ".join(f"s.{n}" for n in names)
    done = started(house, "-c", code + ', sep="\\n")', SECRET_KEY=KEY, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
