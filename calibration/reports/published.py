"""The order in which a report's keys are published.

PostgreSQL keeps no order of keys in the documents that it stores, and a report must read the same
whichever database it comes from.
"""

from __future__ import annotations

from typing import Any, Final

from calibration.agreement.answering import BEHAVIOURS, UNDECIDED
from calibration.agreement.columns import CLAIM_TYPES, CLASSES, OUTCOMES, SPEECH_ACTS, VERDICTS
from calibration.agreement.selfcheck import FATES
from calibration.agreement.stages import BASES
from grounding.tracing import TRACED, UNTRACED

# One list for all levels: where a key stands on several, its neighbours are in the same order.
_KEYS: Final = (
    *("set", "rubric", "run", "slug", "revision", "name", "version"),
    *("id", "status", "judge_models", "seed", "reference", "minimum"),
    *("digest", "scope_digest", "tiers"),
    *("adjudicated", "consensus", "single", "author", "disputed", "none"),
    *("outcomes", "planned", *OUTCOMES),
    *("compared", "without_reference", "class_not_labelled", "class_not_judged"),
    *("without_evidence", "overall", "claim_class", "verdict", "class", "verdict_given_class"),
    *("by_class", "by_verdict", "by_class_and_verdict"),
    *("by_claim_type", "by_pair_kind", "by_speech_act", "by_tag", "by_risk", "tags_left_out"),
    *(*CLASSES, *VERDICTS, *CLAIM_TYPES, *SPEECH_ACTS),
    *("cases", "decided", "undecided", *UNDECIDED, "agreement"),
    *("kappa", "ac1", "mcc", "per_verdict", "per_class"),
    *("shared", "precision", "recall", "f1", "f1_score", "iou"),
    *("confusion", "labels", "rows_human_columns_judge"),
    *("lenient", "strict", "class_escape", "severity", "weights"),
    *("direction", "judged", "weight"),
    *("pairs", "count", "value", "n", "rate", "interval", "reason"),
    *("both_right", "lenient_collapse", "strict_collapse", "inverted", "other", "incomplete"),
    *("low", "high", "confidence", "with", "without", "brier", "reliability", "resolution"),
    *("uncertainty", "within", "expected_error", "chance_error", "bins"),
    *("evidence", "both_cite", "apart", "only_human", "only_judge"),
    *("floor", "always_majority", "always_majority_cell"),
    *("always_majority_lenient", "always_majority_strict", "judges", "kind", "right"),
    *("humans", "units", "ratings", "raters", "rated_once", "failed"),
    *("self_agreement", "repeats", "statements", "too_few", "clusters", "pairwise"),
    *("injection", "flipped", "twins", *FATES, "closed_book", "leaked"),
    *("alpha", "ceiling", "ties"),
    *("alternative_annotator", "epsilon", "q", "min_annotators", "min_statements", "min_tested"),
    *("of_two", "left_out", "tested", "untested", "stands_in", "winning_rate", "advantage"),
    *("who", "annotators", "annotator", "judge_as_good", "annotator_as_good", "test"),
    *("adjusted", "won", "by_epsilon"),
    *("answers", "grounded", "claims", "human", "judge", "difference"),
    *("policy", "ratio_threshold", "contradiction_fails", "strict_claim_types"),
    *("stated_by_rubric", "speech_acts", "not_judged", "refusals"),
    *("abstention", "should_abstain", "answerable", *BEHAVIOURS, "unread", "not_stated"),
    *("failure_source", "ungrounded", *TRACED, "untraced", *UNTRACED, "basis", *BASES),
    *("searched_by", "gap", "captured", "dropped", "lost"),
    *("holdout", "looks", "min", "median", "max", "versions", "worn"),
    *("passage_id", "source_id", "quote", "start", "end"),
)
_RANK: Final = {str(key): rank for rank, key in enumerate(dict.fromkeys(_KEYS))}


def in_order(document: Any) -> Any:
    """The same document with the keys of every object in order, those unknown last by name."""
    if isinstance(document, list):
        return [in_order(item) for item in document]
    if not isinstance(document, dict):
        return document
    keys = sorted(document, key=lambda key: (_RANK.get(key, len(_RANK)), key))
    return {key: in_order(document[key]) for key in keys}


def figures_in_order(figures: dict[str, Any]) -> dict[str, Any]:
    """A report's figures; pair kinds and tags are anyone's words, so those stand by name, and
    these, of which there may be many, with the most frequent first."""
    ordered: dict[str, Any] = in_order(figures)
    ordered["by_pair_kind"] = dict(sorted(ordered["by_pair_kind"].items()))
    for key in ("by_tag", "by_risk"):
        if key in ordered:
            ordered[key] = dict(sorted(ordered[key].items(), key=_most_frequent_first))
    return ordered


def _most_frequent_first(entry: tuple[str, Any]) -> tuple[int, str]:
    name, rate = entry
    return -rate["n"], name
