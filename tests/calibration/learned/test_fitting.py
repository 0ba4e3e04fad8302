"""Fits that hold out what is near-identical, and weights that mean what scikit-learn's mean."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from calibration.learned import fitting
from calibration.learned.fitting import Examples
from calibration.stats.coefficients import kappa
from calibration.stats.confusion import confusion
from grounding.judges.learned.features import FEATURES

THREE = ("contradictory", "supported", "unsupported")


def random_rows(n, seed=7):
    return np.random.default_rng(seed).normal(size=(n, len(FEATURES)))


def agreed(answers, found):
    codes = {name: at for at, name in enumerate(THREE)}
    table = confusion([codes[one] for one in answers], [codes[one] for one in found], 3)
    return kappa(table).value


@pytest.mark.parametrize("names", [THREE, THREE[:2]])
def test_probabilities_are_those_of_the_fit_in_the_features_own_units(names):
    rows = random_rows(120)
    answers = [names[int(abs(row[0] * 2 + row[1])) % len(names)] for row in rows]
    head = fitting.fit(Examples([tuple(row) for row in rows], answers, [0] * 120))
    scaler = StandardScaler().fit(rows)
    oracle = LogisticRegression(C=fitting.STRENGTH, max_iter=5_000)
    oracle.fit(scaler.transform(rows), answers)
    expected = oracle.predict_proba(scaler.transform(rows))
    found = [[head.probabilities(tuple(row))[name] for name in oracle.classes_] for row in rows]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_feature_that_never_differs_weighs_nothing_and_breaks_nothing():
    rows = random_rows(40)
    rows[:, 3] = 0.5
    answers = ["supported" if row[0] > 0 else "unsupported" for row in rows]
    head = fitting.fit(Examples([tuple(row) for row in rows], answers, [0] * 40))
    assert [weights[3] for weights in head.weights] == [0.0, 0.0]


def test_one_answer_is_always_given():
    head = fitting.fit(Examples([(0.0,) * len(FEATURES)] * 3, ["supported"] * 3, [0, 1, 2]))
    assert head.probabilities((1.0,) * len(FEATURES)) == {"supported": 1.0}


def test_the_same_examples_give_the_same_weights():
    rows = [tuple(row) for row in random_rows(90)]
    examples = Examples(rows, [THREE[at % 3] for at in range(90)], [at % 5 for at in range(90)])
    assert fitting.fit(examples) == fitting.fit(examples)


def test_groups_are_dealt_whole_and_evenly():
    groups = [f"g{at // 3}" for at in range(60)]
    folds = fitting.dealt(groups)
    assert len({(group, fold) for group, fold in zip(groups, folds, strict=True)}) == 20
    assert set(Counter(folds).values()) == {6}


def test_a_groups_fold_does_not_depend_on_the_order_of_the_set():
    groups = [f"g{at}" for at in range(37)]
    there = dict(zip(groups, fitting.dealt(groups), strict=True))
    back = dict(zip(groups[::-1], fitting.dealt(groups[::-1]), strict=True))
    assert there == back


def test_there_are_no_more_folds_than_groups():
    assert sorted(fitting.dealt(["a", "b", "a"])) in ([0, 0, 1], [0, 1, 1])
    assert fitting.dealt(["a", "a"]) == [0, 0]


def test_groups_that_share_a_text_become_one_through_others_too():
    groups = ["a", "a", "b", "b", "c", "d"]
    prints = ["1", "2", "2", "3", "3", "4"]
    found = fitting.grouped(groups, prints)
    assert len(set(found[:5])) == 1
    assert found[5] not in found[:5]


def test_what_was_held_out_was_not_seen():
    rows = [tuple(row) for row in random_rows(60)]
    answers = [THREE[at % 3] for at in range(60)]
    folds = [at % 4 for at in range(60)]
    examples = Examples(rows, answers, folds)
    heads = fitting.held_out(examples, 4)
    # Whatever stands in fold 2 is all the same to the fit without it.
    turned = [THREE[(at + 1) % 3] if folds[at] == 2 else THREE[at % 3] for at in range(60)]
    again = fitting.held_out(Examples(rows, turned, folds), 4)
    assert heads[2] == again[2]
    assert heads[1] != again[1]


def test_answers_that_mean_nothing_are_learned_by_heart_and_not_across_pairs():
    """Pairs are twins here, in rows and answer, and answers are dealt by chance: whatever is
    predicted of what was held out is a leak. The control deals twins out apart."""
    chance = np.random.default_rng(1)
    once = random_rows(100)
    rows = [tuple(row) for row in np.repeat(once, 2, axis=0)]
    answers = [str(one) for one in np.repeat(chance.choice(THREE, size=100), 2)]
    pairs = [str(at // 2) for at in range(200)]

    def unseen(folds):
        examples = Examples(rows, answers, folds)
        heads = fitting.held_out(examples, max(folds) + 1)
        return agreed(answers, fitting.predicted_unseen(examples, heads))

    by_heart = fitting.predicted(fitting.fit(Examples(rows, answers, [0] * 200)), rows)
    assert agreed(answers, by_heart) > 0.4
    assert abs(unseen(fitting.dealt(pairs))) < 0.15
    assert unseen(fitting.dealt([str(at) for at in range(200)])) > 0.3
