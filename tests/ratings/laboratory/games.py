"""Real games and small leagues for the laboratory's tests, as columns and as plain lists."""

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np

from ratings.laboratory.experiments import Played

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


def columns(games: Sequence[Game], **more: object) -> Played:
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
    return Played(**(given | more))  # type: ignore[arg-type]  # whatever a test changes
