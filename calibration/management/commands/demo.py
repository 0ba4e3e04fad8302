"""`manage.py demo`: the main job, from a set to a report, by the commands anyone would type."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command

from calibration import rubrics, runs
from calibration.models import RubricVersion
from labeling import sets
from labeling.commands import Command as BaseCommand
from labeling.models import Role

SLUG: Final = "starter"


class Command(BaseCommand):
    help = "Import the starter set, run every shipped rubric version over it, print the reports."

    def run(self, **options: Any) -> dict[str, Any]:
        home = Path(settings.BASE_DIR) / "calibration"
        call_command("import_set", SLUG, str(home / "sets" / SLUG))
        for path in sorted((home / "rubrics").glob("*.yaml")):
            call_command("release_rubric", str(path))
        versions = list(RubricVersion.objects.filter(recorded=False))
        for version in versions:
            self._measure(version)
        # Last, so that the passwords stand where the eye rests.
        for role in Role:
            call_command("create_account", role.value, "--set", SLUG, "--role", role.value)
        return {"set": SLUG, "rubrics": [str(version) for version in versions]}

    def _measure(self, version: RubricVersion) -> None:
        """Its report, after a run where it has none yet."""
        if runs.latest_finished(rubrics.get(str(version)), sets.get(SLUG)) is None:
            call_command("start_run", str(version), SLUG, "--wait")
        call_command("report", str(version), SLUG, stdout=self.stdout)
