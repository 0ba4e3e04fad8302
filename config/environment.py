"""The environment, read once and checked, for `settings.py` alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import (
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from grounding.errors import BadInput
from grounding.judges.llm.calls import Dialect
from grounding.judges.llm.endpoints import TERMS, Endpoint

BASE_DIR = Path(__file__).resolve().parent.parent

CommaSeparated = Annotated[list[str], NoDecode]

_SERVERS = ("redis", "rediss", "amqp", "amqps")
_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_ADDRESS = r"\[[0-9A-Fa-f:.]+\]"
_HOST = re.compile(rf"\*|\.?{_NAME}|{_ADDRESS}")
_ORIGIN = re.compile(rf"https?://(?:(?:\*\.)?{_NAME}|{_ADDRESS})(?::\d+)?")
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
    JUDGE_CONCURRENCY: Annotated[int, Field(ge=1, le=10_000)] = 32
    JUDGE_REQUESTS_PER_MINUTE: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    TRUSTED_PROXIES: Annotated[list[IPvAnyNetwork], NoDecode] = []
    # After JUDGE_ALLOWED_HOSTS, which they are checked against.
    OPENAI_API_KEY: SecretStr | None = None
    OPENAI_BASE_URL: str | None = None
    ANTHROPIC_API_KEY: SecretStr | None = None
    ANTHROPIC_BASE_URL: str | None = None

    @field_validator(
        "ALLOWED_HOSTS",
        "CSRF_TRUSTED_ORIGINS",
        "JUDGE_ALLOWED_HOSTS",
        "TRUSTED_PROXIES",
        mode="before",
    )
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
        if url is not None:
            require_broker(url)
        return url

    @field_validator("ALLOWED_HOSTS", "JUDGE_ALLOWED_HOSTS")
    @classmethod
    def _hosts(cls, hosts: list[str]) -> list[str]:
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"{host!r} is not a host name; leave out scheme, port and path")
        return hosts

    @field_validator("CSRF_TRUSTED_ORIGINS")
    @classmethod
    def _origins(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is not an origin, such as https://assize.example")
        return origins

    @field_validator("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
    @classmethod
    def _sendable(cls, key: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        dialect = _dialect(info)
        _endpoint(dialect, TERMS[dialect].base_url, key)
        return key

    @field_validator("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")
    @classmethod
    def _reachable(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is not None:
            hosts = tuple(info.data.get("JUDGE_ALLOWED_HOSTS", ()))
            objection = _endpoint(_dialect(info), url, hosts=hosts).guard.objection
            if objection is not None:
                raise ValueError(objection)
        return url

    @field_validator("SECRET_KEY")
    @classmethod
    def _unguessable(cls, key: str) -> str:
        if key.lower().startswith(_WEAK_KEYS) or len(set(key)) < 8:
            raise ValueError("expected a random key of at least 32 characters")
        return key

    @property
    def broker_url(self) -> str:
        return self.CELERY_BROKER_URL or embedded_broker(self.DATABASE_URL)

    @property
    def judge_endpoints(self) -> dict[Dialect, Endpoint]:
        """Where judges' requests go, and with which key; a missing one is missed at a run."""
        named: dict[Dialect, tuple[str | None, SecretStr | None]] = {
            "openai": (self.OPENAI_BASE_URL, self.OPENAI_API_KEY),
            "anthropic": (self.ANTHROPIC_BASE_URL, self.ANTHROPIC_API_KEY),
        }
        return {
            dialect: Endpoint(
                dialect, url or TERMS[dialect].base_url, key, tuple(self.JUDGE_ALLOWED_HOSTS)
            )
            for dialect, (url, key) in named.items()
        }


def _dialect(info: ValidationInfo) -> Dialect:
    return "openai" if str(info.field_name).startswith("OPENAI") else "anthropic"


def _endpoint(
    dialect: Dialect, url: str, key: SecretStr | None = None, hosts: tuple[str, ...] = ()
) -> Endpoint:
    try:
        return Endpoint(dialect, url, key, hosts)
    except BadInput as error:
        raise ValueError(error.message) from None


def database(url: str) -> dict[str, Any]:
    """A Django DATABASES entry for ``sqlite:///PATH`` or ``postgres://…``."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite" and not parts.netloc:
        return _sqlite(parts.path)
    if parts.scheme in ("postgres", "postgresql"):
        return _postgresql(url)
    raise ValueError("expected sqlite:///PATH or postgres://USER:PASSWORD@HOST:PORT/NAME")


def _sqlite(path: str) -> dict[str, Any]:
    name = Path(sqlite_path(path))
    if len(path) < 2 or name.is_dir():
        raise ValueError("sqlite:/// needs the path of a file")
    if not name.parent.is_dir():
        raise ValueError(f"there is no folder {name.parent}")
    # IMMEDIATE takes the write lock at BEGIN, so that a transaction which reads
    # before it writes waits for its turn instead of failing when it upgrades.
    return {
        "ENGINE": "config.sqlite",
        "NAME": str(name),
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
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def pooled(databases: dict[str, dict[str, Any]]) -> None:
    """Give a server's PostgreSQL a pool, one connection a thread.

    A command makes do with one, and learns at once why it cannot be had.
    """
    for entry in databases.values():
        if entry["ENGINE"].endswith("postgresql"):
            entry["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 8, "timeout": 20}


def require_broker(url: str) -> None:
    """ValueError unless ``url`` names a server, or the embedded broker's file."""
    parts = urlsplit(url)
    if parts.scheme == "sqla+sqlite" and not parts.netloc and len(parts.path) > 1:
        return
    if parts.scheme not in _SERVERS or not parts.hostname:
        raise ValueError("expected redis://HOST…, amqp://HOST… or nothing for the embedded broker")
    _ = parts.port  # raises where it is no port
    if parts.scheme.startswith("redis") and not re.fullmatch(r"/?\d*", parts.path):
        raise ValueError("a Redis database is a number, such as redis://127.0.0.1:6379/0")


def embedded_broker(database_url: str) -> str:
    """The broker's own SQLite file, beside the database and named after it."""
    entry = database(database_url)
    name = entry["NAME"] if entry["ENGINE"].endswith("sqlite3") else BASE_DIR / entry["NAME"]
    return f"sqla+sqlite:///{Path(name).with_suffix('')}-broker.sqlite3"


def read() -> Environment:
    """The checked environment; one line and exit 3 where a variable is nonsense."""
    try:
        return Environment()  # filled from the environment
    except UnicodeDecodeError:
        print(".env: is not UTF-8 text", file=sys.stderr)
        raise SystemExit(3) from None
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "environment"
        reason = str(first["msg"]).removeprefix("Value error, ")
        print(f"{name}: {reason}", file=sys.stderr)
        raise SystemExit(3) from None
