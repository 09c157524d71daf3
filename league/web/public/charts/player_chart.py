"""The chart of one or several players' ratings over time.

A single player's chart marks the first games, the peak, the periods won, and changes between games (adjustments, new
seasons), which have a ring.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from django.utils.dateformat import format as format_date
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from numpy.typing import NDArray

from league.core.db.columns import convert_to_micros
from league.core.games.selectors.games import compute_evening_day
from league.core.leagues.selectors.adjustments import AdjustmentMove
from league.core.players.selectors.played_games import PlayerHistoryLines
from league.core.players.selectors.titles import Title
from league.core.text.display_formats import format_day, format_number, format_signed, get_known_zone
from league.models import League, Rule
from league.web.public.charts.plots import (
    BOTTOM,
    MAX_POINTS,
    Dot,
    Frame,
    PlacedLabel,
    Plot,
    Series,
    Stop,
    compute_bounds,
    compute_grid_steps,
    draw_path,
    place_dot,
    plot_of,
    summarise_line,
    thin_points,
)
from ratings.contract.system import RatingSystem

#: The named ranges of a history; others are the first and last of a player's games: 20-120.
RANGES = ("all", "year", "100")
#: Minimum number of games for choosing a range with two handles, and the points of the small chart under them.
MIN_OVERVIEW, OVERVIEW_POINTS = 40, 400
#: Maximum length of a range.
MAX_RANGE = 20
#: Number of first games if the system has no provisional ratings.
NEWCOMER = 20
#: Lines of at most this number of games have a dot for each.
MAX_DOTS = 12
#: Room for the label of a day, in per cent.
DAY_WIDTH = 25.0
#: A peak left of this has its label on the right.
MIDDLE = 50.0
#: The scale is at most this much larger so that the first games fit in; they are left out if a smaller share than the
#: second number is within it.
MAX_STRETCH, MIN_SEEN = 2.0, 0.25
#: Share of the scale above the highest point, for the label of the peak.
HEADROOM = 0.1
#: The number of a line that no game caused; games are numbered from 1.
NO_GAME = 0
#: The bounds of a time in microseconds.
ANY_TIME = np.iinfo(np.int64)
#: Maximum number of years labelled, and the possible distances between them.
MAX_YEARS, APART = 8, (1, 2, 5, 10, 20, 50, 100)
#: Maximum number of months on the axis of a shorter chart, numbers of months between them, and the share of the width
#: at each edge in which a label has no room.
MAX_MONTHS, MONTHS_APART, EDGE = 5, (1, 2, 3, 6), 5.0


@dataclass(frozen=True)
class Chart:
    """A chart of ratings, with what its caption says."""

    plot: Plot
    first: datetime
    last: datetime
    low: float
    high: float
    newcomer: int = 0
    """The number of first games that are drawn separately."""
    swing: tuple[float, float] | None = None
    """The range of the first games if it exceeds the scale."""
    moved: bool = False
    """Whether adjustments or new seasons changed the rating."""


def _has_order_axis(lines: PlayerHistoryLines) -> bool:
    """Return whether all games have the same time, so that the axis shows their order instead."""
    times = lines.at[lines.number != NO_GAME]
    return len(times) > 1 and bool(times[0] == times[-1])


def _place_on_axis(lines: PlayerHistoryLines) -> list[tuple[float, float]]:
    """Return (at, value) of every line."""
    if _has_order_axis(lines):
        return list(zip(map(float, range(len(lines))), lines.after.tolist(), strict=True))
    return list_points(lines)


def list_points(lines: PlayerHistoryLines) -> list[tuple[float, float]]:
    """Return (seconds since 1970, value) of lines."""
    return list(zip((lines.at / 1e6).tolist(), lines.after.tolist(), strict=True))


def count_first_games(system: RatingSystem, lines: PlayerHistoryLines) -> int:
    """Return the number of first games: those with a provisional rating, or NEWCOMER."""
    if not system.provisional(system.start(), 0):
        return NEWCOMER
    width = len(system.state)
    relied = (line.games - 1 for line in lines if not system.provisional(line.state[:width], line.games))
    return next(relied, len(lines))


def list_ranges() -> list[tuple[str, str]]:
    """Return the ranges with their labels."""
    return list(zip(RANGES, (pgettext("games", "All"), _("Last year"), _("Last 100 games")), strict=True))


def clean_range(text: str) -> str:
    """Return a requested range: one of RANGES, or the player's first and last game in it."""
    first, dash, last = text.partition("-")
    if dash and first.isascii() and first.isdigit() and last.isascii() and last.isdigit() and len(text) < MAX_RANGE:
        return f"{int(first)}-{int(last)}"
    return text if text in RANGES else "all"


def select_range(lines: PlayerHistoryLines, range_key: str) -> PlayerHistoryLines:
    """Return the lines of a range."""
    if range_key == "100":
        return lines[-100:]
    if range_key == "year" and lines:
        return lines.of(lines.at >= convert_to_micros(lines[-1].at - timedelta(days=365)))
    first, dash, last = range_key.partition("-")
    chosen = lines.of((lines.games >= int(first)) & (lines.games <= int(last))) if dash else lines
    return chosen if len(chosen) > 1 else lines


def select_span(
    lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove], whole: PlayerHistoryLines, chosen: PlayerHistoryLines
) -> tuple[PlayerHistoryLines, Sequence[AdjustmentMove]]:
    """Return a player's lines and moves in the time of a chosen range; ``whole``: the lines it is chosen from.

    A range that begins with the first or ends with the last of those is open there.
    """
    since = chosen.at[0] if len(chosen) and chosen.at[0] != whole.at[0] else ANY_TIME.min
    until = chosen.at[-1] if len(chosen) and chosen.at[-1] != whole.at[-1] else ANY_TIME.max
    return lines.of((lines.at >= since) & (lines.at <= until)), [
        move for move in moves if since <= convert_to_micros(move.line.at) <= until
    ]


@dataclass(frozen=True)
class Overview:
    """The whole history as a small chart by game in a box of 1000 × 1000, and the first and last game shown above."""

    path: str
    games: int
    first: int
    last: int


def build_overview(lines: PlayerHistoryLines, chosen: PlayerHistoryLines, newcomer: int) -> Overview | None:
    """Return the small chart of a history of which a part is shown; None if it is short."""
    if len(lines) < MIN_OVERVIEW:
        return None
    frame = Frame(0.0, len(lines) - 1.0, *_choose_bounds(lines, count_early_lines(lines, newcomer)))
    points = list(enumerate(lines.after.tolist()))
    path = draw_path(frame, thin_points([(float(index), value) for index, value in points], OVERVIEW_POINTS))
    return Overview(path, lines[-1].games, chosen[0].games, chosen[-1].games)


def insert_moves(lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove]) -> PlayerHistoryLines:
    """Return lines of games with the moves after the first game inserted as lines of NO_GAME.

    A change of the system before the first game is included.
    """
    included_moves = [
        move
        for move in moves
        if len(lines) and (move.line.games >= lines.games[0] or move is _find_initial_change(moves))
    ]
    if not included_moves:
        return lines
    rows = zip(*(move_line(item) for item in included_moves), strict=True)
    places = np.searchsorted(lines.games, [item.line.games for item in included_moves], side="right")
    columns = zip(lines.by_name().items(), rows, strict=True)
    return PlayerHistoryLines(**{name: np.insert(column, places, values) for (name, column), values in columns})


def _find_initial_change(moves: Sequence[AdjustmentMove]) -> AdjustmentMove | None:
    """Return the first move if it is a change of the system, whose ratings are drawn."""
    return moves[0] if moves and moves[0].cause == "system" else None


def select_since_change(
    lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove], change: Rule | None
) -> tuple[PlayerHistoryLines, Sequence[AdjustmentMove]]:
    """Return the lines and moves since a change of the system; all if it is None."""
    if change is None:
        return lines, moves
    return lines.of(lines.at >= convert_to_micros(change.starts_at)), [
        move for move in moves if move.line.at >= change.starts_at
    ]


def move_line(move: AdjustmentMove) -> tuple[float, ...]:
    """Return a move as a row of the columns of lines."""
    line = move.line
    return convert_to_micros(line.at), NO_GAME, line.games, 0, line.before, line.change, *move.state


def move_words(move: AdjustmentMove) -> str:
    """Describe a move."""
    if move.adjustment:
        return _("Adjustment {number}").format(number=move.adjustment.number)
    return _("Another rating system") if move.cause == "system" else _("New season")


def build_chart(
    league: League,
    system: RatingSystem,
    games: PlayerHistoryLines,
    titles: Sequence[Title],
    newcomer: int,
    moves: Sequence[AdjustmentMove] = (),
    peak: float | None = None,
) -> Chart | None:
    """Return the chart of at least two games or moves; None for fewer.

    ``peak`` is the highest value of the whole history if ``games`` are a part of it. ``newcomer`` is the player's
    number of first games. Moves before the first game drawn are omitted.
    """
    lines = insert_moves(games, moves)
    if len(lines) < 2:
        return None
    early = count_early_lines(lines, newcomer)
    positions = _place_on_axis(lines)
    low, high = _choose_bounds(lines, early)
    later = games.of(games.games > newcomer)
    if early and len(later) > 1 and _count_inside(lines.after[:early], low, high) < MIN_SEEN * early:
        return build_chart(league, system, later, titles, newcomer, moves, peak)
    knee = positions[early - 1][0] if early else None
    frame = Frame(positions[0][0], positions[-1][0], low, high + (high - low) * HEADROOM, knee)
    top = _place_peak_label(league, system, lines, early, frame, peak)
    today, today_labels = place_last_value(system, positions[-1], frame, top)
    won, years = (
        ([], [])
        if _has_order_axis(lines)
        else (_place_period_dots(games, titles, frame), _place_time_labels(league, frame))
    )
    stops = _list_stops(league, system, frame, lines, moves)
    rings = [PlacedLabel(stop.x, stop.ys[0] or 0.0, stop.words, "moved") for stop in stops if stop.number == NO_GAME]
    few = [
        PlacedLabel(stop.x, stop.ys[0] or 0.0, stop.words) for stop in stops if len(stops) <= MAX_DOTS and stop.number
    ]
    first = [value for _, value in positions[:early]]
    cut = bool(first) and (min(first) < low or max(first) > high)
    plot = Plot(
        steps=compute_grid_steps(frame, system.decimals, system.start()[0]),
        paths=[("first", draw_path(frame, thin_points(positions[early:])))],
        dots=[*few, *rings, *(dot for dot in won if 0.0 <= dot.y <= BOTTOM), replace(top, brief=""), *today],
        labels=today_labels,
        bands=[(0.0, frame.x(positions[early - 1][0]))] if early else [],
        clips=[draw_path(frame, thin_points(positions[: early + 1]))] if early else [],
        years=years,
        marks=[mark for mark in end_labels(league, lines, frame) if _has_room(mark, years)],
        ticks=[dot.x for dot in won],
        notes=[replace(top, kind="end" if top.x > MIDDLE else "")],
        stops=stops,
        summary=summarise_line(Series(positions[early:]), system.decimals),
    )
    swing = (min(first), max(first)) if cut else None
    moved = any(move.cause != "system" for move in moves[len(moves) - len(rings) :])
    return Chart(plot, lines[0].at, lines[-1].at, low, high, early, swing, moved)


def count_early_lines(lines: PlayerHistoryLines, newcomer: int) -> int:
    """Return the number of lines that are drawn separately as first games."""
    # A range that begins later contains no first games.
    early = int(np.count_nonzero(lines.games <= newcomer)) if lines.games[0] == 1 else 0
    # With fewer later games than first games, the later ones cannot set the scale.
    return early if len(lines) >= 2 * early else 0


def _choose_bounds(lines: PlayerHistoryLines, early: int) -> tuple[float, float]:
    """Return the scale of the lines after the first ``early`` ones, or of all if it is not much larger."""
    low, high = compute_bounds(lines.after[early:].tolist())
    lowest, highest = compute_bounds(lines.after.tolist())
    return (lowest, highest) if highest - lowest <= MAX_STRETCH * (high - low) else (low, high)


def _count_inside(values: NDArray[np.float64], low: float, high: float) -> int:
    """Return the number of values within a scale."""
    return int(np.count_nonzero((values >= low) & (values <= high)))


def _place_peak_label(
    league: League, system: RatingSystem, lines: PlayerHistoryLines, early: int, frame: Frame, peak: float | None
) -> PlacedLabel:
    """Return the label of the highest point after a game, without the first games; moves do not count."""
    ratings = np.where(lines.number == NO_GAME, -np.inf, lines.after)
    highest = early + int(ratings[early:].argmax())
    line = lines[highest]
    value, day = format_number(line.after, system.decimals), _format_evening(line.at, league)
    is_peak = peak is None or line.after == peak
    full, brief = (
        (_("peak {value}, {day}"), _("peak {value}"))
        if is_peak
        else (_("highest {value}, {day}"), _("highest {value}"))
    )
    dot = place_dot(frame, Dot(*_place_on_axis(lines)[highest], full.format(value=value, day=day)), "first")
    return replace(dot, brief=brief.format(value=value))


def place_last_value(
    system: RatingSystem, last: tuple[float, float], frame: Frame, top: PlacedLabel
) -> tuple[list[PlacedLabel], list[PlacedLabel]]:
    """Return the dot at the end of the line, and right of the box the label of its value; none where the peak is."""
    value = format_number(last[1], system.decimals)
    dot = place_dot(frame, Dot(*last, value), "first")
    if (dot.x, dot.y) == (top.x, top.y) or not 0.0 <= dot.y <= BOTTOM:
        return [], []
    return [dot], [PlacedLabel(dot.x, dot.y, value)]


def _place_period_dots(lines: PlayerHistoryLines, titles: Sequence[Title], frame: Frame) -> list[PlacedLabel]:
    """Return a dot for each period won within the chart, at the player's last game in it."""
    dots = []
    for title in titles:
        inside = np.flatnonzero(lines.at < convert_to_micros(title.ends_at))
        if len(inside):
            label = _("{period} champion ({ladder})").format(period=title.title, ladder=title.ladder_title)
            last = lines[int(inside[-1])]
            dots.append(place_dot(frame, Dot(last.at.timestamp(), last.after, label, "won"), "won"))
    return dots


def place_year_labels(league: League, frame: Frame) -> list[PlacedLabel]:
    """Return labels where years begin in the league's time zone, at most MAX_YEARS."""
    zone = get_known_zone(league.time_zone)
    first, last = (
        datetime.fromtimestamp(timestamp, UTC).astimezone(zone).year for timestamp in (frame.start, frame.end)
    )
    interval = next((step for step in APART if (last - first) // step <= MAX_YEARS), APART[-1])
    years = [year for year in range(first + 1, last + 1) if year % interval == 0]
    return [PlacedLabel(frame.x(datetime(year, 1, 1, tzinfo=zone).timestamp()), 100.0, str(year)) for year in years]


def _place_time_labels(league: League, frame: Frame) -> list[PlacedLabel]:
    """Return labels where years begin; where months begin if that were fewer than two labels."""
    years = place_year_labels(league, frame)
    if len(years) > 1:
        return years
    zone = get_known_zone(league.time_zone)
    first, last = (datetime.fromtimestamp(timestamp, UTC).astimezone(zone) for timestamp in (frame.start, frame.end))
    begins = range(first.year * 12 + first.month, last.year * 12 + last.month)
    interval = next((step for step in MONTHS_APART if len(begins) // step <= MAX_MONTHS), MONTHS_APART[-1])
    labels: list[PlacedLabel] = []
    for year, month in (divmod(begin, 12) for begin in begins if begin % interval == 0):
        day = datetime(year, month + 1, 1, tzinfo=zone)
        x = frame.x(day.timestamp())
        if EDGE <= x <= 100.0 - EDGE:
            labels.append(PlacedLabel(x, 100.0, format_date(day, "M" if labels and month else "M Y")))
    return labels if len(labels) > 1 else years


def end_labels(league: League, lines: PlayerHistoryLines, frame: Frame) -> list[PlacedLabel]:
    """Return labels of the first and last day."""
    last = PlacedLabel(frame.x(frame.end), 100.0, _format_evening(lines[-1].at, league))
    return (
        [PlacedLabel(0.0, 100.0, _format_evening(lines[0].at, league)), last] if not _has_order_axis(lines) else [last]
    )


def _has_room(mark: PlacedLabel, years: Sequence[PlacedLabel]) -> bool:
    """Return whether the label of the first or last day fits next to at most one year."""
    return len(years) < 2 and all(abs(mark.x - year.x) > DAY_WIDTH for year in years)


def _format_evening(time: datetime, league: League) -> str:
    """Format the day of a game's evening, under which the lists have it: 9 Jul 2026."""
    return format_day(compute_evening_day(league, time))


def _list_stops(
    league: League, system: RatingSystem, frame: Frame, lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove]
) -> list[Stop]:
    """Return the stops of the cross-hair: all moves, and games thinned like the line.

    The last moves belong to ``lines``.
    """
    positions = _place_on_axis(lines)
    drawn = set(thin_points(positions))
    game, stops = _("game {number}"), []
    move_flags = (lines.number == NO_GAME).tolist()
    remaining = iter(moves[len(moves) - sum(move_flags) :])
    indices = [index for index, point in enumerate(positions) if move_flags[index] or point in drawn]
    for index, line in zip(indices, lines.of(np.array(indices)), strict=True):
        y = min(max(frame.y(positions[index][1]), 0.0), BOTTOM)
        rating_after, change = format_number(line.after, system.decimals), format_signed(line.change, system.decimals)
        cause = move_words(next(remaining)) if move_flags[index] else game.format(number=line.number)
        label = " · ".join((rating_after, change, cause, _format_evening(line.at, league)))
        stops.append(Stop(frame.x(positions[index][0]), [y], label, number=line.number))
    return stops


@dataclass(frozen=True)
class ChartPlayer:
    """A player in a chart of several; ``dots``: game number -> label of a dot on the line."""

    name: str
    lines: PlayerHistoryLines
    dots: Mapping[int, str] = field(default_factory=dict)


def compare_players(league: League, system: RatingSystem, players: Sequence[ChartPlayer]) -> Chart | None:
    """Return the chart of several players, the first in the league's colour; None if none has two games.

    First games are omitted, as their swings would flatten the lines.
    """
    settled = [(person, _select_settled_lines(system, person.lines)) for person in players if len(person.lines) > 1]
    if not settled:
        return None
    start, end = min(lines[0].at for _, lines in settled), max(lines[-1].at for _, lines in settled)
    series = [_build_player_series(system, player, lines, MAX_POINTS // len(settled)) for player, lines in settled]
    low, high = compute_bounds([value for line in series for _, value in line.points])
    plot = plot_of(
        series,
        start.timestamp(),
        end.timestamp(),
        decimals=system.decimals,
        zero=system.start()[0],
        describe=lambda time: _format_evening(datetime.fromtimestamp(time, UTC), league),
    )
    years = _place_time_labels(league, Frame(start.timestamp(), end.timestamp(), low, high))
    return Chart(replace(plot, years=years), start, end, low, high)


def _select_settled_lines(system: RatingSystem, lines: PlayerHistoryLines) -> PlayerHistoryLines:
    """Return a player's lines without the first games; all of them if few would be left."""
    newcomer = count_first_games(system, lines)
    late = lines.of(lines.games >= newcomer)
    return late if 2 * len(late) > len(lines) else lines


def _build_player_series(
    system: RatingSystem, player: ChartPlayer, lines: PlayerHistoryLines, max_points: int
) -> Series:
    """Return a player's series with its dots."""
    dotted = lines.of(np.isin(lines.number, list(player.dots)))
    dots = [Dot(line.at.timestamp(), line.after, player.dots[line.number]) for line in dotted]
    return Series(
        thin_points(list_points(lines), max_points), player.name, format_number(lines[-1].after, system.decimals), dots
    )
