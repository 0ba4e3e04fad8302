"""References by tier. Expected tiers are derived by hand from the rule in `interfaces.md`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from django.core.management import call_command

from grounding.contract import ClaimClass, Verdict, allowed
from grounding.digests import digest
from grounding.errors import BadInput
from labeling import references, sets
from labeling.models import (
    Annotator,
    CalibrationSet,
    Case,
    Label,
    ReferenceSnapshot,
    Statement,
)
from labeling.references import More, Reference, Said, decide, more_of
from labeling.references.said import told_of

SUBJECT, EXTERNAL, INTERPRETATION = map(str, ClaimClass)
SUPPORTED, UNSUPPORTED, CONTRADICTORY, NOT_APPLICABLE = map(str, Verdict)
AUTHOR = (SUBJECT, SUPPORTED)


def label(verdict: str, claim_class: str | None = None) -> Said:
    return Said("label", claim_class, verdict)


def adjudication(verdict: str, day: int | None = None, claim_class: str | None = None) -> Said:
    at = None if day is None else datetime(2026, 11, day, tzinfo=UTC)
    return Said("adjudication", claim_class, verdict, at)


@pytest.mark.parametrize(
    ("said", "expected", "decided"),
    [
        ([], None, "none"),
        ([], (SUBJECT, None), "none"),
        ([], AUTHOR, Reference("author", SUBJECT, SUPPORTED)),
        ([label(UNSUPPORTED)], AUTHOR, Reference("single", None, UNSUPPORTED)),
        ([label(SUPPORTED)] * 2, None, Reference("consensus", None, SUPPORTED)),
        ([label(SUPPORTED), label(UNSUPPORTED)], None, "disputed"),
        # Half of four is not more than half.
        ([label(SUPPORTED)] * 2 + [label(UNSUPPORTED), label(CONTRADICTORY)], None, "disputed"),
        (
            [label(SUPPORTED), label(UNSUPPORTED), label(SUPPORTED)], AUTHOR,
            Reference("consensus", None, SUPPORTED),
        ),
    ],
)  # fmt: skip
def test_the_best_tier_decides(
    said: list[Said], expected: tuple[str | None, str | None] | None, decided: Reference | str
) -> None:
    assert decide(said, expected) == decided


def test_a_dispute_never_falls_back_to_the_author() -> None:
    assert decide([label(SUPPORTED), label(UNSUPPORTED)], AUTHOR) == "disputed"


def test_an_adjudication_settles_a_dispute_and_overrules_a_consensus() -> None:
    decided = Reference("adjudicated", None, CONTRADICTORY)
    verdicts = adjudication(CONTRADICTORY)
    assert decide([label(SUPPORTED), label(UNSUPPORTED), verdicts], None) == decided
    assert decide([label(SUPPORTED), label(SUPPORTED), verdicts], None) == decided


def test_the_latest_adjudication_decides() -> None:
    said = [adjudication(SUPPORTED, 3), adjudication(UNSUPPORTED, 2), adjudication(UNSUPPORTED)]
    assert decide(said, None) == Reference("adjudicated", None, SUPPORTED)


def test_adjudications_of_one_time_that_differ_decide_nothing() -> None:
    assert decide([adjudication(SUPPORTED, 3), adjudication(UNSUPPORTED, 3)], AUTHOR) == "disputed"


@pytest.mark.parametrize(
    ("classes", "agreed"),
    [
        ([SUBJECT, SUBJECT, None], SUBJECT),
        # One of three is what one person thinks, not what they agree on.
        ([SUBJECT, None, None], None),
        ([SUBJECT, None], None),
        ([SUBJECT, EXTERNAL], None),
        ([None, None, SUBJECT, SUBJECT], None),
        ([SUBJECT, EXTERNAL, EXTERNAL], EXTERNAL),
    ],
)
def test_the_class_needs_more_than_half_of_all_labels(
    classes: list[str | None], agreed: str | None
) -> None:
    said = [label(SUPPORTED, claim_class) for claim_class in classes]
    assert decide(said, None) == Reference("consensus", agreed, SUPPORTED)


def test_no_consensus_of_valid_labels_breaks_the_contract() -> None:
    """Every multiset of up to five labels, each valid by itself."""
    classes = [None, *ClaimClass]
    valid = [pair for pair in product(classes, Verdict) if allowed(*pair)]
    decided = 0
    for first, second in product(valid, repeat=2):
        for many in (2, 3):
            said = [label(str(v), c and str(c)) for c, v in [first] * many + [second] * 2]
            found = decide(said, None)
            if isinstance(found, Reference):
                decided += 1
                claim_class = ClaimClass(found.claim_class) if found.claim_class else None
                assert allowed(claim_class, Verdict(found.verdict))
    assert decided


def saying(claim_type: str | None, speech_act: str | None, *premises: str) -> Said:
    return Said("label", SUBJECT, SUPPORTED, None, claim_type, speech_act, premises)


def test_claim_type_speech_act_and_premises_come_with_the_reference() -> None:
    assert more_of([saying("date", "refusal", UNSUPPORTED)]) == ("date", "refusal", (UNSUPPORTED,))
    # Each by its own majority of all labels: two of three say date, two split off the same, and
    # of the three speech acts none is said by two.
    said = [
        saying("date", "refusal", SUPPORTED),
        saying("date", "assertion"),
        saying(None, "procedural", SUPPORTED),
    ]
    assert more_of(said) == ("date", None, (SUPPORTED,))
    assert more_of([]) == More()


def test_the_latest_adjudication_says_what_comes_with_it() -> None:
    first, last = adjudication(SUPPORTED, 1), adjudication(SUPPORTED, 2)
    said = [saying("date", "refusal"), last._replace(claim_type="entity"), first]
    assert more_of(said) == More("entity")


def test_a_snapshot_keeps_what_is_stated_and_nothing_else() -> None:
    assert More().stated() == []
    assert More("date").stated() == ["date"]
    assert More(premises=(UNSUPPORTED,)).stated() == [None, None, [UNSUPPORTED]]


def test_what_a_label_splits_off_moves_the_digest(small_set: CalibrationSet) -> None:
    before = references.resolve(small_set, 1, 1)
    premise = {"text": "It rained.", "claim_class": SUBJECT, "verdict": UNSUPPORTED}
    pk = _pk("jobs-001-b", "s1")
    Label.objects.filter(statement=pk, role="adjudication").update(premises=[premise])
    after = references.resolve(small_set, 1, 1)
    assert after.frozen.rows()[str(pk)][5] == [UNSUPPORTED]
    assert after.digest != before.digest
    frozen = references.snapshot(told_of(small_set, 1, 1)).references[str(pk)]
    assert frozen[:3] == list(after.references[pk])
    assert frozen[-1] == [UNSUPPORTED]


def test_the_small_set_has_the_tiers_that_its_labels_give(small_set: CalibrationSet) -> None:
    found = references.resolve(small_set, 1, 1)
    # 001-a s1: 2 of 3 supported. 001-b s1: adjudicated. order-417-b: revealed, so the author.
    # order-417-a: its label states no contract, so the author. silent-3 s1: 1 against 1.
    # s2 and s3 of both sides and manual-9: the author. silent-3 s1.1: nothing.
    assert found.tiers == {
        "adjudicated": 1, "consensus": 1, "single": 0, "author": 7, "disputed": 1, "none": 1,
    }  # fmt: skip
    assert found.references[_pk("jobs-001-a", "s1")] == ("consensus", SUBJECT, SUPPORTED)
    assert found.references[_pk("jobs-001-b", "s1")] == ("adjudicated", SUBJECT, CONTRADICTORY)
    assert _pk("silent-3", "s1") not in found.references
    assert len(found.references) == 9


def test_an_expectation_is_no_measure_under_another_contract(small_set: CalibrationSet) -> None:
    assert references.resolve(small_set, 1, 1).tiers["author"] > 0
    under_2 = references.resolve(small_set, 1, 2)
    assert under_2.tiers["author"] == 0
    assert not under_2.references


def test_labels_without_a_contract_version_meet_only_version_0(small_set: CalibrationSet) -> None:
    found = references.resolve(small_set, 1, 0)
    assert found.references[_pk("order-417-a", "s1")] == ("single", None, SUPPORTED)
    assert found.tiers["consensus"] == found.tiers["adjudicated"] == 0


@pytest.mark.parametrize(
    "change", [{"origin": "revealed"}, {"origin": "model"}, {"selected": "production_risk"}]
)
def test_labels_that_are_not_blind_or_were_selected_do_not_count(
    small_set: CalibrationSet, change: dict[str, str]
) -> None:
    Label.objects.filter(statement=_pk("jobs-001-b", "s1"), role="adjudication").update(**change)
    assert references.resolve(small_set, 1, 1).tiers["adjudicated"] == 0
    assert references.resolve(small_set, 1, 1).tiers["disputed"] == 2


def test_a_minimum_drops_lower_tiers_and_counts_them_still(small_set: CalibrationSet) -> None:
    everything = references.resolve(small_set, 1, 1)
    found = references.resolve(small_set, 1, 1, "consensus")
    assert {one.tier for one in found.references.values()} == {"adjudicated", "consensus"}
    assert found.tiers == everything.tiers
    assert found.digest != everything.digest


def test_an_unknown_tier_is_refused_with_the_field_named(small_set: CalibrationSet) -> None:
    with pytest.raises(BadInput) as caught:
        references.resolve(small_set, 1, 1, "disputed")
    assert caught.value.field == "reference"


def test_an_equal_snapshot_is_used_again_and_a_changed_one_is_new(
    small_set: CalibrationSet,
) -> None:
    first = references.snapshot(told_of(small_set, 1, 1))
    assert references.snapshot(told_of(small_set, 1, 1)) == first
    frozen = first.references[str(_pk("jobs-001-a", "s1"))]
    assert frozen[:3] == ["consensus", SUBJECT, SUPPORTED]
    Label.objects.filter(role="adjudication").update(origin="revealed")
    assert references.snapshot(told_of(small_set, 1, 1)).digest != first.digest
    assert ReferenceSnapshot.objects.count() == 2


def test_the_digest_does_not_depend_on_the_database(small_set: CalibrationSet) -> None:
    from tests.cast import SMALL

    call_command("import_set", "twin", SMALL)
    twin = references.resolve(sets.get("twin"), 1, 1)
    assert twin.digest == references.resolve(small_set, 1, 1).digest


def test_the_digest_is_of_the_rows_whatever_their_names(small_set: CalibrationSet) -> None:
    """Written piece by piece, it is what the canonical JSON of the whole list gives."""
    odd = ['quo"te', "back\\slash", "new\nline", "日本", "tab\t\x7f"]
    for case, name in zip(Case.objects.order_by("pk"), odd, strict=False):
        Case.objects.filter(pk=case.pk).update(case_id=name)
    found = references.resolve(small_set, 1, 1)
    named = {
        str(pk): ids
        for pk, *ids in Statement.objects.values_list("pk", "case__case_id", "statement_id")
    }
    rows = [[*named[pk], *answer] for pk, answer in found.frozen.rows().items()]
    listed = sorted(rows, key=lambda row: row[:2])
    assert found.digest == digest([1, 1, "author", listed])


@pytest.mark.parametrize(("days", "verdict"), [(1, SUPPORTED), (-1, CONTRADICTORY)])
def test_of_several_stored_adjudications_the_latest_decides(
    small_set: CalibrationSet, days: int, verdict: str
) -> None:
    first = Label.objects.get(statement=_pk("jobs-001-b", "s1"), role="adjudication")
    assert first.verdict == CONTRADICTORY
    assert first.labeled_at is not None
    other = Annotator.objects.create(set=small_set, code="another")
    first.pk, first.annotator, first.verdict = None, other, SUPPORTED
    first.labeled_at += timedelta(days=days)
    first.save(force_insert=True)
    found = references.resolve(small_set, 1, 1).references[first.statement_id]
    assert found == Reference("adjudicated", SUBJECT, verdict)


def test_the_number_of_queries_does_not_depend_on_size(
    small_set: CalibrationSet, django_assert_num_queries: object
) -> None:
    # The set as it stood is read out of its tables once.
    for taken in (13, 4):
        with django_assert_num_queries(taken):  # type: ignore[operator]
            references.resolve(small_set, 1, 1)


@pytest.mark.slow
def test_qags_has_953_consensus_references(db: None, data_folder: Path) -> None:
    call_command("import_set", "qags", data_folder / "qags")
    found = references.resolve(sets.get("qags"), 1, 1)
    assert found.tiers == {
        "adjudicated": 0, "consensus": 953, "single": 0, "author": 0, "disputed": 0, "none": 0,
    }  # fmt: skip


def _pk(case_id: str, statement_id: str) -> int:
    return Statement.objects.get(
        case__case_id=case_id, statement_id=statement_id, case__set__slug="small"
    ).pk
