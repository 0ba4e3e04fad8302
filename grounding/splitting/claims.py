"""Answers into atomic claims, each with the qualifiers that govern it. English.

Deterministic, offline, and conservative: a sentence is cut only by a rule that is sure of it
(`cutting`, `listing`), only where every word of it is said by one of its claims, and only
where no claim loses a qualifier (`losses`). All else stays whole, as one claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from grounding.language.grammar import words_of
from grounding.splitting.cutting import clauses
from grounding.splitting.listing import inside
from grounding.splitting.losses import dropped
from grounding.splitting.qualifiers import Qualifier, QualifierKind, qualifiers
from grounding.splitting.sentences import Sentence, sentences_of
from grounding.splitting.stretches import Clause, Form, Stretch, covered, written

IMPLEMENTATION: Final = 2
"""Raise it whenever any rule or word list could split any answer differently."""
LONGEST: Final = 2_000
"""Characters of a sentence beyond which it is left whole: no grammar was written for such."""
CONNECTING: Final = frozenset(
    ("and", "but", "while", "whereas", "although", "though", "who", "which", "that", "were", "are")
)
"""Words at which a sentence is cut; with marks and white space, all that claims leave out."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One atomic claim of an answer.

    ``covers`` are the stretches of the answer that it says, in code points, in the order of
    its text. Where that is one stretch the claim stands in the answer word for word:
    ``answer[start:end] == text``. Otherwise it was put together, and ``start`` and ``end`` are
    those of its sentence. ``qualifiers`` have offsets into ``text``.
    """

    text: str
    start: int
    end: int
    sentence: Sentence
    covers: tuple[Stretch, ...]

    @property
    def qualifiers(self) -> tuple[Qualifier, ...]:
        """What limits the claim, in the order of its text."""
        return qualifiers(self.text)

    @property
    def is_verbatim(self) -> bool:
        """Whether the claim stands in the answer word for word."""
        return (self.start, self.end) in self.covers


def claims_of(answer: str) -> tuple[Claim, ...]:
    """The claims of ``answer``, sentence by sentence, in order.

    Each sentence is covered by its claims: what stands in none of their stretches is white
    space, marks, and words of `CONNECTING`. Empty where the answer holds nothing else than
    white space. Raises BadInput where the sentence rules break on the text.
    """
    return tuple(claim for one in sentences_of(answer) for claim in _of_sentence(answer, one))


def _of_sentence(answer: str, sentence: Sentence) -> Iterator[Claim]:
    for form in _forms(answer, sentence):
        stretches = covered(form)
        start, end = (sentence.start, sentence.end) if len(form) > 1 else stretches[0]
        yield Claim(written(answer, form), start, end, sentence, stretches)


def _forms(answer: str, sentence: Sentence) -> Sequence[Form]:
    whole: Form = ((sentence.start, sentence.end),)
    if len(sentence.text) > LONGEST or sentence.text.rstrip("\"'”’)").endswith(("?", ":")):
        return [whole]
    forms = _divided(answer, sentence)
    if len(forms) == 1 or not _all_said(answer, sentence, forms):
        return [whole]
    if any(dropped(written(answer, form), sentence.text) for form in forms):
        return [whole]
    return forms


def _divided(answer: str, sentence: Sentence) -> list[Form]:
    front, wide = _fronted(answer, sentence)
    body = Clause(answer, front[1], sentence.end)
    if not body.words:
        return [((sentence.start, sentence.end),)]
    spans = (clauses(body) if wide else None) or [(body.words[0].start, sentence.end)]
    forms = [form for span in spans for form in inside(Clause(answer, *span))]
    return [_behind(front, form) for form in forms] if front[0] < front[1] else forms


def _fronted(answer: str, sentence: Sentence) -> tuple[Stretch, bool]:
    """The qualifier that opens the sentence up to its comma, and whether it surely governs
    clauses with subjects of their own: a time may be taken up by another."""
    opening = [one for one in qualifiers(sentence.text) if one.start == 0]
    longest = max(opening, key=lambda one: one.end, default=None)
    if longest is None or sentence.text[longest.end : longest.end + 1] != ",":
        return (sentence.start, sentence.start), True
    end = sentence.start + longest.end + 1
    return (sentence.start, end), longest.kind is not QualifierKind.TIME


def _behind(front: Stretch, form: Form) -> Form:
    first = form[0]
    if isinstance(first, tuple) and len(form) == 1 and first[0] - front[1] <= 1:
        return ((front[0], first[1]),)
    return (front, *form)


def _all_said(answer: str, sentence: Sentence, forms: Sequence[Form]) -> bool:
    said = [stretch for form in forms for stretch in covered(form)]
    return all(
        any(start <= word.start and word.end <= end for start, end in said)
        for word in words_of(answer, sentence.start, sentence.end)
        if word.is_word and word.low not in CONNECTING
    )
