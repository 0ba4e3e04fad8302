"""How much a form may bring as a file: more is not read, let alone kept."""

from __future__ import annotations

from typing import Any, Final

from django.core.files.uploadhandler import FileUploadHandler, StopUpload

MAX_UPLOAD: Final = 64 * 1024 * 1024


class Bounded(FileUploadHandler):
    """Stands before Django's own handlers; a file past the limit never reaches the view."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if start + len(raw_data) > MAX_UPLOAD:
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> Any:
        return None
