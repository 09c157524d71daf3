"""What is drawn of a league's health: months one after the other, seats beside each other, and who meets whom."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate

from django.utils.translation import gettext as _

from league.apps.laboratory.diagnosis import first_day, interval, named, told_by
from league.core.text.numbers import number, percentage
from league.models import League
from league.web.public.charts.player_chart import years
from league.web.public.charts.plots import (
    MARGIN,
    Dot,
    Frame,
    PlacedLabel,
    Plot,
    Series,
    bounds,
    plot_of,
    reach_of,
    thin,
)
from ratings.laboratory.health import GamesHealth, Habit, MeanShare, Stretch

#: Room for the last dot of a line over time, in parts of the time.
EDGE = 0.015
#: Up to so many months, or years, each has a dot that says its figure.
MAX_DOTS = 70
#: Room left and right of the first and the last seat, and left of the smallest share, for the figures of the scale.
SIDE_ROOM, BELOW = 0.6, 4.0
#: Above the highest point there is so much of the scale, for the figure of its line.
HEADROOM = 0.12


def at(one: Stretch) -> float:
    """Return where a month, or a year, stands: its first day in seconds since 1970."""
    first = first_day(one)
    return datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp()


def over_time(
    league: League, found: Sequence[Stretch], lines: Sequence[tuple[str, Sequence[float]]], decimals: int
) -> Plot | None:
    """Draw figures month by month, or year by year, each line with its name; None for one alone."""
    if len(found) < 2:
        return None
    moments, series = [at(one) for one in found], []
    for name, values in lines:
        words = f"{name}, " if name else ""
        dots = [
            Dot(moment, value, f"{words}{named(one)}: {number(value, decimals)}")
            for one, moment, value in zip(found, moments, values, strict=True)
        ]
        points = [(dot.at, dot.value) for dot in dots]
        series.append(Series(thin(points), name, dots=dots if len(dots) <= MAX_DOTS else []))
    start, end = moments[0], moments[-1]
    span = start - MARGIN * (end - start), end + EDGE * (end - start)
    scale = with_room([value for _name, values in lines for value in values])
    plot = plot_of(series, *span, decimals=decimals, scale_from=scale)
    frame = Frame(*span, 0.0, 1.0, reach_of(series, *span))
    begun = [] if any(name for name, _values in lines) else years(league, frame)
    marks = [] if begun else [PlacedLabel(frame.x(at(one)), 100.0, named(one)) for one in (found[0], found[-1])]
    return replace(plot, years=begun, marks=marks)


def with_room(values: Sequence[float]) -> tuple[float, float]:
    """Return from where to where a scale of some values goes, with room above."""
    low, high = bounds(values)
    return low, high + HEADROOM * (high - low)


def levels(league: League, health: GamesHealth) -> Plot | None:
    """Draw the mean rating of those who played in each month, or year."""
    found = told_by(health)
    return over_time(league, found, [("", [one.mean for one in found])], 1)


def sums(league: League, health: GamesHealth) -> Plot | None:
    """Draw what the games have added to all ratings together until each month's, or year's, end."""
    found = told_by(health)
    return over_time(league, found, [("", added(found))], 1)


def added(found: Sequence[Stretch]) -> list[float]:
    """Return what all games until each one's end added; what rounding leaves of nothing is nothing."""
    return [0.0 if abs(total) < 1e-6 else total for total in accumulate(one.added for one in found)]


def activity(league: League, health: GamesHealth) -> Plot | None:
    """Draw the games of each month, or year, and who played."""
    found = told_by(health)
    games = _("Games"), [float(one.games) for one in found]
    players = _("Players"), [float(one.players) for one in found]
    return over_time(league, found, [games, players], 0)


def seats(health: GamesHealth) -> Plot | None:
    """Draw what each seat takes of the points, in per cent, with its interval; the stronger line is the half."""
    if not health.seats:
        return None
    series = [
        Series(
            [(float(seat), 100.0 * one) for one in (share.low, share.high) if one is not None],
            dots=[Dot(float(seat), 100.0 * share.value, words_of(seat, share), "first")],
        )
        for seat, share in enumerate(health.seats, start=1)
    ]
    values = [50.0, *(dot.value for line in series for dot in line.dots)]
    values += [value for line in series for _seat, value in line.points]
    last = len(health.seats) + SIDE_ROOM
    marks = [(float(seat), number(seat)) for seat in range(1, len(health.seats) + 1)]
    drawn = plot_of(
        [replace(line, points=line.points or [(line.dots[0].at, line.dots[0].value)]) for line in series],
        1.0 - SIDE_ROOM,
        last,
        decimals=1,
        zero=50.0,
        marks=marks,
        scale_from=with_room(values),
    )
    return replace(drawn, paths=[("second", path) for _kind, path in drawn.paths])


def words_of(seat: int, share: MeanShare) -> str:
    """Return what the dot of a seat says."""
    told = _("Seat {seat}: {share} %").format(seat=number(seat), share=number(100.0 * share.value, 1))
    between = interval(share, 1, 100.0)
    return f"{told} ({between})" if between else told


def habits(told: Sequence[tuple[Habit, str, str]]) -> Plot | None:
    """Draw who meets one opponent how often, against what a game with them brought; None for one alone."""
    if len(told) < 2:
        return None
    dots = [
        Dot(
            100.0 * one.together / one.games,
            one.gained / one.together,
            _("{player} against {opponent}: {share}% of games, {gain} per game").format(
                player=player,
                opponent=opponent,
                share=number(100.0 * one.together / one.games),
                gain=number(one.gained / one.together, 1),
            ),
            "first",
        )
        for one, player, opponent in told
    ]
    marks = [(share, percentage(share / 100.0)) for share in (50.0, 75.0, 100.0)]
    points = [(dot.at, dot.value) for dot in dots]
    spread = [0.0, *(dot.value for dot in dots)]
    drawn = plot_of(
        [Series(points, dots=dots)], 50.0 - BELOW, 101.0, decimals=1, marks=marks,
        scale_from=with_room(spread),
    )  # fmt: skip
    return replace(drawn, paths=[])
