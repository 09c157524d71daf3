"""The demo leagues."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Any

from django.conf import settings
from django.utils import timezone

from league.apps.imports.services.run import ImportOptions, ImportReport, import_parsed_games
from league.core.calendar import compute_local_date
from league.core.errors import Conflict
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.game_files import ReadFile
from league.core.jobs.services.progress import Progress
from league.core.ladders.selectors.ladders import load_unclosed_periods
from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.core.text.board_words import TEAMS
from league.demo.simulator import BY, iter_barbu_games, iter_club_games, iter_preferans_games
from league.demo.sources import (
    NEUTRAL_GROUND,
    PreparedGames,
    adapt_boat_races,
    adapt_railway_games,
    keep_games,
    read_demo_file,
    simulate_club,
)
from league.models import League, LogEntry

#: Reads or simulates the games of a league.
GameSource = Callable[[Progress], PreparedGames]


@dataclass(frozen=True)
class Demo:
    """A demo league."""

    slug: str
    title: str
    game: str
    system: str
    description: str
    source: GameSource
    parameters: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    ladders: Sequence[tuple[str, str, RankingRule]] = ()
    #: Systems that followed, by the number of weeks for which they have been in force.
    changes: Mapping[int, str] = field(default_factory=dict)
    #: Does more in the league after its games were imported; returns notes.
    complete: Callable[[League], tuple[str, ...]] = lambda league: ()
    fields: Sequence[NewField] = ()


def _run_competitions(league: League) -> tuple[str, ...]:
    """Run the club's competitions, if this site has what they need."""
    if {"competitions", "reports"} & set(settings.LEFT_OUT):
        return ()
    # Models of an app that is left out must not be imported.
    from league.demo.club import run_club
    from league.demo.club_seasons import run_seasons

    return (*run_club(league), *run_seasons(league))


#: The smallest and most telling first: a site shows each as soon as it is loaded.
DEMOS: Sequence[Demo] = (
    Demo(
        "games-club",
        "Games club (simulated)",
        "Board games",
        "elo",
        "Evenings and competitions of 20 simulated players. A round robin is finished; a Swiss (round 4 of 5 is in "
        "play), a cup and tables of four are running; entries are open for another tournament. Boxes are in their "
        "second month, and a series of evenings has one to come; their games are not rated. Other games are rated "
        "by Elo, and by Glicko-2 for the last half year. No such people exist.",
        partial(simulate_club, iter_club_games, 40),
        {"k": 20},
        {"min_games": 5, "time_zone": "Europe/Amsterdam", "reporting": "by_link"},
        (("quarter", "Points of the quarter", RankingRule("points", "quarter", {"win": 1, "draw": 0.5})),),
        {26: "glicko2"},
        _run_competitions,
    ),
    Demo(
        "barbu",
        "Barbu club (simulated)",
        "Barbu",
        "barbu",
        "Thursday evenings, three years long: 24 simulated players with a hidden skill. No such people exist.",
        partial(simulate_club, iter_barbu_games, 156),
        {"demand_total": "yes", "total": 0},
        {"min_games": 5, "time_zone": "Europe/Paris"},
        (
            ("month", "Ladder of the month", RankingRule("erf_mean", "month")),
            ("year", "Ladder of the year", RankingRule("erf_mean", "year")),
            ("zester", "Zester", RankingRule("best_scores", "year")),
            ("points", "Points of the quarter", RankingRule("points", "quarter")),
        ),
    ),
    Demo(
        "preferans",
        "Preferans club (simulated)",
        "Preferans",
        "preferans",
        "Wednesday evenings, two years long: 15 simulated players with a hidden skill. No such people exist.",
        partial(simulate_club, iter_preferans_games, 104),
        {},
        {"min_games": 5, "time_zone": "Europe/Belgrade"},
        (("quarter", "Score sum of the quarter", RankingRule("points", "quarter", {"count": "scores", "minimum": 5})),),
    ),
    Demo(
        "rail18xx",
        "18xx online",
        "18xx",
        "serpentine",
        "Railway games of two to seven players, scored by final net worth. Data: MIT.\n\n"
        "A final worth below zero counts as 0 (3 players in 3 games), because the Serpentine system has no negative "
        "scores.",
        partial(read_demo_file, "rail18xx_2to7.csv.gz", "serpentine", "UTC", adapt_railway_games),
    ),
    Demo(
        "boats",
        "Boat races, August 2025",
        "Boat race",
        "durak",
        "Six boats per race, in finishing order; the last one is the Durak. Data: BoatraceOpenAPI/results, MIT.\n\n"
        "If one boat of a race did not finish, it is placed last (234 races). The Durak score has no ties, so races in "
        "which several boats did not finish (43) or boats finished level (3) are left out: 5,002 of 5,048 races "
        "remain.",
        partial(read_demo_file, "boatrace6_2025_08.csv.gz", "durak", "Asia/Tokyo", adapt_boat_races),
        {},
        {"min_games": 5, "time_zone": "Asia/Tokyo"},
        (("week", "Boat of the week", RankingRule("rating_score", "week")),),
    ),
    Demo(
        "football",
        "International football",
        "Football",
        "elo",
        "Every men's international from 2006 on: 19,785 matches, scored by goals. All teams begin level on 1 January "
        "2006, with K = 30 throughout. A match that was decided by a penalty shoot-out counts as a draw. The board "
        "lists teams with at least 30 matches that played within the last four years. Data: "
        "martj42/international_results, CC0.",
        partial(read_demo_file, "football_intl2.csv.gz", "elo", "UTC", keep_games, since="2006-01-01"),
        {"k": 30},
        {"min_games": 30, "inactive_after_days": 1461, "played_by": TEAMS},
        (
            (
                "year",
                "Performance of the year",
                RankingRule("fide_performance", "year", {"minimum": 8, "unrated": "skip_game"}),
            ),
            ("points", "Points since 2006", RankingRule("points", "all_time", {"win": 3, "draw": 1})),
        ),
        fields=(NEUTRAL_GROUND,),
    ),
)


@dataclass(frozen=True)
class LoadResult:
    """The import's report, and notes about adapted data."""

    report: ImportReport
    notes: tuple[str, ...]


def load_demo(demo: Demo, progress: Progress, most_games: int | None = None) -> LoadResult:
    """Create a demo league, import its games (at most ``most_games``), and publish ended periods."""
    league = create_league(
        demo.slug,
        demo.title,
        settings={"game": demo.game, "description": demo.description, **demo.settings},
        system=demo.system,
        parameters=demo.parameters,
        by=BY,
    )
    for one in demo.fields:
        declare_field(league.pk, one, username=BY)
    for weeks, system in demo.changes.items():
        day = compute_local_date(timezone.now() - timedelta(weeks=weeks), league.time_zone)
        adopt_rule(league.pk, system, {}, day, username=BY)
    prepared = demo.source(progress)
    parsed = ReadFile(list(islice(prepared.read.games, most_games)), prepared.read.ignored)
    report = import_parsed_games(league.pk, parsed, ImportOptions(by=BY, create_players=True), progress=progress)
    completed = demo.complete(league)
    for number, (slug, title, ranking) in enumerate(demo.ladders):
        progress("ranking", number, len(demo.ladders) + 1)
        create_ladder(league.pk, slug, title, ranking, username=BY)
    # Automatic closing would wait a day.
    ended = load_unclosed_periods(league, timezone.now())
    for period in ended:
        close_period(league.pk, period.ladder.slug, period.key, username=BY)
    progress("ranking", len(demo.ladders) + 1, len(demo.ladders) + 1)
    notes = (*prepared.notes, f"{len(demo.ladders)} ladders, {len(ended)} periods published.")
    return LoadResult(report, (*(notes if demo.ladders else prepared.notes), *completed))


def find_missing_demos() -> list[Demo]:
    """Return the demo leagues that are not loaded; raises Conflict if there is a league that is none of them."""
    own = set(LogEntry.objects.filter(position=1, by=BY).values_list("league__slug", flat=True))
    loaded = {demo.slug for demo in DEMOS} & own
    if League.objects.exclude(slug__in=loaded).exists():
        raise Conflict("There are other leagues already; the demo is for an empty database only.")
    return [demo for demo in DEMOS if demo.slug not in loaded]
