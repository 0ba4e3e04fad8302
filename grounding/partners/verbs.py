"""Base forms of verbs, where the spelling leaves no doubt. English."""

from __future__ import annotations

import re
from typing import Final

from grounding.language.grammar import PAST, PAST_OR_PARTICIPLE, PRESENT
from grounding.language.words import IRREGULAR

_MORE: Final = {
    "sank": "sink", "drank": "drink", "hid": "hide", "rang": "ring", "shook": "shake",
    "arose": "arise", "withdrew": "withdraw", "overcame": "overcome", "undertook": "undertake",
    "forgave": "forgive", "put": "put", "set": "set", "hit": "hit", "shot": "shoot",
    "struck": "strike", "laid": "lay", "fed": "feed", "read": "read", "broke": "break",
    "froze": "freeze", "bore": "bear", "underwent": "undergo", "befell": "befall",
}  # fmt: skip
# What -ed leaves, with and without the e that was there before it.
_SILENT_E: Final = re.compile(
    r"(?:[aeiou][vzc]|[lr][v]|[aeiou]s|u[rst]|ir|at|id|ud|[aeiou]dg|[rl]g|nc|rc|[bcdfgkptz]l|ag|eg|ak|ik"
    r"|ok|ap|im|um|nvok|th|ps|ns|os|is|u)$"
)
_PLAIN: Final = re.compile(
    r"(?:[aeiou]{2}[bdfgklmnprtwx]|[lnrsfpck]t|[nrl]d|[rlsnc]k|[lmr]p|rm|rn|wn|ll|ss|sh|ch|x|[aeo]y"
    r"|[aeo]w|er|en|on|it|et|sk|ff|zz|lm|mb)$"
)
_KNOWN: Final = {
    "invit": "invite", "unit": "unite", "excit": "excite", "cit": "cite", "quot": "quote",
    "us": "use", "creat": "create", "treat": "treat", "repeat": "repeat", "defeat": "defeat",
    "nam": "name", "hop": "hope", "stat": "state", "operat": "operate", "combin": "combine",
    "examin": "examine", "defin": "define", "determin": "determine", "complet": "complete",
    "delet": "delete", "compet": "compete", "mov": "move", "stor": "store", "explor": "explore",
    "liv": "live", "di": "die", "ti": "tie", "agre": "agree", "releas": "release", "caus": "cause",
    "rais": "raise", "increas": "increase", "decreas": "decrease", "leas": "lease", "fin": "fine",
    "focus": "focus", "discuss": "discuss", "chang": "change", "belong": "belong", "rang": "range",
    "arrang": "arrange", "charg": "charge", "develop": "develop", "escap": "escape",
    "visit": "visit",
    "host": "host", "ow": "owe", "own": "own", "phon": "phone", "retir": "retire", "star": "star",
    "fail": "fail", "control": "control", "sail": "sail", "kill": "kill", "cancel": "cancel",
    "travel": "travel", "ignit": "ignite", "promot": "promote", "devot": "devote", "not": "note",
    "debut": "debut", "vot": "vote", "hat": "hate", "tast": "taste", "clos": "close", "los": "lose",
    "chas": "chase", "ris": "rise", "rul": "rule", "settl": "settle", "tim": "time",
    "fram": "frame",
    "welcom": "welcome", "shap": "shape", "tap": "tape", "typ": "type", "declin": "decline",
    "join": "join", "continu": "continue", "argu": "argue", "rescu": "rescue", "valu": "value",
    "controll": "control", "cancell": "cancel", "travell": "travel", "excell": "excel",
    "requir": "require", "acquir": "acquire", "inquir": "inquire", "compell": "compel",
    "issu": "issue", "pursu": "pursue", "trad": "trade", "decid": "decide",
}  # fmt: skip


def base_of(verb: str) -> str | None:
    """``opened`` → open, ``contains`` → contain, ``took`` → take; None in any doubt."""
    if verb in PAST or verb in PAST_OR_PARTICIPLE or verb in _MORE:
        return _MORE.get(verb) or IRREGULAR.get(verb)
    if verb in PRESENT:
        return _of_present(verb)
    return _of_ed(verb) if verb.endswith("ed") and len(verb) > 3 else None


def _of_present(verb: str) -> str:
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes")) else verb[:-1]


def _of_ed(verb: str) -> str | None:
    stem = verb[:-2]
    if stem in _KNOWN:
        return _KNOWN[stem]
    if verb.endswith("ied"):
        return verb[:-3] + "y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsfze":
        return stem[:-1]
    if _PLAIN.search(stem):
        return stem
    return stem + "e" if _SILENT_E.search(stem) else None
