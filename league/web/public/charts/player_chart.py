"""The chart of one or several players' ratings over time.

A single player's chart marks the first games, the peak, the periods won, and changes between games (adjustments, new
seasons), which have a ring.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.db.columns import to_micros
from league.core.leagues.selectors.adjustments import AdjustmentMove
from league.core.players.selectors.played_games import HistoryLine, PlayerHistoryLines
from league.core.players.selectors.titles import Title
from league.core.text.display_formats import day_of, known_zone, number, signed
from league.models import League, Rule
from league.web.public.charts.plots import (
    BOTTOM,
    MARGIN,
    MAX_POINTS,
    Dot,
    Frame,
    PlacedLabel,
    Plot,
    Series,
    bounds,
    path_of,
    place_dot,
    plot_of,
    reach_of,
    steps_of,
    thin_points,
)
from ratings.contract.system import RatingSystem

#: The ranges of a history.
RANGES = ("all", "year", "100")
#: Number of first games if the system has no provisional ratings.
NEWCOMER = 20
#: Right end of the lines in per cent, which leaves room for the labels of the grid.
REACH = 94.0
#: A peak left of this has its label on the right.
MIDDLE = 50.0
#: Share of the scale above the highest point, for the label of the peak.
HEADROOM = 0.1
#: The number of a line that no game caused; games are numbered from 1.
NO_GAME = 0
#: Maximum number of years labelled, and the possible distances between them.
MAX_YEARS, APART = 8, (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Chart:
    """A chart; ``points`` are (x, y, words, game) for stepping through it by keyboard, with 0 for no game."""

    plot: Plot
    points: list[tuple[float, float, str, int]]
    first: datetime
    last: datetime
    low: float
    high: float
    newcomer: int = 0
    """The number of first games that are drawn separately."""
    swing: tuple[float, float] | None = None
    """The range of the first games if it exceeds the scale."""
    won: bool = False
    moved: bool = False
    """Whether the rating changed between games."""


def by_order(lines: PlayerHistoryLines) -> bool:
    """Return whether all games have the same time, so that the axis shows their order instead."""
    at = lines.at[lines.number != NO_GAME]
    return len(at) > 1 and bool(at[0] == at[-1])


def along_axis(lines: PlayerHistoryLines) -> list[tuple[float, float]]:
    """Return (at, value) of every line."""
    if by_order(lines):
        return list(zip(map(float, range(len(lines))), lines.after.tolist(), strict=True))
    return points_of(lines)


def points_of(lines: PlayerHistoryLines) -> list[tuple[float, float]]:
    """Return (seconds since 1970, value) of lines."""
    return list(zip((lines.at / 1e6).tolist(), lines.after.tolist(), strict=True))


def newcomers_games(system: RatingSystem, lines: PlayerHistoryLines) -> int:
    """Return the number of first games: those with a provisional rating, or NEWCOMER."""
    if not system.provisional(system.start(), 0):
        return NEWCOMER
    width = len(system.state)
    relied = (line.games - 1 for line in lines if not system.provisional(line.state[:width], line.games))
    return next(relied, len(lines))


def ranges() -> list[tuple[str, str]]:
    """Return the ranges with their labels."""
    return list(zip(RANGES, (pgettext("games", "All"), _("Last year"), _("Last 100 games")), strict=True))


def lines_in_range(lines: PlayerHistoryLines, wanted: str) -> PlayerHistoryLines:
    """Return the lines of a range that ends with the last game."""
    if wanted == "100":
        return lines[-100:]
    if wanted == "year" and lines:
        return lines.of(lines.at >= to_micros(lines[-1].at - timedelta(days=365)))
    return lines


def insert_moves(lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove]) -> PlayerHistoryLines:
    """Return lines of games with the moves after the first game inserted as lines of NO_GAME.

    A change of the system before the first game is included.
    """
    some = [move for move in moves if len(lines) and (move.line.games >= lines.games[0] or move is moves_begin(moves))]
    if not some:
        return lines
    rows = zip(*(move_line(one) for one in some), strict=True)
    places = np.searchsorted(lines.games, [one.line.games for one in some], side="right")
    columns = zip(lines.by_name().items(), rows, strict=True)
    return PlayerHistoryLines(**{name: np.insert(column, places, values) for (name, column), values in columns})


def moves_begin(moves: Sequence[AdjustmentMove]) -> AdjustmentMove | None:
    """Return the first move if it is a change of the system, whose ratings are drawn."""
    return moves[0] if moves and moves[0].cause == "system" else None


def of_system(
    lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove], change: Rule | None
) -> tuple[PlayerHistoryLines, Sequence[AdjustmentMove]]:
    """Return the lines and moves since a change of the system; all if it is None."""
    if change is None:
        return lines, moves
    return lines.of(lines.at >= to_micros(change.starts_at)), [
        move for move in moves if move.line.at >= change.starts_at
    ]


def move_line(move: AdjustmentMove) -> tuple[float, ...]:
    """Return a move as a row of the columns of lines."""
    line = move.line
    return to_micros(line.at), NO_GAME, line.games, 0, line.before, line.change, *move.state


def move_words(move: AdjustmentMove) -> str:
    """Describe a move."""
    if move.adjustment:
        return _("Adjustment {number}").format(number=move.adjustment.number)
    return _("Another rating system") if move.cause == "system" else _("New season")


def history(
    league: League,
    system: RatingSystem,
    games: PlayerHistoryLines,
    titles: Sequence[Title],
    newcomer: int,
    moves: Sequence[AdjustmentMove] = (),
) -> Chart | None:
    """Return the chart of at least two games or moves; None for fewer.

    ``newcomer`` is the player's number of first games. Moves before the first game drawn are omitted.
    """
    lines = insert_moves(games, moves)
    if len(lines) < 2:
        return None
    early = early_of(lines, newcomer)
    at = along_axis(lines)
    low, high = bounds(lines.after[early:].tolist())
    frame = Frame(at[0][0], at[-1][0], low, high + (high - low) * HEADROOM, REACH)
    top = peak_of(league, system, lines, early, frame)
    won, begun = ([], []) if by_order(lines) else (period_dots(games, titles, frame), year_labels(league, frame))
    points = chart_points(league, system, frame, lines, moves)
    rings = [PlacedLabel(x, y, words, "moved") for x, y, words, game in points if game == NO_GAME]
    first = [value for _, value in at[:early]]
    cut = bool(first) and (min(first) < low or max(first) > high)
    plot = Plot(
        steps=steps_of(frame, system.decimals, system.start()[0]),
        paths=[("first", path_of(frame, thin_points(at[early:])))],
        dots=[*rings, *won, replace(top, brief="")],
        labels=[],
        bands=[(0.0, frame.x(at[early - 1][0]), pgettext("games", "newcomer"))] if early else [],
        clips=[path_of(frame, thin_points(at[: early + 1]))] if early else [],
        years=begun,
        marks=[] if begun else end_labels(league, lines, frame),
        ticks=[dot.x for dot in won],
        notes=[replace(top, kind="end" if top.x > MIDDLE else "")],
        right=True,
    )
    swing = (min(first), max(first)) if cut else None
    return Chart(plot, points, lines[0].at, lines[-1].at, low, high, early, swing, bool(won), bool(rings))


def early_of(lines: PlayerHistoryLines, newcomer: int) -> int:
    """Return the number of lines that are drawn separately as first games."""
    # A range that begins later contains no first games.
    early = int(np.count_nonzero(lines.games <= newcomer)) if lines.games[0] == 1 else 0
    # With fewer later games than first games, the later ones cannot set the scale.
    return early if len(lines) >= 2 * early else 0


def peak_of(league: League, system: RatingSystem, lines: PlayerHistoryLines, early: int, frame: Frame) -> PlacedLabel:
    """Return the label of the highest point after a game, without the first games; moves do not count."""
    made = np.where(lines.number == NO_GAME, -np.inf, lines.after)
    peak = early + int(made[early:].argmax())
    whole = bool(lines.games[0] == 1 and lines.after[peak] == made.max())
    full, brief = peak_words(league, system, lines[peak], whole=whole)
    return replace(place_dot(frame, Dot(*along_axis(lines)[peak], full), "first"), brief=brief)


def peak_words(league: League, system: RatingSystem, line: HistoryLine, *, whole: bool) -> tuple[str, str]:
    """Return the long and short label of the highest point; ``whole``: it is the player's peak."""
    value = number(line.after, system.decimals)
    full, brief = _("peak {value}, {day}"), _("peak {value}")
    if not whole:
        full = _("highest, first games excluded: {value}, {day}")
        brief = _("highest, first games excluded: {value}")
    return full.format(value=value, day=day(line.at, league)), brief.format(value=value)


def period_dots(lines: PlayerHistoryLines, titles: Sequence[Title], frame: Frame) -> list[PlacedLabel]:
    """Return a dot for each period won within the chart, at the player's last game in it."""
    found = []
    for title in titles:
        inside = np.flatnonzero(lines.at < to_micros(title.ends_at))
        if len(inside):
            words = _("{period} champion ({ladder})").format(period=title.title, ladder=title.ladder_title)
            last = lines[int(inside[-1])]
            dot = place_dot(frame, Dot(last.at.timestamp(), last.after, words, "won"), "won")
            found.append(replace(dot, y=clamp_to_scale(dot.y)))
    return found


def clamp_to_scale(y: float) -> float:
    """Clamp a position to the scale: first games may exceed it."""
    return min(max(y, 0.0), BOTTOM)


def year_labels(league: League, frame: Frame) -> list[PlacedLabel]:
    """Return labels where years begin in the league's time zone, at most MAX_YEARS."""
    zone = known_zone(league.time_zone)
    first, last = (datetime.fromtimestamp(at, UTC).astimezone(zone).year for at in (frame.start, frame.end))
    every = next((step for step in APART if (last - first) // step <= MAX_YEARS), APART[-1])
    some = [year for year in range(first + 1, last + 1) if year % every == 0]
    return [PlacedLabel(frame.x(datetime(year, 1, 1, tzinfo=zone).timestamp()), 100.0, str(year)) for year in some]


def end_labels(league: League, lines: PlayerHistoryLines, frame: Frame) -> list[PlacedLabel]:
    """Return labels of the first and last day."""
    last = PlacedLabel(frame.x(frame.end), 100.0, day(lines[-1].at, league))
    return [PlacedLabel(0.0, 100.0, day(lines[0].at, league)), last] if not by_order(lines) else [last]


def day(at: datetime, league: League) -> str:
    """Format a day in the league's time zone: 9 Jul 2026."""
    return day_of(at.astimezone(known_zone(league.time_zone)))


def chart_points(
    league: League, system: RatingSystem, frame: Frame, lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove]
) -> list[tuple[float, float, str, int]]:
    """Return ``Chart.points``: all moves, and games thinned like the line. The last moves belong to ``lines``."""
    at = along_axis(lines)
    drawn = set(thin_points(at))
    zone = known_zone(league.time_zone)
    game, points = _("game {number}"), []
    moved = (lines.number == NO_GAME).tolist()
    remaining = iter(moves[len(moves) - sum(moved) :])
    which = [index for index, point in enumerate(at) if moved[index] or point in drawn]
    for index, line in zip(which, lines.of(np.array(which)), strict=True):
        y = clamp_to_scale(frame.y(at[index][1]))
        after, change = number(line.after, system.decimals), signed(line.change, system.decimals)
        cause = move_words(next(remaining)) if moved[index] else game.format(number=line.number)
        words = " · ".join((after, change, cause, day_of(line.at.astimezone(zone))))
        points.append((frame.x(at[index][0]), y, words, line.number))
    return points


@dataclass(frozen=True)
class ChartPlayer:
    """A player in a chart of several; ``dots``: game number -> label of a dot on the line."""

    name: str
    lines: PlayerHistoryLines
    dots: Mapping[int, str] = field(default_factory=dict)


def compare_players(league: League, system: RatingSystem, people: Sequence[ChartPlayer]) -> Chart | None:
    """Return the chart of several players, the first in the league's colour; None if none has two games.

    First games are omitted, as their swings would flatten the lines.
    """
    settled = [(person, settled_lines(system, person.lines)) for person in people if len(person.lines) > 1]
    if not settled:
        return None
    start, end = min(lines[0].at for _, lines in settled), max(lines[-1].at for _, lines in settled)
    series = [series_of(system, one, lines, MAX_POINTS // len(settled)) for one, lines in settled]
    low, high = bounds([value for line in series for _, value in line.points])
    # The labels of the grid are on the left, because names are at the right ends of the lines.
    span = (start - (end - start) * MARGIN).timestamp(), end.timestamp()
    plot = plot_of(series, *span, decimals=system.decimals, zero=system.start()[0])
    frame = Frame(*span, low, high, reach_of(series, *span))
    return Chart(replace(plot, years=year_labels(league, frame)), [], start, end, low, high)


def settled_lines(system: RatingSystem, lines: PlayerHistoryLines) -> PlayerHistoryLines:
    """Return a player's lines without the first games; all of them if few would be left."""
    newcomer = newcomers_games(system, lines)
    late = lines.of(lines.games >= newcomer)
    return late if 2 * len(late) > len(lines) else lines


def series_of(system: RatingSystem, one: ChartPlayer, lines: PlayerHistoryLines, most: int) -> Series:
    """Return a player's series with its dots."""
    dotted = lines.of(np.isin(lines.number, list(one.dots)))
    dots = [Dot(line.at.timestamp(), line.after, one.dots[line.number]) for line in dotted]
    return Series(thin_points(points_of(lines), most), one.name, number(lines[-1].after, system.decimals), dots)
