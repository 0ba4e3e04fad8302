"""What a judge says of the same statements again: moves counted, tested and told, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from calibration import versions
from calibration.agreement.columns import NOTHING, VERDICTS
from calibration.rendering.drift import said as told_of
from calibration.versions import drift
from calibration.versions.drift import Telling
from calibration.wording.numbers import read
from tests.calibration.agreement.comparison_records import next_revision
from tests.calibration.versions.records import FIRST_DAY, NAME, a_ground, ran

LETTERS = "sucn"


def telling(letters, run=1, model="model-1", version="judge@1.0.0"):
    codes = [LETTERS.find(letter) if letter != "-" else NOTHING for letter in letters]
    at = FIRST_DAY.replace(day=run)
    return Telling(version, run, model, at, np.array(codes, dtype=np.int64))


def alone(letters: str):
    return np.arange(len(letters))


def test_letters_are_verdicts():
    assert "".join(word.value[0] for word in VERDICTS) == LETTERS


def test_what_newly_got_a_verdict_and_what_no_longer_does():
    """Seven in common: two newly supported, one no longer; the eighth was not graded before."""
    before, after = "sssuuuc-", "ssussuuu"
    ((_, found),) = drift.compared([telling(before), telling(after, 2)], alone(before))
    assert (found["statements"], found["differ"]) == (7, 4)
    supported = found["verdicts"]["supported"]
    assert [supported[key] for key in ("before", "after", "gained", "lost")] == [3, 4, 2, 1]
    contradictory = found["verdicts"]["contradictory"]
    assert [contradictory[key] for key in ("before", "after", "gained", "lost")] == [1, 0, 0, 1]
    # 2 of 3 or more one way, doubled: 2 * (3 + 1) / 8, at most 1.
    assert supported["p"] == 1.0
    assert found["result"] == drift.QUIET


def test_a_move_beyond_chance_is_an_alarm():
    """Eight of eight move from unsupported to supported: 2 / 2^8 for each of the two verdicts,
    and twice that after Holm over the two tests."""
    ((_, found),) = drift.compared([telling("u" * 8), telling("s" * 8, 2)], alone("u" * 8))
    for verdict in ("supported", "unsupported"):
        assert found["verdicts"][verdict]["p"] == pytest.approx(2 / 2**8)
        assert found["verdicts"][verdict]["p_holm"] == pytest.approx(4 / 2**8)
    assert found["verdicts"]["contradictory"]["p"] is None
    assert found["result"] == drift.ALARM


def test_pairs_move_as_wholes():
    """The same eight in four pairs are four pieces of evidence, and too few to test."""
    clusters = np.repeat(np.arange(4), 2)
    ((_, found),) = drift.compared([telling("u" * 8), telling("s" * 8, 2)], clusters)
    assert found["clusters"] == 4
    assert found["result"] == drift.TOO_LITTLE
    assert found["verdicts"]["supported"]["p"] is None
    assert "in common" in found["verdicts"]["supported"]["reason"]


def test_the_least_in_common_is_where_a_test_could_first_alarm():
    """All of five moving one way is 2 / 2^5, above the level; of six, 2 / 2^6, below it."""
    assert 2 / 2 ** (drift.LEAST - 1) > drift.LEVEL >= 2 / 2**drift.LEAST
    for n, p in ((5, None), (6, 2 / 2**6)):
        found = drift.compared([telling("u" * n), telling("s" * n, 2)], alone("u" * n))[0][1]
        assert found["verdicts"]["supported"]["p"] == p


def test_where_nothing_moved_there_is_no_alarm_and_no_p():
    ((_, found),) = drift.compared([telling("ssuucc"), telling("ssuucc", 2)], alone("ssuucc"))
    assert found["result"] == drift.QUIET
    assert found["differ"] == 0
    assert all(test["p"] is None and test["reason"] for test in found["verdicts"].values())


def test_tellings_of_no_statement_in_common_are_too_little():
    ((_, found),) = drift.compared([telling("ss--"), telling("--ss", 2)], alone("ss--"))
    assert (found["statements"], found["result"]) == (0, drift.TOO_LITTLE)


def test_each_is_held_against_the_first_of_its_version_and_the_one_before():
    told = [telling("s", run) for run in (3, 1, 2)] + [telling("s", 4, version="judge@2.0.0")]
    found = [(pair.earlier.run, pair.later.run) for pair in drift.pairs(told)]
    assert found == [(1, 2), (1, 3), (2, 3)]


def test_tests_of_all_pairs_are_one_family():
    """Run 2 says what run 1 said, and run 3 moves: 2 / 2^10 against both, for two verdicts each,
    so four tests: all four times that."""
    before, after = "u" * 10, "s" * 10
    told = [telling(before), telling(before, 2), telling(after, 3)]
    found = {
        (pair.earlier.run, pair.later.run): figures
        for pair, figures in drift.compared(told, alone(before))
    }
    assert found[1, 2]["result"] == drift.QUIET
    for key in ((1, 3), (2, 3)):
        assert found[key]["verdicts"]["supported"]["p_holm"] == pytest.approx(4 * 2 / 2**10)


def test_shares_are_of_what_was_graded_and_of_nothing_there_are_none():
    found = drift.shares(telling("ssu-"), alone("ssu-"))
    assert (found["supported"]["count"], found["supported"]["n"]) == (2, 3)
    none = drift.shares(telling("--"), alone("--"))["supported"]
    assert none["rate"] is None
    assert none["reason"]


# ---- from runs


def full(made):
    return versions.full(versions.read(NAME, made))["drift"]


@pytest.mark.django_db
def test_another_model_of_the_same_version_that_moved_raises_an_alarm_in_words():
    made = a_ground(["Su"] * 12)
    first = ran(made, ["Su"] * 12, day=0, model="model-1")
    second = ran(made, ["Ss"] * 10 + ["Su", "timeout"], day=31, model="model-2")
    found = full(made)
    (pair,) = found["pairs"]
    assert pair["result"] == "alarm"
    assert (pair["earlier"]["model"], pair["later"]["model"]) == ("model-1", "model-2")
    (sentence,) = map(read, told_of(found))
    assert sentence == (
        f"Drift: judge@1.0.0 judged supported more often in run {second.pk} (model-2, 2026-04-01) "
        f"than in run {first.pk} (model-1, 2026-03-01). On the same 11 statements it went from 0 "
        "to 10: 10 newly, 0 no longer (exact p after Holm = 0.0039)."
    )
    # 2 / 2^10, for each of two verdicts.
    assert pair["verdicts"]["supported"]["p_holm"] == pytest.approx(2 * 2 / 2**10)


@pytest.mark.django_db
def test_each_telling_has_its_shares_with_their_n():
    made = a_ground(["Ss"] * 4)
    ran(made, ["Ss", "Su", "Sc", "timeout"], day=0, model=None)
    (one,) = full(made)["tellings"]
    assert one["model"] is None
    assert one["n"] == 3
    assert {name: rate["count"] for name, rate in one["verdicts"].items()} == {
        "supported": 1,
        "unsupported": 1,
        "contradictory": 1,
        "not_applicable": 0,
    }


@pytest.mark.django_db
def test_a_run_of_two_models_is_two_tellings():
    made = a_ground(["Ss"] * 8)
    ran(made, ["Ss"] * 8, day=0)
    mixed = ran(made, ["Ss"] * 6 + ["Su"] * 2, day=1)
    last = mixed.judgments.order_by("-statement__position")[:2]
    mixed.judgments.filter(pk__in=[one.pk for one in last]).update(judge_model="model-2")
    found = full(made)
    assert [(one["run"] == mixed.pk, one["model"], one["n"]) for one in found["tellings"]] == [
        (False, "model-1", 8),
        (True, "model-1", 6),
        (True, "model-2", 2),
    ]
    results = [(pair["later"]["model"], pair["statements"]) for pair in found["pairs"]]
    # Against the first run, and against the other model of the same run: nothing in common.
    assert results == [("model-1", 6), ("model-2", 2), ("model-2", 0)]


@pytest.mark.django_db
def test_versions_are_not_held_against_each_other_and_partial_runs_say_nothing():
    made = a_ground(["Su"] * 8)
    ran(made, ["Su"] * 8, "1.0.0", day=0)
    ran(made, ["Ss"] * 8, "1.1.0", day=1)
    ran(made, ["Ss"] * 4 + ["timeout"] * 4, "1.0.0", day=2, failure_ceiling=0.05)
    found = full(made)
    assert found["pairs"] == []
    assert len(found["tellings"]) == 2
    assert read(told_of(found)[0]).startswith("Drift cannot be seen yet")


@pytest.mark.django_db
def test_too_little_is_said_and_is_no_alarm():
    made = a_ground(["Su"] * 3)
    ran(made, ["Su"] * 3, day=0)
    ran(made, ["Ss"] * 3, day=1)
    (sentence,) = map(read, told_of(full(made)))
    assert sentence == "Drift cannot be told yet: 1 comparison has too little in common."


@pytest.mark.django_db
def test_runs_on_an_earlier_revision_have_no_share_and_are_compared_on_what_still_stands():
    made = a_ground(["Su"] * 8)
    old, new = ran(made, ["Su"] * 8, day=0), ran(made, ["Su"] * 8, day=1)
    next_revision(made, new, position=0)
    found = full(made)
    assert found["revision"] == 2
    assert [one["run"] for one in found["tellings"]] == [new.pk]
    assert found["earlier_revisions"] == 1
    assert [(pair["earlier"]["run"], pair["statements"]) for pair in found["pairs"]] == [
        (old.pk, 7)
    ]
