"""Emblems of leagues: a shield derived from the slug, or chosen by the owners.

By default, bytes of the slug's SHA-256 select the division of the field, the charge and one of twelve hues. Colours
are CSS classes: ``f`` field, ``g`` second field, ``c`` charge, ``s`` charge drawn as a line, ``r`` rim.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from django.utils.functional import Promise

from league.models.emblem_names import CHARGES as CHARGE_NAMES
from league.models.emblem_names import COLOURS
from league.models.emblem_names import DIVISIONS as DIVISION_NAMES


class Division(NamedTuple):
    """A division of the field. path: the part in the second colour."""

    key: str
    label: str | Promise
    path: str


class Charge(NamedTuple):
    """A symbol on the field, centred at 24, 25. line: whether it is drawn as a line."""

    key: str
    label: str | Promise
    line: bool
    path: str


#: The shield, in a view box of 48 by 56, and its inner rim.
SHIELD = "M5 4h38v22.500c0 12-7.400 20.300-19 25.900C12.400 46.800 5 38.500 5 26.500z"
RIM = "M7.500 6.500h33v20c0 10.600-6.400 17.900-16.500 23C13.900 44.400 7.500 37.100 7.500 26.500z"
DIVISION_PATHS = {
    "plain": "",
    "pale": "M24 4h19v22.500c0 12-7.400 20.300-19 25.900z",
    "fess": "M5 4h38v17H5z",
    "bend": "M43 9v17.500c0 12-7.400 20.300-19 25.900-3-1.500-5.800-3.200-8.200-5.200z",
    "chevron": "M5 37 24 22l19 15c-3.100 6.600-9.200 11.500-19 15.400C14.200 48.500 8.100 43.600 5 37z",
    "paly": "M5 4h9.500v39.500C8.500 38.500 5 32.500 5 26.500zM24 4h9.500v43c-2.900 2-6.100 3.800-9.500 5.400z",
    "chief": "M5 4h38v11H5z",
}
#: Paths of filled symbols, and of those drawn as lines.
FILLED = {
    "heart": "M24 37C15.400 30.700 12 26.700 12 22a6 6 0 0 1 12-2 6 6 0 0 1 12 2c0 4.700-3.400 8.700-12 15z",
    "spade": "M24 13l10 11a6 6 0 0 1-8.500 8.500l2.500 6h-8l2.500-6A6 6 0 0 1 14 24z",
    "diamond": "M24 12.500 33.500 25 24 37.500 14.500 25z",
    "star": "M24 12l3.500 8.600 9.300.700-7.100 6 2.200 9-7.900-4.900-7.900 4.900 2.200-9-7.100-6 9.300-.700z",
    "crown": "M13 18l5.500 5 5.500-9 5.500 9 5.500-5-2.500 14h-17zM15.500 34h17v3h-17z",
    "club": (
        "M24 12.5a5.2 5.2 0 0 1 4.3 8.1 5.2 5.2 0 1 1-2.7 8.9"
        "L28 37h-8l2.4-7.5a5.2 5.2 0 1 1-2.7-8.9A5.2 5.2 0 0 1 24 12.5z"
    ),
    "cup": (
        "M17 13h14v2h4.5c0 6-2.5 9-5.7 9.6-1 2-2.6 3.6-4.3 4.2V33H30v3.5H18V33h4.5v-4.2"
        "c-1.7-.6-3.3-2.2-4.3-4.2-3.2-.6-5.7-3.6-5.7-9.6H17z"
    ),
    "tower": "M15 13h4.5v3H22v-3h4v3h2.5v-3H33v7.5L30.5 23l1 9.5H34v4.5H14v-4.5h2.5l1-9.5-2.5-2.5z",
}
LINES = {
    "waves": "M13 20q5.500-6 11 0t11 0M13 26.500q5.500-6 11 0t11 0M13 33q5.500-6 11 0t11 0",
    "wheel": "M13 25.500a11 11 0 1 0 22 0a11 11 0 1 0-22 0M24 14.500v22M14.500 20l19 11M33.500 20l-19 11",
    "ladder": "M18 13v25M30 13v25M18 19h12M18 25.500h12M18 32h12",
    "scales": "M24 13v24M15 19h18M18 19l-5 9h10zM30 19l-5 9h10z",
    "die": "M15 16.5h18v18H15zM20 21.5v.01M28 21.5v.01M24 25.5v.01M20 29.5v.01M28 29.5v.01",
    "ball": "M13 25.5a11 11 0 1 0 22 0a11 11 0 1 0-22 0M16 18q8 7.5 0 15M32 18q-8 7.5 0 15",
    "anchor": (
        "M24 18v19M18 21.5h12M13.5 28.5c1 5.5 5.5 8.5 10.5 8.5s9.5-3 10.5-8.5"
        "M21.5 15.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0"
    ),
    "swords": "M15 14l16.5 18.5M33 14L16.5 32.5M14.5 29.5l5 5M33.5 29.5l-5 5",
}
DIVISIONS = tuple(Division(key, label, DIVISION_PATHS[key]) for key, label in DIVISION_NAMES)
CHARGES = tuple(Charge(key, label, key in LINES, (FILLED | LINES)[key]) for key, label in CHARGE_NAMES)
#: The number of charges that slugs can select; these must not change.
BY_SLUG = 9
HUES = len(COLOURS)
#: Length of a picture's digest in its URL.
PICTURE = 16


@dataclass(frozen=True)
class Emblem:
    """The division of the field, charge and hue (1 to 12) to draw; or the digest of the picture shown instead."""

    division: Division
    charge: Charge
    hue: int
    picture: str = ""


def get_emblem(league: Any) -> Emblem:
    """Return the emblem of a league, or the default emblem of a slug."""
    slug = league if isinstance(league, str) else league.slug
    first, second, third = sha256(slug.encode()).digest()[:3]
    drawn = DIVISIONS[first % len(DIVISIONS)], CHARGES[second % BY_SLUG], 1 + third % HUES
    if isinstance(league, str):
        return Emblem(*drawn)
    return Emblem(
        next((option for option in DIVISIONS if option.key == league.division), drawn[0]),
        next((option for option in CHARGES if option.key == league.charge), drawn[1]),
        next((index for index, (key, _label) in enumerate(COLOURS, start=1) if key == league.colour), drawn[2]),
        league.picture[:PICTURE],
    )
