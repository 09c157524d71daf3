"""The race of a period: the scores of the top players after each evening, exactly as ranked then.

The games are read once, and every evening is tallied from a slice of them. If a method does not need other players'
games, only those of the runners are read. Above a limit there is no race, so that pages do not wait for a picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np
from django.db.models import Q

from league.core.db.columns import Column, moment_of, to_micros
from league.core.games.selectors.games import evening_day
from league.core.ladders.selectors.ladders import Row, games_in, rows_at
from league.core.ladders.selectors.tallies import Befores, RatedGames, method_of, rated_games_of, read_lines, records_of
from league.models import League, Period, Player, RatingChange, Rule
from ratings.contract.method import Method, tally_objects

#: Maximum numbers of runners and of evenings, which are thinned out; fewer if scores depend on all players' games.
RUNNERS, EVENINGS, FEW_EVENINGS = 7, 31, 8
#: Maximum number of game lines read for a race.
MAX_LINES = 3000


@dataclass(frozen=True)
class RaceEvening:
    """A day with games: the times of the first and the last."""

    day: date
    first: datetime
    last: datetime


@dataclass(frozen=True)
class Runner:
    """A player in the race; scores: (index of the evening, score after it), from the first game."""

    handle: str
    name: str
    rank: int
    scores: list[tuple[int, float]]


@dataclass(frozen=True)
class Race:
    """A period's top players, best first, with scores after each evening; ``start`` is the score before any game."""

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
    """Return the race that ends in a ranking of a period; None with fewer than two evenings or too many games.

    rows: the ranking displayed; ``until``: it counts the games before this time. Also None if the games do not give
    this ranking, for example after a correction of a closed period, so that the picture never contradicts the table.
    """
    # Players with a rank and a score come first.
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
    evenings = thin_out(evenings_of(league, rated_games), some)
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
    """Return player -> rank before the last evening of a race; None if there are too many games."""
    if race is None or games_in(rows) > MAX_LINES:
        return None
    return {row["player"]: row["rank"] for row in rows_at(league, period, race.evenings[-1].first)}


def reads_all(method: Method) -> bool:
    """Return whether a player's score may depend on games of others."""
    return method.reach != "own" or method.reads_ratings or method.reads_before


def lines_for(method: Method, league: League, period: Period, end: datetime, players: Sequence[int]) -> Q:
    """Return the condition for the lines that determine the scores of some players."""
    if reads_all(method):
        return Q()
    theirs = Q(player__in=players)
    if not method.reads_tables:
        return theirs
    changes = RatingChange.objects.filter(theirs, league=league, step=1, at__gte=period.starts_at, at__lt=end)
    return Q(number__in=changes.values("number"))


def evenings_of(league: League, rated_games: RatedGames) -> list[RaceEvening]:
    """Return the evenings with games in order."""
    found: list[RaceEvening] = []
    for value in np.unique(rated_games.at):
        at = moment_of(value)
        day = evening_day(league, at)
        if found and found[-1].day == day:
            found[-1] = replace(found[-1], last=at)
        else:
            found.append(RaceEvening(day, at, at))
    return found


def thin_out(evenings: Sequence[RaceEvening], most: int) -> list[RaceEvening]:
    """Return at most ``most`` evenings, including the first and the last."""
    if len(evenings) <= most:
        return list(evenings)
    return [evenings[round(index * (len(evenings) - 1) / (most - 1))] for index in range(most)]


def scores_after(
    rated_games: RatedGames, method: Method, period: Period, moments: Sequence[datetime]
) -> dict[int, list[tuple[int, float]]]:
    """Return player -> (index of a time, score from the games until it), from the player's first game."""
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
    """Return each player's rating at the beginning of the period, None if the method does not need it."""
    if not method.reads_before:
        return None
    whole = records_of(rated_games, method, np.array([0]), np.array([0]), np.array([len(rated_games)]))
    return Befores(rated_games, [(period.starts_at, period.ends_at)]).of(whole, 0)
