"""Sample boards: the first rows of a board after a few games, the same games for every rating system."""

from dataclasses import dataclass
from functools import lru_cache

from ratings.columns.tallies import rank_sorted_values
from ratings.contract.declarations import GameSheet
from ratings.contract.system import RatingSystem
from ratings.run.replay import rate_game

#: The players of the samples. Their names are written alike in all languages of the site.
NAMES = ("Anna", "Milan", "Vera", "Oskar")
#: The finishing order of each game, as indices of the names; the first ones of it play if a table is smaller.
FINISHES = (
    (0, 1, 2, 3), (1, 0, 3, 2), (2, 0, 1, 3), (0, 2, 1, 3), (1, 3, 0, 2), (0, 1, 3, 2),
    (2, 1, 0, 3), (0, 3, 1, 2), (1, 0, 2, 3), (3, 0, 2, 1), (0, 1, 2, 3), (2, 0, 1, 3),
)  # fmt: skip
#: Scores in finishing order, of systems that may demand a sum of zero, and of systems that forbid negative ones.
ZERO_SUM, POSITIVE = (
    {4: (60.0, 10.0, -20.0, -50.0), 3: (50.0, -10.0, -40.0), 2: (40.0, -40.0)},
    (60.0, 30.0, 20.0, 10.0),
)
#: Number of players shown.
SHOWN = 3


@dataclass(frozen=True)
class SampleRow:
    """A row of a sample board."""

    rank: int
    name: str
    score: float


@dataclass(frozen=True)
class SampleBoard:
    """The first rows of a sample board, and the scores of their players from the start and after each game."""

    rows: tuple[SampleRow, ...]
    lines: tuple[tuple[float, ...], ...]
    decimals: int


@lru_cache(maxsize=64)
def compute_sample_board(system: RatingSystem, seats: int | None, turn: int = 0) -> SampleBoard:
    """Return the board after the sample games.

    ``seats``: the number of players of each game, None if it differs. ``turn``: at which of the games and with whom to
    begin, so that boards of one system differ as those of two leagues do.
    """
    shift = turn + turn // len(FINISHES)
    names = [NAMES[(one + shift) % len(NAMES)] for one in range(len(NAMES))]
    finishes = [FINISHES[(one + turn) % len(FINISHES)] for one in range(len(FINISHES))]
    size = min(seats or len(NAMES), system.max_players, len(NAMES))
    states, counts = [system.start() for _ in NAMES], [0] * len(NAMES)
    lines: list[list[float]] = [[system.display(state, 0)] for state in states]
    for number, order in enumerate(finishes):
        playing = order if size == len(NAMES) else _seat_some(order, size, number)
        rated = rate_game(
            system, [states[one] for one in playing], [counts[one] for one in playing], build_sheet(system, size)
        )
        for seat, one in enumerate(playing):
            states[one] = list(rated.after[seat])
            counts[one] += 1
        for one, line in enumerate(lines):
            line.append(system.display(states[one], counts[one]))
    best = sorted(range(len(NAMES)), key=lambda one: -lines[one][-1])[:SHOWN]
    ranks = rank_sorted_values([lines[one][-1] for one in best])
    rows = [SampleRow(int(rank), names[one], lines[one][-1]) for rank, one in zip(ranks, best, strict=True)]
    return SampleBoard(tuple(rows), tuple(tuple(lines[one]) for one in best), system.decimals)


def build_sheet(system: RatingSystem, size: int) -> GameSheet:
    """Return a sheet in finishing order that the system accepts."""
    scores: list[float | None] = [None] * size
    places: list[int | None] = [None] * size
    if system.score == "required":
        scores = [*(POSITIVE[:size] if system.lowest_score >= 0 else ZERO_SUM[size])]
        if system.lowest_score_wins():
            scores.reverse()
    else:
        places = [*range(1, size + 1)]
    fields = {field.key: field.example for field in system.game_fields}
    return GameSheet(scores=tuple(scores), places=tuple(places), fields=fields)


def _seat_some(order: tuple[int, ...], size: int, number: int) -> list[int]:
    """Return the players of a game of fewer than all, in finishing order: everyone sits out in turn."""
    away = {(number + offset) % len(NAMES) for offset in range(len(NAMES) - size)}
    return [one for one in order if one not in away]
