"""Word lists that the rules name: mostly English."""

from __future__ import annotations

from typing import Final


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


STOP: Final = frozenset(
    _words(
        """
        a an the this that these those and or but nor so if then than as at by for from in into of
        off on onto out over to up with within about after before between during through under
        until upon via is are was were be been being am has have had having do does did doing will
        would shall can could may might must it its he him his she her hers they them their theirs
        we us our ours you your yours i me my mine who whom whose which what where when why how
        there here also just very too such own same some s t re ve ll d m lrb rrb lsb rsb yet well
        however while according
        """
    )
)

NEGATIONS: Final = frozenset(
    _words(
        """
        not no never none nobody nothing neither nor without cannot nowhere hardly barely unable
        pas jamais aucun aucune nicht kein keine keinen nie nunca ninguno ninguna nadie jamás
        nenhum não nessuno mai non не нет никогда لا لم لن ليس ليست नहीं न मत 没有
        """
    )
)
NEGATING_PHRASES: Final = (
    ("yet", "to"),
    ("failed", "to"),
    ("fails", "to"),
    ("refused", "to"),
    ("refuses", "to"),
    ("instead", "of"),
    ("rather", "than"),
)

NEGATING_MARKS: Final = ("不", "没", "沒", "未", "無", "ない", "ずに")
NEGATING_ENDINGS: Final = (frozenset({"なか", "かっ"}), frozenset({"ませ", "せん"}))
"""Negation in scripts without spaces, where no word stands by itself: as the first characters of
a pair, or as pairs that occur together."""

PRONOUNS: Final = frozenset(_words("he she it they his her its their him them"))

ANCHORS: Final = frozenset(
    _words(
        """
        the this that these those your my our his her its their he she it they we i you there both
        all each every most some
        """
    )
)
"""A statement that opens with one of these points at somebody or something in particular."""

SCALES: Final = {
    "dozen": 12,
    "hundred": 10**2,
    "thousand": 10**3,
    "k": 10**3,
    "lakh": 10**5,
    "million": 10**6,
    "mn": 10**6,
    "crore": 10**7,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
}

_UNITS = _words(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
    """
)
_TENS = _words("thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS: Final = {word: value for value, word in enumerate(_UNITS)} | {
    word: 30 + 10 * index for index, word in enumerate(_TENS)
}
_ORDINALS = _words(
    """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
    """
)
ORDINALS: Final = {word: value for value, word in enumerate(_ORDINALS, 1)} | {"thirtieth": 30}

# "One" is a pronoun or an article far more often than a count, so it marks no quantity.
UNCOUNTED: Final = frozenset({"one"})

LABELS: Final = frozenset(
    _words(
        """
        version v ver release build no nr number num id invoice order section chapter article rule
        room port line figure fig table page customer flight ticket case model gate coach seat hall
        batch part step phase level channel route bus platform paragraph clause item lot appendix
        act volume vol issue episode season grade type class zone group ward field sheet account
        """
    )
)
"""Before a number: it names something and measures nothing."""

MONTHS: Final = _words(
    """
    january february march april may june july august september october november december
    """
)
_MONTHS_ELSEWHERE = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
_SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
MONTH_NUMBERS: Final = {
    word: number
    for listed in (" ".join(MONTHS), *_MONTHS_ELSEWHERE, _SHORT_MONTHS)
    for number, word in enumerate(listed.split(), 1)
} | {"sept": 9}
"""Month name, lower case → 1 to 12. Names that are words too count only with a capital."""

IRREGULAR: Final = {
    form: base
    for base, forms in (
        line.split(":")
        for line in """
        go:went gone;make:made;take:took taken;say:said;get:got gotten;give:gave given
        become:became;begin:began begun;win:won;lose:lost;rise:rose risen;fall:fell fallen
        grow:grew grown;write:wrote written;speak:spoke spoken;know:knew known;see:saw seen
        come:came;run:ran;find:found;hold:held;keep:kept;leave:left;lead:led;meet:met;pay:paid
        sell:sold;send:sent;spend:spent;stand:stood;tell:told;think:thought;buy:bought
        bring:brought;build:built;catch:caught;choose:chose chosen;draw:drew drawn
        drive:drove driven;eat:ate eaten;fly:flew flown;show:shown;sing:sang sung;sit:sat
        steal:stole stolen;swim:swam swum;teach:taught;throw:threw thrown;wear:wore worn
        break:broke broken;fight:fought;feel:felt;lie:lying;die:dying;hear:heard;wake:woke
        man:men;woman:women;child:children;person:people;foot:feet;mouse:mice;life:lives
        wife:wives;leaf:leaves;half:halves;shelf:shelves;criterion:criteria
        """.replace("\n", ";").split(";")
        if ":" in line
    )
    for form in forms.split()
    for base in (base.strip(),)
}

SUFFIXES: Final = frozenset(
    _words(
        """
        isation ization ational ication ation ition ement iness ional ility ically ment ness tion
        sion able ible ance ence ical ious ist ism ity ion ive ant ent ful ous ian al er or ly ic
        y i
        """
    )
)
"""Endings that make one word of another: *dancer* of *dance*, *production* of *produce*."""
