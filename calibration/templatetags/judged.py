"""Statements as reference and judge answer them, one by one: a page lists up to two hundred, so
each is drawn by one function and not by a template, which would take three times as long."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from calibration.readings import Part
from calibration.readings.comparisons import Compared
from labeling.templatetags.assize import class_and_verdict, number, words
from labeling.templatetags.marks import marked
from labeling.web.addresses import by_key
from labeling.wording.excerpts import Excerpt, Excerpts
from labeling.wording.faithful import faithful
from labeling.wording.markup import format_html, joined

register = template.Library()

LONGEST: Final = 300
"""Most characters of what a judge explains."""

_CARD: Final = (
    '<li class="card"><p class="parted-head"><a class="mono" href="{case}">{name}</a> '
    '<a class="hint" href="{judgment}">judgment<span class="visually-hidden"> of {name}</span></a> '
    '<a class="hint" href="{answer}">answer<span class="visually-hidden"> of {name}</span></a></p>'
    '<p class="text">{text}</p><dl class="versus">'
    '<div><dt>Reference</dt><dd>{human} <span class="hint">{tier}</span></dd></div>'
    "<div><dt>Judge</dt><dd>{judge}{why}{cites}</dd></div></dl>{quoted}</li>\n"
)
_OPEN: Final = mark_safe(" open")
_EXCERPT: Final = (
    '<div class="excerpt"><span class="passage-id">{}</span><p class="text">{}{}{}</p></div>'
)
_BEFORE: Final = mark_safe('<span class="none" aria-hidden="true">… </span>')
_AFTER: Final = mark_safe('<span class="none" aria-hidden="true"> …</span>')
_COMPARED: Final = (
    '<p class="text clip">{}</p><dl class="versus"><div><dt>Reference</dt><dd>{}</dd></div>'
    '<div><dt>Judge</dt><dd>{} <a class="hint" href="{}">judgment'
    '<span class="visually-hidden"> of {}</span></a></dd></div></dl>'
)
_NO_REFERENCE: Final = mark_safe('<span class="none">no reference</span>')
_MORE: Final = (
    '<p class="hint"><a href="{}">{} more passage{} in the case'
    '<span class="visually-hidden"> {}</span></a></p>'
)


@dataclass(frozen=True)
class _Addresses:
    case: Callable[[int], str]
    judgment: Callable[[int], str]
    answer: Callable[[int], str]


@register.simple_tag
def disagreements(parts: Iterable[Part], slug: str, report: int) -> SafeString:
    """Each with a link to its case, to the judgment and to the whole answer as ``report`` decides
    it; what it rests on is behind its summary."""
    to = _Addresses(
        by_key("case", slug), by_key("judgment", slug), by_key("report-answer", slug, report)
    )
    return joined(_card(part, to) for part in parts)


@register.simple_tag
def compared(one: Compared, case_id: str, address: str) -> SafeString:
    """A statement of a case, and what both sides make of it; ``address`` is its judgment's."""
    reference, judgment, statement = one.reference, one.judgment, one.judgment.statement
    return format_html(
        _COMPARED,
        faithful(statement.text),
        class_and_verdict(reference.claim_class, reference.verdict)
        if reference.verdict
        else _NO_REFERENCE,
        class_and_verdict(judgment.claim_class, judgment.verdict)
        if judgment.verdict
        else format_html('<span class="none">{}</span>', words(judgment.outcome)),
        address,
        f"{case_id} {statement.statement_id}",
    )


def _card(part: Part, to: _Addresses) -> SafeString:
    row, case = part.row, part.row.statement.case
    return format_html(
        _CARD,
        name=f"{case.case_id} {row.statement.statement_id}",
        case=to.case(case.pk),
        judgment=to.judgment(row.judgment_id),
        answer=to.answer(case.pk),
        text=faithful(row.statement.text),
        human=class_and_verdict(row.human_class, row.human_verdict),
        tier=row.tier,
        judge=class_and_verdict(row.judgment.claim_class, row.judgment.verdict),
        why=_why(row.judgment.explanation),
        cites=_cites(part.cited),
        quoted=_quoted(part.excerpts, to.case(case.pk), case.case_id),
    )


def _why(explanation: str | None) -> str:
    if not explanation:
        return ""
    return format_html(' <span class="text why">{}</span>', faithful(_beginning(explanation)))


def _beginning(text: str) -> str:
    """As the filter truncatechars has it, which takes its time over short texts too."""
    composed = unicodedata.normalize("NFC", text)
    return composed if len(composed) <= LONGEST else Truncator(text).chars(LONGEST)


def _cites(places: Iterable[str]) -> str:
    told = joined((format_html('<span class="mono">{}</span>', faithful(p)) for p in places), ", ")
    return format_html(' <span class="hint">cites {}</span>', told) if told else ""


def _quoted(found: Excerpts, case: str, case_id: str) -> SafeString:
    return format_html(
        "<details{}><summary>{}</summary>{}{}</details>",
        _OPEN if found.quoted else "",
        _summary(found),
        joined(map(_excerpt, found.shown)),
        _more(found.more, case, case_id),
    )


def _summary(found: Excerpts) -> str:
    if found.quoted:
        return "Quoted, in place"
    if found.shown:
        return "Nothing is quoted; how the passages begin"
    return "No passage was admitted"


def _excerpt(one: Excerpt) -> SafeString:
    before, after = _BEFORE if one.before else "", _AFTER if one.after else ""
    return format_html(_EXCERPT, one.id, before, marked(one.pieces), after)


def _more(count: int, case: str, case_id: str) -> str:
    if not count:
        return ""
    return format_html(_MORE, case, number(count), "" if count == 1 else "s", case_id)
