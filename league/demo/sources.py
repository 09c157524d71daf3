"""The games of the demo leagues: adapted data files, and simulated clubs."""

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from django.utils import timezone

from league.apps.imports.services.read_csv import read_csv
from league.core.fields.selectors.fields import PREFIX
from league.core.fields.services.fields import NewField
from league.core.game_words import NEUTRAL
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import NewGame
from league.core.jobs.services.progress import Progress
from league.models import DeclaredField
from ratings.registry import get_system

DATA = Path(__file__).parent / "data"
#: The field of games of the football league.
NEUTRAL_GROUND = NewField(NEUTRAL, "Neutral ground", "game", "yes_no")


@dataclass(frozen=True)
class PreparedGames:
    """Games for a demo league, and notes about adapted data."""

    read: ReadFile
    notes: tuple[str, ...] = ()


#: Adapts the games of a file; returns them with notes.
Adaptation = Callable[[list[ReadGame]], tuple[list[ReadGame], tuple[str, ...]]]


def read_demo_file(
    name: str, system: str, time_zone: str, rule: Adaptation, progress: Progress, *, since: str = ""
) -> PreparedGames:
    """Read a data file and adapt its games; ``since``: the first day (2006-01-01)."""
    fields = [DeclaredField(**vars(NEUTRAL_GROUND))]
    source, parameters = open_data_file(name, since), get_system(system).from_json({})
    parsed = read_csv(source, parameters, time_zone, progress, declared=fields)
    games, notes = rule(cast("list[ReadGame]", parsed.games))  # CSV gives single games
    note = f"Ignored columns: {', '.join(parsed.ignored)}."
    return PreparedGames(ReadFile(games, parsed.ignored), (*notes, note))


def open_data_file(name: str, since: str) -> BinaryIO:
    """Open a data file at a day, its columns named as an import names them.

    “side” (home or away) does not mean a team; “neutral” is a declared field, of which only the exception is stored.
    """
    header, _, body = gzip.decompress((DATA / name).read_bytes()).partition(b"\n")
    if since:
        # Sooner than reading rows as CSV: the day is the second column.
        day = since.encode()
        body = b"".join(line for line in body.splitlines(keepends=True) if line.split(b",", 2)[1] >= day)
    header = header.replace(b",side,neutral,", f",ground,{PREFIX}{NEUTRAL},".encode())
    return BytesIO(header + b"\n" + body.replace(b",false,", b",,"))


def simulate_club(
    games: Callable[[int, datetime], Iterator[NewGame]], evenings: int, progress: Progress
) -> PreparedGames:
    """Simulate the games of a club until now."""
    progress("simulating", 0, evenings)
    simulated = [
        replace(game, external_id=f"simulated-{number}")
        for number, game in enumerate(games(evenings, timezone.now()), start=1)
    ]
    progress("simulating", evenings, evenings)
    return PreparedGames(ReadFile([ReadGame(game, tuple(range(1, len(game.results) + 1))) for game in simulated], ()))


def keep_games(games: list[ReadGame]) -> tuple[list[ReadGame], tuple[str, ...]]:
    """Return the games unchanged."""
    return games, ()


def adapt_boat_races(games: list[ReadGame]) -> tuple[list[ReadGame], tuple[str, ...]]:
    """Place a single boat that did not finish last; leave out races that Durak cannot rate."""
    adapted: list[ReadGame] = []
    placed, several, level = 0, [], []
    for entry in games:
        places = [result.place for result in entry.game.results]
        if places.count(None) > 1:
            several.append(entry)
        elif None in places:
            placed += 1
            results = [replace(result, place=result.place or len(places)) for result in entry.game.results]
            adapted.append(replace(entry, game=replace(entry.game, results=results)))
        elif len(set(places)) < len(places):
            level.append(entry)
        else:
            adapted.append(entry)
    unfinished_count = sum(result.place is None for entry in several for result in entry.game.results)
    return adapted, (
        f"{placed:,} races in which one boat did not finish ({placed:,} rows): it is placed last.",
        f"{len(several):,} races left out in which several boats did not finish ({unfinished_count:,} of their "
        f"{count_rows(several):,} rows).",
        f"{len(level):,} races left out in which boats finished level ({count_rows(level):,} rows).",
    )


def adapt_railway_games(games: list[ReadGame]) -> tuple[list[ReadGame], tuple[str, ...]]:
    """Count a final worth below zero as 0, because Serpentine has no negative scores."""
    below = [entry for entry in games if any((result.score or 0.0) < 0.0 for result in entry.game.results)]
    count = sum((result.score or 0.0) < 0.0 for entry in below for result in entry.game.results)
    return [raise_negative_scores(entry) for entry in games], (
        f"{len(below):,} games with a final worth below zero ({count:,} rows): it counts as 0.",
    )


def raise_negative_scores(entry: ReadGame) -> ReadGame:
    """Raise negative scores of a game to 0."""
    results = [
        result if result.score is None else replace(result, score=max(result.score, 0.0))
        for result in entry.game.results
    ]
    return replace(entry, game=replace(entry.game, results=results))


def count_rows(games: Sequence[ReadGame]) -> int:
    """Return the number of rows of the games in the file."""
    return sum(len(entry.lines) for entry in games)
