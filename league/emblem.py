"""The emblem of a league: a shield drawn from its slug, the same on every page, on paper and as an icon.

Bytes of SHA-256 choose the division of the field, the charge and one of twelve hues. Colours are classes of the style
sheet: ``f`` field, ``g`` second field, ``c`` charge, ``s`` charge drawn as a line, ``r`` rim.
"""

from dataclasses import dataclass
from hashlib import sha256

#: The shield, in a picture of 48 by 56, and the rim inside it.
SHIELD = "M5 4h38v22.500c0 12-7.400 20.300-19 25.900C12.400 46.800 5 38.500 5 26.500z"
RIM = "M7.500 6.500h33v20c0 10.600-6.400 17.900-16.500 23C13.900 44.400 7.500 37.100 7.500 26.500z"
#: Half of the field, and other ways to divide it: the part in the second colour.
DIVISIONS = (
    "",
    "M24 4h19v22.500c0 12-7.400 20.300-19 25.900z",
    "M5 4h38v17H5z",
    "M43 9v17.500c0 12-7.400 20.300-19 25.900-3-1.500-5.800-3.200-8.200-5.200z",
    "M5 37 24 22l19 15c-3.100 6.600-9.200 11.500-19 15.400C14.200 48.500 8.100 43.600 5 37z",
    "M5 4h9.500v39.500C8.500 38.500 5 32.500 5 26.500zM24 4h9.500v43c-2.900 2-6.100 3.800-9.500 5.400z",
    "M5 4h38v11H5z",
)
#: (drawn as a line, path), each around 24, 25.
CHARGES = (
    (
        False,
        "M24 37C15.400 30.700 12 26.700 12 22a6 6 0 0 1 12-2 6 6 0 0 1 12 2c0 4.700-3.400 8.700-12 15z",
    ),
    (False, "M24 13l10 11a6 6 0 0 1-8.500 8.500l2.500 6h-8l2.500-6A6 6 0 0 1 14 24z"),
    (False, "M24 12.500 33.500 25 24 37.500 14.500 25z"),
    (False, "M24 12l3.500 8.600 9.300.700-7.100 6 2.200 9-7.900-4.900-7.900 4.900 2.200-9-7.100-6 9.300-.700z"),
    (True, "M13 20q5.500-6 11 0t11 0M13 26.500q5.500-6 11 0t11 0M13 33q5.500-6 11 0t11 0"),
    (True, "M13 25.500a11 11 0 1 0 22 0a11 11 0 1 0-22 0M24 14.500v22M14.500 20l19 11M33.500 20l-19 11"),
    (True, "M18 13v25M30 13v25M18 19h12M18 25.500h12M18 32h12"),
    (False, "M13 18l5.500 5 5.500-9 5.500 9 5.500-5-2.500 14h-17zM15.500 34h17v3h-17z"),
    (True, "M24 13v24M15 19h18M18 19l-5 9h10zM30 19l-5 9h10z"),
)
HUES = 12


@dataclass(frozen=True)
class Emblem:
    """What is drawn: the second field (empty: none), the charge, whether it is a line, and the hue, 1 to 12."""

    division: str
    charge: str
    line: bool
    hue: int


def emblem_of(slug: str) -> Emblem:
    """Return the emblem of a league."""
    first, second, third = sha256(slug.encode()).digest()[:3]
    line, charge = CHARGES[second % len(CHARGES)]
    return Emblem(DIVISIONS[first % len(DIVISIONS)], charge, line, 1 + third % HUES)
