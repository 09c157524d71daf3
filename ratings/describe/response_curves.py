"""The curves that explain a rating system, computed by the system itself: expectations, changes and weights."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from ratings.contract.declarations import CurveCase, CurveKind
from ratings.contract.system import GameSheet, RatingSystem
from ratings.run.replay import rate_game

Evaluate = Callable[[float], float]

#: Number of points of a curve that is not drawn place by place.
POINTS = 121
#: Players at the table of a curve by place or score, if the system allows as many.
TABLE_SIZE = 4
#: Round numbers, for the ends of axes.
ROUND_NUMBERS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
#: A curve of expectations ends at the first round difference with this expectation.
NEARLY_CERTAIN = 0.95
#: A curve of weights ends when a game has this weight, or after this number of games.
NEARLY_FORGOTTEN = 0.07
MAX_GAMES = 400


@dataclass(frozen=True)
class CurveLine:
    """A line of a curve: its label, and its points (at, value) in ascending order."""

    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ResponseCurve:
    """A chart of a system; the first line is that of the parameters in force."""

    kind: CurveKind
    lines: tuple[CurveLine, ...]


def compute_curve(system: RatingSystem, kind: CurveKind, *, compared: bool = True) -> ResponseCurve:
    """Return a curve of a system, with labels in the reader's language; ``compared``: also for other parameters."""
    cases = zip(system.curve_cases(kind), _compute_points(system, kind), strict=True)
    first, *others = [(CurveLine(case.label, points), bool(case.parameters)) for case, points in cases]
    return ResponseCurve(kind, (first[0], *(line for line, is_other in others if compared or not is_other)))


@lru_cache(maxsize=256)
def _compute_points(system: RatingSystem, kind: CurveKind) -> list[tuple[tuple[float, float], ...]]:
    """Return the points of each line."""
    positions = _list_positions(system, kind)
    evaluations = [_evaluate(system, kind, case) for case in system.curve_cases(kind)]
    return [tuple((at, evaluate(at)) for at in positions) for evaluate in evaluations]


def list_curve_kinds(system: RatingSystem) -> list[CurveKind]:
    """Return the kinds of curves that explain a system, the most important one first."""
    start = system.start()
    ages, predicts = system.weight_of_age(0) is not None, system.expected_of_two(start, start) is not None
    change = _choose_change_kind(system, predicts=predicts)
    kinds: list[CurveKind] = ["weight"] if ages else []
    kinds += ["expectation"] if predicts else []
    # What a deviation changes most is how far a rating moves.
    return [change, *kinds] if system.deviates else [*kinds, change]


def _choose_change_kind(system: RatingSystem, *, predicts: bool) -> CurveKind:
    """Return what a curve of changes depends on."""
    if system.place == "required":
        return "place"
    return "win" if predicts else "score"


def _list_positions(system: RatingSystem, kind: CurveKind) -> list[float]:
    """Return the positions at which a curve is computed."""
    if kind == "place":
        return [float(place) for place in range(1, _choose_table_size(system) + 1)]
    if kind == "score":
        low, high = system.curve_scores
    elif kind == "weight":
        low, high = 0.0, _find_forgetting_age(system)
    else:
        high = _find_wide_difference(system)
        low = -high
    return [low + (high - low) * index / (POINTS - 1) for index in range(POINTS)]


def _find_forgetting_age(system: RatingSystem) -> float:
    """Return the age at which a game has nearly no weight, rounded up to a multiple of 20."""
    ages = range(20, MAX_GAMES + 1, 20)
    return float(next((age for age in ages if (system.weight_of_age(age) or 0.0) < NEARLY_FORGOTTEN), MAX_GAMES))


def _find_wide_difference(system: RatingSystem) -> float:
    """Return a round difference of ratings at which a player nearly always wins."""
    expected = _evaluate(system, "expectation", system.curve_cases("expectation")[0])
    difference = 1.0
    for power in range(6):
        for factor in ROUND_NUMBERS:
            difference = factor * 10.0**power
            if expected(difference) >= NEARLY_CERTAIN:
                return difference
    return difference


def _choose_table_size(system: RatingSystem) -> int:
    """Return the number of players in the games of a curve."""
    return min(max(TABLE_SIZE, system.min_players), system.max_players)


def _evaluate(system: RatingSystem, kind: CurveKind, case: CurveCase) -> Evaluate:
    """Return the function that a line draws."""
    rules = replace(system, **case.parameters) if case.parameters else system
    mine = list(case.state) or rules.start()
    if kind == "weight":
        return lambda age: rules.weight_of_age(age) or 0.0
    if kind == "expectation":
        return lambda difference: rules.expected_of_two([mine[0] + difference, *mine[1:]], mine) or 0.0
    if kind == "win":
        return lambda difference: _rate(rules, [mine[0] + difference, *mine[1:]], mine, _build_win(rules), case.games)
    usual = [rules.start()[0], *mine[1:]]
    return lambda result: _rate(rules, mine, usual, _build_sheet(rules, kind, result), case.games)


def _rate(rules: RatingSystem, mine: list[float], others: list[float], sheet: GameSheet, games: int) -> float:
    """Return the change of the first player, with equal opponents."""
    size = sheet.size
    rated = rate_game(rules, [mine, *[others] * (size - 1)], [games] * size, sheet, started=size)
    return rated.change[0]


def _build_win(rules: RatingSystem) -> GameSheet:
    """Return a game of two that the first player wins."""
    if rules.place == "unused":
        return GameSheet(scores=(0.0, 1.0) if rules.lowest_score_wins() else (1.0, 0.0), places=(None, None))
    return GameSheet(scores=(None, None), places=(1, 2))


def _build_sheet(rules: RatingSystem, kind: CurveKind, result: float) -> GameSheet:
    """Return a game in which the first player has this place or score; the others share the rest of the points."""
    size = _choose_table_size(rules)
    if kind == "place":
        place = round(result)
        return GameSheet(
            scores=(None,) * size, places=(place, *[other for other in range(1, size + 1) if other != place])
        )
    total = rules.curve_scores[1] if rules.lowest_score >= 0 else 0.0
    fields = {spec.key: spec.example for spec in rules.game_fields}
    return GameSheet(
        scores=(result, *[(total - result) / (size - 1)] * (size - 1)), places=(None,) * size, fields=fields
    )
