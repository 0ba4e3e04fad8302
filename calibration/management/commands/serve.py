"""`manage.py serve`: the site on this machine and, with the embedded broker, its worker."""

from __future__ import annotations

import socket
from argparse import ArgumentParser
from contextlib import suppress
from time import sleep
from typing import Any

from calibration import workers
from grounding.errors import Unavailable
from labeling.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Serve the site on 127.0.0.1, with a worker where the broker is the embedded one."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)

    def run(self, **options: Any) -> dict[str, Any]:
        port = options["port"]
        _require_free(port)
        processes = [workers.web_server(port)]
        if workers.embedded_broker():
            processes.append(workers.worker())
        with suppress(KeyboardInterrupt), workers.supervised(*processes):
            self.say(f"Assize is at http://127.0.0.1:{port}/ (Ctrl-C ends it)")
            while True:
                for process in processes:
                    process.tend()
                sleep(workers.TICK_SECONDS)
        return {"restarts": sum(process.deaths for process in processes)}


def _require_free(port: int) -> None:
    """A server that cannot have its port would be restarted for ever."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise Unavailable(f"port {port} on 127.0.0.1 cannot be had: {error}") from None
