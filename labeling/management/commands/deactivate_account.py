from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User

from grounding.errors import NotFound
from labeling import accounts, commands


class Command(commands.Command):
    help = "Shut an account out; the places that it held are free again, its labels stay."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")

    def run(self, **options: Any) -> dict[str, Any]:
        name = options["name"]
        user = User.objects.filter(username=name).first()
        if user is None:
            raise NotFound(f"there is no account {name!r}")
        freed = accounts.deactivate(user)
        self.say(f"{name} can no longer sign in; places freed: {freed}")
        return {"username": name, "active": False, "freed": freed}
