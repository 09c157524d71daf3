"""What one result more or less would change: a seat's rating change by its score or place.

Every point is the exact change by the system. If the scores add up to 0, the others share the difference equally.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import ceil, floor, fsum

from django.utils.translation import gettext as _

from league.core.finish import rates_results_alone
from league.core.games.services.what_if import WhatIf, compute_change
from league.core.text.display_formats import format_exact, format_number, format_ordinal, format_signed
from league.web.public.charts.plots import (
    Dot,
    Frame,
    PlacedLabel,
    Plot,
    Series,
    Stop,
    compute_bounds,
    plot_of,
    step_between,
)
from ratings.contract.system import GameSheet

#: Number of scores that are tried; up to MAX_STEPS whole ones are drawn as steps.
TRIED, MAX_STEPS = 48, 12
#: The margin left and right of the scores of a game, as a share of their range, and at least.
BESIDE, LEAST = 0.3, 2.0
#: Distance of scores just below and above another player's, as a share of the range.
NEAR = 1e-6
#: Number of times that the interval with the break-even score is halved.
HALVINGS = 30
#: From this range, scores have one decimal less.
WIDE = 20.0
#: How far a label on the right is below its dot, and left of where labels are on the right, in per cent.
BELOW, LEFT = 15.0, 30.0
#: The size of a label on a phone, in per cent: two dots whose labels are nearer must not have them on the same side;
#: and that of a letter, for what is on the right of a dot.
LABEL_WIDTH, LABEL_HEIGHT, LETTER_WIDTH = 45.0, 8.0, 2.4
#: Maximum number of scores in the table.
MAX_ROWS = 6

#: The places of a side and of the other one, by its result: 0 for a loss, 1 for a draw, 2 for a win.
OF_TWO = ((2, 1), (1, 1), (1, 2))

#: A score or place, and the change.
Point = tuple[float, float]
#: Returns a score or place in words.
Name = Callable[[float], str]


@dataclass(frozen=True)
class ScoreChanges:
    """The chart, the same as a table of (result, change, typed), and how the others' scores follow.

    ``plot``: None for a game of two in which nothing but the winner counts, whose results the table has.
    """

    plot: Plot | None
    name: str
    rows: list[tuple[str, float, bool]]
    places: bool
    shared: bool


def draw_score_changes(what_if: WhatIf, seat: int) -> ScoreChanges | None:
    """Draw the change of a seat (from 0) by its result; None if fewer than two results are possible."""
    if listed := _list_results_of_two(what_if, seat):
        return listed
    sheet, rated = what_if.outcomes[0]
    places = sheet.scores[seat] is None
    shared = not places and _is_shared(sheet)
    tried = [float(place) for place in range(1, len(set(sheet.captains)) + 1)] if places else list_scores(sheet, seat)
    points = [(result, change) for result in tried if (change := _try_result(what_if, seat, result)) is not None]
    if len(points) < 2:
        return None
    typed = float((sheet.places[seat] if places else sheet.scores[seat]) or 0), float(rated.change[seat])
    stepped = len(points) <= MAX_STEPS
    level = None if stepped else _prefer_expected(what_if, seat, find_level_score(what_if, seat, points))
    name = partial(_format_result, wide=points[-1][0] - points[0][0] + float(stepped), places=places)
    return ScoreChanges(
        _draw_plot(what_if, points, typed, level, name, stepped=stepped),
        what_if.names[seat],
        _list_rows(what_if, seat, points, typed, stepped=stepped, places=places),
        places,
        shared,
    )


def _list_results_of_two(what_if: WhatIf, seat: int) -> ScoreChanges | None:
    """List the change by a win, a draw and a loss of a game of two; None if more than who won counts."""
    (sheet, rated), system = what_if.outcomes[0], what_if.system
    own = [captain == sheet.captains[seat] for captain in sheet.captains]
    if len(set(sheet.captains)) != 2 or not rates_results_alone(system):
        return None
    tried = [
        replace(sheet, scores=[None] * sheet.size, places=[mine if is_own else other for is_own in own])
        for mine, other in OF_TWO
    ]
    changes = [compute_change(what_if, one, seat) for one in tried]
    points = [(float(result), change) for result, change in enumerate(changes) if change is not None]
    typed = float(_compare_sides(what_if, seat)), float(rated.change[seat])
    if len(points) < 2 or typed not in points:
        return None
    # In words: 1–0 would be the result of the first seat, whosever change this is.
    words = [_("Loss"), _("Draw"), _("Win")]
    return ScoreChanges(
        None,
        what_if.names[seat],
        [(words[int(result)], change, result == typed[0]) for result, change in reversed(points)],
        places=False,
        shared=False,
    )


def _compare_sides(what_if: WhatIf, seat: int) -> int:
    """Return the result of a game of two for a seat: 0 for a loss, 1 for a draw, 2 for a win."""
    sheet, system = what_if.outcomes[0][0], what_if.system
    other = next(at for at, captain in enumerate(sheet.captains) if captain != sheet.captains[seat])
    scores = sheet.scores if sheet.places[seat] is None else [-float(place or 0) for place in sheet.places]
    difference = (scores[seat] or 0.0) - (scores[other] or 0.0)
    if sheet.places[seat] is None and system.lowest_score_wins():
        difference = -difference
    return 1 + (difference > 0.0) - (difference < 0.0)


def _is_shared(sheet: GameSheet) -> bool:
    """Return whether the scores add up to 0, so that the others' follow."""
    return abs(fsum(score or 0.0 for score in sheet.scores)) < NEAR and any(sheet.scores)


def list_scores(sheet: GameSheet, seat: int) -> list[float]:
    """Return scores to try: evenly around those of the game, and just below and above the others'."""
    scores = [score for score in sheet.scores if score is not None]
    low, high = min(scores), max(scores)
    margin = max((high - low) * BESIDE, LEAST)
    low, high = low - margin if low < 0.0 else max(low - margin, 0.0), high + margin
    whole = all(score.is_integer() for score in scores)
    if whole and high - low < MAX_STEPS:
        return [float(score) for score in range(floor(low), ceil(high) + 1)][:MAX_STEPS]
    step, near = (high - low) / TRIED, (high - low) * NEAR
    others = [
        score
        for score, captain in zip(sheet.scores, sheet.captains, strict=True)
        if captain != sheet.captains[seat] and score
    ]
    edges = [] if _is_shared(sheet) else [score + side * near for score in others for side in (-1, 0, 1)]
    even = [low + index * step for index in range(TRIED + 1)]
    return sorted({*(map(float, map(round, even)) if whole else even), *edges, sheet.scores[seat] or 0.0})


def _try_result(what_if: WhatIf, seat: int, result: float) -> float | None:
    """Return a seat's change by another score or place of its side; None if the system refuses it."""
    sheet = what_if.outcomes[0][0]
    own = [captain == sheet.captains[seat] for captain in sheet.captains]
    if (score_now := sheet.scores[seat]) is None:
        order = sorted({place for place, mine in zip(sheet.places, own, strict=True) if place and not mine})
        others = {place: index + (index >= result) for index, place in enumerate(order, start=1)}
        moved = [int(result) if mine else others[place or 0] for place, mine in zip(sheet.places, own, strict=True)]
        return compute_change(what_if, replace(sheet, places=moved), seat)
    difference = (result - score_now) * sum(own) if _is_shared(sheet) else 0.0
    rest = max(len(own) - sum(own), 1)
    scores = [
        result if mine else (score or 0.0) - difference / rest for score, mine in zip(sheet.scores, own, strict=True)
    ]
    return compute_change(what_if, replace(sheet, scores=scores), seat)


def find_level_score(what_if: WhatIf, seat: int, points: Sequence[Point]) -> float | None:
    """Return the score that changes nothing, of several the middle.

    None if there is none, if the change jumps, and if from one score on none changes anything, which the line shows.
    """
    crossings = [
        (before[0], after[0])
        for before, after in pairwise(points)
        if before[1] < 0.0 < after[1] or after[1] < 0.0 < before[1]
    ]
    zeros = [score for score, change in points if change == 0.0]
    if zeros[1:] and (zeros[0] == points[0][0] or zeros[-1] == points[-1][0]):
        return None
    if zeros:
        return float(round((zeros[0] + zeros[-1]) / 2.0)) if zeros[1:] else zeros[0]
    if len(crossings) != 1:
        return None
    low, high = crossings[0]
    rising = dict(points)[high] > 0.0
    for _step in range(HALVINGS):
        middle = (low + high) / 2.0
        change = _try_result(what_if, seat, middle)
        if change is None:
            return None
        low, high = (low, middle) if (change > 0.0) == rising else (middle, high)
    # At a jump the change is never 0.
    largest = max(abs(change) for _score, change in points)
    return low if abs(_try_result(what_if, seat, low) or 0.0) <= largest * NEAR else None


def _prefer_expected(what_if: WhatIf, seat: int, level: float | None) -> float | None:
    """Return the score that changes nothing; the expected one if that changes nothing that is printed.

    Corrections of a table move the two a little apart, and both are printed on the page.
    """
    system, rated = what_if.system, what_if.outcomes[0][1]
    if level is None or not system.expects or not system.expectation:
        return level
    expected = rated.figures[seat][[figure.key for figure in system.figures].index(system.expectation)]
    change = _try_result(what_if, seat, expected)
    return expected if change is not None and abs(change) < 0.5 * 10.0**-system.decimals else level


def _format_result(result: float, wide: float, *, places: bool, whole: bool | None = None) -> str:
    """Return a score with decimals by the range of scores, without if all of its column are ``whole``; or a place."""
    if places:
        return format_ordinal(int(result))
    whole = float(result).is_integer() if whole is None else whole
    return format_exact(result) if whole else format_number(result, 1 if wide >= WIDE else 2)


def _draw_plot(
    what_if: WhatIf, points: Sequence[Point], typed: Point, level: float | None, name: Name, *, stepped: bool
) -> Plot:
    """Draw the line or steps with the typed result and the one that changes nothing."""
    decimals, half = what_if.system.decimals, 0.5 if stepped else 0.0
    start, end = points[0][0] - half, points[-1][0] + half
    line = [(result + side, change) for result, change in points for side in ((-half, half) if half else (0.0,))]

    def describe(result: float, change: float) -> str:
        return f"{name(result)}: {format_signed(change, decimals)}"

    dots = [Dot(*typed, describe(*typed), "first")]
    if level is not None:
        score = _format_result(level, end - start, places=False)
        level_words = _("{score} changes nothing").format(score=score)
        dots.append(Dot(level, 0.0, level_words, "moved"))
    bounds = [*(change for _result, change in points), 0.0]
    frame = Frame(start, end, *compute_bounds(bounds))
    marks = [(result, name(result)) for result in _list_marks(points, stepped)]
    plot = plot_of([Series(line, dots=dots)], start, end, decimals=decimals, scale_from=bounds, marks=marks)
    stops = [Stop(frame.x(result), [frame.y(change)], describe(result, change)) for result, change in points]
    return replace(plot, stops=stops, notes=place_notes(frame, dots, falls=points[0][1] > points[-1][1]))


def place_notes(frame: Frame, dots: Sequence[Dot], *, falls: bool) -> list[PlacedLabel]:
    """Return the labels of the typed dot and, if any, of the one that changes nothing, none printed over the other.

    The typed one goes to the other side of the line if the two are too near; without room there, the other has none.
    """
    typed, *level = [_place_note(frame, dot, falls=falls) for dot in dots]
    if not level or typed.kind != level[0].kind or not _is_near(typed, level[0]):
        return [typed, *level]
    if typed.x > 100.0 - LEFT / 2.0 or typed.x < LEFT / 2.0:
        return [typed]
    return [_place_note(frame, dots[0], falls=falls, on_right=typed.kind == "end"), *level]


def _is_near(one: PlacedLabel, other: PlacedLabel) -> bool:
    """Return whether two labels on the same side would overlap."""
    return abs(one.x - other.x) < LABEL_WIDTH and abs(one.y - other.y) < LABEL_HEIGHT


def _place_note(frame: Frame, dot: Dot, *, falls: bool, on_right: bool | None = None) -> PlacedLabel:
    """Return the label of a dot on the side of the line on which it is free, or on a given side of the dot."""
    x, y = frame.x(dot.at), frame.y(dot.value)
    if on_right is None:
        on_right = x < LEFT or (dot.kind == "moved" and x <= 100.0 - LABEL_WIDTH)
    if on_right:
        x = min(x, 100.0 - LETTER_WIDTH * len(dot.words))
    return PlacedLabel(x, y if on_right == falls else y + BELOW, dot.words, "" if on_right else "end")


def _list_marks(points: Sequence[Point], stepped: bool) -> list[float]:
    """Return the results on the axis: all steps, or round ones."""
    if stepped:
        return [result for result, _change in points]
    low, high = points[0][0], points[-1][0]
    step = step_between(low, high)
    return [index * step for index in range(ceil(low / step), floor(high / step) + 1)]


def _list_rows(
    what_if: WhatIf, seat: int, points: Sequence[Point], typed: Point, *, stepped: bool, places: bool
) -> list[tuple[str, float, bool]]:
    """Return the rows of the table: the results on the axis, and the one typed."""
    results = _list_marks(points, stepped)
    kept = results if stepped else results[:: -(-len(results) // MAX_ROWS)]
    changes = [(result, _try_result(what_if, seat, result)) for result in sorted({*kept, typed[0]})]
    span = points[-1][0] - points[0][0]
    whole = all(result.is_integer() for result, _change in changes)
    return [
        (_format_result(result, span, places=places, whole=whole), change, result == typed[0])
        for result, change in changes
        if change is not None
    ]
