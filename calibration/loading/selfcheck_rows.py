"""What `selfcheck` computes from, of one run, beside the columns of its report."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.agreement import selfcheck
from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Codes, Flags, codebook
from calibration.agreement.selfcheck import INJECTED, Repeats, Words
from calibration.agreement.tags import Tagged
from calibration.loading import Loaded
from calibration.models import Run
from grounding.interchange.models import Outcome


def figures(run: Run, loaded: Loaded, fates: Words, *, seed: int) -> dict[str, Any]:
    columns = loaded.columns
    agreement = selfcheck.self_agreement(columns, repeats(run, loaded), seed=seed)
    return {
        "self_agreement": {"repeats": run.repeats, **agreement},
        "injection": selfcheck.injection(fates),
        "closed_book": selfcheck.closed_book(columns, loaded.pair_kinds),
    }


def fates(loaded: Loaded, tagged: Tagged) -> Words:
    """Of each pair, in the order of ``loaded.pairs``."""
    paired = loaded.columns.pair != NOTHING
    return selfcheck.fate_of_each(loaded.columns.where(paired), injected(loaded, tagged)[paired])


def repeats(run: Run, loaded: Loaded) -> Repeats:
    """Nothing of a run that judged each statement once, whose judgments are those loaded."""
    if run.repeats == 1:
        return Repeats(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
    places = {statement: row for row, statement in enumerate(loaded.statements.tolist())}
    verdicts, classes = codebook(VERDICTS), codebook(CLASSES)
    graded = run.judgments.filter(outcome=Outcome.GRADED.value).order_by("pk")
    rows = graded.values_list("statement_id", "verdict", "claim_class")
    coded = [
        (places[statement], verdicts[verdict], classes[claim_class])
        for statement, verdict, claim_class in rows.iterator(chunk_size=10_000)
    ]
    columns: Codes = np.array(coded, dtype=np.int64).reshape(-1, 3)
    return Repeats(columns[:, 0], columns[:, 1], columns[:, 2])


def injected(loaded: Loaded, tagged: Tagged) -> Flags:
    """Whether a row's case has the tag `selfcheck.INJECTED`."""
    if INJECTED not in tagged.names:
        return np.zeros(len(loaded.columns), dtype=np.bool_)
    held = tagged.case[tagged.tag == tagged.names.index(INJECTED)]
    return np.isin(loaded.columns.case, held)
