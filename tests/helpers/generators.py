"""Random but valid games of any rating system, drawn from nothing but its declaration.

A new system is covered by the conformance tests without a line here: what a sheet must hold, the
bounds of its numbers and the choices of its parameters all stand in its class.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

import numpy as np

from ratings.contract.method import Method
from ratings.contract.parameters import Parameter, ParameterSet, WordOrNumber, WordParameter
from ratings.contract.system import ABSURD_SCORE, GameField, GameSheet, RatingSystem, StateField
from ratings.run.replay import Log, Pool, RatedGame, ReplayHistory, build_sheet_results, list_sheet_fields

P = TypeVar("P", bound=ParameterSet)
D = TypeVar("D", RatingSystem, Method)

#: Larger tables are drawn only where a test asks for them.
USUAL_SIZE = 7


def draw_parameter(kind: Parameter, default: Any, random: Random) -> Any:
    """Draw one parameter: often its default, at times a bound, else anything between."""
    if isinstance(kind, WordParameter):
        return random.choice([word for word, _ in kind.options])
    if isinstance(kind, WordOrNumber):
        words = [word for word, _ in kind.options]
        return random.choice([*words, kind.low, kind.high, random.uniform(kind.low, kind.high)])
    value = random.choice([default, default, kind.low, kind.high, random.uniform(kind.low, kind.high)])
    return int(value) if kind.whole else value


def draw_rules(system: type[P], random: Random) -> P:
    """Draw a system (or a method) with random parameters within their bounds."""
    defaults = system.defaults()
    given = {name: draw_parameter(kind, defaults[name], random) for name, kind in system.parameters().items()}
    return system.from_json(given)


def every_rule(system: type[D], random: Random, drawn: int) -> list[D]:
    """Return the defaults, every preset, every word of every choice, and so many random ones."""
    either: Any = system  # within a generator mypy forgets which of the two it is
    rules: list[D] = [system(), *(either.from_json(preset.parameters) for preset in either.presets)]
    for name, kind in system.parameters().items():
        if isinstance(kind, WordParameter | WordOrNumber):
            rules += [system.from_json({name: word}) for word, _ in kind.options]
    return rules + [draw_rules(system, random) for _ in range(drawn)]


def draw_size(system: type[RatingSystem], random: Random) -> int:
    """Draw how many players sit at the table."""
    return random.randint(system.min_players, min(system.max_players, max(USUAL_SIZE, system.min_players)))


def draw_score(system: type[RatingSystem], random: Random) -> float:
    """Draw a score: mostly such as people write down, at times the most extreme."""
    drawn = random.choices(
        [random.randint(-20, 20), random.randint(-500, 500), random.gauss(0, 100), 0, ABSURD_SCORE, -ABSURD_SCORE],
        weights=[30, 30, 30, 6, 2, 2],
    )
    score: float = drawn[0]
    return max(score, system.lowest_score) if random.random() < 0.5 else max(abs(score), system.lowest_score)


def draw_scores(system: type[RatingSystem], size: int, random: Random) -> list[float | None]:
    """Draw a score for each seat; all different where neither ties nor places are known."""
    scores: list[float | None] = []
    while len(scores) < size:
        score = draw_score(system, random)
        if system.ties or system.place == "required" or score not in scores:
            scores.append(score)
    return scores


def draw_places(system: type[RatingSystem], size: int, random: Random) -> list[int | None]:
    """Draw a place for each seat: 1, 2, 3 … in any order, or 1, 1, 3 where ties are known."""
    order = list(range(1, size + 1))
    if system.ties:
        for index in range(1, size):
            if random.random() < 0.3:
                order[index] = order[index - 1]
    random.shuffle(order)
    return list(order)


def draw_sides(system: type[RatingSystem], size: int, random: Random) -> list[int]:
    """Draw a side for each seat where the system knows sides: often none, else at least two of them."""
    if not system.sides or size < 3 or random.random() < 0.5:
        return []
    sides = [1, 2, *(random.randint(1, random.choice([2, 2, size])) for _ in range(size - 2))]
    random.shuffle(sides)
    return sides


def draw_field(spec: GameField, random: Random) -> float:
    """Draw a game field within its bounds, its example, or the outermost values that are accepted."""
    return random.choice([spec.example, spec.example, spec.low, spec.high, random.uniform(spec.low, spec.high)])


def draw_sheet(system: type[RatingSystem], random: Random, size: int | None = None) -> GameSheet:
    """Draw a sheet that the declared rules accept (a system's own ``check_system_rules`` may still refuse it)."""
    n = size or draw_size(system, random)
    empty: list[None] = [None] * n
    scored, placed = system.score == "required", system.place == "required"
    if "either" in (system.score, system.place):
        scored, placed = random.choice([(True, False), (False, True), (True, True)])
    scored = scored or (system.score == "optional" and random.random() < 0.5)
    placed = placed or (system.place == "optional" and random.random() < 0.5)
    sides = draw_sides(system, n, random)
    first = [sides.index(side) for side in sides] if sides else list(range(n))
    scores = draw_scores(system, n, random) if scored else empty
    places = draw_places(system, n, random) if placed else empty
    return GameSheet(
        scores=[scores[seat] for seat in first],
        places=[places[seat] for seat in first],
        fields={spec.key: draw_field(spec, random) for spec in system.game_fields},
        sides=sides,
        weight=random.choice([1.0, 1.0, 0.0, 0.5, 10.0, random.uniform(0, 10)]) if system.weights else 1.0,
        day=random.uniform(0, 30_000) if system.timed else 0.0,
    )


def draw_ratings(rules: RatingSystem, size: int, random: Random) -> list[float]:
    """Draw ratings: near the start, or anywhere within the bounds, whole or not."""
    start, low, high = rules.start()[0], rules.lowest_rating, rules.highest_rating
    drawn = [
        random.choice([start, round(random.gauss(start, 200)), random.gauss(start, 400), random.uniform(low, high)])
        for _ in range(size)
    ]
    return [min(max(rating, low), high) for rating in drawn]


def draw_beside(spec: StateField, start: float, random: Random) -> float:
    """Draw what stands beside a rating: as at the start, near it, a bound, or anywhere between the bounds."""
    assert spec.low is not None
    assert spec.high is not None
    near = start * random.uniform(0.5, 1.5)
    drawn = random.choice([start, near, near, spec.low, spec.high, random.uniform(spec.low, spec.high)])
    return min(max(drawn, spec.low), spec.high)


def draw_states(rules: RatingSystem, size: int, random: Random) -> list[list[float]]:
    """Draw whole states: a rating, and every float beside it within the bounds that its field declares."""
    beside = list(zip(rules.state[1:], rules.start()[1:], strict=True))
    return [
        [rating, *(draw_beside(spec, start, random) for spec, start in beside)]
        for rating in draw_ratings(rules, size, random)
    ]


def draw_games(size: int, random: Random) -> list[int]:
    """Draw how many games each player has played before."""
    return [random.choice([0, 1, random.randint(0, 10), random.randint(0, 1000)]) for _ in range(size)]


def in_order(sheet: GameSheet, order: Sequence[int]) -> GameSheet:
    """Return a sheet with its seats in another order."""
    columns: dict[str, Any] = {"scores": sheet.scores, "places": sheet.places, "sides": sheet.sides}
    turned: dict[str, Any] = {key: [values[i] for i in order] if values else [] for key, values in columns.items()}
    return replace(sheet, **turned)


def broken(rules: RatingSystem, sheet: GameSheet, rated: RatedGame) -> list[str]:
    """Return the laws of a system that a game breaks."""
    ratings = [state[0] for state in rated.after]
    return [law.key for law in rules.laws if law.binds(sheet) and not law.holds(rules, rated.change, ratings)]


def log_of(rules: RatingSystem, sheets: Sequence[GameSheet], seats: Sequence[Sequence[int]]) -> Log:
    """Return sheets, and the players who sat at them, as the replay reads them."""
    return Log(
        offsets=np.cumsum([0, *(sheet.size for sheet in sheets)]).astype(np.int64),
        players=np.array([player for table in seats for player in table], dtype=np.int64),
        results=np.array([row for sheet in sheets for row in build_sheet_results(rules, sheet)], dtype=np.float64),
        fields=np.array([list_sheet_fields(rules, sheet) for sheet in sheets], dtype=np.float64),
    )


def draw_log(rules: RatingSystem, random: Random, games: int, players: int) -> tuple[list[GameSheet], list[list[int]]]:
    """Draw the sheets of a league's games, in order of time, and who sat at them."""
    system = type(rules)
    sheets = sorted((draw_sheet(system, random) for _ in range(games)), key=lambda sheet: sheet.day)
    return sheets, [random.sample(range(players), sheet.size) for sheet in sheets]


def new_pool(states: Sequence[Sequence[float]]) -> Pool:
    """Return a pool of newcomers in these states."""
    count = len(states)
    return Pool(np.array(states, dtype=np.float64), np.zeros(count), np.zeros(count))


def bits(history: ReplayHistory, pool: Pool) -> list[bytes]:
    """Return everything that a replay computes, as the bits that it is made of."""
    arrays = [history.before, history.after, history.change, history.games, history.shift, history.performance]
    arrays += [pool.values, pool.games, pool.shift_at, np.array([pool.shift])]
    return [array.tobytes() for array in arrays]
