"""The charts of a league's health: ratings and activity over time, seats, and frequent opponents."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from itertools import accumulate

from django.utils.translation import gettext as _

from league.apps.laboratory.diagnosis import choose_stretches, compute_first_day, format_stretch
from league.core.text.display_formats import format_number, format_percentage
from league.models import League
from league.web.public.charts.player_chart import place_year_labels
from league.web.public.charts.plots import (
    Dot,
    Frame,
    PlacedLabel,
    Plot,
    Series,
    compute_bounds,
    plot_of,
    thin_points,
)
from ratings.laboratory.health import GamesHealth, Habit, Stretch

#: Room left of the smallest share.
LEFT_ROOM = 2.0
#: Room above the highest point for its label, as a share of the scale.
HEADROOM = 0.12


def _draw_over_time(
    league: League, stretches: Sequence[Stretch], lines: Sequence[tuple[str, Sequence[float]]], decimals: int
) -> Plot | None:
    """Draw values by month or year; returns None for a single one, and for values that are equal as printed."""
    if len({format_number(value, decimals) for _name, values in lines for value in values}) < 2:
        return None
    midnights = [datetime.combine(compute_first_day(stretch), time(), UTC) for stretch in stretches]
    timestamps = [midnight.timestamp() for midnight in midnights]
    titles = dict(zip(timestamps, map(format_stretch, stretches), strict=True))
    series = [Series(thin_points(list(zip(timestamps, values, strict=True))), name) for name, values in lines]
    start, end = timestamps[0], timestamps[-1]
    scale = _scale_with_headroom([value for _name, values in lines for value in values])
    plot = plot_of(series, start, end, decimals=decimals, scale_from=scale, describe=titles.__getitem__)
    year_marks = place_year_labels(league, Frame(start, end, 0.0, 1.0))
    labels = [] if year_marks else [PlacedLabel(0.0, 100.0, titles[start]), PlacedLabel(100.0, 100.0, titles[end])]
    return replace(plot, years=year_marks, marks=labels)


def _scale_with_headroom(values: Sequence[float]) -> tuple[float, float]:
    low, high = compute_bounds(values)
    return low, high + HEADROOM * (high - low)


def draw_levels(league: League, health: GamesHealth) -> Plot | None:
    """Draw the mean rating of active players by month or year."""
    stretches = choose_stretches(health)
    return _draw_over_time(league, stretches, [("", [stretch.mean for stretch in stretches])], 1)


def draw_sums(league: League, health: GamesHealth) -> Plot | None:
    """Draw the total points that games have added to all ratings by month or year."""
    stretches = choose_stretches(health)
    return _draw_over_time(league, stretches, [("", sum_added_points(stretches))], 1)


def sum_added_points(stretches: Sequence[Stretch]) -> list[float]:
    """Return the running total of the added points, with rounding errors around zero removed."""
    return [0.0 if abs(total) < 1e-6 else total for total in accumulate(stretch.added for stretch in stretches)]


def draw_activity(league: League, health: GamesHealth) -> Plot | None:
    """Draw the numbers of games and players by month or year."""
    stretches = choose_stretches(health)
    games = _("Games"), [float(stretch.games) for stretch in stretches]
    players = _("Players"), [float(stretch.players) for stretch in stretches]
    return _draw_over_time(league, stretches, [games, players], 0)


def draw_frequent_opponents(habits: Sequence[tuple[Habit, str, str]]) -> Plot | None:
    """Draw each player's share of games with one opponent against the gain per game; None for fewer than two."""
    if len(habits) < 2:
        return None
    dots = [
        Dot(
            100.0 * habit.together / habit.games,
            habit.gained / habit.together,
            _("{player} against {opponent}: {share}% of games, {gain} per game").format(
                player=player,
                opponent=opponent,
                share=format_number(100.0 * habit.together / habit.games),
                gain=format_number(habit.gained / habit.together, 1),
            ),
            "first",
        )
        for habit, player, opponent in habits
    ]
    ticks = [(share, format_percentage(share / 100.0)) for share in (50.0, 75.0, 100.0)]
    points = [(dot.at, dot.value) for dot in dots]
    gains = [0.0, *(dot.value for dot in dots)]
    plot = plot_of(
        [Series(points, dots=dots)], 50.0 - LEFT_ROOM, 101.0, decimals=1, marks=ticks,
        scale_from=_scale_with_headroom(gains),
    )  # fmt: skip
    return replace(plot, paths=[])
