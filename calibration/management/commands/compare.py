"""`manage.py compare RUBRIC@V1 RUBRIC@V2 SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import comparing, rendering
from calibration.comparing.choices import latest
from labeling import sets
from labeling.commands import FAILED, Rendered, add_reference


class Command(Rendered):
    formats = rendering.FORMATS
    help = (
        "The latest finished run of one rubric version against that of another, paired on the same "
        "statements. Exit 0 whatever the figures say; 3, with the reason, where the two cannot be "
        "compared."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", metavar="RUBRIC@V1")
        parser.add_argument("second", metavar="RUBRIC@V2")
        parser.add_argument("set", metavar="SLUG")
        add_reference(parser)

    def run(self, **options: Any) -> dict[str, Any]:
        held = sets.get(options["set"])
        first, second = (latest(options[which], held) for which in ("first", "second"))
        compared = comparing.compare(first, second, minimum=options["reference"])
        document = comparing.full(compared, texts=not options["json"])
        if not options["json"]:
            self.stdout.write(rendering.render_comparison(document, options["format"]), ending="")
        if not compared.comparable:
            self._refuse(document)
        return document

    def _refuse(self, document: dict[str, Any]) -> None:
        """One line, as every refusal is, beside the document, which has both baselines too."""
        self.exit_code = FAILED
        fields = f": {', '.join(document['fields'])}" if document["fields"] else ""
        self.say(f"not comparable: {document['reason']}{fields}")
