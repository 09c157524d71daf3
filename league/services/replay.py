"""Replay: recomputing the derived from the facts.

The history before a game is kept; everything from there on is computed anew from the state that
the history holds at that point. Written for exactness: the result is, bit for bit, what a replay
from nothing gives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import numpy as np
from django.db.models import Q, QuerySet

from league.models import Game, InitialRating, League, RatingChange, Result, Rule
from league.selectors.rules import rule_at, rules_of, system_of
from league.services.bulk import insert_rows
from league.services.periods import refresh_ladders
from league.services.standings import last_changes, refresh_ratings
from ratings.replay import NAN, History, Log, Pool, replay
from ratings.system import RatingSystem

#: (played_at, number): the place of a game in its league's order.
Place = tuple[datetime, int]

CHANGE_COLUMNS = (
    "league", "player", "game", "at", "number", "step", "seat", "cause", "games", "before", "change", "after",
    "state_1", "state_2", "state_3", "performance", "shift",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One rated game as read from the facts."""

    pk: int
    number: int
    played_at: datetime
    details: dict[str, Any]
    results: list[tuple[int, float | None, int | None, int]]
    """(player id, score, place, seat) in seat order."""


def replay_from(league: League, place: Place | None, *, compiled: bool = False) -> int:
    """Replay from a place in the order (that game included), None from nothing. The league must be locked.

    Returns the games replayed. Everything before the place is left as it stands; where an earlier
    stretch is due already, the replay begins there.
    """
    if place is not None and league.stale_from is not None:
        place = min(place, (league.stale_from, league.stale_number))
    rules = rules_of(league)
    RatingChange.objects.filter(changes_from(league, place)).delete()
    entries = list(read_entries(league, place))
    states = read_states(league, rules, entries)
    for rule, group in groupby(entries, key=lambda entry: rule_at(rules, entry.played_at)):
        if rule is not None:
            rate_entries(league, system_of(rule), list(group), states, compiled)
    refresh_ratings(league)
    league.stale_from, league.stale_number = None, 0
    league.save(update_fields=["stale_from", "stale_number"])
    refresh_ladders(league, None if place is None else place[0])
    return len(entries)


def at_or_after(place: Place | None, moment: str) -> Q:
    """Return the condition that a row stands at a place in the order or after it."""
    if place is None:
        return Q()
    later = Q(**{f"{moment}__gt": place[0]}) | Q(**{moment: place[0], "number__gte": place[1]})
    # The plain bound is what an index can use; the pair needs both.
    return Q(**{f"{moment}__gte": place[0]}) & later


def changes_from(league: League, place: Place | None) -> Q:
    """Return the condition for the league's history from a place on."""
    return Q(league=league) & at_or_after(place, "at")


def read_entries(league: League, place: Place | None) -> Iterator[Entry]:
    """Read the rated games from a place on, in rating order."""
    games = Game.objects.filter(
        at_or_after(place, "played_at"), league=league, kind=Game.Kind.PLAYED, voided_at__isnull=True
    )
    lines = results_of(games)
    for pk, number, played_at, details in games.order_by("played_at", "number").values_list(
        "pk", "number", "played_at", "details"
    ):
        yield Entry(pk, number, played_at, details, lines[pk])


def results_of(games: QuerySet[Game]) -> dict[int, list[tuple[int, float | None, int | None, int]]]:
    """Return game id -> its results in seat order."""
    lines: dict[int, list[tuple[int, float | None, int | None, int]]] = {}
    rows = Result.objects.filter(game__in=games).order_by("game_id", "seat")
    for game, player, score, place, seat in rows.values_list("game_id", "player_id", "score", "place", "seat"):
        lines.setdefault(game, []).append((player, score, place, seat))
    return lines


class States:
    """The players of a replay: their positions in the arrays, and where they stand."""

    def __init__(self, width: int, players: Sequence[int]) -> None:
        self.position = {player: index for index, player in enumerate(players)}
        count = len(players)
        self.pool = Pool(np.zeros((count, width)), np.zeros(count), np.zeros(count))


def read_states(league: League, rules: Sequence[Rule], entries: Sequence[Entry]) -> States:
    """Return where the players stand in the history as it is now (the part to be replayed is gone)."""
    last = {change["player_id"]: change for change in last_changes(league)}
    players = sorted({line[0] for entry in entries for line in entry.results} | set(last))
    width = len(system_of(rules[0]).state) if rules else 1
    states = States(width, players)
    pool = states.pool
    starts = dict(InitialRating.objects.filter(league=league).values_list("player_id", "rating"))
    for player, index in states.position.items():
        if player in last:
            change = last[player]
            row = [change["after"], change["state_1"], change["state_2"], change["state_3"]]
            pool.values[index] = row[:width]
            pool.games[index], pool.shift_at[index] = change["games"], change["shift"]
        elif rules:
            pool.values[index] = start_of(system_of(rules[0]), starts.get(player))
    newest = max(last.values(), key=lambda change: (change["at"], change["number"]), default=None)
    pool.shift = newest["shift"] if newest else 0.0
    return states


def start_of(system: RatingSystem, initial: float | None) -> list[float]:
    """Return the state in which a player starts, with the league's own rating where one was set."""
    state = system.start()
    return state if initial is None else [initial, *state[1:]]


def rate_entries(
    league: League, system: RatingSystem, entries: Sequence[Entry], states: States, compiled: bool = False
) -> None:
    """Run games through one system, moving ``states``, and write their lines of the history."""
    log = log_of(system, entries, states)
    settled = states.pool.values[:, 0].tolist()
    history = replay(system, log, states.pool, compiled=compiled)
    insert_rows(RatingChange, CHANGE_COLUMNS, change_rows(league, entries, history, settled, states))


def log_of(system: RatingSystem, entries: Sequence[Entry], states: States) -> Log:
    """Return the games as the arrays that the replay reads."""
    lines = [line for entry in entries for line in entry.results]
    sizes = [len(entry.results) for entry in entries]
    keys = [spec.key for spec in system.game_fields]
    return Log(
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        players=np.array([states.position[line[0]] for line in lines], dtype=np.int64),
        results=np.array(
            [[NAN if line[1] is None else line[1], NAN if line[2] is None else line[2]] for line in lines],
            dtype=np.float64,
        ),
        fields=np.array([[entry.details.get(key, NAN) for key in keys] for entry in entries], dtype=np.float64),
    )


def change_rows(
    league: League,
    entries: Sequence[Entry],
    history: History,
    settled: list[float],
    states: States,
) -> Iterator[tuple[Any, ...]]:
    """Yield the lines of the history, a pool line before a game's where the pool moved the player.

    ``settled`` holds the rating of each player after his last game, and is moved along.
    """
    before, after, change = history.before.tolist(), history.after.tolist(), history.change.tolist()
    games, shift, performance = history.games.tolist(), history.shift.tolist(), history.performance.tolist()
    row = 0
    for entry in entries:
        for player, _, _, seat in entry.results:
            index = states.position[player]
            head = (league.pk, player, entry.pk, entry.played_at, entry.number)
            count, rating = int(games[row]), before[row][0]
            if rating != settled[index]:
                moved = (settled[index], rating - settled[index], rating)
                yield (*head, 0, seat, "pool", count, *moved, *padded(before[row]), None, shift[row])
            figure = None if performance[row] != performance[row] else performance[row]
            line = (rating, change[row], after[row][0])
            yield (*head, 1, seat, "game", count, *line, *padded(after[row]), figure, shift[row])
            settled[index] = after[row][0]
            row += 1


def padded(state: Sequence[float]) -> tuple[float, float, float]:
    """Return what stands beside the rating, three floats."""
    one, two, three = [*state[1:], 0.0, 0.0, 0.0][:3]
    return one, two, three


def mark_stale(league: League, place: Place) -> None:
    """Note that the history from a place on is to be replayed; the league must be locked."""
    if league.stale_from is None or place < (league.stale_from, league.stale_number):
        league.stale_from, league.stale_number = place
        league.save(update_fields=["stale_from", "stale_number"])


def games_from(league: League, place: Place, limit: int) -> int:
    """Return how many games stand at a place or after it, counting no further than ``limit``."""
    games = Game.objects.filter(at_or_after(place, "played_at"), league=league)
    return games[:limit].count()
