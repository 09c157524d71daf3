"""The sums of a replay: where the players stand at a place, every line from there on, the ratings that follow."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from django.db.models import Max, Q

from league.db.columns import Column, literal, moment_column, read_columns
from league.db.make_equal import Table, make_equal
from league.models import InitialRating, League, Rating, RatingChange, Rule
from league.selectors.ladders.tallies import newest_lines
from league.selectors.rules import rule_at, system_of
from league.services.replay.history import GameLog, Position, at_or_after
from ratings.contract.system import RatingSystem
from ratings.run.replay import NAN, History, Pool, replay

STATES = ("state_1", "state_2", "state_3")
#: Runs games through a system as ``replay`` does, ``compiled`` or not.
Run: TypeAlias = Callable[..., History]
#: So many players are looked up each; for more of them all are read at once.
FEW = 2000
#: So many conditions stand in one query; databases limit how deep they may be nested.
CONDITIONS = 100


@dataclass
class PlayerStates:
    """The players of a replay, their ids in ascending order, and where they stand."""

    ids: Column
    pool: Pool
    settled: Column
    """Ratings as of the players' last lines before the place."""

    def of(self, players: Column) -> "PlayerStates":
        """Return the standings of some of the players."""
        kept = np.isin(self.ids, players)
        pool = Pool(self.pool.values[kept], self.pool.games[kept], self.pool.shift_at[kept], self.pool.shift)
        return PlayerStates(self.ids[kept], pool, self.settled[kept])


def start_of(system: RatingSystem, initial: float | None) -> list[float]:
    """Return the state in which a player starts, with the league's own rating where one was set."""
    state = system.start()
    return state if initial is None else [initial, *state[1:]]


def player_states_at(
    league: League, place: Position | None, rules: Sequence[Rule], log: GameLog, stored: dict[str, Column]
) -> PlayerStates:
    """Return where the players of the log and of the stored lines stand before a place.

    What is stored from the place on tells it: the first line of each player there begins where the
    line before it ended. Who has no line there stands where the current rating says.
    """
    ids = np.union1d(log.players, stored["player"])
    width = len(system_of(rules[0]).state)
    starts = dict(InitialRating.objects.filter(league=league).values_list("player_id", "rating"))
    values = np.tile(np.array(start_of(system_of(rules[0]), None)), (len(ids), 1))
    for player, rating in starts.items():
        index = np.searchsorted(ids, player)
        if index < len(ids) and ids[index] == player:
            values[index, 0] = rating
    pool = Pool(values, np.zeros(len(ids)), np.zeros(len(ids)))
    if place is not None:
        earlier = RatingChange.objects.filter(~at_or_after(place, "at"), league=league, at__lte=place[0])
        pool.shift = earlier.order_by("-at", "-order_key").values_list("shift", flat=True).first() or 0.0
        first = first_lines(ids, stored)
        put_stored(league, ids, pool, stored, first, width)
        put_current(league, ids[first < 0], ids, pool, width)
        if any(system_of(rule).moves_everybody() for rule in rules):
            pool.others = Rating.objects.filter(league=league).exclude(player__in=ids.tolist()).count()
    return PlayerStates(ids, pool, pool.values[:, 0].copy())


def first_lines(ids: Column, stored: dict[str, Column]) -> Column:
    """Return the stored row that is each player's first one, -1 for who has none."""
    order = np.lexsort((stored["step"], stored["games"], stored["player"]))
    players = stored["player"][order]
    found = np.searchsorted(players, ids)
    first = np.full(len(ids), -1)
    inside = found < len(players)
    inside[inside] = players[found[inside]] == ids[inside]
    first[inside] = order[found[inside]]
    return first


def put_stored(league: League, ids: Column, pool: Pool, stored: dict[str, Column], first: Column, width: int) -> None:
    """Fill in where the players stand who have a stored line from the place on and one before it."""
    known = np.flatnonzero(first >= 0)
    rows = first[known]
    games = stored["games"][rows] - 1
    known, rows, games = known[games > 0], rows[games > 0], games[games > 0]
    pool.games[known] = games
    pool.values[known, 0] = stored["before"][rows]
    if width == 1 and pool.shift == 0.0 and ("shift" not in stored or not stored["shift"].any()):
        return
    wanted = list(zip(ids[known].tolist(), games.tolist(), strict=True))
    for start in range(0, len(wanted), CONDITIONS):
        either = Q()
        for player, count in wanted[start : start + CONDITIONS]:
            # All of the key in each condition: only then does SQLite look each of them up.
            either |= Q(league=league, player=player, games=count, step=1)
        lines = RatingChange.objects.filter(either).values_list("player", "after", "shift", *STATES)
        for player, after, shift, *state in lines:
            index = np.searchsorted(ids, player)
            pool.values[index] = [after, *state][:width]
            pool.shift_at[index] = shift


def put_current(league: League, players: Column, ids: Column, pool: Pool, width: int) -> None:
    """Fill in where the players stand whose last line lies before the place: their current ratings."""
    for start in range(0, len(players), 5000):
        part = players[start : start + 5000].tolist()
        rows = Rating.objects.filter(league=league, player__in=part)
        for player, settled, shift, games, *state in rows.values_list("player", "settled", "shift", "games", *STATES):
            index = np.searchsorted(ids, player)
            pool.values[index] = [settled, *state][:width]
            pool.games[index], pool.shift_at[index] = games, shift


def compute(
    rules: Sequence[Rule], log: GameLog, standings: PlayerStates, compiled: bool, run: Run = replay
) -> dict[str, Column]:
    """Run the log through the rules in force, moving the standings; returns the lines of the history as columns.

    ``run`` is who does the sums, the same as ``ratings.run.replay.replay`` does them.
    """
    positions = np.searchsorted(standings.ids, log.players)
    edges = [bisect_left(log.moments, literal(rule.starts_at)) for rule in rules] + [len(log.games)]
    parts: list[tuple[int, int, History]] = []
    for rule, start, end in zip(rules, edges[:-1], edges[1:], strict=True):
        if end > start:
            system = system_of(rule)
            history = run(system, log.part(system, start, end, positions), standings.pool, compiled=compiled)
            parts.append((start, end, history))
    return lines_of(log, parts, positions, standings.settled)


def lines_of(
    log: GameLog, parts: Sequence[tuple[int, int, History]], positions: Column, settled: Column
) -> dict[str, Column]:
    """Return the lines of the history, with those of the pool where it moved a player since the line before."""
    start = parts[0][0] if parts else len(log.games)
    first = log.offsets[start]
    sizes = np.diff(log.offsets[start:])
    histories = [history for _, _, history in parts]

    def joined(name: str, column: int | None = None) -> Column:
        found = [getattr(history, name) for history in histories]
        if column is not None:
            found = [rows[:, column] if rows.shape[1] > column else np.zeros(len(rows)) for rows in found]
        return found[0] if len(found) == 1 else np.concatenate(found) if found else np.empty(0)

    lines = {
        "game": np.repeat(log.games[start:], sizes),
        "number": np.repeat(log.numbers[start:], sizes),
        "order_key": np.repeat(log.order_keys[start:], sizes),
        "at": np.repeat(log.moments[start:], sizes),
        "player": log.players[first:],
        "seat": log.seats[first:],
        "step": np.ones(len(log.players) - first, dtype=np.int64),
        "games": joined("games").astype(np.int64),
        "before": joined("before", 0),
        "change": joined("change"),
        "after": joined("after", 0),
        **{name: joined("after", index) for index, name in enumerate(STATES, 1)},
        "performance": joined("performance"),
        "shift": joined("shift"),
    }
    beside = [joined("before", index) for index in range(1, len(STATES) + 1)]
    moved = pool_lines(lines, beside, last_before(lines, positions[first:], settled))
    if not len(moved["number"]):
        return lines
    return {name: np.concatenate([values, moved[name]]) for name, values in lines.items()}


def last_before(lines: dict[str, Column], positions: Column, settled: Column) -> Column:
    """Return for each line the rating after the player's line before it."""
    order = np.argsort(positions, kind="stable")
    seats = positions[order]
    after = lines["after"][order]
    before = np.empty(len(order))
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = seats[1:] != seats[:-1]
    before[1:] = after[:-1]
    before[begins] = settled[seats[begins]]
    found = np.empty(len(order))
    found[order] = before
    return found


def pool_lines(lines: dict[str, Column], beside: Sequence[Column], last: Column) -> dict[str, Column]:
    """Return the lines of the pool, step 0: where a rating was not what it was after the line before."""
    moved = lines["before"] != last
    found = {name: values[moved] for name, values in lines.items()}
    found["step"] = np.zeros(moved.sum(), dtype=np.int64)
    found["before"], found["after"] = last[moved], lines["before"][moved]
    found["change"] = found["after"] - found["before"]
    found["performance"] = np.full(moved.sum(), NAN)
    for name, values in zip(STATES, beside, strict=True):
        found[name] = values[moved]
    return found


RATING_KINDS = {
    "player": "key", "games": "whole", "last_number": "key", "last_at": "moment",
    **dict.fromkeys(
        ("rating", "settled", "shift", "score", "peak", "change", *STATES), "float"
    ),
}  # fmt: skip
#: The current ratings of one league.
RATINGS = Table(Rating, ("player",), tuple(RATING_KINDS), {"league": "key", **RATING_KINDS})


def write_ratings(
    league: League,
    place: Position | None,
    rules: Sequence[Rule],
    standings: PlayerStates,
    lines: dict[str, Column],
    stored: dict[str, Column],
    affected: Column,
) -> None:
    """Write the current ratings of the players of a replay where they differ from what is stored.

    ``lines`` is the history from the place on as it is now, ``stored`` as it was. ``affected`` are the players
    with another line than before; nobody else's rating moved, unless the pool's shift or another rule
    moved everybody's.
    """
    if place is not None and len(rules) == 1 and not standings.pool.shift:
        standings = standings.of(affected)
        kept = np.isin(lines["player"], affected)
        lines = {name: values[kept] for name, values in lines.items()}
    old = stored_ratings(league, standings.ids, place)
    new = computed_ratings(league, rules, standings, lines)
    if place is not None:
        put_earlier_peaks(league, place, new, old, stored)
    new["league"] = np.full(len(new["player"]), league.pk, dtype=np.int64)
    make_equal(RATINGS, old, new, Rating.objects.filter(league=league) if place is None else None)


def stored_ratings(league: League, ids: Column, place: Position | None) -> dict[str, Column]:
    """Return the stored ratings of these players, all of the league where the replay begins with nothing."""
    rows = Rating.objects.filter(league=league).order_by("player_id")
    names = [
        "player_id" if name == "player" else moment_column(name) if kind == "moment" else name
        for name, kind in RATING_KINDS.items()
    ]
    old = read_columns(rows.values_list("pk", *names), pk="key", **RATING_KINDS)
    if place is None:
        return old
    kept = np.isin(old["player"], ids)
    return {name: values[kept] for name, values in old.items()}


def computed_ratings(
    league: League,
    rules: Sequence[Rule],
    standings: PlayerStates,
    lines: dict[str, Column],
) -> dict[str, Column]:
    """Return the current ratings of the players who have a game, in ascending order of their ids.

    Peaks are those of the lines.
    """
    pool, ids = standings.pool, standings.ids
    played = np.flatnonzero(pool.games > 0)
    new: dict[str, Column] = {
        "player": ids[played],
        "games": pool.games[played].astype(np.int64),
        "rating": pool.ratings()[played] + 0.0,
        "settled": pool.values[played, 0],
        "shift": pool.shift_at[played],
    }
    for index, name in enumerate(STATES, 1):
        new[name] = pool.values[played, index] if pool.values.shape[1] > index else np.zeros(len(played))
    put_last(league, lines, new)
    new["peak"] = highest(new["player"], lines)
    newest = (
        RatingChange.objects.filter(league=league).order_by("-at", "-order_key").values_list("at", flat=True).first()
    )
    rule = rule_at(rules, newest) if newest else None
    put_scores(rule, new)
    return new


def put_scores(rule: Rule | None, new: dict[str, Column]) -> None:
    """Fill in the display scores by the rule of the league's last rated game; None where there is none."""
    scores = []
    if rule is not None:
        system = system_of(rule)
        columns = [new["rating"].tolist(), *(new[name].tolist() for name in STATES), new["games"].tolist()]
        scores = [system.display(state, games) for *state, games in zip(*columns, strict=True)]
    new["score"] = np.array(scores, dtype=np.float64)


def put_last(league: League, lines: dict[str, Column], new: dict[str, Column]) -> None:
    """Fill in change, time and number of each player's last game."""
    game = np.flatnonzero(lines["step"] == 1)
    order = game[np.lexsort((lines["games"][game], lines["player"][game]))]
    players = lines["player"][order]
    last = np.searchsorted(players, new["player"], side="right") - 1
    here = last >= 0
    here[here] = players[last[here]] == new["player"][here]
    rows = order[last[here]]
    new["last_at"] = np.empty(len(here), dtype=lines["at"].dtype)
    new["last_number"], new["change"] = np.zeros(len(here), dtype=np.int64), np.zeros(len(here))
    new["last_at"][here], new["last_number"][here] = lines["at"][rows], lines["number"][rows]
    new["change"][here] = lines["change"][rows]
    absent = new["player"][~here]
    for start in range(0, len(absent), 5000):
        earlier = RatingChange.objects.filter(league=league, step=1, player__in=absent[start : start + 5000].tolist())
        found = read_columns(
            newest_lines(earlier).values_list("player_id", moment_column("at"), "number", "change"),
            player="key", at="moment", number="key", change="float",
        )  # fmt: skip
        index = np.searchsorted(new["player"], found["player"])
        new["last_at"][index], new["last_number"][index] = found["at"], found["number"]
        new["change"][index] = found["change"]


def row_of(players: Column, wanted: Column) -> Column:
    """Return the row of each wanted player among these, who are in ascending order; -1 for who is not there."""
    found = np.searchsorted(players, wanted)
    inside = found < len(players)
    inside[inside] = players[found[inside]] == wanted[inside]
    return np.where(inside, found, -1)


def highest(players: Column, lines: dict[str, Column]) -> Column:
    """Return each player's highest rating after a game, -inf for none; ``players`` in ascending order."""
    peaks = np.full(len(players), -np.inf)
    game = np.flatnonzero(lines["step"] == 1)
    row = row_of(players, lines["player"][game])
    np.maximum.at(peaks, row[row >= 0], lines["after"][game[row >= 0]])
    return peaks


def peaks_of(rows: dict[str, Column], players: Column) -> Column:
    """Return the peak that each player has in rows of player (ascending) and peak, -inf for who has none."""
    peaks = np.full(len(players), -np.inf)
    row = row_of(rows["player"], players)
    peaks[row >= 0] = rows["peak"][row[row >= 0]]
    return peaks


def put_earlier_peaks(
    league: League, place: Position, new: dict[str, Column], old: dict[str, Column], stored: dict[str, Column]
) -> None:
    """Raise the peaks to those of the lines before a place, which a replay from there on leaves as they are.

    A stored peak that none of the stored lines from the place on has is one of those before. Where one of
    them has it and no new line reaches it, only the history before the place tells.
    """
    known = peaks_of(old, new["player"])
    unsure = (known <= highest(new["player"], stored)) & (known > new["peak"])
    new["peak"] = np.maximum(new["peak"], np.where(unsure, -np.inf, known))
    players = new["player"][unsure]
    if not len(players):
        return
    earlier = RatingChange.objects.filter(~at_or_after(place, "at"), league=league, step=1, at__lte=place[0])
    if len(players) <= FEW:
        earlier = earlier.filter(player__in=players.tolist())
    peaks = earlier.order_by().values("player").annotate(peak=Max("after")).order_by("player")
    found = read_columns(peaks.values_list("player", "peak"), player="key", peak="float")
    new["peak"][unsure] = np.maximum(new["peak"][unsure], peaks_of(found, players))
