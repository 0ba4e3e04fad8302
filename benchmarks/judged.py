"""A set of any size with references and finished runs of ten rubric versions, filled by
PostgreSQL itself: through the app a million judgments would take longer than all measurements.

Cases come in pairs and have two statements each. Every statement has an expectation; three in ten
have one label, three have two, which now and then differ and are then mostly decided. Each
version repeats the author in about eight of ten statements; what it passes cites its passage,
every third states a confidence, one in a hundred failed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

VERSIONS = 10
_SHIPPED = Path("calibration/rubrics")

# A number below 100 for each row and purpose, the same each time.
_ODDS = "(hashint8extended({of}, {salt}) & 1048575) % 100"
_EVIDENCE = (
    """'[{"passage_id": "p1", "source_id": null, "quote": "Nightly report", """
    """"start": 0, "end": 14}]'::jsonb"""
)
_CONTRACT = "1"

_CASES = """
INSERT INTO labeling_case (set_id, case_id, added_in, position, pair_id, pair_kind, question,
    context, answer, answerable, tags, source, licence, digest, content_digest)
SELECT {set}, '{slug}-' || lpad(n::text, 6, '0'), 1, n, 'pair-' || lpad((n / 2)::text, 6, '0'),
    (ARRAY['supported_vs_fabricated_number', 'subject_vs_external', 'true_but_silent_context'])
        [1 + n / 2 % 3],
    'What does the report list?',
    jsonb_build_array(
        jsonb_build_object('id', 'p1', 'source', null,
            'text', repeat('Nightly report ' || n || ': 3 failed jobs, 2 skipped. ', 8)),
        jsonb_build_object('id', 'p2', 'source', null,
            'text', repeat('Retries ended at 04:10, as on other nights. ', 8))),
    'Report ' || n || ' lists 3 failed jobs. A retry runs an operation again.', true,
    CASE WHEN n % 10 = 0 THEN '["benchmark", "risky"]'::jsonb ELSE '["benchmark"]'::jsonb END,
    'generated', 'CC0-1.0', 'sha256:' || lpad(n::text, 64, '0'), 'sha256:' || lpad(n::text, 64, '0')
FROM generate_series(0, {cases} - 1) AS n
"""
_STATEMENTS = """
INSERT INTO labeling_statement (case_id, key, statement_id, position, text, claim_type, speech_act)
SELECT c.id, gen_random_uuid(), 's' || side, side - 1,
    CASE side WHEN 1 THEN 'Report ' || c.position || ' lists 3 failed jobs.'
        ELSE 'A retry runs an operation again.' END,
    (ARRAY['quantity', 'date', 'entity', 'negation', 'quantifier', 'causal', 'qualitative', null])
        [1 + (c.position + side) % 8],
    CASE WHEN (c.position + side) % 50 = 0 THEN 'refusal' ELSE 'assertion' END
FROM labeling_case c CROSS JOIN generate_series(1, 2) AS side
WHERE c.set_id = {set} ORDER BY c.position, side
"""
_EXPECTATIONS = """
INSERT INTO labeling_expectation
    (statement_id, claim_class, verdict, rationale, evidence, contract_major)
SELECT id, claim_class,
    CASE WHEN claim_class = 'interpretation' THEN 'not_applicable' ELSE verdict END,
    'generated', {evidence}, {contract}
FROM (
    SELECT s.id,
        CASE WHEN {of_class} < 70 THEN 'subject_specific' WHEN {of_class} < 90 THEN 'external'
            ELSE 'interpretation' END AS claim_class,
        CASE WHEN c.position % 2 = 0 THEN 'supported' WHEN {of_verdict} < 60 THEN 'unsupported'
            ELSE 'contradictory' END AS verdict
    FROM labeling_statement s JOIN labeling_case c ON c.id = s.case_id WHERE c.set_id = {set}
) AS drawn
"""
_ANSWERS = """
SELECT s.case_id, s.claim_type, s.speech_act, e.statement_id, e.claim_class,
    {differs} AS differs,
    CASE WHEN e.claim_class <> 'interpretation' AND {differs} < {often} THEN
        CASE e.verdict WHEN 'supported' THEN 'unsupported' ELSE 'supported' END
        ELSE e.verdict END AS answer
FROM labeling_expectation e JOIN labeling_statement s ON s.id = e.statement_id
    JOIN labeling_case c ON c.id = s.case_id WHERE c.set_id = {set} ORDER BY s.id
"""
_LABELS = """
INSERT INTO labeling_label (statement_id, annotator_id, role, claim_class, verdict, rationale,
    evidence, premises, confidence, origin, contract_version, contract_major, labeled_at,
    recorded_at)
SELECT statement_id, {annotator}, '{role}', claim_class, answer, 'generated',
    CASE answer WHEN 'supported' THEN {evidence} ELSE '[]'::jsonb END, '[]'::jsonb,
    CASE WHEN statement_id % 3 = 0 THEN 0.8 END, 'blind', '1.0.0', {contract}, now(), now()
FROM ({answers}) AS drawn WHERE statement_id % 10 < {below}
"""
_JUDGMENTS = """
INSERT INTO calibration_judgment (run_id, statement_id, case_pk, repeat, outcome, claim_class,
    verdict, claim_type, speech_act, premises, evidence, evidence_repaired, without_evidence,
    explanation, confidence, judge_model, attempts, claims, judged_at, round)
SELECT {run}, statement_id, case_id, 0, 'graded', claim_class, answer, claim_type,
    speech_act, '[]'::jsonb,
    CASE answer WHEN 'supported' THEN {evidence} ELSE '[]'::jsonb END, false, false,
    'The passage says so word for word, or nothing of the kind.',
    CASE WHEN statement_id % 3 = 0 THEN (60 + differs % 40) / 100.0 END, '{model}', 2, 1, now(), 1
FROM ({answers}) AS drawn
"""
_FAILED = """
UPDATE calibration_judgment SET outcome = 'timeout', claim_class = null, verdict = null,
    evidence = '[]'::jsonb, claim_type = null, speech_act = null, confidence = null
WHERE run_id = {run} AND {odds} = 0
"""


def fill(slug: str, statements: int) -> list[Any]:
    """A new set of that many statements, and its finished runs: the first of the judge that costs
    nothing, the rest of one rubric's versions."""
    from django.db import connection

    from labeling.models import Annotator, CalibrationSet

    made = CalibrationSet.objects.create(slug=slug, title=slug, revision=1)
    names = {"set": made.pk, "slug": slug, "cases": statements // 2}
    people = [Annotator.objects.create(set=made, code=f"a-{n}").pk for n in range(3)]
    with connection.cursor() as cursor:
        _execute(cursor, _CASES, **names)
        _execute(cursor, _STATEMENTS, **names)
        _execute(
            cursor, _EXPECTATIONS, of_class=_odds("s.id", 1), of_verdict=_odds("s.id", 2), **names
        )
        for number, (annotator, below) in enumerate(zip(people, (6, 3, 1), strict=True)):
            role = "adjudication" if number == 2 else "label"
            answers = _answers(made.pk, 10 + number, often=8)
            of = {"annotator": annotator, "role": role, "below": below, "answers": answers}
            _execute(cursor, _LABELS, **of)
        runs = [_judged(cursor, made, n, statements) for n in range(VERSIONS)]
        for table in ("case", "statement", "expectation", "label"):
            cursor.execute(f"VACUUM ANALYZE labeling_{table}")
        cursor.execute("VACUUM ANALYZE calibration_judgment")
    return runs


def _judged(cursor: Any, made: Any, number: int, statements: int) -> Any:
    from django.utils import timezone

    from calibration.loading import judged
    from calibration.models import Run

    run = Run.objects.create(
        set=made,
        revision=1,
        rubric_version=_version(number),
        planned=statements,
        finished_at=timezone.now(),
    )
    answers = _answers(made.pk, 100 + number, often=22 - number)
    _execute(cursor, _JUDGMENTS, run=run.pk, model=f"model-{number}", answers=answers)
    _execute(cursor, _FAILED, run=run.pk, odds=_odds("statement_id", 200 + number))
    # As the worker does that finishes a run.
    judged.keep(run.pk)
    return run


def _version(number: int) -> Any:
    """The lexical judge, then a language model's versions in its labelling scope."""
    from calibration import rubrics
    from grounding.rubrics import load_rubric

    file = "groundedness-llm@1.0.0" if number else "groundedness@1.0.0"
    rubric = load_rubric((_SHIPPED / f"{file}.yaml").read_text(encoding="utf-8"))
    told = {"version": f"1.0.{max(0, number - 1)}", "title": f"{rubric.title}, {number}"}
    return rubrics.release(rubric.model_copy(update=told)).rubric_version


def _answers(set_pk: int, salt: int, *, often: int) -> str:
    return _ANSWERS.format(differs=_odds("e.statement_id", salt), often=often, set=set_pk)


def _odds(of: str, salt: int) -> str:
    return _ODDS.format(of=of, salt=salt)


def _execute(cursor: Any, sql: str, **names: object) -> None:
    cursor.execute(sql.format(evidence=_EVIDENCE, contract=_CONTRACT, **names))
