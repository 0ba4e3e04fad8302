import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.stats.overlap import (
    NOTHING_TO_COMPARE,
    Overlap,
    Spans,
    mean_overlap,
    sizes,
    span_overlap,
)

SPANS = st.lists(
    st.tuples(st.sampled_from("pq"), st.integers(0, 20), st.integers(1, 12)).map(
        lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
    ),
    max_size=5,
)


def characters(spans):
    return {(place, at) for place, start, end in spans for at in range(start, end)}


def test_overlap_by_hand():
    # The judge cites 10..30, the human 20..60: 10 in common, of 20, of 40, of 50 in either.
    found = span_overlap([("p1", 10, 30)], [("p1", 20, 60)])
    assert found == Overlap(10 / 20, 10 / 40, 20 / 60, 10 / 50)


def test_the_same_place_of_another_passage_is_no_overlap():
    assert span_overlap([("p1", 0, 9)], [("p2", 0, 9)]) == Overlap(0.0, 0.0, 0.0, 0.0)


def test_citing_twice_or_in_two_halves_changes_nothing():
    whole = span_overlap([("p", 0, 10)], [("p", 0, 10), ("q", 3, 5)])
    parts = [("p", 0, 4), ("p", 4, 10), ("p", 2, 6)]
    assert span_overlap(parts, [("q", 3, 5), ("p", 0, 10)]) == whole


@settings(deadline=None)
@given(SPANS, SPANS)
def test_overlap_is_that_of_the_sets_of_characters(cited, human):
    judge, person = characters(cited), characters(human)
    found = span_overlap(cited, human)
    if not judge or not person:
        assert found is None
        return
    both = len(judge & person)
    assert found == pytest.approx(
        (
            both / len(judge),
            both / len(person),
            2 * both / (len(judge) + len(person)),
            both / len(judge | person),
        )
    )


@pytest.mark.parametrize("span", [("p", 3, 3), ("p", 4, 2), ("p", -1, 2)])
def test_what_is_no_span_is_refused(span):
    with pytest.raises(ValueError, match="no span"):
        span_overlap([span], [("p", 0, 1)])


def test_means_count_each_statement_once_and_the_uncited_apart():
    cited = [[("p", 0, 10)], [("p", 0, 1000)], [("p", 0, 5)], [], []]
    human = [[("p", 0, 10)], [("p", 500, 1000)], [], [("p", 0, 5)], []]
    found = mean_overlap(cited, human, ["a", "b", "c", "d", "e"], seed=1)
    assert (found.both_cite, found.only_human, found.only_judge, found.neither) == (2, 1, 1, 1)
    assert (found.precision.value, found.precision.n) == (0.75, 2)
    assert found.recall.value == 1.0
    assert found.f1.value == pytest.approx((1 + 2 / 3) / 2)
    assert found.iou.value == 0.75
    assert found.precision.interval == (0.5, 1.0)


def test_places_are_the_same_whichever_side_names_them_first():
    cited = [[("p", 0, 10)], [("q", 0, 10)]]
    human = [[("q", 0, 10)], [("q", 0, 10), ("p", 0, 10)]]
    found = mean_overlap(cited, human, [1, 2], seed=1)
    assert (found.precision.value, found.recall.value) == (0.5, 0.25)


@settings(deadline=None)
@given(st.lists(st.tuples(SPANS, SPANS), max_size=8))
def test_means_are_those_of_the_statements_one_by_one(drawn):
    cited, human = ([pair[side] for pair in drawn] for side in (0, 1))
    found = mean_overlap(cited, human, range(len(drawn)), seed=1, replicates=5)
    alone = [one for one in map(span_overlap, cited, human) if one is not None]
    assert found.both_cite == len(alone)
    if alone:
        means = [found.precision.value, found.recall.value, found.f1.value, found.iou.value]
        assert means == pytest.approx(np.mean(alone, axis=0).tolist())


def test_sizes_are_of_the_union_of_each_sides_spans():
    cited = Spans(*np.array([[1, 0, 5, 9], [1, 0, 0, 6], [1, 7, 0, 2], [0, 7, 1, 2]]).T)
    human = Spans(*np.array([[1, 0, 8, 12], [1, 7, 1, 4]]).T)
    found = sizes(cited, human, 3)
    assert [each.tolist() for each in found] == [[1, 11, 0], [0, 7, 0], [0, 2, 0]]
    assert [each.tolist() for each in sizes(cited, cited, 3)] == [[1, 11, 0]] * 3


def test_a_span_of_no_statement_is_refused():
    nowhere = Spans(*np.array([[3, 0, 0, 1]]).T)
    nothing = Spans(*np.zeros((4, 0), dtype=np.int64))
    with pytest.raises(ValueError, match="none of 3 statements"):
        sizes(nowhere, nothing, 3)


def test_without_a_statement_that_both_cite_the_means_are_undefined():
    found = mean_overlap([[], [("p", 0, 1)]], [[("p", 0, 1)], []], [1, 2], seed=1)
    for mean in (found.precision, found.recall, found.f1, found.iou):
        assert (mean.value, mean.n, mean.reason) == (None, 0, NOTHING_TO_COMPARE)
    assert mean_overlap([], [], [], seed=1).iou.value is None


def test_means_have_an_interval_of_their_clusters():
    # Sixty statements that stand and fall in clusters of three: the interval of twenty.
    rng = np.random.default_rng(0)
    ends = rng.integers(1, 100, 20)
    once = mean_overlap([[("p", 0, 100)]] * 20, [[("p", 0, int(end))] for end in ends], range(20),
                        seed=2)  # fmt: skip
    thrice = mean_overlap(
        [[("p", 0, 100)]] * 60,
        [[("p", 0, int(end))] for end in np.repeat(ends, 3)],
        np.repeat(np.arange(20), 3),
        seed=2,
    )
    assert once.precision.value == pytest.approx(ends.mean() / 100)
    assert thrice.precision.interval == pytest.approx(once.precision.interval, abs=1e-9)
    assert thrice.precision.interval[0] < thrice.precision.value < thrice.precision.interval[1]


def test_the_same_seed_gives_the_same_means_and_one_cluster_no_interval():
    cited, human = [[("p", 0, 3)], [("p", 0, 4)]] * 9, [[("p", 1, 5)], [("p", 0, 4)]] * 9
    same = [mean_overlap(cited, human, range(18), seed=5) for _ in range(2)]
    assert same[0] == same[1]
    alone = mean_overlap(cited, human, [1] * 18, seed=5).f1
    assert alone.interval is None
    assert "fewer than two clusters" in alone.reason


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="statements"):
        mean_overlap([[]], [[], []], [1], seed=1)
