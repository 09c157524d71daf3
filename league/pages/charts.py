"""A player's rating over time as it is drawn: the newcomer's games apart, the peak and the periods won; and several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.figures import number, signed
from league.models import League
from league.moments import day_of, known_zone
from league.pages.plots import (
    BOTTOM,
    MOST_POINTS,
    Dot,
    Frame,
    Placed,
    Plot,
    Series,
    bounds,
    path_of,
    placed,
    plot_of,
    reach_of,
    steps_of,
    thin,
)
from league.selectors.players.played import Line
from league.selectors.players.titles import Title
from ratings.contract.system import RatingSystem

#: What may be asked for of a history.
RANGES = ("all", "year", "100")
#: A newcomer's games, where the system does not say itself how long a rating is provisional.
NEWCOMER = 20
#: Where the lines end, in per cent, so that the figures of the grid have room beside them.
REACH = 94.0
#: Peaks left of this have their words on their right.
MIDDLE = 50.0
#: Above the highest point there is so much of the scale, for the words of the peak.
HEADROOM = 0.1
#: So many years are named at most, and so many years apart.
MOST_YEARS, APART = 8, (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Chart:
    """A drawing with what is told of it; ``points`` are (x, y, words, game) for who steps through the games."""

    plot: Plot
    points: list[tuple[float, float, str, int]]
    first: datetime
    last: datetime
    low: float
    high: float
    newcomer: int = 0
    """So many first games are drawn apart; 0 where none are."""
    swing: tuple[float, float] | None = None
    """From where to where they went, where the scale does not hold it."""
    won: bool = False


@dataclass(frozen=True)
class Axis:
    """How moments become figures along the axis: seconds, or the order where all games are of one moment."""

    lines: Sequence[Line]

    @property
    def by_order(self) -> bool:
        """Tell whether the games of one moment need room."""
        return self.lines[0].at == self.lines[-1].at

    def points(self) -> list[tuple[float, float]]:
        """Return (at, value) of every line."""
        if self.by_order:
            return [(float(index), line.after) for index, line in enumerate(self.lines)]
        return [(line.at.timestamp(), line.after) for line in self.lines]


def newcomers_games(system: RatingSystem, lines: Sequence[Line]) -> int:
    """Return how many first games are a newcomer's: until the system relies on the rating, else a round number."""
    if type(system).provisional is RatingSystem.provisional:
        return NEWCOMER
    width = len(system.state)
    relied = (line.games - 1 for line in lines if not system.provisional(line.state[:width], line.games))
    return next(relied, len(lines))


def ranges() -> list[tuple[str, str]]:
    """Return the ranges with what they are called."""
    return list(zip(RANGES, (pgettext("games", "All"), _("Last year"), _("Last 100 games")), strict=True))


def chosen(lines: Sequence[Line], wanted: str) -> Sequence[Line]:
    """Return the lines of a range, counted back from the last game."""
    if wanted == "100":
        return lines[-100:]
    if wanted == "year" and lines:
        return [line for line in lines if line.at >= lines[-1].at - timedelta(days=365)]
    return lines


def history(
    league: League, system: RatingSystem, lines: Sequence[Line], titles: Sequence[Title], newcomer: int
) -> Chart | None:
    """Return the chart of at least two games, None for fewer; ``newcomer``: of the player's first games."""
    if len(lines) < 2:
        return None
    # A range that begins later shows nobody's first games.
    early = sum(line.games <= newcomer for line in lines) if lines[0].games == 1 else 0
    # Fewer games after the newcomer's than those are no scale for them.
    early = early if len(lines) >= 2 * early else 0
    at = Axis(lines).points()
    low, high = bounds([value for _, value in at[early:]])
    frame = Frame(at[0][0], at[-1][0], low, high + (high - low) * HEADROOM, REACH)
    late = thin(at[early:])
    peak = max(range(early, len(at)), key=lambda index: at[index][1])
    whole = lines[0].games == 1 and at[peak][1] == max(value for _, value in at)
    told, brief = peak_words(league, system, lines[peak], whole=whole)
    top = placed(frame, Dot(*at[peak], told), "first")
    won = [] if Axis(lines).by_order else won_dots(lines, titles, frame)
    first = [value for _, value in at[:early]]
    cut = bool(first) and (min(first) < low or max(first) > high)
    plot = Plot(
        steps=steps_of(frame, system.decimals, system.start()[0]),
        paths=[("first", path_of(frame, late))],
        dots=[*won, top],
        labels=[],
        bands=[(0.0, frame.x(at[early - 1][0]), pgettext("games", "newcomer"))] if early else [],
        clips=[path_of(frame, thin(at[: early + 1]))] if early else [],
        years=[] if Axis(lines).by_order else years(league, frame),
        marks=ends(league, lines, frame),
        ticks=[dot.x for dot in won],
        notes=[replace(top, kind="end" if top.x > MIDDLE else "", brief=brief)],
        right=True,
    )
    swing = (min(first), max(first)) if cut else None
    points = stepped(league, system, frame, lines)
    return Chart(plot, points, lines[0].at, lines[-1].at, low, high, early, swing, bool(won))


def peak_words(league: League, system: RatingSystem, line: Line, *, whole: bool) -> tuple[str, str]:
    """Return what stands beside the highest point, with its day and without; ``whole``: it is the player's peak."""
    value = number(line.after, system.decimals)
    told, brief = _("peak {value}, {day}"), _("peak {value}")
    if not whole:
        told, brief = _("best shown {value}, {day}"), _("best shown {value}")
    return told.format(value=value, day=day(line.at, league)), brief.format(value=value)


def won_dots(lines: Sequence[Line], titles: Sequence[Title], frame: Frame) -> list[Placed]:
    """Return a dot for each period won that ended within the drawing, at the player's last game in it."""
    found = []
    for title in titles:
        inside = [line for line in lines if line.at < title.ends_at]
        if inside and title.ends_at > lines[0].at:
            words = _("Won {period} ({ladder})").format(period=title.title, ladder=title.ladder_title)
            found.append(placed(frame, Dot(inside[-1].at.timestamp(), inside[-1].after, words, "won"), "won"))
    return found


def years(league: League, frame: Frame) -> list[Placed]:
    """Return where years begin, by the league's clock; a few of them where there are many."""
    zone = known_zone(league.time_zone)
    first, last = (datetime.fromtimestamp(at, UTC).astimezone(zone).year for at in (frame.start, frame.end))
    every = next((step for step in APART if (last - first) // step <= MOST_YEARS), APART[-1])
    some = [year for year in range(first + 1, last + 1) if year % every == 0]
    return [Placed(frame.x(datetime(year, 1, 1, tzinfo=zone).timestamp()), 100.0, str(year)) for year in some]


def ends(league: League, lines: Sequence[Line], frame: Frame) -> list[Placed]:
    """Return the first and the last day, where no year begins between them."""
    if not Axis(lines).by_order and years(league, frame):
        return []
    last = Placed(frame.x(frame.end), 100.0, day(lines[-1].at, league))
    return [Placed(8.0, 100.0, day(lines[0].at, league)), last] if not Axis(lines).by_order else [last]


def day(at: datetime, league: League) -> str:
    """Write a day by the league's clock: 9 Jul 2026."""
    return day_of(at.astimezone(known_zone(league.time_zone)))


def stepped(
    league: League, system: RatingSystem, frame: Frame, lines: Sequence[Line]
) -> list[tuple[float, float, str, int]]:
    """Return (x, y, words, game) for who steps through the games; of many those that draw the line."""
    at = Axis(lines).points()
    kept = set(thin(at))
    zone = known_zone(league.time_zone)
    days: dict[date, str] = {}
    game, points = _("game {number}"), []
    for line, point in zip(lines, at, strict=True):
        if point in kept:
            y = min(max(frame.y(point[1]), 0.0), BOTTOM)
            after, change = number(line.after, system.decimals), signed(line.change, system.decimals)
            local = line.at.astimezone(zone).date()
            if local not in days:
                days[local] = day_of(local)
            words = " · ".join((after, change, game.format(number=line.number), days[local]))
            points.append((frame.x(point[0]), y, words, line.number))
    return points


@dataclass(frozen=True)
class Drawn:
    """A player in a chart of several; ``dots``: game -> the words of the dot on the line there."""

    name: str
    lines: Sequence[Line]
    dots: Mapping[int, str] = field(default_factory=dict)


def compared(league: League, system: RatingSystem, people: Sequence[Drawn]) -> Chart | None:
    """Return the chart of several players, the first in the league's hue; None where nobody has two games.

    Each line begins where its player is no newcomer any more: what comes before would flatten all.
    """
    settled = [(one, settled_lines(system, one.lines)) for one in people if len(one.lines) > 1]
    if not settled:
        return None
    start, end = min(lines[0].at for _, lines in settled), max(lines[-1].at for _, lines in settled)
    series = [series_of(system, one, lines, MOST_POINTS // len(settled)) for one, lines in settled]
    low, high = bounds([value for line in series for _, value in line.points])
    span = start.timestamp(), end.timestamp()
    plot = plot_of(series, *span, decimals=system.decimals, zero=system.start()[0])
    frame = Frame(*span, low, high, reach_of(series, *span))
    return Chart(replace(plot, years=years(league, frame)), [], start, end, low, high)


def settled_lines(system: RatingSystem, lines: Sequence[Line]) -> Sequence[Line]:
    """Return a player's lines after the newcomer's games; all of them where hardly any are left."""
    newcomer = newcomers_games(system, lines)
    late = [line for line in lines if line.games >= newcomer]
    return late if 2 * len(late) > len(lines) else lines


def series_of(system: RatingSystem, one: Drawn, lines: Sequence[Line], most: int) -> Series:
    """Return a player's line with the dots on it."""
    dots = [Dot(line.at.timestamp(), line.after, one.dots[line.number]) for line in lines if line.number in one.dots]
    at = [(line.at.timestamp(), line.after) for line in lines]
    return Series(thin(at, most), one.name, number(lines[-1].after, system.decimals), dots)
