"""The five demo leagues: what they are, and where their games come from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from league.demo.simulator import barbu_games, preferans_games
from league.errors import Conflict
from league.models import League
from league.services.csv_games import Progress, ReadFile, ReadGame, read_csv
from league.services.imports import Report, import_read
from league.services.leagues import create_league
from league.services.sheets import NewGame

DATA = Path(__file__).parent / "data"

#: A reader of games: takes the league and where to report progress.
Source = Callable[[Progress], ReadFile]


@dataclass(frozen=True)
class Demo:
    """One demo league."""

    slug: str
    title: str
    game: str
    system: str
    description: str
    source: Source
    parameters: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def from_file(name: str, zone: str, prepare: Callable[[ReadGame], ReadGame | None], progress: Progress) -> ReadFile:
    """Read a data file of the demo; ``prepare`` states the league's rule for a game, None leaves it out."""
    with (DATA / name).open("rb") as file:
        read = read_csv(file, (), zone, progress)
    return ReadFile([kept for entry in read.games if (kept := prepare(entry)) is not None], read.ignored)


def from_club(games: Callable[[int], Iterator[NewGame]], evenings: int, progress: Progress) -> ReadFile:
    """Simulate the games of a club."""
    progress("simulating", 0, evenings)
    made = list(games(evenings))
    named = [replace(game, external_id=f"simulated-{number}") for number, game in enumerate(made, start=1)]
    return ReadFile([ReadGame(game, tuple(range(1, len(game.results) + 1))) for game in named], ())


def as_it_is(entry: ReadGame) -> ReadGame:
    """Take a game as it stands in the file."""
    return entry


def boats(entry: ReadGame) -> ReadGame | None:
    """Place the one boat that did not finish last; leave out races that the Durak score cannot rate."""
    places = [result.place for result in entry.game.results]
    if places.count(None) == 1:
        last = len(places)
        results = [replace(result, place=result.place or last) for result in entry.game.results]
        entry = replace(entry, game=replace(entry.game, results=results))
    wanted = list(range(1, len(places) + 1))
    return entry if sorted(result.place or 0 for result in entry.game.results) == wanted else None


def rails(entry: ReadGame) -> ReadGame:
    """Count a final worth below zero as nothing: the Serpentine system has no negative scores."""
    results = [replace(result, score=max(result.score or 0.0, 0.0)) for result in entry.game.results]
    return replace(entry, game=replace(entry.game, results=results))


DEMOS: Sequence[Demo] = (
    Demo(
        "football",
        "International football",
        "Football",
        "elo",
        "Every men's international since 1872: 49,520 matches, the goals as score. A match that was decided by "
        "penalties counts as a draw. The board lists teams with at least 30 matches that played within the last four "
        "years. Data: martj42/international_results, CC0.",
        partial(from_file, "football_intl2.csv.gz", "UTC", as_it_is),
        {"k": 30},
        {"min_games": 30, "inactive_after_days": 1461},
    ),
    Demo(
        "boats",
        "Boat races, August 2025",
        "Boat race",
        "durak",
        "Six boats a race, in finishing order; the last one is the Durak. Data: BoatraceOpenAPI/results, MIT.\n\n"
        "Rule for boats that did not finish: the only one of a race that did not is placed last (234 races). "
        "The Durak score knows no ties, so a race with several such boats (43) or with boats that finished level (3) "
        "is left out: 5,002 of 5,048 races are here.",
        partial(from_file, "boatrace6_2025_08.csv.gz", "Asia/Tokyo", boats),
        {},
        {"min_games": 5, "time_zone": "Asia/Tokyo"},
    ),
    Demo(
        "rail18xx",
        "18xx online",
        "18xx",
        "serpentine",
        "Railway games of two to seven players, the final worth as score. Data: MIT.\n\n"
        "A final worth below zero (a bankruptcy) counts as 0: the Serpentine system knows no negative scores.",
        partial(from_file, "rail18xx_2to7.csv.gz", "UTC", rails),
    ),
    Demo(
        "barbu",
        "Barbu club (simulated)",
        "Barbu",
        "barbu",
        "This club is simulated: 24 invented players with a hidden skill meet on Thursday evenings, three years long. "
        "No such people exist.",
        partial(from_club, barbu_games, 156),
        {"demand_total": "yes", "total": 0},
        {"min_games": 5, "time_zone": "Europe/Paris"},
    ),
    Demo(
        "preferans",
        "Preferans club (simulated)",
        "Preferans",
        "preferans",
        "This club is simulated: 15 invented players with a hidden skill meet on Wednesday evenings, two years long. "
        "No such people exist.",
        partial(from_club, preferans_games, 104),
        {},
        {"min_games": 5, "time_zone": "Europe/Belgrade"},
    ),
)


def load(demo: Demo, progress: Progress, most_games: int | None = None) -> Report:
    """Make a demo league and import its games, the first ``most_games`` of them."""
    league = create_league(
        demo.slug,
        demo.title,
        settings={"game": demo.game, "description": demo.description, **demo.settings},
        system=demo.system,
        parameters=demo.parameters,
        by="demo",
    )
    read = demo.source(progress)
    read = ReadFile(list(islice(read.games, most_games)), read.ignored)
    return import_read(league.pk, read, by="demo", create_players=True, progress=progress)


def refuse_leagues() -> None:
    """Raise Conflict where a league stands already: the demo never mixes with real books."""
    if League.objects.exists():
        raise Conflict("There are leagues already; the demo is for an empty database only.")
