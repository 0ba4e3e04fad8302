"""The Celery application; workers start with `manage.py worker`."""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import Any

from celery import Celery, bootsteps
from celery.signals import worker_ready
from click import Option
from django.conf import settings

from config import broker, lifeline

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

broker.install()

app = Celery("assize")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

logger = logging.getLogger(__name__)


class Lifeline(bootsteps.Step):  # type: ignore[misc]
    """`--supervised`: end with the process that started this worker."""

    def __init__(self, parent: Any, supervised: bool = False, **options: Any) -> None:
        super().__init__(parent, **options)
        if supervised:
            lifeline.hold()


app.user_options["worker"].add(Option(("--supervised",), is_flag=True, help=Lifeline.__doc__))
app.steps["worker"].add(Lifeline)


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
