"""The race of a period: what the first of a ranking had after each evening, to the last bit as the ranking stood then.

The games are read once; every evening is tallied from its slice of them. Where a method looks at no other player's
games, only those of the runners are read. Above a bound nothing is said: a page shall not wait for a picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np
from django.db.models import Q

from league.core.db.columns import Column
from league.core.db.times import moment_of, to_micros
from league.core.games.selectors.games import evening_day
from league.core.ladders.selectors.ladders import method_of
from league.core.ladders.selectors.ranking import Row, games_in
from league.core.ladders.selectors.rated_games import RatedGames, rated_games_of, read_lines
from league.core.ladders.selectors.standings import rows_at
from league.core.ladders.selectors.tallies import Befores, records_of
from league.models import League, Period, Player, RatingChange, Rule
from ratings.contract.method import Method, tally_objects

#: Runners, and evenings of each; of more evenings some are left out. Where a score hangs on everyone's, a few do.
RUNNERS, EVENINGS, FEW_EVENINGS = 7, 31, 8
#: Maximum number of game lines read for a race.
MAX_LINES = 3000


@dataclass(frozen=True)
class RaceEvening:
    """A day on which games ended: the first and the last of their times."""

    day: date
    first: datetime
    last: datetime


@dataclass(frozen=True)
class Runner:
    """A player of the race: the position among its evenings, and the score after it, from the first game on."""

    handle: str
    name: str
    rank: int
    scores: list[tuple[int, float]]


@dataclass(frozen=True)
class Race:
    """A period's first players, the best first, after each of its evenings; ``start`` is where all stood before."""

    evenings: list[RaceEvening]
    runners: list[Runner]
    start: float | None


def race_of(
    league: League,
    period: Period,
    rows: Sequence[Row],
    *,
    rules: Sequence[Rule] | None = None,
    until: datetime | None = None,
    most: int = RUNNERS,
) -> Race | None:
    """Return the race that ends in a ranking of a period; None without two evenings, or where it would take too long.

    rows: the ranking as it is shown; ``until``: it counts the games before this moment. None, too, where the games say
    something else than the ranking, as after a correction of a closed period: a picture never contradicts its table.
    """
    # Whoever has a rank and a score is before all others.
    first = [row for row in rows[:most] if row["rank"] is not None and row["score"] is not None]
    method = method_of(period.rule)
    if not first or games_in(rows if reads_all(method) else first) > MAX_LINES:
        return None
    players = dict(Player.objects.filter(handle__in=[row["player"] for row in first]).values_list("handle", "pk"))
    end = min(until, period.ends_at) if until else period.ends_at
    where = lines_for(method, league, period, end, list(players.values()))
    lines = read_lines(league, period.starts_at, end, scores=method.reads_scores, where=where)
    rated_games = rated_games_of(league, lines, scores=method.reads_scores, rules=rules)
    some = FEW_EVENINGS if method.reach != "own" else EVENINGS
    evenings = thinned(evenings_of(league, rated_games), some)
    if len(evenings) < 2:
        return None
    scores = scores_after(rated_games, method, period, [evening.last for evening in evenings])
    runners = [
        Runner(row["player"], row["name"], row["rank"], scores.get(players.get(row["player"], 0), [])) for row in first
    ]
    if any(not one.scores or one.scores[-1][1] != row["score"] for one, row in zip(runners, first, strict=True)):
        return None
    return Race(evenings, runners, method.unplayed())


def ranks_before_last_evening(
    league: League, period: Period, race: Race | None, rows: Sequence[Row]
) -> dict[str, int | None] | None:
    """Return player -> rank before the last evening of a race; None if it would take too long to tell."""
    if race is None or games_in(rows) > MAX_LINES:
        return None
    return {row["player"]: row["rank"] for row in rows_at(league, period, race.evenings[-1].first)}


def reads_all(method: Method) -> bool:
    """Return whether a player's score may hang on games of others."""
    return method.reach != "own" or method.reads_ratings or method.reads_before


def lines_for(method: Method, league: League, period: Period, end: datetime, players: Sequence[int]) -> Q:
    """Return the condition for the lines that the scores of some players hang on."""
    if reads_all(method):
        return Q()
    theirs = Q(player__in=players)
    if not method.reads_tables:
        return theirs
    changes = RatingChange.objects.filter(theirs, league=league, step=1, at__gte=period.starts_at, at__lt=end)
    return Q(number__in=changes.values("number"))


def evenings_of(league: League, rated_games: RatedGames) -> list[RaceEvening]:
    """Return the evenings on which games were played, the first one first."""
    found: list[RaceEvening] = []
    for value in np.unique(rated_games.at):
        at = moment_of(value)
        day = evening_day(league, at)
        if found and found[-1].day == day:
            found[-1] = replace(found[-1], last=at)
        else:
            found.append(RaceEvening(day, at, at))
    return found


def thinned(evenings: Sequence[RaceEvening], most: int) -> list[RaceEvening]:
    """Return at most so many of some evenings, among them the first and the last."""
    if len(evenings) <= most:
        return list(evenings)
    return [evenings[round(index * (len(evenings) - 1) / (most - 1))] for index in range(most)]


def scores_after(
    rated_games: RatedGames, method: Method, period: Period, moments: Sequence[datetime]
) -> dict[int, list[tuple[int, float]]]:
    """Return player -> (position of a moment, score by the games until it) from the player's first game on."""
    edges = np.searchsorted(rated_games.at, [to_micros(moment) for moment in moments], side="right")
    before = befores_of(rated_games, method, period)
    found: dict[int, list[tuple[int, float]]] = {}
    for index, edge in enumerate(edges.tolist()):
        records = records_of(rated_games, method, np.array([0]), np.array([0]), np.array([edge]))
        if before is not None:
            records = replace(records, before=before[np.searchsorted(rated_games.players, records.player)])
        tallies = tally_objects(method.tabulate(records))
        for player, tally in zip(records.player.tolist(), tallies, strict=True):
            if tally.score is not None:
                found.setdefault(player, []).append((index, tally.score))
    return found


def befores_of(rated_games: RatedGames, method: Method, period: Period) -> Column | None:
    """Return where each of the players stood when the period began, None if the method does not ask."""
    if not method.reads_before:
        return None
    whole = records_of(rated_games, method, np.array([0]), np.array([0]), np.array([len(rated_games)]))
    return Befores(rated_games, [(period.starts_at, period.ends_at)]).of(whole, 0)
