"""Small races: of a league's top players on the home page, and of a period in the list of ladders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from league.core.ladders.selectors.race import Race
from league.core.text.display_formats import format_number
from league.core.text.names import isolate_direction
from league.web.public.charts.plots import Frame, compute_bounds, draw_path
from league.web.public.selectors.front import ScoreLine

#: Minimum number of points of a line.
MIN_POINTS = 5


@dataclass(frozen=True)
class SmallRace:
    """Lines and their end points: (CSS class, path in a box of 1000 × 1000), last ones first; start; a description."""

    paths: list[tuple[str, str]]
    since: datetime
    label: str


def draw_score_lines(lines: Sequence[ScoreLine], decimals: int) -> SmallRace | None:
    """Draw lines from the time when the latest of them begins; None for fewer than two long enough."""
    drawn = [(index, line) for index, line in enumerate(lines) if len(line.points) >= MIN_POINTS]
    if len(drawn) < 2:
        return None
    since = max(line.points[0][0] for _index, line in drawn)
    shown = {index: _cut_before(line.points, since) for index, line in drawn}
    paths = draw_small_lines({index: [(at.timestamp(), score) for at, score in line] for index, line in shown.items()})
    return SmallRace(paths, since, "; ".join(_describe_line(line, decimals) for _index, line in drawn))


def draw_period_race(race: Race, decimals: int) -> SmallRace:
    """Draw the race of a period from its first evening, without scales."""
    times = [evening.last for evening in race.evenings]
    shown = [
        ScoreLine(runner.name, [(times[index], score) for index, score in runner.scores]) for runner in race.runners
    ]
    points = [[(at.timestamp(), score) for at, score in line.points] for line in shown]
    return SmallRace(
        draw_small_lines(dict(enumerate(points))), times[0], "; ".join(_describe_line(line, decimals) for line in shown)
    )


def draw_small_lines(lines: Mapping[int, Sequence[tuple[float, float]]]) -> list[tuple[str, str]]:
    """Return rank from 0 -> (time, score) as paths with end points, the first one last."""
    times, scores = zip(*(point for points in lines.values() for point in points), strict=True)
    frame = Frame(min(times), max(times), *compute_bounds(scores))
    paths: list[tuple[str, str]] = []
    for index, points in reversed(list(lines.items())):
        kind = ("first", "second", "")[min(index, 2)]
        paths += [(kind, draw_path(frame, points)), (f"{kind} end", f"{draw_path(frame, points[-1:])}h0")]
    return paths


def _cut_before(points: Sequence[tuple[datetime, float]], since: datetime) -> list[tuple[datetime, float]]:
    """Return the points since a time; the score at that time is the first."""
    earlier = [score for at, score in points if at <= since]
    return [(since, earlier[-1]), *(point for point in points if point[0] > since)]


def _describe_line(line: ScoreLine, decimals: int) -> str:
    """Return the first, the last and the highest score of a line in words."""
    scores = [score for _at, score in line.points]
    first, last, high = (format_number(score, decimals) for score in (scores[0], scores[-1], max(scores)))
    return _("{name}: from {first} to {last}, highest {high}").format(
        name=isolate_direction(line.name), first=first, last=last, high=high
    )
