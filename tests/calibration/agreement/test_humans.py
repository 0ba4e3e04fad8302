"""People beside the judge: each against the others of a statement, and the annotator's seat."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from calibration.agreement import humans, rated
from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS
from calibration.reports.published import figures_in_order
from labeling.columns.arrays import Packed, pack
from labeling.references import DISPUTED, Said, decide
from tests.calibration.agreement.rated_records import rated as made

# Three ratings and a judge; two ratings; two, one of which states no class; the judge failed.
HAND = [
    "Ss Ss Su | Ss",
    "Su Su -  | Ss",
    ".s -  Ec | Es",
    "Ss Su Su | timeout",
]


def measured(*statements, once=0):
    return humans.figures(made(*statements, once=once), seed=1)


def short(rate):
    return rate["count"], rate["n"]


def both(figures):
    return short(figures["human"]), short(figures["judge"])


def test_each_rating_is_held_against_the_others_of_its_statement_by_hand():
    """s0: the first two have others who say s and u, a tie; the third has s s, says u, and the
    judge says s. s1: each has the other's u, and says it; the judge does not. s2: the first has c
    and the judge and it say s; the last has s, says c, and the judge says s. s3: it failed."""
    ceiling = measured(*HAND)["humans"]["ceiling"]
    assert [ceiling[name] for name in ("failed", "ties", "compared")] == [3, 2, 5]
    assert both(ceiling["verdict"]) == ((2, 5), (2, 5))
    assert both(ceiling["by_verdict"]["supported"]) == ((0, 2), (2, 2))
    assert both(ceiling["by_verdict"]["unsupported"]) == ((2, 2), (0, 2))
    assert both(ceiling["by_verdict"]["contradictory"]) == ((0, 1), (0, 1))
    # Of s0's third and of s1's two, all three sides state a class, each time S.
    assert ceiling["class_not_stated"] == 2
    assert both(ceiling["class"]) == ((3, 3), (3, 3))
    assert both(ceiling["overall"]) == ((2, 3), (1, 3))
    assert both(ceiling["by_class"]["subject_specific"]) == ((2, 3), (1, 3))


def test_the_difference_is_peoples_share_less_the_judges_on_the_same_ratings():
    found = measured("Ss Ss | Su", "Ss Ss | Ss", "Su Ss | Ss")["humans"]["ceiling"]["verdict"]
    # People: 2 2 0 of two each. The judge: 0 2, and of s2 the one whose other says s.
    assert both(found) == ((4, 6), (3, 6))
    assert found["difference"]["value"] == pytest.approx(1 / 6)
    low, high = found["difference"]["interval"]
    assert low < 1 / 6 < high


def test_what_people_say_of_each_other_does_not_depend_on_the_judge():
    """Pairs alike: 1 of 3, 1 of 1, 0 of 1, 1 of 3. Coincidences off the diagonal are 2, 0, 2, 2;
    margins s 4, u 5, c 1: alpha = 1 - (10 - 1) 6 / (100 - 16 - 25 - 1)."""
    found = measured(*HAND)["humans"]
    assert (found["units"], found["ratings"], found["failed"]) == (4, 10, 1)
    assert short(found["pairwise"]["verdict"]) == (3, 8)
    assert found["alpha"]["verdict"]["value"] == pytest.approx(1 - 54 / 58)
    assert (found["alpha"]["verdict"]["n"], found["alpha"]["class"]["n"]) == (4, 3)
    failing = measured(*(one.split("|")[0] + "| timeout" for one in HAND))["humans"]
    assert (failing["pairwise"], failing["alpha"]) == (found["pairwise"], found["alpha"])


def test_where_the_judge_failed_people_are_left_out_too_and_counted():
    failing = measured(*(one.split("|")[0] + "| unreadable" for one in HAND))
    ceiling = failing["humans"]["ceiling"]
    assert [ceiling[name] for name in ("failed", "ties", "compared")] == [10, 0, 0]
    assert ceiling["verdict"]["human"]["rate"] is ceiling["verdict"]["judge"]["rate"] is None
    assert ceiling["verdict"]["difference"] == {
        "value": None,
        "n": 0,
        "interval": None,
        "reason": "no rating can be held against what others say of its statement",
    }
    assert failing["alternative_annotator"]["left_out"] == {"rated_once": 0, "failed": 4}


def test_the_others_decide_as_a_reference_is_decided():
    """The fast way over columns says what the one rule says, over ratings of every kind."""
    rng = np.random.default_rng(11)
    letters = [
        [
            f"{a}{v}"
            for a, v in zip(rng.choice([*"SE."], size), rng.choice([*"suc"], size), strict=True)
        ]
        for size in rng.integers(2, 7, 300)
    ]
    found = made(*(f"{' '.join(each)} | Ss" for each in letters))
    said = humans.others(found)
    for row in range(len(found)):
        place = found.place[row]
        rest = [at for at in np.flatnonzero(found.place == place) if at != row]
        decided = decide([_label(found, at) for at in rest], None)
        expected = (None, None) if decided == DISPUTED else decided[1:]
        assert (
            _word(CLASSES, said.claim_class[row]),
            _word(VERDICTS, said.verdict[row]),
        ) == expected
    assert (said.verdict == NOTHING).any()
    assert ((said.verdict != NOTHING) & (said.claim_class == NOTHING)).any()


def _label(found, at):
    claim_class = _word(CLASSES, found.claim_class[at])
    return Said("label", claim_class, _word(VERDICTS, found.verdict[at]))


def _word(words, code):
    return None if code == NOTHING else words[code].value


def test_without_a_second_rating_everything_is_undefined_with_its_reason():
    found = measured(once=7)
    people, test = found["humans"], found["alternative_annotator"]
    assert (people["units"], people["ratings"], people["rated_once"]) == (0, 0, 7)
    for rate in (*people["pairwise"].values(), people["ceiling"]["verdict"]["human"]):
        assert rate["rate"] is None
        assert rate["reason"]
    assert people["alpha"]["verdict"]["value"] is None
    assert (test["stands_in"], test["winning_rate"]["value"], test["annotators"]) == (
        None,
        None,
        [],
    )
    assert test["reason"].startswith("0 of 0 annotators have 30 statements")
    json.dumps(found, allow_nan=False)


def test_all_alike_is_a_ceiling_of_one_and_no_alpha():
    people = measured(*["Ss Ss Ss | Ss"] * 4)["humans"]
    assert both(people["ceiling"]["verdict"]) == ((12, 12), (12, 12))
    assert people["ceiling"]["verdict"]["difference"]["value"] == 0
    assert people["alpha"]["verdict"]["reason"] == "only one category occurs"


def _judged(at):
    return "timeout" if at > 32 else "Su" if at % 9 == 1 else "Ss"


# Three annotators on 36 statements; on every third the last one stands alone, and on four of the
# others the judge does. The judge fails on the last three.
SEATS = [f"Ss Ss {'Su' if at % 3 == 0 else 'Ss'} | {_judged(at)}" for at in range(36)]


def test_the_annotators_seat_by_an_independent_count():
    test = measured(*SEATS, once=5)["alternative_annotator"]
    assert (test["statements"], test["left_out"]) == (33, {"rated_once": 5, "failed": 3})
    assert (test["tested"], test["untested"], test["of_two"]) == (3, 0, 0)
    by_code = {one["annotator"]: one for one in test["annotators"]}
    answers = [[word[1] for word in one.replace("|", " ").split()] for one in SEATS[:33]]
    for seat in range(3):
        as_good, differences = [0, 0], []
        for *people, judge in answers:
            others = people[:seat] + people[seat + 1 :]
            scores = others.count(judge), others.count(people[seat])
            wins = scores[0] >= scores[1], scores[1] >= scores[0]
            as_good = [total + won for total, won in zip(as_good, wins, strict=True)]
            differences.append(int(wins[1]) - int(wins[0]))
        one = by_code[f"ann-{seat + 1}"]
        assert short(one["judge_as_good"]) == (as_good[0], 33)
        assert short(one["annotator_as_good"]) == (as_good[1], 33)
        expected = ttest_1samp(differences, test["epsilon"], alternative="less").pvalue
        assert one["test"]["p"] == pytest.approx(expected, rel=1e-9)
    # Benjamini and Yekutieli: the smallest p of three is multiplied by 3 (1 + 1/2 + 1/3).
    smallest = min(by_code.values(), key=lambda one: one["test"]["p"])
    assert smallest["adjusted"] == pytest.approx(smallest["test"]["p"] * 3 * (11 / 6))
    assert by_code["ann-3"]["won"]
    assert test["won"] == sum(one["won"] for one in by_code.values())
    assert test["winning_rate"]["value"] == pytest.approx(test["won"] / 3)


def test_a_judge_stands_in_where_it_wins_against_half_and_more_is_given_to_experts_rivals():
    good = measured(*["Ss Su Ss | Ss", "Su Su Ss | Su", "Ss Ss Ss | Ss"] * 20)
    bad = measured(*["Ss Ss Ss | Su", "Su Su Su | Ss", "Ss Ss Su | Su"] * 20)
    good, bad = good["alternative_annotator"], bad["alternative_annotator"]
    assert (good["stands_in"], good["reason"], good["epsilon"]) == (True, None, 0.1)
    assert bad["stands_in"] is False
    assert [(one["who"], one["epsilon"]) for one in good["by_epsilon"]] == [
        ("crowd", 0.1),
        ("skilled", 0.15),
        ("expert", 0.2),
    ]
    assert all(one["stands_in"] for one in good["by_epsilon"])


@pytest.mark.parametrize(
    ("statements", "tested", "reason"),
    [
        (["Ss Ss | Ss"] * 50, 2, "2 of 2 annotators have"),
        (["Ss Ss Ss | Ss"] * 29, 0, "0 of 3 annotators have"),
        (["Ss Ss Ss | Ss"] * 29 + ["Ss Ss Ss | refused"], 0, "0 of 3 annotators have"),
        (["Ss Ss Ss - | Ss"] * 29 + ["Ss Ss - Ss | Ss"], 2, "2 of 4 annotators have"),
    ],
)
def test_too_few_annotators_or_statements_leave_it_undecided(statements, tested, reason):
    test = measured(*statements)["alternative_annotator"]
    assert (test["stands_in"], test["tested"]) == (None, tested)
    assert test["reason"].startswith(reason)
    assert test["untested"] == len(test["annotators"]) - tested
    assert all(one["stands_in"] is None for one in test["by_epsilon"])


def test_statements_of_one_case_are_no_more_evidence_than_the_case():
    # 3 annotators who part from the judge on every fourth of 40 statements, in cases of 4.
    said = [f"Ss Ss Ss | {'Su' if at % 20 < 4 else 'Ss'}" for at in range(40)]
    alone = humans.figures(made(*said), seed=1)
    together = humans.figures(made(*said, clusters=[at // 4 for at in range(40)]), seed=1)
    p = [each["alternative_annotator"]["annotators"][0]["test"]["p"] for each in (alone, together)]
    assert p[1] != pytest.approx(p[0])
    width = [
        np.diff(each["humans"]["ceiling"]["verdict"]["judge"]["interval"])
        for each in (alone, together)
    ]
    assert width[1] > width[0]


COLUMNS = (
    *("statement", "judgment", "cluster", "judge_class", "judge_verdict"),
    *("place", "annotator", "claim_class", "verdict", "rated_once"),
)


def test_columns_are_kept_and_read_back_whatever_the_order_of_words():
    first = made(*HAND)
    sheet = Packed(rated.packed(first))
    columns = {name: sheet.codes(name) for name in COLUMNS}
    turned = sorted(sheet.words["verdict"])
    place = [turned.index(word) for word in sheet.words["verdict"]] + [NOTHING]
    columns |= {name: np.array(place)[columns[name]] for name in ("verdict", "judge_verdict")}
    words = {**sheet.words, "verdict": turned, "judge_verdict": turned}
    back = rated.read(pack(columns, words))
    for name in ("statement", "place", "annotator", "claim_class", "verdict", "judge_verdict"):
        assert getattr(back, name).tolist() == getattr(first, name).tolist(), name
    assert back.annotators == ["ann-1", "ann-2", "ann-3"]


def test_the_keys_are_published_in_one_order():
    told = measured(*HAND)
    shuffled = json.loads(json.dumps({**told, "by_pair_kind": {}}, sort_keys=True))
    ordered = figures_in_order(shuffled)
    assert [*ordered["humans"]][:3] == ["units", "ratings", "raters"]
    assert [*ordered["humans"]["ceiling"]["verdict"]] == ["human", "judge", "difference"]
    assert [*ordered["alternative_annotator"]["annotators"][0]] == [
        *("annotator", "judge_as_good", "annotator_as_good", "test", "adjusted", "won"),
    ]
