"""The Celery application; workers start with `manage.py worker`."""

from __future__ import annotations

import logging
import os
import warnings
from functools import partial
from typing import Any

from celery import Celery, bootsteps
from celery.apps.worker import install_worker_term_handler
from celery.exceptions import SecurityWarning
from celery.signals import worker_ready, worker_shutting_down
from click import Option
from django.conf import settings

from calibration.workers import stopping
from config import broker, lifeline

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

broker.install()

app = Celery("assize")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Celery warns of root because a pickle on the queue would be code; here only JSON is taken.
warnings.filterwarnings("ignore", "You're running the worker with superuser", SecurityWarning)

logger = logging.getLogger(__name__)


class Lifeline(bootsteps.StartStopStep):  # type: ignore[misc]
    """`--supervised`: end with the process that started this worker."""

    def __init__(self, parent: Any, supervised: bool = False, **options: Any) -> None:
        super().__init__(parent, **options)
        self.enabled = supervised
        if supervised:
            lifeline.hold()

    def start(self, parent: Any) -> None:
        """Whoever supervises says what needs saying of an end; that it came is no news."""
        install_worker_term_handler(parent, verbose=False)


app.user_options["worker"].add(Option(("--supervised",), is_flag=True, help=Lifeline.__doc__))
app.steps["worker"].add(Lifeline)


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def stop_judging(**_: Any) -> None:
    """Celery waits for what its children do, so they are told to come to an end."""
    stopping.ask()


@worker_ready.connect  # type: ignore[untyped-decorator]
def keep_reconciling(sender: Any, **_: Any) -> None:
    """Reconcile now and every few seconds, by a task: this process itself must hold no database
    connection, because its children would inherit it."""
    seconds = settings.RECONCILE_SECONDS
    send = partial(_send_reconcile, seconds)
    send()
    sender.timer.call_repeatedly(seconds, send)


def _send_reconcile(seconds: float) -> None:
    try:
        # Void once the next is due, so that a busy worker finds one of them and not a heap.
        app.send_task("calibration.tasks.reconcile", expires=seconds)
    except Exception as error:
        logger.warning("the reconciler could not be called: %s", error)
