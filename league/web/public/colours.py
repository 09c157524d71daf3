"""Colours of a hue as #rrggbb, for pictures in programs that do not support Oklch."""

import math
from functools import cache
from typing import NamedTuple

#: Lightness and chroma of the style sheet's --accent, --field, --field-2 and --charge.
ACCENT, FIELD, SECOND, CHARGE = (0.43, 0.115), (0.41, 0.12), (0.54, 0.125), (0.985, 0.012)


class Tints(NamedTuple):
    """The colours of a hue in the light theme."""

    accent: str
    field: str
    second: str
    charge: str


@cache
def compute_tints(degrees: float) -> Tints:
    """Return the colours of a hue."""
    return Tints(*(convert_oklch_to_hex(*values, degrees) for values in (ACCENT, FIELD, SECOND, CHARGE)))


def convert_oklch_to_hex(light: float, chroma: float, degrees: float) -> str:
    """Convert an Oklch colour to #rrggbb (Björn Ottosson's Oklab)."""
    a, b = chroma * math.cos(math.radians(degrees)), chroma * math.sin(math.radians(degrees))
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#{:02x}{:02x}{:02x}".format(*(round(255 * _apply_gamma(min(max(value, 0.0), 1.0))) for value in linear))


def _apply_gamma(value: float) -> float:
    """Convert a linear component to sRGB."""
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
