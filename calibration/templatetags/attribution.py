"""An answer tied to its sources: claims drawn by hue, shape and word, each with the number of its
note; quotes with the numbers of the claims that cite them. Every mark is a link, so that it all
works without a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from django import template
from django.utils.safestring import SafeString, mark_safe

from calibration.readings.answer_pages import Claim
from calibration.readings.attribution import Stretch, claim_of
from labeling.templatetags.assize import verdict
from labeling.wording.faithful import faithful
from labeling.wording.markup import format_html, joined
from labeling.wording.vocabulary import words

register = template.Library()

# Of claims that overlap, the one that is drawn.
_WORST_FIRST: Final = ("contradictory", "unsupported", "none", "supported", "not_applicable")
_SAID: Final = frozenset({"contradictory", "unsupported"})
_WHOSE: Final = {"h": "reference", "j": "judge"}
_NOTHING: Final = mark_safe("")


@register.simple_tag
def claimed(
    stretches: Iterable[Stretch], verdicts: Mapping[str, str], unclaimed: str | None
) -> SafeString:
    """The answer, each claim followed by the link to its note; belongs inside class "text".
    ``unclaimed`` is the id of the list of what is in no claim, None where nobody can tell."""
    return joined(_claimed(one, verdicts, unclaimed) for one in stretches)


@register.simple_tag
def claims_listed(claims: Iterable[Claim]) -> SafeString:
    """Each with its verdict, or why it has none, and the link to its note."""
    return format_html('<ul class="floating">{}</ul>', joined(map(_listed, claims)))


@register.simple_tag
def quoted(stretches: Iterable[Stretch]) -> SafeString:
    """A passage, each quote followed by links to the claims that cite it; inside class "text"."""
    return joined(_quoted(one) for one in stretches)


def _listed(claim: Claim) -> SafeString:
    missing = format_html('<span class="chip inconclusive">{}</span>', words(claim.missing))
    return format_html(
        '<li>{} <span class="text"><a href="#{}" data-claims="{}">{}</a></span></li>',
        verdict(claim.verdict) if claim.verdict else missing,
        claim.name,
        claim.name,
        faithful(claim.statement.text),
    )


def _claimed(one: Stretch, verdicts: Mapping[str, str], unclaimed: str | None) -> SafeString:
    if not one.names:
        return _unclaimed(one.text, unclaimed) if one.bare and unclaimed else faithful(one.text)
    drawn = min((verdicts[name] for name in one.names), key=_WORST_FIRST.index)
    return format_html(
        '<span class="claimed" data-verdict="{}" data-claims="{}">{}{}</span>{}',
        drawn,
        " ".join(one.names),
        _anchors(f"at-{name}" for name in one.begins),
        faithful(one.text),
        joined(_note(name, verdicts[name]) for name in one.ends),
    )


def _unclaimed(text: str, listed: str) -> SafeString:
    """Words in no claim, and that in words; the space around them is nobody's."""
    head, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return format_html(
        '{}<span class="unclaimed">{}</span><a class="noteref" href="#{}">in no claim</a>{}',
        faithful(head),
        faithful(text.strip()),
        listed,
        faithful(tail),
    )


def _note(name: str, verdict: str) -> SafeString:
    """The number of a claim's note; what floats free says so in words."""
    said = format_html(" {}", words(verdict)) if verdict in _SAID else _NOTHING
    return format_html(
        '<a class="noteref" data-verdict="{}" data-claims="{}" href="#{}">{}{}'
        '<span class="visually-hidden">: {}</span></a>',
        verdict,
        name,
        name,
        name[1:],
        said,
        "note of this claim" if said else f"{_of(verdict)}, note of this claim",
    )


def _of(verdict: str) -> str:
    return "without a verdict" if verdict == "none" else words(verdict)


def _quoted(one: Stretch) -> SafeString:
    if not one.names:
        return faithful(one.text)
    claims = list(dict.fromkeys(map(claim_of, one.names)))
    whose = sorted({_WHOSE[name[0]] for name in claims})
    return format_html(
        '<mark class="quote {}" data-claims="{}">{}{}</mark>{}',
        " ".join(f"of-{side}" for side in whose),
        " ".join(claims),
        _anchors(one.begins),
        faithful(one.text),
        joined(_back(name) for name in one.ends),
    )


def _back(mark: str) -> SafeString:
    name = claim_of(mark)
    return format_html(
        '<a class="noteref" data-claims="{}" href="#{}">{} {}'
        '<span class="visually-hidden">: cited for this claim</span></a>',
        name,
        name,
        _WHOSE[name[0]],
        name[1:],
    )


def _anchors(names: Iterable[str]) -> SafeString:
    return joined(format_html('<span class="anchor" id="{}"></span>', one) for one in names)
