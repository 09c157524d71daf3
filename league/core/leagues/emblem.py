"""Emblems of leagues: a shield derived from the slug, or chosen by the owners.

By default, bytes of the slug's SHA-256 select the division of the field, the charge and one of twelve hues. Colours
are CSS classes: ``f`` field, ``g`` second field, ``c`` charge, ``s`` charge drawn as a line, ``r`` rim.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


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


#: Derived from the slug.
AUTO = "auto"
#: The names of the hues, 1 to 12.
COLOURS = (
    ("claret", pgettext_lazy("colour", "Claret")),
    ("rust", pgettext_lazy("colour", "Rust")),
    ("amber", pgettext_lazy("colour", "Amber")),
    ("olive", pgettext_lazy("colour", "Olive")),
    ("green", pgettext_lazy("colour", "Green")),
    ("bottle", pgettext_lazy("colour", "Bottle green")),
    ("teal", pgettext_lazy("colour", "Teal")),
    ("steel", pgettext_lazy("colour", "Steel blue")),
    ("blue", pgettext_lazy("colour", "Blue")),
    ("indigo", pgettext_lazy("colour", "Indigo")),
    ("plum", pgettext_lazy("colour", "Plum")),
    ("raspberry", pgettext_lazy("colour", "Raspberry")),
)
#: The shield, in a view box of 48 by 56, and its inner rim.
SHIELD = "M5 4h38v22.500c0 12-7.400 20.300-19 25.900C12.400 46.800 5 38.500 5 26.500z"
RIM = "M7.500 6.500h33v20c0 10.600-6.400 17.900-16.500 23C13.900 44.400 7.500 37.100 7.500 26.500z"
#: Ways to divide the field.
DIVISIONS = (
    Division("plain", pgettext_lazy("field of a shield", "Plain"), ""),
    Division(
        "pale", pgettext_lazy("field of a shield", "Split vertically"), "M24 4h19v22.500c0 12-7.400 20.300-19 25.900z"
    ),
    Division("fess", pgettext_lazy("field of a shield", "Split horizontally"), "M5 4h38v17H5z"),
    Division(
        "bend",
        pgettext_lazy("field of a shield", "Split diagonally"),
        "M43 9v17.500c0 12-7.400 20.300-19 25.900-3-1.500-5.800-3.200-8.200-5.200z",
    ),
    Division(
        "chevron",
        pgettext_lazy("field of a shield", "Chevron"),
        "M5 37 24 22l19 15c-3.100 6.600-9.200 11.500-19 15.400C14.200 48.500 8.100 43.600 5 37z",
    ),
    Division(
        "paly",
        pgettext_lazy("field of a shield", "Stripes"),
        "M5 4h9.500v39.500C8.500 38.500 5 32.500 5 26.500zM24 4h9.500v43c-2.900 2-6.100 3.800-9.500 5.400z",
    ),
    Division("chief", pgettext_lazy("field of a shield", "Band at the top"), "M5 4h38v11H5z"),
)
#: The number of charges that slugs can select; these must not change.
BY_SLUG = 9
CHARGES = (
    Charge(
        "heart",
        pgettext_lazy("charge of a shield", "Heart"),
        False,
        "M24 37C15.400 30.700 12 26.700 12 22a6 6 0 0 1 12-2 6 6 0 0 1 12 2c0 4.700-3.400 8.700-12 15z",
    ),
    Charge(
        "spade",
        pgettext_lazy("charge of a shield", "Spade"),
        False,
        "M24 13l10 11a6 6 0 0 1-8.500 8.500l2.500 6h-8l2.500-6A6 6 0 0 1 14 24z",
    ),
    Charge(
        "diamond", pgettext_lazy("charge of a shield", "Diamond"), False, "M24 12.500 33.500 25 24 37.500 14.500 25z"
    ),
    Charge(
        "star",
        pgettext_lazy("charge of a shield", "Star"),
        False,
        "M24 12l3.500 8.600 9.300.700-7.100 6 2.200 9-7.900-4.900-7.900 4.900 2.200-9-7.100-6 9.300-.700z",
    ),
    Charge(
        "waves",
        pgettext_lazy("charge of a shield", "Waves"),
        True,
        "M13 20q5.500-6 11 0t11 0M13 26.500q5.500-6 11 0t11 0M13 33q5.500-6 11 0t11 0",
    ),
    Charge(
        "wheel",
        pgettext_lazy("charge of a shield", "Wheel"),
        True,
        "M13 25.500a11 11 0 1 0 22 0a11 11 0 1 0-22 0M24 14.500v22M14.500 20l19 11M33.500 20l-19 11",
    ),
    Charge(
        "ladder",
        pgettext_lazy("charge of a shield", "Ladder"),
        True,
        "M18 13v25M30 13v25M18 19h12M18 25.500h12M18 32h12",
    ),
    Charge(
        "crown",
        pgettext_lazy("charge of a shield", "Crown"),
        False,
        "M13 18l5.500 5 5.500-9 5.500 9 5.500-5-2.500 14h-17zM15.500 34h17v3h-17z",
    ),
    Charge(
        "scales",
        pgettext_lazy("charge of a shield", "Scales"),
        True,
        "M24 13v24M15 19h18M18 19l-5 9h10zM30 19l-5 9h10z",
    ),
    Charge(
        "club",
        pgettext_lazy("charge of a shield", "Club"),
        False,
        "M24 12.5a5.2 5.2 0 0 1 4.3 8.1 5.2 5.2 0 1 1-2.7 8.9"
        "L28 37h-8l2.4-7.5a5.2 5.2 0 1 1-2.7-8.9A5.2 5.2 0 0 1 24 12.5z",
    ),
    Charge(
        "cup",
        pgettext_lazy("charge of a shield", "Cup"),
        False,
        "M17 13h14v2h4.5c0 6-2.5 9-5.7 9.6-1 2-2.6 3.6-4.3 4.2V33H30v3.5H18V33h4.5v-4.2"
        "c-1.7-.6-3.3-2.2-4.3-4.2-3.2-.6-5.7-3.6-5.7-9.6H17z",
    ),
    Charge(
        "tower",
        pgettext_lazy("charge of a shield", "Tower"),
        False,
        "M15 13h4.5v3H22v-3h4v3h2.5v-3H33v7.5L30.5 23l1 9.5H34v4.5H14v-4.5h2.5l1-9.5-2.5-2.5z",
    ),
    Charge(
        "die",
        pgettext_lazy("charge of a shield", "Die"),
        True,
        "M15 16.5h18v18H15zM20 21.5v.01M28 21.5v.01M24 25.5v.01M20 29.5v.01M28 29.5v.01",
    ),
    Charge(
        "ball",
        pgettext_lazy("charge of a shield", "Ball"),
        True,
        "M13 25.5a11 11 0 1 0 22 0a11 11 0 1 0-22 0M16 18q8 7.5 0 15M32 18q-8 7.5 0 15",
    ),
    Charge(
        "anchor",
        pgettext_lazy("charge of a shield", "Anchor"),
        True,
        "M24 18v19M18 21.5h12M13.5 28.5c1 5.5 5.5 8.5 10.5 8.5s9.5-3 10.5-8.5"
        "M21.5 15.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
    ),
    Charge(
        "swords",
        pgettext_lazy("charge of a shield", "Swords"),
        True,
        "M15 14l16.5 18.5M33 14L16.5 32.5M14.5 29.5l5 5M33.5 29.5l-5 5",
    ),
)
HUES = len(COLOURS)
#: Length of a picture's digest in its URL.
PICTURE = 16
_FROM_NAME = _("From the name")
COLOUR_CHOICES = [(AUTO, _FROM_NAME), *COLOURS]
DIVISION_CHOICES = [(AUTO, _FROM_NAME), *((one.key, one.label) for one in DIVISIONS)]
CHARGE_CHOICES = [(AUTO, _FROM_NAME), *((one.key, one.label) for one in CHARGES)]


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
