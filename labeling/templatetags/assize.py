"""What every page draws alike: verdicts, classes, people's text."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from django import template
from django.template import Context
from django.utils.dateformat import format as dated
from django.utils.safestring import SafeString, mark_safe

from labeling.web.addresses import by_key
from labeling.wording import faithful as faithful_text
from labeling.wording import markdown as markdown_text
from labeling.wording import vocabulary
from labeling.wording.markup import format_html

register = template.Library()

NONE = mark_safe('<span class="none">—</span>')


@register.filter
def faithful(text: str | None) -> SafeString:
    """A text that people wrote, every character kept; belongs inside class "text"."""
    return faithful_text.faithful(text or "")


@register.filter
def markdown(text: str | None) -> SafeString:
    """Markdown that a lead wrote, made harmless; belongs inside class "prose"."""
    return markdown_text.render(text or "")


@register.filter
def words(value: str | None) -> str:
    """A word of the vocabulary as people read it."""
    return vocabulary.words(value)


@register.filter
def sentence(value: object) -> str:
    """What an error says, to begin a line with: names stay as they are spelled."""
    return vocabulary.sentence(str(value))


@register.filter
def dashed(name: str) -> str:
    """The name of a field or row as the end of an id: ``a.context`` → a-context."""
    return name.replace(".", "-")


@register.filter
def number(value: int) -> str:
    """A count with its thousands set apart: 12,345."""
    return f"{value:,}"


@register.filter
def duration(seconds: float) -> str:
    """8.3 s below a minute, else 2 min 05 s."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest:02} s"


@register.filter(expects_localtime=True)
def moment(at: datetime | None) -> str:
    """Day and time as every page shows them: 3 Nov 2026, 14:05."""
    return dated(at, "j M Y, H:i") if at else ""


@register.filter(expects_localtime=True)
def day(at: datetime | None) -> str:
    return dated(at, "j M Y") if at else ""


@register.simple_tag
@lru_cache(maxsize=64)
def verdict(value: str | None) -> SafeString:
    """The chip of a verdict: hue, shape and word."""
    if not value:
        return NONE
    return format_html('<span class="verdict" data-verdict="{}">{}</span>', value, words(value))


@register.simple_tag
@lru_cache(maxsize=64)
def claim_class(value: str | None) -> SafeString:
    """The tag of a claim class; a dash where none is stated."""
    if not value:
        return NONE
    return format_html('<span class="claim-class">{}</span>', words(value))


@register.simple_tag
def class_and_verdict(of_class: str | None, word: str | None) -> SafeString:
    """What somebody answers; of the class nothing where none is stated."""
    chip = verdict(word)
    return format_html("{} {}", claim_class(of_class), chip) if of_class else chip


@register.simple_tag(takes_context=True)
def key_url(context: Context, name: str, *args: object) -> str:
    """As `url`, for a route that ends in a primary key: `reverse` goes through the routes once for
    all rows of a template."""
    *before, key = args
    known, route = context.render_context, repr((name, *before))
    if route not in known:
        known[route] = by_key(name, *before)
    found: str = known[route](key)
    return found
