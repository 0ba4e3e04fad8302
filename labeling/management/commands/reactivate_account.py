from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from labeling import commands
from labeling.people import accounts


class Command(commands.Command):
    help = "Let a deactivated account in again, with the memberships that it had."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")

    def run(self, **options: Any) -> dict[str, Any]:
        name = options["name"]
        accounts.reactivate(accounts.named(name))
        self.say(f"{name} can sign in again")
        return {"username": name, "active": True}
