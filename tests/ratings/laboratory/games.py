"""Real games and small leagues for the laboratory's tests, as columns and as plain lists."""

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from ratings.laboratory.experiments import LaboratoryGames

EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Result:
    """One player's result, as the file has it."""

    player: str
    score: float | None
    place: int | None


@dataclass(frozen=True)
class Game:
    """One game: its day since 1970 and its results in seat order."""

    day: int
    results: tuple[Result, ...]


@cache
def football() -> tuple[Game, ...]:
    """Return the international football matches that the demo ships."""
    (path,) = (Path(__file__).parents[3] / "league" / "demo").rglob("football*.csv.gz")
    games: dict[str, Game] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            day = date.fromisoformat(row["played_at"][:10]).toordinal() - EPOCH
            result = Result(row["player"], float(row["score"]), int(row["place"]))
            before = games.get(row["game_id"])
            games[row["game_id"]] = Game(day, (*before.results, result) if before else (result,))
    return tuple(games.values())


def columns(games: Sequence[Game], **more: object) -> LaboratoryGames:
    """Return games as the laboratory reads them; every day is an evening."""
    names: dict[str, int] = {}
    results = [result for game in games for result in game.results]
    players = np.array([names.setdefault(result.player, len(names)) for result in results])
    given = {
        "offsets": np.cumsum([0, *(len(game.results) for game in games)]),
        "players": players,
        "scores": np.array([np.nan if one.score is None else one.score for one in results], dtype=np.float64),
        "places": np.array([np.nan if one.place is None else one.place for one in results], dtype=np.float64),
        "weights": np.ones(len(games)),
        "days": np.array([game.day for game in games], dtype=np.float64),
        "evenings": np.array([game.day for game in games]),
        "count": len(names),
    }
    return LaboratoryGames(**(given | more))  # type: ignore[arg-type]  # whatever a test changes


def scored(day: int, **scores: float) -> Game:
    """Return a game of players with scores."""
    return Game(day, tuple(Result(player, score, None) for player, score in scores.items()))


def placed(day: int, *names: str) -> Game:
    """Return a game of players in finishing order."""
    return Game(day, tuple(Result(player, None, place) for place, player in enumerate(names, start=1)))


def drawn_league(games: int, seed: int, players: int = 12, strength: float = 0.0, days: int = 40) -> list[Game]:
    """Return games of two whose first player wins as Elo's curve says of strengths so far apart (points a player)."""
    random = Random(seed)
    found = []
    for number in range(games):
        one, other = random.sample(range(players), 2)
        chance = 1 / (1 + 10 ** ((other - one) * strength / 400))
        won = random.random() < chance
        found.append(scored(number * days // games, **{f"p{one}": float(won), f"p{other}": float(not won)}))
    return found
