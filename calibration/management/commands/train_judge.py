"""`manage.py train_judge SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import learned, rubrics
from labeling import references, sets
from labeling.commands import Command as BaseCommand
from labeling.commands import add_reference


class Command(BaseCommand):
    help = (
        "Train the learned judge on a set's references and release the rubric version that comes "
        "of it. The same references and code again give the version that is there."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", metavar="SLUG")
        add_reference(parser, references.SINGLE)
        parser.add_argument(
            "--scope",
            metavar="RUBRIC@VERSION",
            help="whose labelling scope it gets, so that the two compare (default: what ships)",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        calibration_set = sets.get(options["set"])
        named = options["scope"]
        scope = rubrics.verified_definition(rubrics.get(named)) if named else None
        trained = learned.train(calibration_set, minimum=options["reference"], scope=scope)
        version = trained.rubric_version
        self.say(f"{version} is released. {(version.definition or {})['description']}")
        self.say(f"python manage.py start_run {version} {calibration_set.slug} --wait runs it")
        return {
            "rubric": version.name,
            "version": version.version,
            "digest": version.digest,
            "scope_digest": version.scope_digest,
            "artifact": trained.artifact,
            **trained.figures,
        }
