"""What gunicorn reads when `manage.py serve` starts it."""

from __future__ import annotations

from typing import Any

from config import lifeline

workers = 2
threads = 4
# A browser tab that stays open must not keep a stopped server alive.
graceful_timeout = 5


def when_ready(server: Any) -> None:
    lifeline.hold()
