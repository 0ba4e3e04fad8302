from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from labeling import commands
from labeling.people import accounts


class Command(commands.Command):
    help = "Shut an account out; the places that it held are free again, its labels stay."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")

    def run(self, **options: Any) -> dict[str, Any]:
        name = options["name"]
        freed = accounts.deactivate(accounts.named(name))
        self.say(f"{name} can no longer sign in; places freed: {freed}")
        return {"username": name, "active": False, "freed": freed}
