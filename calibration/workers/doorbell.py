"""Ringing for a worker.

The broker is only a doorbell: what is to be done stands in the database, so a ring that is
lost, doubled or late changes nothing, and the reconciler rings again.
"""

from __future__ import annotations

import logging
from functools import partial

from celery import current_app
from django.db import transaction

JUDGE = "calibration.tasks.judge"

logger = logging.getLogger(__name__)


def ring(run_pk: int, *, times: int = 1, expires: float | None = None) -> None:
    """Ask workers to judge a batch of this run, ``times`` over, once the transaction commits.

    After ``expires`` seconds a ring that nobody heard is void.
    """
    transaction.on_commit(partial(_send, run_pk, times, expires))


def _send(run_pk: int, times: int, expires: float | None) -> None:
    try:
        for _ in range(times):
            current_app.send_task(JUDGE, (run_pk,), expires=expires)
    except Exception as error:
        # Whatever keeps the bell from ringing, the run is committed and must not fail for it.
        logger.warning("run %s: no worker could be called (%s); it waits", run_pk, error)
