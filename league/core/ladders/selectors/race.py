"""The race of a period: the scores of the top players after each evening, exactly as ranked then.

The games are read once, and every evening is tallied from a slice of them. If a method does not need other players'
games, only those of the runners are read. Above a limit there is no race, so that pages do not wait for a picture.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np
from django.db.models import Q

from league.core.calendar import compute_evening_of_game
from league.core.db.columns import Column, convert_to_datetime, convert_to_micros
from league.core.ladders.selectors.ladders import Row, sum_games
from league.core.ladders.selectors.tallies import (
    Befores,
    RatedGames,
    build_method,
    build_rated_games,
    build_records,
    compute_tallies,
    read_lines,
)
from league.core.rules.selectors.rules import build_system_at
from league.core.text.display_formats import get_known_zone_name
from league.models import League, Period, Player, Rule
from league.models.contexts import changes_of
from ratings.contract.method import Method, build_tally_objects, rank_players
from ratings.contract.needs import Need, find_needs

#: Maximum numbers of runners and of evenings, which are thinned out; fewer if scores depend on all players' games.
RUNNERS, EVENINGS, FEW_EVENINGS = 7, 31, 8
#: Maximum number of further runners, who share the rank of the last one.
TIED = 2
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
    qualified_from: int
    """The index of the evening after which the player qualified."""


@dataclass(frozen=True)
class Race:
    """A period's top players, best first, with scores after each evening; ``start`` is the score before any game.

    ``is_thinned``: whether only some of the evenings are in it.
    """

    evenings: list[RaceEvening]
    runners: list[Runner]
    start: float | None
    is_thinned: bool = False


def build_race(
    league: League,
    period: Period,
    rows: Sequence[Row],
    *,
    rules: Sequence[Rule] | None = None,
    until: datetime | None = None,
    max_runners: int = RUNNERS,
    rated_games: RatedGames | None = None,
) -> Race | None:
    """Return the race that ends in a ranking of a period; None with fewer than two evenings or too many games.

    rows: the ranking displayed; ``until``: it counts the games before this time. rated_games: the games of the period,
    if already read. Also None if the games do not give this ranking, for example after a correction of a closed period,
    so that the picture never contradicts the table.
    """
    first = _select_runners(rows, max_runners)
    method = build_method(period.rule)
    if not first or sum_games(rows if _needs_all_games(method) else first) > MAX_LINES:
        return None
    players = dict(Player.objects.filter(handle__in=[row["player"] for row in first]).values_list("handle", "pk"))
    if rated_games is None:
        end = min(until, period.ends_at) if until else period.ends_at
        condition = _build_lines_condition(method, league, period, end, list(players.values()))
        lines = read_lines(league, period.starts_at, end, scores=method.reads_scores, where=condition)
        rated_games = build_rated_games(league, lines, scores=method.reads_scores, rules=rules)
    max_evenings = FEW_EVENINGS if method.reach != "own" else EVENINGS
    times = rated_games.at if _needs_all_games(method) else _list_times_of(rated_games, list(players.values()))
    all_evenings = _list_evenings(league, times)
    evenings = _select_evenings(all_evenings, max_evenings)
    if len(evenings) < 2:
        return None
    scores = _compute_scores_after(rated_games, method, period, [evening.last for evening in evenings])
    runners = [
        Runner(row["player"], row["name"], row["rank"], *scores.get(players.get(row["player"], 0), ([], 0)))
        for row in first
    ]
    if any(
        not runner.scores or runner.scores[-1][1] != row["score"] for runner, row in zip(runners, first, strict=True)
    ):
        return None
    return Race(evenings, runners, method.unplayed(), is_thinned=len(evenings) < len(all_evenings))


def _select_runners(rows: Sequence[Row], max_runners: int) -> list[Row]:
    """Return the rows of the runners, with those who share the last one's rank if they are few."""
    # Players with a rank and a score come first.
    ranked = [row for row in rows[: max_runners + TIED + 1] if row["rank"] is not None and row["score"] is not None]
    tied = [row for row in ranked[max_runners:] if row["rank"] == ranked[max_runners - 1]["rank"]]
    return ranked[:max_runners] + (tied if len(tied) <= TIED else [])


def compute_ranks_before(
    period: Period, rated_games: RatedGames, time: datetime, handles: Mapping[int, str]
) -> dict[str, int | None]:
    """Return player -> rank by the games before a time; ``handles``: of the players by their ids."""
    method = build_method(period.rule)
    tallies = compute_tallies(rated_games, method, (period.starts_at, time))
    return {handles[one.player]: one.rank for one in rank_players(method, tallies, handles)}


def compute_needs(
    period: Period, rows: Sequence[Row], rated_games: RatedGames, handles: Mapping[int, str], rules: Sequence[Rule]
) -> dict[str, Need | None] | None:
    """Return what each player needs to pass the leader; None if the method or the games cannot say it.

    A need for a performance is one for a score, against opponents of the starting rating.
    """
    if rows[0]["rank"] is None or not len(rated_games):
        return None
    method, scores = build_method(period.rule), {row["player"]: row["score"] for row in rows}
    system = build_system_at(rules, convert_to_datetime(rated_games.at[-1]))
    if method.deciding_figure() == "performance" and not (system and system.performs_as_scored()):
        return None
    records = build_records(rated_games, method, np.array([0]), np.array([0]), np.array([len(rated_games)]))
    tallies = build_tally_objects(method.tabulate(records))
    players = [handles.get(player, "") for player in records.player.tolist()]
    # After a change of system, for example, a ranking does not follow from all games of the period.
    if [scores.get(player) for player in players] != [tally.score for tally in tallies]:
        return None
    needs = find_needs(method, records, rows[0]["score"])
    return None if needs is None else dict(zip(players, needs, strict=True))


def _needs_all_games(method: Method) -> bool:
    """Return whether a player's score may depend on games of others."""
    return method.reach != "own" or method.reads_ratings or method.reads_before


def _build_lines_condition(method: Method, league: League, period: Period, end: datetime, players: Sequence[int]) -> Q:
    """Return the condition for the lines that determine the scores of some players."""
    if _needs_all_games(method):
        return Q()
    condition = Q(player__in=players)
    if not method.reads_tables:
        return condition
    changes = changes_of(league).filter(condition, step=1, at__gte=period.starts_at, at__lt=end)
    return Q(number__in=changes.values("number"))


def _list_times_of(rated_games: RatedGames, players: Sequence[int]) -> Column:
    """Return the times of the games of some players."""
    return rated_games.at[np.isin(rated_games.player, players)]


def _list_evenings(league: League, times: Column) -> list[RaceEvening]:
    """Return the evenings of games at these times, in order."""
    zone = get_known_zone_name(league.time_zone)
    evenings: list[RaceEvening] = []
    for value in np.unique(times):
        played_at = convert_to_datetime(value)
        day = compute_evening_of_game(played_at, zone)
        if evenings and evenings[-1].day == day:
            evenings[-1] = replace(evenings[-1], last=played_at)
        else:
            evenings.append(RaceEvening(day, played_at, played_at))
    return evenings


def _select_evenings(evenings: Sequence[RaceEvening], maximum: int) -> list[RaceEvening]:
    """Return at most ``maximum`` evenings, including the first and the last."""
    if len(evenings) <= maximum:
        return list(evenings)
    return [evenings[round(index * (len(evenings) - 1) / (maximum - 1))] for index in range(maximum)]


def _compute_scores_after(
    rated_games: RatedGames, method: Method, period: Period, times: Sequence[datetime]
) -> dict[int, tuple[list[tuple[int, float]], int]]:
    """Return player -> (index of a time, score from the games until it), from the player's first game.

    With the scores comes the index of the time at which the player had qualified, and has since.
    """
    edges = np.searchsorted(rated_games.at, [convert_to_micros(time) for time in times], side="right")
    initial_ratings = _load_initial_ratings(rated_games, method, period)
    scores_by_player: dict[int, tuple[list[tuple[int, float]], int]] = {}
    for index, edge in enumerate(edges.tolist()):
        records = build_records(rated_games, method, np.array([0]), np.array([0]), np.array([edge]))
        if initial_ratings is not None:
            records = replace(records, before=initial_ratings[np.searchsorted(rated_games.players, records.player)])
        tallies = build_tally_objects(method.tabulate(records))
        for player, tally in zip(records.player.tolist(), tallies, strict=True):
            if tally.score is not None:
                scores, qualified_from = scores_by_player.get(player, ([], index))
                scores_by_player[player] = (
                    [*scores, (index, tally.score)],
                    index + 1 if tally.why_not else qualified_from,
                )
    return scores_by_player


def _load_initial_ratings(rated_games: RatedGames, method: Method, period: Period) -> Column | None:
    """Return each player's rating at the beginning of the period, None if the method does not need it."""
    if not method.reads_before:
        return None
    records = build_records(rated_games, method, np.array([0]), np.array([0]), np.array([len(rated_games)]))
    return Befores(rated_games, [(period.starts_at, period.ends_at)]).of(records, 0)
