"""Closed lists of words that exclude one another: opposites, colours, nationalities …

Each line is a group; in it, sides that exclude each other stand between semicolons, and
words on one side stand for one another. The lists were written by hand; nothing here is fitted.
"""

from __future__ import annotations

from typing import Final

Place = tuple[int, int]


def _words(listed: str) -> list[str]:
    return listed.split()


_SIDES: Final = """
increase rise grow climb soar surge gain; decrease fall drop decline shrink plunge sink
increased rose grew climbed soared surged; decreased fell dropped declined shrank plunged
above over exceed exceeded; below under beneath
before prior preceding; after following since
first; last final
earlier; later
early; late
more; fewer less
most; least fewest
highest tallest; lowest shortest
largest biggest greatest; smallest tiniest
maximum; minimum
higher taller; lower shorter
larger bigger greater; smaller tinier
better; worse
best; worst
faster quicker; slower
fast quick rapid; slow
longer; briefer
stronger; weaker
strong; weak
hot; cold
warm; cool
large big huge enormous vast; small little tiny
long; brief
high tall; low
old elderly aged; young
older elder; younger
oldest eldest; youngest
new; ancient
heavy; light
full; empty
open opened opens; close closed closes shut
start started begin began begun launched; end ended finish finished stop stopped cease ceased
win won; lose lost
buy bought purchase purchased; sell sold
import imported; export exported
accept accepted approve approved; reject rejected refuse refused decline declined
allow allowed permit permitted; forbid forbidden prohibit prohibited ban banned
include included including; exclude excluded excluding
succeed succeeded success; fail failed failure
pass passed; fail failed
enable enabled; disable disabled
connect connected; disconnect disconnected
lock locked; unlock unlocked
safe; unsafe dangerous
legal; illegal
possible; impossible
true; false
correct; incorrect wrong
same identical; different distinct
public; private
internal; external
inside indoors indoor; outside outdoors outdoor
alone; together
alive living; dead deceased
born; died
married; divorced
male; female
man men gentleman; woman women lady
boy; girl
husband; wife
father dad; mother mom mum; brother; sister; son; daughter; uncle; aunt
grandfather; grandmother
king; queen; prince; princess
actor; actress
happy glad cheerful; sad unhappy
asleep sleeping; awake
sitting seated sit sits; standing stand stands; running run runs; lying; swimming swim swims;\
 jumping jump jumps; walking walk walks; sleeping sleep sleeps; dancing dance dances
empty; crowded
wet; dry
clean; dirty
rich wealthy; poor
cheap inexpensive; expensive costly
easy simple; difficult hard
day daytime; night nighttime
morning; afternoon; evening
summer; winter; spring; autumn fall
north northern; south southern; east eastern; west western
northeast northeastern; northwest northwestern; southeast southeastern; southwest southwestern
left; right
up upward upwards; down downward downwards
arrive arrived; depart departed
urban; rural
major; minor
mandatory compulsory required; optional voluntary
temporary; permanent
daily; weekly; monthly; quarterly; yearly annual annually
positive; negative
profit; loss
credit; debit
landlord lessor; tenant lessee
buyer; seller
plaintiff; defendant
employer; employee
professional; amateur
fiction fictional; nonfiction
able; unable
happy; unhappy
likely; unlikely
known famous; unknown
usual; unusual
common; uncommon rare
changed; unchanged
finished complete completed; unfinished incomplete
limited; unlimited
aware; unaware
available; unavailable
certain; uncertain
popular; unpopular
successful; unsuccessful
official; unofficial
employed; unemployed
paid; unpaid
stable; unstable
fair; unfair
healthy; unhealthy sick ill
necessary; unnecessary
related; unrelated
visible; invisible
active; inactive
accurate precise; inaccurate
valid; invalid
direct; indirect
dependent; independent
formal; informal
regular; irregular
relevant; irrelevant
mature; immature
mortal; immortal
appear appeared; disappear disappeared vanish vanished
agree agreed; disagree disagreed
like liked; dislike disliked
honest; dishonest
present; absent
add added; subtract subtracted remove removed
attack attacked; defend defended
borrow borrowed; lend lent
build built; demolish demolished destroy destroyed
create created; destroy destroyed
arrive came; leave left depart
remember remembered; forget forgot forgotten
push pushed; pull pulled
raise raised; lower lowered
teach taught; learn learned
laugh laughed laughing; cry cried crying
smile smiling; frown frowning
love loved; hate hated
peace; war
victory; defeat
friend; enemy
front; back rear
top; bottom
inner; outer
wide broad; narrow
deep; shallow
thick; thin
soft; loud
bright; dark
sharp; blunt
smooth; rough
sweet; bitter sour
fresh; stale rotten
loose; tight
ancient; modern
domestic; foreign
guilty; innocent
superior; inferior
vertical; horizontal
solid; liquid; gas
carnivore carnivorous; herbivore herbivorous
red; blue; green; yellow; orange; purple; pink; black; white; brown; grey gray
monday; tuesday; wednesday; thursday; friday; saturday; sunday
american; british; english; french; german; italian; spanish; portuguese; dutch; belgian; swiss;\
 austrian; swedish; norwegian; danish; finnish; polish; russian; ukrainian; czech; hungarian;\
 greek; turkish; irish; scottish; welsh; canadian; mexican; brazilian; argentine argentinian;\
 chilean; colombian; australian; chinese; japanese; korean; indian; pakistani; iranian; iraqi;\
 israeli; egyptian; nigerian; kenyan; indonesian; filipino; vietnamese; thai
film movie; book novel; album; song; play; painting; magazine
gold; silver; bronze
dog; cat; horse; cow; sheep; bird; fish
bicycle bike; motorcycle; car automobile; truck lorry; bus; train; boat ship; airplane plane
piano; guitar; violin; drums; trumpet; flute
football soccer; basketball; baseball; tennis; hockey; golf; rugby; cricket; volleyball
"""

_QUANTIFIERS: Final = """
none nobody; few; some several; many numerous; most majority; all every each everyone everybody
"""

HEDGES: Final = frozenset(
    _words("""
    may might could possibly perhaps maybe probably likely reportedly allegedly apparently
    presumably potentially suspected suspect alleged proposed planned expected tentative
    tentatively suggests suggest believed estimated plans intends considering seems appears
    """)
)
SOFTENED: Final = frozenset(_words("can thought think thinks considered said says about around"))
"""Weaker reservations: they add nothing to a text's, and in a claim they keep one."""

UNIVERSAL: Final = frozenset(
    _words("all every each everyone everybody always never none nobody only exclusively entirely")
)

SPEAKER: Final = frozenset(_words("i me my mine myself we our us"))
ADDRESSED: Final = frozenset(_words("you your yours"))
_REMARKS: Final = frozenset(
    _words("""
    think guess love hate favorite favourite enjoy prefer hope wish glad sure cool awesome amazing
    yeah yes wow oh haha interesting
    """)
)
OPENERS: Final = SPEAKER | ADDRESSED | _REMARKS
"""Words that open a remark with a capital and are nobody's name."""


def _groups(listed: str) -> dict[str, tuple[Place, ...]]:
    found: dict[str, tuple[Place, ...]] = {}
    for group, line in enumerate(listed.strip().splitlines()):
        for side, words in enumerate(line.split(";")):
            for word in words.split():
                found[word] = (*found.get(word, ()), (group, side))
    return found


SIDES: Final = _groups(_SIDES)
"""Word → every (group, side) it stands in."""

QUANTIFIERS: Final = {word: places[0][1] for word, places in _groups(_QUANTIFIERS).items()}
"""Quantifier → its place on the scale from none to all."""
ALL: Final = max(QUANTIFIERS.values())
