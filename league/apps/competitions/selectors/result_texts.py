"""Results and points of fixtures as texts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.core.text.display_formats import format_number
from league.core.text.game_results import format_result_of_two
from ratings.contract.competition import CompetitionData
from ratings.contract.result_table import compute_fixture_points, tabulate_results

HALF = 0.5
#: Decimals of points that are no tenths, and the most of a column.
MAX_DECIMALS = 2


def format_result(fixture: FixtureState, own_seat: int = 0) -> str:
    """Return the result of a game of two, "" without one: its scores, the points awarded, or who won.

    ``own_seat``: the seat whose side stands first, 0 or 1.
    """
    if fixture.status not in ("played", "forfeited"):
        return ""
    seats = fixture.data.seats
    scores: list[Fraction | None] = [seat.score for seat in seats] if fixture.status == "played" else [None] * 2
    if None in scores:
        scores = [seat.points for seat in seats]
    if None in scores and seats[0].place == seats[1].place != 1:
        scores = [Fraction(0), Fraction(0)]  # both lost
    first, second = zip(scores, [seat.place for seat in seats], strict=True)
    return format_result_of_two(*((second, first) if own_seat else (first, second)))


def describe_forfeit(fixture: FixtureState) -> str:
    """Return a word about how a fixture without play ended, or that it is adjourned; "" if it was played."""
    if fixture.adjourned:
        return pgettext("fixture", "adjourned")
    if fixture.is_decided_by_deadline:
        return _("deadline passed")
    if fixture.status != "forfeited":
        return ""
    reason = Fixture.Reason(fixture.forfeit).label if fixture.forfeit else ""
    if not reason:
        return pgettext("result", "forfeit")
    return _("forfeit: {reason}").format(reason=reason[:1].lower() + reason[1:])


def describe_decision(data: CompetitionData, fixture: FixtureState) -> str:
    """Return the points that an arbiter decided, such as "1–0 by decision"; "" if they follow from the result."""
    seats = fixture.data.seats
    if fixture.status not in ("played", "forfeited") or all(seat.points is None for seat in seats):
        return ""
    usual = replace(fixture.data, seats=tuple(seat._replace(points=None) for seat in seats))
    points = compute_fixture_points(data, fixture.data)
    text = "–".join(map(format_game_points, points))
    if points == compute_fixture_points(data, usual) or text == format_result(fixture):
        return ""
    return _("{points} by decision").format(points=text)


def describe_ending(data: CompetitionData, fixture: FixtureState) -> str:
    """Return words about a result: how a fixture ended without play, and points by decision; "" for most."""
    return ", ".join(filter(None, (describe_forfeit(fixture), describe_decision(data, fixture))))


def describe_bye(kind: str) -> str:
    """Return the name of a bye."""
    return str(Fixture.Kind(kind).label)


def format_points(value: Fraction | None) -> str:
    """Format points in a text: 2, 2.5, 2.33; – for None."""
    return format_in_column(value, count_decimals([value]))


def format_game_points(value: Fraction | None) -> str:
    """Format the points of one game, as its result: a half is ½."""
    return "½" if value == Fraction(1, 2) else format_points(value)


def count_as_points(value: Fraction) -> int:
    """Return the number whose form a sentence about points takes: half a point takes that of one."""
    return math.ceil(value)


def count_decimals(values: Iterable[Fraction | None]) -> int:
    """Return the number of decimals of a column: 0, 1 or 2."""
    decimals = 0
    for value in values:
        if value is not None and value.denominator != 1:
            decimals = max(decimals, 1 if 10 % value.denominator == 0 else MAX_DECIMALS)
    return decimals


def format_in_column(value: Fraction | None, decimals: int) -> str:
    """Format a value of a column."""
    return format_number(None if value is None else float(value), decimals)


def format_points_before(loaded: LoadedCompetition, number: int) -> dict[int, str]:
    """Return entry -> its points before a round."""
    table = tabulate_results(loaded.build_data(number - 1))
    points = {entry: Fraction(points, table.scale) for entry, points in table.points.items()}
    # As many decimals as the standings after the round have, which its page shows beside.
    after = tabulate_results(loaded.build_data(number))
    decimals = count_decimals([*points.values(), *(Fraction(one, after.scale) for one in after.points.values())])
    return {entry: format_in_column(value, decimals) for entry, value in points.items()}


def write_entered(entered: Mapping[str, Any]) -> str:
    """Return a result that was entered and does not count yet, as remarks write it: 1-0, 1/2-1/2, F2 for a forfeit."""
    if "forfeit" in entered:
        return "F" + ",".join(map(str, entered["forfeit"]))
    lines = entered["results"]
    if all("place" in line and "score" not in line for line in lines):
        return write_places([line["place"] for line in lines])
    return "-".join(map(_write_line, lines))


def write_places(places: Sequence[int]) -> str:
    """Return a result without scores: of two who won, of more their places."""
    if len(places) != 2 or places[0] == places[1]:
        return "1/2-1/2" if len(places) == 2 else "-".join(map(str, places))
    return "1-0" if places[0] < places[1] else "0-1"


def _write_line(line: Mapping[str, Any]) -> str:
    if "sets" in line:
        return " ".join(f"{one:g}" for one in line["sets"])
    if "score" in line:
        return "1/2" if line["score"] == HALF else f"{line['score']:g}"
    return f"{line['place']}." if "place" in line else "?"


def format_entered(entered: Mapping[str, Any]) -> str:
    """Return a result that does not count yet for people."""
    if "forfeit" in entered:
        return pgettext("result", "forfeit")
    figures = "".join(f", {name} {value}" for name, value in entered.get("details", {}).items())
    return write_entered(entered).replace("-", "–").replace("1/2", "½") + figures
