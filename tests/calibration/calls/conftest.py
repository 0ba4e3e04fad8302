"""A provider on this machine, and runs whose judge asks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.provider import Provider

if TYPE_CHECKING:
    from tests.calibration.calls.scene import Start


@pytest.fixture
def provider() -> Iterator[Provider]:
    from tests.calibration.calls import scene

    with Provider(answerer=scene.answers(), latency=0.02, key=scene.KEY) as running:
        yield running


@pytest.fixture
def start(provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch, db: None) -> Start:
    from tests.calibration.calls import scene

    scene.set_up(provider, settings, monkeypatch)
    return scene.started
