"""A bundle or a file of cases that came through a form: checked first, then imported.

Nothing is kept between the two: the same file comes again, and its token shows that it is
the one that was checked, over the set as it was then.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from calibration import bundles
from grounding.digests import digest
from grounding.errors import BadInput
from grounding.interchange.strictjson import shown
from labeling import sets
from labeling.models import CalibrationSet


@dataclass(frozen=True)
class Upload:
    """What an upload did, or would do; ``token`` names file, set revision and manner."""

    imported: dict[str, Any]
    token: str
    done: bool

    @property
    def changes(self) -> bool:
        """Whether an import adds anything: rubrics alone are not counted in its report."""
        counted = ("cases", "labels", "judgments")
        return any(
            number
            for name in counted
            for kind, number in self.imported[name].items()
            if kind != "unchanged"
        )


def take(
    calibration_set: CalibrationSet,
    file: UploadedFile[Any],
    *,
    supersede: bool,
    checked: str,
    with_labels: bool,
) -> Upload:
    """Import ``file`` where ``checked`` is the token of its check; otherwise check it.

    A file says itself whether its labels are blind, so they are taken only ``with_labels``.
    Errors name the file as it was called where it came from.
    """
    name = shown(file.name or "upload")
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("upload.zip" if name.lower().endswith(".zip") else "upload")
        sha256 = _stored(file, path)
        try:
            with transaction.atomic():
                upload = _imported(calibration_set, path, [sha256, supersede], checked)
                if upload.imported["labels"]["added"] and not with_labels:
                    raise BadInput("holds labels, which an admin brings in", source=path.name)
                return upload
        except BadInput as error:
            error.source = name if error.source == path.name else error.source
            raise


def _imported(
    calibration_set: CalibrationSet, path: Path, stated: list[Any], checked: str
) -> Upload:
    with transaction.atomic():
        held = sets.locked(calibration_set)
        token = digest([held.slug, held.revision, *stated])
        dry_run = checked != token
        imported = bundles.import_set(
            held.slug, path, dry_run=dry_run, supersede=stated[1]
        ).as_json()
        return Upload(imported, token, done=not dry_run)


def _stored(file: UploadedFile[Any], path: Path) -> str:
    sha256 = hashlib.sha256()
    with path.open("wb") as copy:
        for chunk in file.chunks():
            sha256.update(chunk)
            copy.write(chunk)
    return sha256.hexdigest()
