"""`manage.py demo`: the main job, from a set to reports and a comparison, by the commands that
anyone would type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command

from calibration import comparing, rendering, reports, runs
from calibration.choices import latest
from calibration.models import RubricVersion
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone
from labeling import queues, sets
from labeling.commands import Command as BaseCommand
from labeling.models import CalibrationSet, Queue, Role
from labeling.queues import Terms
from labeling.selections import Kind, Selection

SLUG: Final = "starter"

GUIDELINE: Final = """\
Read the statement, then the passages; the answer is there to show where it stood.

- **Whole or not at all.** A number with another unit, a "may" that became a "does", a date that
  moved by a day: the statement is not supported.
- **Nothing from memory.** What is said of the subject counts only if a passage says it.
- **Quote the words** that your verdict rests on.
- Not sure? Say so beside the label. A case that is broken? Flag it.
"""


class Command(BaseCommand):
    help = (
        "Import the starter set, run every shipped rubric version over it, print what each report "
        "opens with, and compare each later version with the first."
    )

    def run(self, **options: Any) -> dict[str, Any]:
        self._json = options["json"]
        home = Path(settings.BASE_DIR) / "calibration"
        call_command("import_set", SLUG, str(home / "sets" / SLUG))
        paths = sorted((home / "rubrics").glob("*.yaml"))
        for path in paths:
            call_command("release_rubric", str(path))
        shipped = {path.stem for path in paths}
        versions = [one for one in RubricVersion.objects.all() if str(one) in shipped]
        for version in versions:
            self._run(version)
        self._tell_story(versions)
        # Last, so that the passwords stand where the eye rests.
        for role in Role:
            call_command("create_account", role.value, "--set", SLUG, "--role", role.value)
        self.say(open_first_round(sets.get(SLUG)))
        return {"set": SLUG, "rubrics": [str(version) for version in versions]}

    def _run(self, version: RubricVersion) -> None:
        """Once: started again, the demo finds its runs."""
        if runs.latest_finished(version, sets.get(SLUG)) is None:
            call_command("start_run", str(version), SLUG, "--wait")

    def _tell_story(self, versions: Sequence[RubricVersion]) -> None:
        for version in versions:
            self._open_report(version)
        for version in versions:
            first = next(one for one in versions if one.name == version.name)
            if version != first:
                self._compare(first, version)

    def _open_report(self, version: RubricVersion) -> None:
        figures = reports.figures(reports.create(latest(str(version), sets.get(SLUG))))
        self._tell(rendering.brief(figures))
        if author_alone(figures["reference"]):
            self._tell(f"{AUTHOR_ALONE}\n")
        self._tell(f"The whole of it: python manage.py report {version} {SLUG}\n\n")

    def _compare(self, first: RubricVersion, second: RubricVersion) -> None:
        """The comparison, or in its place the refusal with its reason."""
        both = [latest(str(version), sets.get(SLUG)) for version in (first, second)]
        compared = comparing.full(comparing.compare(*both), texts=True)
        self._tell(rendering.render_comparison(compared, "text") + "\n")

    def _tell(self, text: str) -> None:
        (self.stderr if self._json else self.stdout).write(text, str, ending="")


def open_first_round(shipped: CalibrationSet) -> str:
    """Something to label, so that an annotator can begin at once. Started again, the demo
    finds its queue."""
    queue = Queue.objects.filter(set=shipped).first()
    if queue is None:
        lead = User.objects.get(username=Role.LEAD.value)
        terms = Terms(title="First round", guideline=GUIDELINE)
        queue = queues.open_queue(shipped, lead, terms, Selection(Kind.ALL))
    return f"To label: the queue {queue}, under Queues of the set {shipped}."
