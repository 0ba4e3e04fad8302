"""What every management command shares: one JSON object on standard output, people's text on
standard error, and exit codes 0 good, 1 a check is red, 2 inconclusive, 3 could not be done."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from grounding.errors import AssizeError
from labeling import references

DONE, RED, INCONCLUSIVE, FAILED = 0, 1, 2, 3


def bar(done: int, total: int, *, width: int = 30) -> str:
    """``done`` of ``total`` as a row of characters; full only when all is done."""
    filled = width if done >= total else width * done // max(total, 1)
    return "█" * filled + "░" * (width - filled)


class Command(BaseCommand):
    """Base of the product's commands. A subclass writes `arguments` and `run`.

    `run` returns the object that ``--json`` prints, and says everything meant for
    people through `say`. `exit_code` is what the process ends with.
    """

    requires_system_checks: list[str] = []  # noqa: RUF012  # Django's own declaration
    exit_code = DONE

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the command's own arguments."""

    def run(self, **options: Any) -> dict[str, Any]:
        raise NotImplementedError

    def say(self, line: str) -> None:
        """A line for people. Left to itself Django's standard error is red throughout, and
        only what went wrong should be."""
        self.stdout.flush()  # so that the two come in their order, into a file too
        self.stderr.write(line, self.style.NOTICE if self.exit_code else str)

    def watches(self) -> bool:
        """Whether somebody is there to see a line that is written over and over."""
        return bool(self.stderr.isatty())

    def show(self, done: int, total: int, what: str, *, last: bool = False) -> None:
        """How far long work is: one line, written over and over at a terminal, else nothing."""
        if self.watches():
            line = f"\r{bar(done, total)} {done:,} of {total:,} {what}\033[K"
            self.stderr.write(line, str, ending="\n" if last else "")
            self.stderr.flush()

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django's, but that bad usage, which it raises too early to catch, is one line."""
        try:
            super().run_from_argv(argv)
        except CommandError as error:
            self.stderr.write(f"{argv[1]}: {error}")
            raise SystemExit(FAILED) from None

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.error = self._usage  # type: ignore[method-assign]  # bad usage is exit 3 too
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        self.arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        result = self._guarded(options)
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))
        if self.exit_code:
            raise SystemExit(self.exit_code)

    def _guarded(self, options: dict[str, Any]) -> dict[str, Any]:
        """Run, with every expected failure as one line and exit 3."""
        try:
            return self.run(**options)
        except AssizeError as error:
            raise CommandError(str(error), returncode=FAILED) from error
        except (OSError, DatabaseError) as error:
            first_line = str(error).strip().split("\n")[0]
            raise CommandError(first_line, returncode=FAILED) from error

    def _usage(self, message: str) -> None:
        raise CommandError(message, returncode=FAILED)


class Rendered(Command):
    """A command whose result comes as a document, in whichever of its ``formats`` is asked for;
    ``--format json`` is ``--json``."""

    formats: Sequence[str] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", choices=self.formats, default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        options["json"] = options["json"] or options["format"] == "json"
        super().handle(*args, **options)


def add_reference(parser: ArgumentParser, default: str = references.AUTHOR) -> None:
    """``--reference TIER``: what a command measures or learns against."""
    parser.add_argument(
        "--reference",
        choices=references.TIERS,
        default=default,
        metavar="TIER",
        help=f"the lowest tier taken: {', '.join(references.TIERS)} (default: {default})",
    )
