"""`manage.py worker`: a Celery worker that is restarted when it dies."""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import suppress
from time import sleep
from typing import Any

from calibration import workers
from labeling.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Run a worker until SIGTERM or Ctrl-C; it is restarted when it dies."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="judging processes")

    def run(self, **options: Any) -> dict[str, Any]:
        worker = workers.worker(options["concurrency"])
        deaths = 0
        with suppress(KeyboardInterrupt), workers.supervised(worker):
            self.say("worker started; Ctrl-C ends it")
            while True:
                worker.tend()
                if worker.deaths > deaths:
                    deaths = worker.deaths
                    self.say("the worker died; it is started again")
                sleep(workers.TICK_SECONDS)
        return {"restarts": deaths}
