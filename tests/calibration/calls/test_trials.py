"""A definition whose judge asks a provider is tried out within the permits that all share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calibration.calls import permits
from calibration.calls.permits import Asked
from calibration.drafting import trials
from calibration.models import Attempt, Holder
from calibration.runs.spending import Standing
from grounding.errors import Unavailable
from tests.calibration.calls.scene import Start, definition, lamps
from tests.provider import Provider

pytestmark = pytest.mark.django_db


def test_it_is_asked_within_a_few_permits_and_nothing_is_kept(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    tried = trials.try_out(definition(), lamps(tmp_path, 8))
    assert [len(case.statements) for case in tried] == [1] * 5
    assert all(one.grade.verdict == "unsupported" for case in tried for one in case.statements)
    assert provider.calls == 10
    assert provider.peak <= trials.MOST_CALLS
    assert not Attempt.objects.exists()
    assert not Holder.objects.exists()


def test_it_waits_for_nobody_who_holds_all_permits(
    start: Start, provider: Provider, tmp_path: Path, settings: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    run = start(lamps(tmp_path, 3), judged=False)
    from uuid import uuid4

    endpoint = permits.provider(f"openai {provider.url}/v1")
    permits.renew(endpoint, run, uuid4(), Asked(2), lambda held: Standing(busy=2))
    with pytest.raises(Unavailable, match="taken by runs"):
        trials.try_out(definition(), run.set)
    assert provider.calls == 0


def test_it_ends_in_time_whatever_the_provider_does(
    start: Start, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "SECONDS", 1.0)
    provider.latency = 30.0
    tried = trials.try_out(definition(), lamps(tmp_path, 3))
    assert all(case.passed_over and "seconds had passed" in case.passed_over for case in tried)
    assert not Holder.objects.exists()
