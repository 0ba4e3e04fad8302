"""A database of the benchmark's own, made before Django is set up and removed at the end."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="assize-bench-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def set_up() -> None:
    """Django on an empty, migrated SQLite database in `FOLDER`."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(48)
    os.environ["DATABASE_URL"] = f"sqlite:///{FOLDER / 'bench.sqlite3'}"
    os.environ.pop("CELERY_BROKER_URL", None)

    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
