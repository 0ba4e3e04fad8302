"""Words that stand for one another, and words that imply a wider one.

The lists were written by hand, of common English; nothing here is fitted. A word may stand in
several groups. Words of one group need not mean quite the same: a text that says the one is
taken to say the other, and the model weighs the rest.
"""

from __future__ import annotations

from typing import Final

_ALIKE: Final = """
movie film picture
tv television
photo photograph picture image snapshot
bike bicycle cycle
car automobile auto
plane airplane aeroplane aircraft
phone telephone
kid child youngster
baby infant toddler
guy man gentleman male
lady woman female
boy lad
mother mom mum mommy
father dad daddy
couple pair two
doctor physician
lawyer attorney solicitor
teacher instructor
author writer novelist
actor actress performer
singer vocalist
policeman policewoman police cop officer
soldier troop
student pupil
boss manager supervisor
staff employee worker personnel workforce
firm company business corporation enterprise
customer client
buyer purchaser
house home residence dwelling
apartment flat
store shop
road street
forest wood woodland
beach shore seaside
stone rock
sofa couch
rug carpet
cup mug
clothes clothing garment outfit
shirt t-shirt tee
trousers pants
sneaker trainer
hat cap
bag backpack rucksack
food meal dish
illness disease sickness
medicine drug medication
sport game
match game
contest competition tournament
prize award
band group
song track tune
record album
book novel
newspaper paper
article story piece
report account
picture painting
talk speak converse chat
say state tell mention note remark
announce declare proclaim
claim assert allege maintain
show demonstrate reveal indicate display
begin start commence launch
end finish conclude complete
stop halt cease
happen occur
make create produce
build construct erect
found establish set-up
buy purchase acquire
get receive obtain gain
give provide supply offer grant
help aid assist support
use utilize utilise employ
need require
want wish desire
try attempt endeavour endeavor
keep retain maintain preserve
change alter modify amend
fix repair mend
replace substitute
remove delete eliminate
choose select pick opt
allow permit let enable
forbid prohibit ban bar
stay remain
live reside dwell inhabit
die decease
kill murder slay
hit strike
beat defeat overcome
win victory triumph
lose defeat
own possess
hold carry grip
wear dress clad
eat consume
drink sip
cook prepare
run jog
jump leap hop
throw toss hurl
pull drag tug
look watch observe view see
stare gaze
smile grin
laugh giggle
cry weep sob
shout yell scream
rest relax
sleep nap asleep
ride cycle bike
drive steer
fly soar
swim bathe
climb scale
dance dancer
perform performance act
play player
compete race
write pen author
publish release issue
star feature
direct director
know recognise recognize
call name title term dub
think believe consider
like enjoy love
hate dislike loathe
fear afraid scared
join enter
leave depart exit quit
arrive reach come
go travel move head
return come-back
meet encounter
marry wed spouse
husband wife spouse
grow increase rise expand climb
fall drop decline decrease reduce
cut reduce lower
rise increase climb
include contain comprise consist
involve include
cause lead result
due because
prevent avoid avert
protect guard defend
attack assault
injure hurt wound
damage harm
destroy ruin demolish
explain clarify
describe depict portray
discuss debate
agree consent
refuse decline reject
approve accept endorse back
criticise criticize condemn
accuse charge
arrest detain
jail prison imprison
sentence jail
teach instruct educate
learn study
work job labour labor
hire employ recruit
fire dismiss sack
retire retirement
resign quit
pay spend
cost price
earn make
rent lease hire
big large huge enormous great giant massive vast
small little tiny miniature
fast quick rapid swift
old elderly aged ancient
young youthful
new recent latest
begin origin originate
happy glad cheerful joyful pleased
sad unhappy
angry mad furious
beautiful pretty lovely gorgeous
ugly unattractive
rich wealthy affluent
poor impoverished
famous well-known renowned celebrated known
popular well-liked
important significant major key crucial
main chief principal primary
common usual frequent widespread
rare uncommon unusual
different distinct various diverse several
same identical
many numerous lot plenty multiple several
most majority
nearly almost roughly approximately about around circa
exact precise
whole entire full total
part portion section piece
kind type sort form variety
area region zone
place location site spot
town city municipality
country nation state
world global worldwide earth globe
ocean sea
near close beside next alongside
far distant
above over
below under beneath underneath
hard difficult tough
easy simple
right correct
wrong incorrect false
sick ill unwell
fit healthy
tired exhausted
strong powerful
error mistake
aim goal purpose objective
idea concept notion
problem issue trouble difficulty
answer reply respond response
question ask query
money cash fund
yearly annual
begin inception
center centre
colour color
grey gray
theatre theater
defence defense
organise organize
organisation organization
programme program
favourite favorite
jewellery jewelry
licence license
tyre tire
aluminium aluminum
soccer football
fall autumn
holiday vacation
film-maker filmmaker
usa america american us united-states
uk britain british
england english
scotland scottish scot
wales welsh
ireland irish
france french
germany german
italy italian
spain spanish
portugal portuguese
netherlands dutch holland
belgium belgian
switzerland swiss
austria austrian
sweden swedish
norway norwegian
denmark danish dane
finland finnish
poland polish
russia russian
ukraine ukrainian
hungary hungarian
greece greek
turkey turkish
canada canadian
mexico mexican
brazil brazilian
argentina argentine argentinian
chile chilean
australia australian
china chinese
japan japanese
korea korean
india indian
pakistan pakistani
iran iranian
iraq iraqi
israel israeli
egypt egyptian
nigeria nigerian
kenya kenyan
cuba cuban
jamaica jamaican
thailand thai
vietnam vietnamese
europe european
asia asian
africa african
"""

_IMPLIES: Final = """
person people human someone somebody individual: man woman boy girl child kid guy lady gentleman\
 adult teenager baby toddler infant student teacher player worker doctor nurse actor actress singer\
 dancer writer author artist musician soldier policeman officer boss customer friend father mother\
 brother sister son daughter husband wife runner rider cyclist skier snowboarder surfer swimmer\
 climber athlete chef cook waiter farmer driver passenger crowd couple group team family male female
adult: man woman gentleman lady
child kid: boy girl baby toddler infant
parent: mother father mom dad
sibling: brother sister twin
male: man boy father brother son husband uncle king prince
female: woman girl mother sister daughter wife aunt queen princess
animal creature: dog cat horse cow sheep goat pig bird fish bear lion tiger elephant monkey puppy\
 kitten rabbit mouse wolf fox deer
dog canine: puppy poodle terrier retriever labrador collie greyhound
cat: kitten
vehicle: car truck bus van lorry motorcycle bicycle bike tractor taxi ambulance
boat: ship ferry canoe kayak sailboat yacht
athlete: runner swimmer skier gymnast footballer boxer sprinter
player: quarterback pitcher batter goalkeeper striker midfielder
musician: guitarist drummer pianist violinist singer vocalist bassist rapper
artist: singer musician rapper painter sculptor actor actress
instrument: guitar piano violin drum trumpet flute saxophone cello
sport: football soccer basketball baseball tennis hockey golf rugby cricket volleyball swimming\
 skiing boxing
outside outdoors outdoor: beach park street field yard garden mountain forest hill river lake grass\
 snow playground sidewalk road desert tree
inside indoors indoor: kitchen bedroom office classroom restaurant gym bathroom
water: pool lake river ocean sea pond stream
building: house school church hospital office tower skyscraper hotel museum library
furniture: chair table sofa couch bed desk bench
food: bread cake pizza sandwich fruit vegetable meat cheese soup salad rice pasta
drink beverage: beer wine coffee tea juice soda milk
fruit: apple banana orange grape strawberry cherry lemon
clothes clothing: shirt jacket coat dress skirt trousers jeans pants hat sweater uniform suit
film movie: comedy thriller documentary
relative: mother father brother sister uncle aunt cousin grandmother grandfather
color colour: red blue green yellow orange purple pink black white brown
move: run walk jump crawl ride drive fly swim climb
speak: announce declare lecture
vegetable: carrot potato tomato onion cabbage lettuce
tool: hammer saw drill wrench screwdriver
weapon: gun rifle sword knife bow spear pistol
metal: gold silver iron copper steel aluminium
crime: murder theft robbery burglary fraud assault
publication: book magazine newspaper journal
"""

Groups = frozenset[int]


def _own() -> dict[str, Groups]:
    found: dict[str, set[int]] = {}
    for group, line in enumerate(_ALIKE.strip().splitlines()):
        for word in line.split():
            found.setdefault(word, set()).add(group)
    return {word: frozenset(groups) for word, groups in found.items()}


def _wider(first: int) -> tuple[dict[str, Groups], dict[str, Groups]]:
    """(wide word → its groups, narrow word → the groups it implies)."""
    wide: dict[str, set[int]] = {}
    narrow: dict[str, set[int]] = {}
    for group, line in enumerate(_IMPLIES.strip().splitlines(), first):
        general, _, particular = line.partition(":")
        for word in general.split():
            wide.setdefault(word, set()).add(group)
        for word in (*general.split(), *particular.split()):
            narrow.setdefault(word, set()).add(group)
    return (
        {word: frozenset(groups) for word, groups in wide.items()},
        {word: frozenset(groups) for word, groups in narrow.items()},
    )


ALIKE: Final = _own()
"""Word → the groups that it stands in for others in."""
WIDER, IMPLIED = _wider(len(_ALIKE.strip().splitlines()))
"""Wide word → its groups; word → the groups that a text with it is about."""
