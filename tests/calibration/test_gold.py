"""Annotators against statements whose answer is known."""

from __future__ import annotations

import pytest

from calibration import gold
from calibration.stats.rates import wilson
from labeling import queues
from labeling.models import Annotator, Assignment, Case, GoldStatement, Label, Queue, Statement
from labeling.queues import Terms
from labeling.queues.selections import Kind, Selection
from labeling.sets import annotators
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_set, label
from tests.cast import Cast

pytestmark = pytest.mark.django_db

KNOWN = "Ss"


@pytest.fixture
def queue(people: Cast) -> Queue:
    """Six gold statements, all supported; two annotators who met them, one who met none."""
    made = a_set([Row("..", "Ss")] * 7, slug="gilded")
    statements = list(Statement.objects.filter(case__set=made).order_by("position"))
    queue = queues.open_queue(made, people.lead, Terms("Round", overlap=1), Selection(Kind.ALL))
    for statement in statements[:6]:
        GoldStatement.objects.create(
            queue=queue,
            statement=statement,
            half=0,
            tier="adjudicated",
            claim_class="subject_specific",
            verdict="supported",
        )
    answers = {"ann-1": ["Ss", ".s", "Es", "Su", "Ss", None], "ann-2": ["Sc", None]}
    for code, said in answers.items():
        annotator = Annotator.objects.get_or_create(set=made, code=code)[0]
        for statement, letters in zip(statements, said, strict=False):
            met(queue, statement, annotator, letters)
    annotators.of(made, people.annotator)
    return queue


def met(queue: Queue, statement: Statement, annotator: Annotator, letters: str | None) -> None:
    work = Assignment.objects.create(
        queue=queue, statement=statement, annotator=annotator, gold=True, half=0, rank=0
    )
    if letters is not None:
        work.label = label(statement, annotator, letters, queue=queue)
        work.save()


def of(queue: Queue, code: str) -> gold.Line:
    return next(line for line in gold.lines(queue) if line.annotator.code == code)


def test_accuracy_counts_verdicts_and_both_of_what_was_answered(queue: Queue) -> None:
    line = of(queue, "ann-1")
    # Right: Ss, .s (no class stated), Ss. Es has the verdict alone, Su has neither.
    assert (line.verdict["count"], line.verdict["n"]) == (4, 5)
    assert (line.both["count"], line.both["n"]) == (3, 5)
    assert line.verdict["interval"] == list(wilson(4, 5))
    assert line.counts["unlabelled"] == 1


def test_gold_of_one_pair_is_as_sure_as_the_pair(queue: Queue) -> None:
    """Of the first six the first two, and the third with the fifth, become sides of a pair; all
    four are answered rightly by class and verdict or by verdict alone. Worth two."""
    for pair, ids in (("one", ("case-0", "case-1")), ("two", ("case-2", "case-4"))):
        Case.objects.filter(case_id__in=ids).update(pair_id=pair)
    Assignment.objects.filter(annotator__code="ann-1", label__verdict="unsupported").delete()
    line = of(queue, "ann-1")
    assert (line.verdict["count"], line.verdict["n"]) == (4, 4)
    assert line.verdict["interval"] == pytest.approx(list(wilson(2, 2)))


def test_who_answered_nothing_has_no_accuracy(queue: Queue) -> None:
    Label.objects.filter(annotator__code="ann-2").update(origin="revealed")
    line = of(queue, "ann-2")
    assert (line.verdict["rate"], line.verdict["n"]) == (None, 0)
    assert line.counts["not_blind"] == line.counts["unlabelled"] == 1


def test_only_those_who_met_gold_are_listed(queue: Queue) -> None:
    assert [line.annotator.code for line in gold.lines(queue)] == ["ann-1", "ann-2"]


@pytest.mark.parametrize("outcome", gold.OUTCOMES)
def test_a_number_is_the_length_of_its_list(queue: Queue, outcome: str) -> None:
    for line in gold.lines(queue):
        listed = gold.answers(queue, outcome, line.annotator)
        assert line.counts[outcome] == len(listed)
        assert {one.annotator for one in listed} <= {line.annotator}


def test_the_list_puts_the_answer_beside_what_was_known(queue: Queue) -> None:
    (one,) = gold.in_full(gold.answers(queue, "wrong_class"))
    assert (one.label.claim_class, one.known_class) == ("external", "subject_specific")
    assert (one.known_verdict, one.known_tier) == ("supported", "adjudicated")


def test_gold_of_another_queue_is_none_of_this_one_s(queue: Queue, people: Cast) -> None:
    other = queues.open_queue(queue.set, people.lead, Terms("Two"), Selection(Kind.ALL))
    assert gold.lines(other) == []
