from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from labeling import commands, sets
from labeling.models import Role
from labeling.people import accounts


class Command(commands.Command):
    help = "Make an account and let it into a set; an account that is there is only let in."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--set", dest="slug", required=True)
        parser.add_argument("--role", choices=Role.values, required=True)

    def run(self, **options: Any) -> dict[str, Any]:
        name, slug, role = options["name"], options["slug"], Role(options["role"])
        with transaction.atomic():
            calibration_set = sets.get(slug)
            user = User.objects.filter(username=name).first()
            password = None
            if user is None:
                user, password = accounts.create(name)
            accounts.join(calibration_set, user, role)
        # Shown this once: only its hash is kept.
        self.say(f"{name}, {role.value} of {slug}: " + _secret(password))
        return {"username": name, "set": slug, "role": role.value, "password": password}


def _secret(password: str | None) -> str:
    if password:
        return f"password {password}"
    return "the account was there, its password stands (manage.py changepassword sets another)"
