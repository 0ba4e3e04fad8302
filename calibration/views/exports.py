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
from labeling import exposures, parameters, tables
from labeling.access import set_for
from labeling.models import Role
from labeling.responses import Request


@require_safe
def exports(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    context = {"member": member, "here": "exports"}
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
def csv(request: Request, slug: str) -> FileResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "export")
    name = f"{slug}-revision-{member.set.revision}-csv.zip"
    with TemporaryDirectory() as folder, bundles.one_moment():
        tables.write(member.set, Path(folder) / "tables")
        path = shutil.make_archive(f"{folder}/csv", "zip", Path(folder) / "tables")
        return file_attachment(Path(path), name, "application/zip")
