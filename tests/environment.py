"""Loaded before settings are: gives the suite a secret key and a database of its own.

The suite runs on SQLite unless TEST_DATABASE_URL names another database.
"""

import os
import secrets
import tempfile
from pathlib import Path

_folder = Path(tempfile.mkdtemp(prefix="assize-tests-"))

os.environ["SECRET_KEY"] = secrets.token_urlsafe(48)
os.environ["DATABASE_URL"] = os.environ.get(
    "TEST_DATABASE_URL", f"sqlite:///{_folder / 'assize.sqlite3'}"
)
os.environ.pop("CELERY_BROKER_URL", None)
os.environ.pop("DEBUG", None)
