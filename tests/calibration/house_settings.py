"""The settings, with leases short enough for tests to outlive, and a judge that can be watched."""

from __future__ import annotations

import os

from config.settings import *  # noqa: F403

JUDGMENT_LEASE_SECONDS = 4
RECONCILE_SECONDS = 1
CELERY_TASK_DEFAULT_QUEUE = os.environ["ASSIZE_TEST_QUEUE"]
CELERY_IMPORTS = ["tests.calibration.judging.watched_judge"]
