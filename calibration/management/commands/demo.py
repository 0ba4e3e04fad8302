"""`manage.py demo`: the main job, from a set to reports and a comparison, by the commands that
anyone would type."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command

from calibration import comparing, rendering, reports, runs
from calibration.comparing.choices import latest
from calibration.models import RubricVersion
from calibration.rendering import glance
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone
from labeling import queues, sets
from labeling.commands import Command as BaseCommand
from labeling.models import CalibrationSet, Queue, Role
from labeling.queues import Terms
from labeling.queues.selections import Kind, Selection

SLUG: Final = "starter"
# The rubric whose versions need nobody else: no provider, no key, no money.
OFFLINE: Final = "groundedness"

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
        "Import the starter set, run the default rubric's shipped versions over it, say in a few "
        "lines what came of it, and make an account for each role."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reports", action="store_true", help="print each report's opening and comparison"
        )

    def run(self, **options: Any) -> dict[str, Any]:
        self._json = options["json"]
        home = Path(settings.BASE_DIR) / "calibration"
        taken = _answer("import_set", SLUG, str(home / "sets" / SLUG))
        shipped = sets.get(SLUG)
        self.say(f"Set {SLUG}: {taken['pairs']} pairs, {taken['statements']} statements.")
        released = _released(sorted((home / "rubrics").glob("*.yaml")))
        versions = [one for one in released if one.name == OFFLINE]
        for version in versions:
            _run(version, shipped)
        self.say(_not_run([one for one in released if one not in versions]))
        told = _reports if options["reports"] else _at_a_glance
        for part in told(versions, shipped):
            self._tell(f"\n{part.rstrip()}\n")
        accounts = {role.value: _account(role) for role in Role}
        self.say(f"\n{open_first_round(shipped)}\n\nSign in as")
        # Last, so that the passwords stand where the eye rests.
        for name, password in accounts.items():
            self.say(f"  {name:{14}}{password or 'password as it was set before'}")
        return {"set": SLUG, "rubrics": [str(version) for version in versions]}

    def _tell(self, text: str) -> None:
        (self.stderr if self._json else self.stdout).write(text, str, ending="")


def _answer(name: str, *arguments: str) -> dict[str, Any]:
    """The object that a command gives with ``--json``; its text for people is left out."""
    out = StringIO()
    call_command(name, *arguments, "--json", stdout=out, stderr=StringIO())
    return dict(json.loads(out.getvalue()))


def _account(role: Role) -> str | None:
    """The password of the role's account, where the demo made it just now."""
    made = _answer("create_account", role.value, "--set", SLUG, "--role", role.value)
    password: str | None = made["password"]
    return password


def _released(paths: Iterable[Path]) -> list[RubricVersion]:
    shipped = {path.stem for path in paths if _answer("release_rubric", str(path))}
    return [one for one in RubricVersion.objects.all() if str(one) in shipped]


def _not_run(versions: Sequence[RubricVersion]) -> str:
    named = ", ".join(map(str, versions))
    return f"Released and not run, since others have to be asked or set up for it: {named}."


def _run(version: RubricVersion, shipped: CalibrationSet) -> None:
    """Once: started again, the demo finds its runs."""
    if runs.latest_finished(version, shipped) is None:
        call_command("start_run", str(version), SLUG, "--wait")


def _changes(versions: Sequence[RubricVersion]) -> Iterator[tuple[RubricVersion, RubricVersion]]:
    """Each later version behind the first of its name."""
    for version in versions:
        first = next(one for one in versions if one.name == version.name)
        if version != first:
            yield first, version


def _figures(version: RubricVersion, shipped: CalibrationSet) -> dict[str, Any]:
    return reports.figures(reports.create(latest(str(version), shipped)))


def _compared(
    both: tuple[RubricVersion, RubricVersion], shipped: CalibrationSet
) -> comparing.Comparison:
    """The comparison, or in its place the refusal with its reason."""
    return comparing.compare(*(latest(str(version), shipped) for version in both))


def _at_a_glance(versions: Sequence[RubricVersion], shipped: CalibrationSet) -> Iterator[str]:
    figures = [_figures(version, shipped) for version in versions]
    for one in figures:
        yield glance.report(one)
    for both in _changes(versions):
        yield glance.compared(_compared(both, shipped).figures)
    if any(author_alone(one["reference"]) for one in figures):
        yield AUTHOR_ALONE
    yield (
        f"In full: python manage.py report RUBRIC@VERSION {SLUG}\n"
        f"         python manage.py compare RUBRIC@V1 RUBRIC@V2 {SLUG}"
    )


def _reports(versions: Sequence[RubricVersion], shipped: CalibrationSet) -> Iterator[str]:
    for version in versions:
        figures = _figures(version, shipped)
        yield rendering.brief(figures)
        if author_alone(figures["reference"]):
            yield AUTHOR_ALONE
        yield f"The whole of it: python manage.py report {version} {SLUG}"
    for both in _changes(versions):
        full = comparing.full(_compared(both, shipped), texts=True)
        yield rendering.render_comparison(full, "text")


def open_first_round(shipped: CalibrationSet) -> str:
    """Something to label, so that an annotator can begin at once. Started again, the demo
    finds its queue."""
    queue = Queue.objects.filter(set=shipped).first()
    if queue is None:
        lead = User.objects.get(username=Role.LEAD.value)
        terms = Terms(title="First round", guideline=GUIDELINE)
        queue = queues.open_queue(shipped, lead, terms, Selection(Kind.ALL))
    return f"To label: the queue {queue}, under Queues of the set {shipped}."
