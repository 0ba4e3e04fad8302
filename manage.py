#!/usr/bin/env python
"""Command line entry point; `manage.py help` lists the commands."""

import os
import sys

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

COULD_NOT_BE_DONE = 3


class Utility(ManagementUtility):
    """Django's, but that an unknown command is not the exit code of a red check."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        try:
            return super().fetch_command(subcommand)
        except SystemExit:
            raise SystemExit(COULD_NOT_BE_DONE) from None


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    Utility(sys.argv).execute()


if __name__ == "__main__":
    main()
