"""A set's exports, for those who lead it: they hold the answer key and others' labels."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from django.http import FileResponse, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration import bundles
from calibration.views.downloads import file_attachment
from grounding.errors import NotFound
from labeling.access import set_for
from labeling.exchange import parquet, standing, tables
from labeling.models import Annotator, CalibrationSet, Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def exports(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    codes = sorted(_annotators_of(member.set))
    context = {
        "member": member,
        "here": "exports",
        "annotators": codes,
        "parquet": parquet.available(),
    }
    return render(request, "calibration/exports.html", context)


@require_safe
def bundle(request: Request, slug: str) -> FileResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "export")
    name = f"{slug}-revision-{member.set.revision}.zip"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bundle.zip"
        bundles.export_bundle(member.set, path)
        return file_attachment(path, name, "application/zip")


@require_safe
def flat(request: Request, slug: str, kind: str) -> FileResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    tables.require(kind)
    exposures.record(member.set, request.user, "export")
    name = f"{slug}-revision-{member.set.revision}-{kind}.zip"
    with TemporaryDirectory() as folder, bundles.one_moment():
        tables.write(member.set, Path(folder) / "tables", kind)
        path = shutil.make_archive(f"{folder}/{kind}", "zip", Path(folder) / "tables")
        return file_attachment(Path(path), name, "application/zip")


@require_safe
def annotator_labels(request: Request, slug: str, format: str) -> FileResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    if format not in standing.FORMATS:
        raise NotFound("annotators' labels come as csv or jsonl")
    known = _annotators_of(member.set)
    code = parameters.read(request.GET, {"annotator": known}).get("annotator")
    exposures.record(member.set, request.user, "labels")
    kind, write = standing.FORMATS[format]
    name = f"{slug}-labels-{code or 'all'}.{format}"
    with TemporaryDirectory() as folder, bundles.one_moment():
        path = Path(folder) / "labels"
        with path.open("x", encoding="utf-8", newline="") as file:
            write(standing.rows(member.set, known[code] if code else None), file)
        return file_attachment(path, name, kind)


def _annotators_of(calibration_set: CalibrationSet) -> dict[str, Annotator]:
    """Whoever labelled in the set or was handed anything, by code."""
    return {one.code: one for one in Annotator.objects.filter(set=calibration_set)}
