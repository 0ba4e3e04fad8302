import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding.digests import canonical_json, digest, plain_json
from grounding.errors import BadInput

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abé", max_size=3), inner),
)


def test_keys_are_sorted_and_characters_stay_as_they_are():
    assert canonical_json({"b": 1, "a": ["é", "💊"]}) == '{"a":["é","💊"],"b":1}'


def test_what_is_sent_keeps_the_order_that_it_was_written_in():
    assert plain_json({"b": 1, "a": ["é", "💊"]}) == '{"b":1,"a":["é","💊"]}'


def test_a_digest_is_named_after_its_algorithm():
    # printf '{}' | sha256sum
    assert digest({}) == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@given(plain)
def test_order_of_keys_never_shows(value):
    def turned(node):
        if isinstance(node, dict):
            return {key: turned(node[key]) for key in reversed(node)}
        return [turned(one) for one in node] if isinstance(node, list) else node

    assert digest(turned(value)) == digest(value)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {"a": [float("-inf")]}, {1: "a"}, [{None: 1}], "\ud800", {1, 2}],
)
def test_what_does_not_mean_the_same_everywhere_is_refused(value):
    for written in (canonical_json, plain_json):
        with pytest.raises(BadInput, match="canonical JSON"):
            written(value)


def test_one_and_true_and_one_point_zero_differ():
    assert len({digest(1), digest(True), digest(1.0)}) == 3
