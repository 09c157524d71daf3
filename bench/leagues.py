"""Realistic random leagues: seeded, 20,000 players, few of them very active."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

PLAYERS = 20_000
SEATS = 4
#: Systems with a number of seats other than four.
SEATS_OF = {"preferans": 3}
START = datetime(2014, 1, 1, tzinfo=UTC)
SECONDS_A_GAME = 240


@dataclass(frozen=True)
class Games:
    """G games with S seats: players (G × S, 0 … P-1), scores with the sum 0, places 1 … S."""

    players: NDArray[np.int64]
    scores: NDArray[np.float64]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.players)


def draw_games(count: int, seed: int, seats: int = SEATS, players: int = PLAYERS) -> Games:
    """Draw random games: few players play often, most rarely; scores come from a hidden skill and luck."""
    random = np.random.default_rng(seed)
    weight = 1.0 / (np.arange(players) + 10.0) ** 0.8
    skill = random.permutation(random.normal(0.0, 30.0, players))
    # Gumbel's trick: draws distinct weighted players per game without a loop.
    chosen = np.empty((count, seats), dtype=np.int64)
    cumulative = np.cumsum(weight / weight.sum())
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        draws = np.searchsorted(cumulative, random.random((size, seats)))
        while True:
            ordered = np.sort(draws, axis=1)
            twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
            if not twice.any():
                break
            draws[twice] = np.searchsorted(cumulative, random.random((int(twice.sum()), seats)))
        chosen[start : start + size] = np.minimum(draws, players - 1)
    played = skill[chosen] + random.normal(0.0, 85.0, chosen.shape)
    scores = np.round((played - played.mean(axis=1, keepdims=True)) / 5.0) * 5.0
    scores[:, -1] -= scores.sum(axis=1)
    places = np.argsort(np.argsort(-played, axis=1), axis=1) + 1
    return Games(chosen, scores, places)


def scores_of(games: Games, system: str) -> NDArray[np.float64]:
    """Return the scores (G × S) in the form of a system: Serpentine has no negative scores."""
    return games.scores - games.scores.min() if system == "serpentine" else games.scores


def moment_of(game: int, start: datetime = START) -> datetime:
    """Return the time of a game; ``start`` is the time of the first one."""
    return start + timedelta(seconds=SECONDS_A_GAME * game)


def names(count: int) -> list[str]:
    """Return handles of players with equal length."""
    width = int(math.log10(max(count - 1, 1))) + 1
    return [f"p{number:0{width}}" for number in range(count)]
