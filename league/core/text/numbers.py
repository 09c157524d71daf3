"""How numbers are written for people, so that figures that stand side by side add up."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from django.conf import settings
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

MINUS = "\u2212"
#: Without it the sign of a number would be behind it among words that run from right to left.
LEFT_TO_RIGHT = "\u200e"
#: Languages that write 0.5 with a point, as programs do; all others here write 0,5.
WITH_POINT = ("en",)
#: Maximum number of extra digits tried; a fourth of sums needs one, a sixteenth two.
MAX_EXTRA_DIGITS = 8


def localize_figure(text: str) -> str:
    """Return a figure with the decimal mark of the reader's language; its sign stays before it in every one."""
    language = get_language() or ""
    before = LEFT_TO_RIGHT if language.split("-", maxsplit=1)[0] in settings.LANGUAGES_BIDI else ""
    return before + (text if not language or language.startswith(WITH_POINT) else text.replace(".", ","))


def unmarked(value: float, decimals: int) -> str:
    """Write a number as ``number`` does, with a point before its decimals."""
    text = f"{value:,.{decimals}f}"
    if "-" in text:
        text = text.replace("-", MINUS if float(text.replace(",", "")) else "")
    return text.replace(",", "\u202f" if abs(value) >= 10_000 else "")


def number(value: float | None, decimals: int = 0) -> str:
    """Write a number with so many decimals, thin groups of thousands and a real minus; – if there is none."""
    return "–" if value is None else localize_figure(unmarked(value, decimals))


def signed(value: float | None, decimals: int = 0) -> str:
    """Write a change with its sign; ±0 if it rounds to nothing."""
    if value is None:
        return "–"
    size = unmarked(abs(value), decimals)
    return localize_figure(("±" if not size.strip("0.") else "+" if value > 0 else MINUS) + size)


def exact(value: object) -> str:
    """Write a number in full: as many digits as it has, no more."""
    if value is None:
        return "–"
    if not isinstance(value, int | float):
        return str(value)
    text = f"{value:.12g}" if abs(value) < 1e15 else f"{value:g}"
    return localize_figure(text.replace("-", MINUS if value else ""))


def direction(value: float | None, decimals: int | None = None) -> str:
    """Return up, down or level, the class of a change; level, too, where it rounds to nothing."""
    if not value or (decimals is not None and not float(f"{value:.{decimals}f}")):
        return "level"
    return "up" if value > 0 else "down"


def counted(count: int, noun: str, many: str = "") -> str:
    """Write how many there are of something, in English: for terminals, the API and what is stored; no page uses it."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def ordinal(rank: int | None) -> str:
    """Write a place: 1st, 2nd, 3rd, 11th; – if there is none. Other languages have one form for all of them."""
    if rank is None:
        return "–"
    if not (get_language() or "en").startswith("en"):
        # Translators: a place in a ranking: "3." or "3-е"
        return pgettext("a place in a ranking", "{rank}th").format(rank=rank)
    teen = rank % 100 in (11, 12, 13)
    return f"{rank}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th')}"


def times(count: int) -> str:
    """Write how often something was: never, once, twice, 41 times."""
    if count < 3:
        return (_("never"), _("once"), _("twice"))[count]
    return ngettext("{count} time", "{count} times", count).format(count=number(count))


def were(count: int) -> str:
    """Return the verb that goes with so many, in English: see ``counted``."""
    return "was" if count == 1 else "were"


def digits(decimals: int, parts: Sequence[float | None], total: float | None) -> int:
    """Return with how many decimals the parts, each rounded by itself, add up to the rounded total.

    At least ``decimals``: 17.31 and −0.05 must not stand beside 17.25, but 17.306 and −0.052 beside 17.254. Every
    figure stays the rounding of what it is; none is bent to fit.
    """
    known = [part for part in parts if part is not None]
    if total is None or len(known) < len(parts):
        return decimals
    for more in range(decimals, decimals + MAX_EXTRA_DIGITS + 1):
        if sum(rounded(part, more) for part in known) == rounded(total, more):
            return more
    return decimals


def shares(decimals: int, parts: Sequence[float], total: float) -> list[float]:
    """Return parts as they are printed beside their sum: each is moved by less than its last digit, so that all add up.

    The digits that are missing go to the largest remainders, the first of equal ones first.
    """
    scale = Decimal(1).scaleb(-decimals)
    floors = [Decimal(part).quantize(scale, ROUND_FLOOR) for part in parts]
    missing = int((rounded(total, decimals) - sum(floors)) / scale)
    order = sorted(range(len(parts)), key=lambda index: floors[index] - Decimal(parts[index]))
    given = set(order[: max(missing, 0)])
    return [float(floor + scale if index in given else floor) for index, floor in enumerate(floors)]


def rounded(value: float, decimals: int) -> Decimal:
    """Return a number as it is shown."""
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
