"""A regression suite proposed from a set's pairs: what it covers, and its bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.http import FileResponse, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration import asked
from calibration.agreement import DEFAULT_SEED
from calibration.planner import suites
from calibration.planner.suites import Pair, Suite
from calibration.rendering import plan as rendering
from calibration.views.downloads import file_attachment
from grounding.contract import ClaimClass, Verdict
from labeling import queues, references
from labeling.access import set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

TAKEN, AVAILABLE, LEFT_OUT = "suite", "available", "left_out"
NOT_STATED: Final = "none"
HOW: Final[Mapping[str, Sequence[str] | None]] = {
    "size": parameters.ANY,
    "seed": parameters.ANY,
    "reference": references.TIERS,
}
LISTED: Final[Mapping[str, Sequence[str] | None]] = {
    "among": [TAKEN, AVAILABLE, LEFT_OUT],
    "class": [*(word.value for word in ClaimClass), NOT_STATED],
    "verdict": [word.value for word in Verdict],
}


@require_safe
def suite(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    given = parameters.read(request.GET, {**HOW, **LISTED})
    exposures.record(member.set, request.user, "plan")
    how = _how(given)
    found = suites.propose(member.set, **how)
    context = {
        "member": member,
        "here": "plan",
        "how": how,
        "tiers": references.TIERS,
        "among": given.get("among", TAKEN),
        "filters": {name: given[name] for name in ("class", "verdict") if name in given},
        "suite": found,
        "sentence": rendering.suite_sentence(suites.full(member.set, found)),
        "page": parameters.page_of(_listed(found, given), request.GET),
    }
    return render(request, "calibration/suite.html", context)


@require_safe
def download(request: Request, slug: str) -> FileResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    how = _how(parameters.read(request.GET, HOW))
    exposures.record(member.set, request.user, "export")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "suite.zip"
        suites.write(member.set, path, **how)
        name = f"{slug}-suite-of-{how['size']}-revision-{member.set.revision}.zip"
        return file_attachment(path, name, "application/zip")


def _how(given: Mapping[str, str]) -> dict[str, Any]:
    size, seed = given.get("size", str(suites.SIZE)), given.get("seed", str(DEFAULT_SEED))
    return {
        "size": asked.whole(size, "size", least=1, most=suites.MOST),
        "seed": asked.whole(seed, "seed", most=queues.MAX_SEED),
        "minimum": given.get("reference", references.AUTHOR),
    }


def _listed(found: Suite, given: Mapping[str, str]) -> list[Pair]:
    among = {TAKEN: found.pairs, AVAILABLE: found.available, LEFT_OUT: found.left_out}
    return [pair for pair in among[given.get("among", TAKEN)] if _holds(pair, given)]


def _holds(pair: Pair, given: Mapping[str, str]) -> bool:
    """Whether one of the pair's cells is of the class and verdict that are asked for."""
    return any(
        given.get("class", claim_class or NOT_STATED) == (claim_class or NOT_STATED)
        and given.get("verdict", verdict) == verdict
        for claim_class, verdict in pair.cells
    ) or not ({"class", "verdict"} & given.keys())
