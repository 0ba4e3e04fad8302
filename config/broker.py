"""The embedded broker: messages in an SQLite file of their own.

It is kombu's SQLAlchemy transport with what several processes on one file need: a write-ahead
log, patience with locks, no connection that a fork could share, and messages that are deleted
once they were delivered.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport import sqlalchemy as upstream
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.pool import NullPool

POLL_SECONDS = 0.2
LOCK_SECONDS = 20


class Channel(upstream.Channel):
    """Kombu's channel, safe among processes."""

    _engines: dict[str, Any] = {}  # noqa: RUF012  # kombu's own declaration

    def _engine_from_config(self) -> Engine:
        engine = create_engine(
            self.connection.client.hostname,
            poolclass=NullPool,
            connect_args={"timeout": LOCK_SECONDS},
        )
        event.listen(engine, "connect", _write_ahead)
        return engine

    def _open(self) -> Any:
        try:
            return super()._open()  # type: ignore[no-untyped-call]
        except OperationalError:
            # Another process made the tables between the look and the making.
            return super()._open()  # type: ignore[no-untyped-call]

    def _get_or_create(self, queue: str) -> Any:
        try:
            return super()._get_or_create(queue)  # type: ignore[no-untyped-call]
        except IntegrityError:
            # Another process made the queue meanwhile, which is as good.
            self.session.rollback()
            return super()._get_or_create(queue)  # type: ignore[no-untyped-call]

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        message = super()._get(queue)  # type: ignore[no-untyped-call]
        self._forget_delivered()
        return message

    def _forget_delivered(self) -> None:
        delivered = self.session.query(self.message_cls).filter_by(visible=False)
        delivered.delete(synchronize_session=False)
        self.session.commit()


class Transport(upstream.Transport):
    Channel = Channel
    polling_interval = POLL_SECONDS


def install() -> None:
    """Let `sqla+sqlite://…` mean this transport."""
    TRANSPORT_ALIASES["sqla"] = f"{__name__}:{Transport.__name__}"


def _write_ahead(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
