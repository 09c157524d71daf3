"""Where the demo's games come from: data files, each with its league's stated rule, and simulated clubs."""

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from league.apps.imports.services.read_csv import read_csv
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import NewGame
from league.core.jobs.services.progress import Progress
from ratings.registry import get_system

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class PreparedGames:
    """Games for a demo league, and in sentences with counts what its stated rule did to the data."""

    read: ReadFile
    notes: tuple[str, ...] = ()


#: Takes the games of a file; returns the league's games and the notes.
StatedRule = Callable[[list[ReadGame]], tuple[list[ReadGame], tuple[str, ...]]]


def from_file(name: str, system: str, time_zone: str, rule: StatedRule, progress: Progress) -> PreparedGames:
    """Read a data file and apply the league's stated rule."""
    read = read_csv(opened(name), get_system(system).from_json({}), time_zone, progress)
    games, notes = rule(cast("list[ReadGame]", read.games))  # those of CSV come one by one
    aside = f"Columns left aside: {', '.join(read.ignored)}."
    return PreparedGames(ReadFile(games, read.ignored), (*notes, aside))


def opened(name: str) -> BinaryIO:
    """Return a data file; what it calls “side” is whose ground it was, and not who played together."""
    head, _, rest = gzip.decompress((DATA / name).read_bytes()).partition(b"\n")
    return BytesIO(head.replace(b",side,", b",ground,") + b"\n" + rest)


def from_club(games: Callable[[int], Iterator[NewGame]], evenings: int, progress: Progress) -> PreparedGames:
    """Simulate the games of a club."""
    progress("simulating", 0, evenings)
    made = [replace(game, external_id=f"simulated-{number}") for number, game in enumerate(games(evenings), start=1)]
    progress("simulating", evenings, evenings)
    return PreparedGames(ReadFile([ReadGame(game, tuple(range(1, len(game.results) + 1))) for game in made], ()))


def as_they_are(games: list[ReadGame]) -> tuple[list[ReadGame], tuple[str, ...]]:
    """Take the games as they are in the file."""
    return games, ()


def boats(games: list[ReadGame]) -> tuple[list[ReadGame], tuple[str, ...]]:
    """Place the one boat that did not finish last; leave out races that the Durak score cannot rate."""
    kept: list[ReadGame] = []
    placed, several, level = 0, [], []
    for entry in games:
        places = [result.place for result in entry.game.results]
        if places.count(None) > 1:
            several.append(entry)
        elif None in places:
            placed += 1
            results = [replace(result, place=result.place or len(places)) for result in entry.game.results]
            kept.append(replace(entry, game=replace(entry.game, results=results)))
        elif len(set(places)) < len(places):
            level.append(entry)
        else:
            kept.append(entry)
    missing = sum(result.place is None for entry in several for result in entry.game.results)
    return kept, (
        f"{placed:,} races in which one boat did not finish ({placed:,} rows): it is placed last.",
        f"{len(several):,} races left out in which several boats did not finish ({missing:,} of their "
        f"{rows(several):,} rows).",
        f"{len(level):,} races left out in which boats finished level ({rows(level):,} rows).",
    )


def rails(games: list[ReadGame]) -> tuple[list[ReadGame], tuple[str, ...]]:
    """Count a final worth below zero as nothing: the Serpentine system has no negative scores."""
    below = [entry for entry in games if any((result.score or 0.0) < 0.0 for result in entry.game.results)]
    count = sum((result.score or 0.0) < 0.0 for entry in below for result in entry.game.results)
    return [not_below_zero(entry) for entry in games], (
        f"{len(below):,} games with a final worth below zero ({count:,} rows): it counts as 0.",
    )


def not_below_zero(entry: ReadGame) -> ReadGame:
    """Raise every score of a game to at least 0; a missing one stays missing."""
    results = [
        result if result.score is None else replace(result, score=max(result.score, 0.0))
        for result in entry.game.results
    ]
    return replace(entry, game=replace(entry.game, results=results))


def rows(games: Sequence[ReadGame]) -> int:
    """Return how many rows of the file the games are."""
    return sum(len(entry.lines) for entry in games)
