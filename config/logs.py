"""What is kept out of logs."""

from __future__ import annotations

import logging
import re

_INVITATION = re.compile(r"(join(?:/|%2F))[^/\s?&\"']+", re.IGNORECASE)


class WithoutTokens(logging.Filter):
    """Leaves the token out of every invitation's path: whoever reads a log could come in by it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _INVITATION.sub(r"\1…", record.getMessage()), ()
        return True
