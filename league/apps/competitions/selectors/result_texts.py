"""Results and points of fixtures as texts."""

from collections.abc import Iterable
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.competition_data import FixtureState
from league.core.text.display_formats import format_number

#: Decimals of points that are no halves, and the most of a column.
MAX_DECIMALS = 2


def format_result(fixture: FixtureState) -> str:
    """Return the result of a game of two: its scores if it has any, else 1–0, ½–½ or 0–1; "" without one."""
    if fixture.status not in ("played", "forfeited"):
        return ""
    first, second = fixture.data.seats
    if fixture.status == "played" and first.score is not None and second.score is not None:
        return f"{format_points(first.score)}–{format_points(second.score)}"
    if first.points is not None and second.points is not None:
        return f"{format_points(first.points)}–{format_points(second.points)}"
    if first.place == second.place:
        return "½–½" if first.place == 1 else "0–0"
    return "1–0" if first.place < second.place else "0–1"


def describe_forfeit(fixture: FixtureState) -> str:
    """Return a word about how a fixture without play ended, "" if it was played."""
    if fixture.is_decided_by_deadline:
        return _("deadline passed")
    if fixture.status != "forfeited":
        return ""
    reason = Fixture.Reason(fixture.forfeit).label if fixture.forfeit else ""
    if not reason:
        return pgettext("result", "forfeit")
    return _("forfeit: {reason}").format(reason=reason[:1].lower() + reason[1:])


def describe_bye(kind: str) -> str:
    """Return the name of a bye."""
    return str(Fixture.Kind(kind).label)


def format_points(value: Fraction | None) -> str:
    """Format points in a text: 2, 2½, 2.33; – for None."""
    if value is None or value.denominator not in (1, 2):
        return format_number(None if value is None else float(value), MAX_DECIMALS)
    whole = int(value)
    sign = "" if value >= 0 or whole else "−"
    half = "½" if value.denominator == 2 else ""
    return f"{sign}{'' if half and not whole else format_number(whole)}{half}"


def count_decimals(values: Iterable[Fraction | None]) -> int:
    """Return the number of decimals of a column: 0, 1 or 2."""
    decimals = 0
    for value in values:
        if value is not None and value.denominator != 1:
            decimals = max(decimals, 1 if (value * 10).denominator == 1 else MAX_DECIMALS)
    return decimals


def format_in_column(value: Fraction | None, decimals: int) -> str:
    """Format a value of a column."""
    return format_number(None if value is None else float(value), decimals)
