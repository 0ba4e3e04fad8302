"""The environment, read once and checked, for `settings.py` alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

BASE_DIR = Path(__file__).resolve().parent.parent

CommaSeparated = Annotated[list[str], NoDecode]

_BROKERS = ("redis", "rediss", "amqp", "amqps", "sqla+sqlite")
_WEAK_KEYS = ("insecure", "changeme", "secret", "django-insecure")


class Environment(BaseSettings):
    model_config = SettingsConfigDict(
        env_file=BASE_DIR / ".env", extra="ignore", case_sensitive=True, env_ignore_empty=True
    )

    DATABASE_URL: str = f"sqlite:///{BASE_DIR / 'assize.sqlite3'}"
    CELERY_BROKER_URL: str | None = None
    SECRET_KEY: str = Field(min_length=32)
    DEBUG: bool = False
    ALLOWED_HOSTS: CommaSeparated = []
    CSRF_TRUSTED_ORIGINS: CommaSeparated = []
    JUDGE_ALLOWED_HOSTS: CommaSeparated = []

    @field_validator("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "JUDGE_ALLOWED_HOSTS", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @field_validator("DATABASE_URL")
    @classmethod
    def _known_database(cls, url: str) -> str:
        database(url)
        return url

    @field_validator("CELERY_BROKER_URL")
    @classmethod
    def _known_broker(cls, url: str | None) -> str | None:
        if url is not None and urlsplit(url).scheme not in _BROKERS:
            raise ValueError("expected redis://…, amqp://… or nothing for the embedded broker")
        return url

    @field_validator("ALLOWED_HOSTS", "JUDGE_ALLOWED_HOSTS")
    @classmethod
    def _hosts(cls, hosts: list[str]) -> list[str]:
        for host in hosts:
            if "/" in host or any(character.isspace() for character in host):
                raise ValueError(f"{host!r} is not a host name; leave out scheme and path")
        return hosts

    @field_validator("CSRF_TRUSTED_ORIGINS")
    @classmethod
    def _origins(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.netloc:
                raise ValueError(f"{origin!r} is not an origin, such as https://assize.example")
        return origins

    @field_validator("SECRET_KEY")
    @classmethod
    def _unguessable(cls, key: str) -> str:
        if key.lower().startswith(_WEAK_KEYS) or len(set(key)) < 8:
            raise ValueError("expected a random key of at least 32 characters")
        return key

    @property
    def broker_url(self) -> str:
        return self.CELERY_BROKER_URL or embedded_broker(self.DATABASE_URL)


def database(url: str) -> dict[str, Any]:
    """A Django DATABASES entry for ``sqlite:///PATH`` or ``postgres://…``."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return _sqlite(parts.path)
    if parts.scheme in ("postgres", "postgresql"):
        return _postgresql(url)
    raise ValueError("expected sqlite:///PATH or postgres://USER:PASSWORD@HOST:PORT/NAME")


def _sqlite(path: str) -> dict[str, Any]:
    if len(path) < 2:
        raise ValueError("sqlite:/// needs a path")
    # IMMEDIATE takes the write lock at BEGIN, so that a transaction which reads
    # before it writes waits for its turn instead of failing when it upgrades.
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": sqlite_path(path),
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


def sqlite_path(path: str) -> str:
    """``/relative`` of ``sqlite:///relative`` is beside manage.py; ``//absolute`` is absolute."""
    plain = unquote(path)[1:]
    return str(BASE_DIR / plain) if not plain.startswith("/") and plain else plain


def _postgresql(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ValueError("the PostgreSQL URL names no database")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 8, "timeout": 20}},
    }


def embedded_broker(database_url: str) -> str:
    """The broker's own SQLite file, beside the database and named after it."""
    entry = database(database_url)
    name = entry["NAME"] if entry["ENGINE"].endswith("sqlite3") else BASE_DIR / entry["NAME"]
    return f"sqla+sqlite:///{Path(name).with_suffix('')}-broker.sqlite3"


def read() -> Environment:
    """The checked environment; one line and exit 3 where a variable is nonsense."""
    try:
        return Environment()  # filled from the environment
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "environment"
        reason = str(first["msg"]).removeprefix("Value error, ")
        print(f"{name}: {reason}", file=sys.stderr)
        raise SystemExit(3) from None
