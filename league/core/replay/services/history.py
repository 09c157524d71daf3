"""Games and history as NumPy columns: the input of a replay, and its output, written if different.

Rows are identified by (number, seat, step), packed into one whole number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, Case, F, Max, Min, Q, QuerySet, When
from django.db.models.functions import Abs

from league.core.db.bulk import TableShape, make_equal
from league.core.db.columns import (  # fmt: skip
    Column,
    Columns,
    Floats,
    Keys,
    Moments,
    Smalls,
    Truths,
    Wholes,
    build_derived_timestamp_expression,
    build_expressions,
    convert_column_to_days,
    convert_to_datetime,
    convert_to_micros,
    is_postgres,
    join_columns,
    read_apart,
    read_columns,
    read_statement,
)
from league.core.replay.services.owners import build_owner_columns, choose_table
from league.models import Game, League, RatingChange, Result, Rule
from league.models.contexts import changes_of
from ratings.contract.system import RatingSystem
from ratings.run.replay import NAN, Log, log_fields, log_results

#: (played_at, order key): the position of a counting game in its league's order.
Position = tuple[datetime, int]
FIGURES = ("before", "change", "after", "state_1", "state_2", "state_3", "performance", "shift")
#: Columns used only by systems with more state than a rating; 0 for others.
MORE = ("state_1", "state_2", "state_3", "shift")
#: Columns copied from the game; a replay from a position trusts them, ``verify`` does not.
REPEATED = ("game", "at")


@dataclass(frozen=True)
class Beginnings(Columns):
    """The columns of a history that determine the players' states before each line."""

    player: Keys
    games: Wholes
    step: Smalls
    before: Floats
    shift: Floats


@dataclass(frozen=True)
class StoredLines(Beginnings):
    """Lines of a history without the columns copied from games."""

    number: Keys
    seat: Smalls
    change: Floats
    after: Floats
    order_key: Keys
    state_1: Floats
    state_2: Floats
    state_3: Floats
    performance: Floats

    def key(self) -> Column:
        """Return the number that identifies each row, packed from game number, seat and step."""
        names: Column = self.number * 256 + self.seat * 2 + self.step
        return names


@dataclass(frozen=True)
class ComputedLines(StoredLines):
    """Computed lines of a history."""

    game: Keys
    at: Moments


@dataclass(frozen=True)
class StoredHistory(StoredLines):
    """Stored lines; ``sound``: whether a replay could have written them."""

    pk: Keys
    sound: Truths


@dataclass(frozen=True)
class FullStoredHistory(StoredHistory, ComputedLines):
    """Stored lines with all columns."""


CHANGES = TableShape(
    RatingChange,
    key=("key",),
    compared=("sound", "player", "games", "order_key", *REPEATED, *FIGURES),
    kinds={"league": "key", "cause": "text", **ComputedLines.kinds()},
    texts={"cause": ("pool", "game")},
)
"""Lines of the history; the cause follows from the step."""


#: In larger leagues the columns of games, results and lines are read separately (``core/db/columns.py``).
MANY = 10_000
#: Games per query for results and lines on PostgreSQL, which needs 1.9 kB of memory for a game of four.
SPAN = 500_000
#: Results are read by the range of game keys if the range is at most this many times the number of games.
MAX_KEY_SPREAD = 1.25


@dataclass(frozen=True)
class PlayedGames(Columns):
    """Stored games: number, order key and time."""

    pk: Keys
    number: Keys
    order_key: Keys
    played_at: Moments


@dataclass(frozen=True)
class WeightedGames(PlayedGames):
    """Stored games with weights."""

    weight: Floats


@dataclass(frozen=True)
class SheetLines(Columns):
    """Stored results; ``key``: 256 times the game's key, plus the seat."""

    key: Keys
    player: Keys
    score: Floats
    place: Floats


@dataclass(frozen=True)
class SidedLines(SheetLines):
    """Stored results with sides."""

    side: Floats


@dataclass(frozen=True)
class GameLog:
    """The rated games from a position, in rating order: G games with N results in seat order.

    Results of game g are ``offsets[g]`` … ``offsets[g + 1] - 1``. Absent scores, places and sides are NaN.
    Sides and weights are None if no system of the league supports them.
    """

    games: Column
    numbers: Column
    order_keys: Column
    moments: Column
    offsets: Column
    players: Column
    seats: Column
    results: Column
    details: list[dict[str, Any]] | None
    sides: Column | None = None
    weights: Column | None = None

    def edges(self, rules: Sequence[Rule]) -> list[int]:
        """Return the index of the first game under each rule."""
        edges: list[int] = np.searchsorted(self.moments, [convert_to_micros(rule.starts_at) for rule in rules]).tolist()
        return edges

    def until(self, end: int) -> "GameLog":
        """Return the first ``end`` games."""
        last = self.offsets[end]
        return GameLog(
            games=self.games[:end],
            numbers=self.numbers[:end],
            order_keys=self.order_keys[:end],
            moments=self.moments[:end],
            offsets=self.offsets[: end + 1],
            players=self.players[:last],
            seats=self.seats[:last],
            results=self.results[:last],
            details=None if self.details is None else self.details[:end],
            sides=None if self.sides is None else self.sides[:last],
            weights=None if self.weights is None else self.weights[:end],
        )

    def select(self, chosen: Truths) -> "GameLog":
        """Return the chosen games (G)."""
        sizes = np.diff(self.offsets)
        lines = np.repeat(chosen, sizes)
        return GameLog(
            games=self.games[chosen],
            numbers=self.numbers[chosen],
            order_keys=self.order_keys[chosen],
            moments=self.moments[chosen],
            offsets=np.concatenate([[0], np.cumsum(sizes[chosen])]),
            players=self.players[lines],
            seats=self.seats[lines],
            results=self.results[lines],
            details=None if self.details is None else list(compress(self.details, chosen)),
            sides=None if self.sides is None else self.sides[lines],
            weights=None if self.weights is None else self.weights[chosen],
        )

    def part(self, system: RatingSystem, start: int, end: int, indices: Column) -> Log:
        """Return a range of games as the kernel's input; ``indices``: of the players in the pool."""
        first, last = self.offsets[start], self.offsets[end]
        keys = [spec.key for spec in system.game_fields]
        details = self.details or []
        sides, weights = self.sides, self.weights
        fields = [[entry.get(key, NAN) for key in keys] for entry in details[start:end]] if keys else []
        return Log(
            offsets=self.offsets[start : end + 1] - first,
            players=indices[first:last],
            results=log_results(
                system,
                self.results[first:last],
                self.offsets[start : end + 1],
                None if sides is None else sides[first:last],
            ),
            fields=log_fields(
                system,
                np.array(fields, dtype=np.float64).reshape(end - start, len(keys)),
                convert_column_to_days(self.moments[start:end]),
                None if weights is None else weights[start:end],
            ),
        )


def build_at_or_after_condition(position: Position | None, field: str) -> Q:
    """Return the condition that a row is at or after a position in the order."""
    if position is None:
        return Q()
    later = Q(**{f"{field}__gt": position[0]}) | Q(**{field: position[0], "order_key__gte": position[1]})
    # Redundant, but usable by an index.
    return Q(**{f"{field}__gte": position[0]}) & later


def find_lines_before(league: League, position: Position) -> QuerySet[RatingChange]:
    """Return the lines of the history before a position in the order."""
    # The last condition is redundant, but usable by an index.
    return changes_of(league).filter(~build_at_or_after_condition(position, "at"), at__lte=position[0])


def find_newest_position(league: League) -> Position | None:
    """Return the position of the last rated game in the order."""
    changes = changes_of(league).order_by("-at", "-order_key")
    return changes.values_list("at", "order_key").first()


def shift_after(lines: QuerySet[RatingChange]) -> float:
    """Return the pool's shift after the last of these lines."""
    return lines.order_by("-at", "-order_key").values_list("shift", flat=True).first() or 0.0


def read_log(
    league: League, position: Position | None, systems: Sequence[RatingSystem], *, sides: bool = False
) -> GameLog:
    """Read the rated games from a position; details, sides and weights only if one of the systems supports them.

    ``sides``: whether sides are read in any case.
    """
    weights = any(type(system).weights for system in systems)
    games = Game.objects.rated().filter(build_at_or_after_condition(position, "played_at"), league=league)
    ordered = games.order_by("played_at", "order_key")
    game_columns = (WeightedGames if weights else PlayedGames).read(ordered, apart=league.last_number > MANY)
    kind = SidedLines if sides or any(type(rating_system).sides for rating_system in systems) else SheetLines
    rows = read_results(league, games, game_columns.pk, kind)
    by_key, seats = np.argsort(game_columns.pk, kind="stable"), rows.key & 255
    index = by_key[np.searchsorted(game_columns.pk[by_key], rows.key >> 8)]
    order = np.argsort(index * 256 + seats, kind="stable")
    sizes = np.bincount(index, minlength=len(game_columns))
    return GameLog(
        games=game_columns.pk,
        numbers=game_columns.number,
        order_keys=game_columns.order_key,
        moments=game_columns.played_at,
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        players=rows.player[order],
        seats=seats[order],
        results=np.column_stack([rows.score[order], rows.place[order]]),
        details=list(ordered.values_list("details", flat=True))
        if any(rating_system.game_fields for rating_system in systems)
        else None,
        sides=rows.side[order] if isinstance(rows, SidedLines) else None,
        weights=game_columns.weight if isinstance(game_columns, WeightedGames) else None,
    )


def read_results(league: League, games: QuerySet[Game], keys: Column, kind: type[SheetLines]) -> SheetLines:
    """Read the results of a league's games, whose keys must also be given, unordered."""
    if len(keys) <= SPAN or not is_postgres():
        return read_results_of(league, games, keys, kind)
    ordered = np.sort(keys)
    spans = [ordered[start : start + SPAN] for start in range(0, len(keys), SPAN)]
    batches = ((games.filter(pk__range=(span[0], span[-1])), span) for span in spans)
    return kind.joined([read_results_of(league, *batch, kind) for batch in batches])


def read_results_of(league: League, games: QuerySet[Game], keys: Column, kind: type[SheetLines]) -> SheetLines:
    """Read the results of games, whose keys must also be given, in one query.

    Game and seat are packed into one number: each column costs the server as much as finding the rows.
    """
    results, near = Result.objects.filter(league=league).order_by(), False
    if len(keys):
        first, last = int(keys.min()), int(keys.max())
        near = last - first < MAX_KEY_SPREAD * len(keys)
    # Looking up each game of a large league takes 50 % longer than reading a few extra results.
    result_lines = (
        results.filter(game__gte=first, game__lte=last)
        if near
        else results.filter(game__in=games.order_by().values("pk"))
    )
    rows = kind.read(result_lines, apart=len(keys) > MANY, key=F("game_id") * 256 + F("seat"))
    if not near:
        return rows
    requested_flags = np.zeros(last - first + 1, dtype=bool)
    requested_flags[keys - first] = True
    mask = requested_flags[(rows.key >> 8) - first]
    return rows if mask.all() else rows.of(mask)


def read_history(league: League, position: Position | None, *, plain: bool = False) -> StoredHistory:
    """Read the stored history from a position, unordered.

    Reading dominates the time of a short replay, so columns are left out: the REPEATED ones if there is a position,
    and with ``plain``, for systems with only a rating, those in MORE. A line with other values than zero in MORE is not
    sound.
    """
    if position is None:
        return FullStoredHistory(**read_kept(league, None, ComputedLines.kinds(), plain=plain))
    return StoredHistory(**read_kept(league, position, StoredLines.kinds(), plain=plain))


def read_whole(league: League) -> FullStoredHistory:
    """Read the complete stored history of a league, unordered."""
    return FullStoredHistory(**read_kept(league, None, ComputedLines.kinds(), plain=False))


def read_kept(league: League, position: Position | None, kinds: dict[str, str], *, plain: bool) -> dict[str, Column]:
    """Read these columns, and for each line its primary key and whether it is sound."""
    left_out = {"number", "seat", "step", *(MORE if plain else ())}
    kinds = {name: kind for name, kind in kinds.items() if name not in left_out}
    sound = Q(step=1, cause="game") | Q(step=0, cause="pool")
    if plain:
        sound &= Q(**dict.fromkeys(MORE, 0.0))
    key = F("number") * 256 + F("seat") * 2 + F("step")
    signed = Case(When(sound, then=key), default=-key, output_field=BigIntegerField())
    changes = changes_of(league).filter(build_at_or_after_condition(position, "at")).order_by()
    names = build_expressions(kinds, {"at": build_derived_timestamp_expression("at")})
    read_rows = read_apart if league.last_number > MANY else read_columns
    cuts = _find_cut_positions(league, position)
    spans = [
        changes.filter(build_between_condition(*limits)) for limits in zip([None, *cuts], [*cuts, None], strict=True)
    ]
    rows = join_columns(
        [read_rows(span.values_list("pk", signed, *names), pk="key", key="key", **kinds) for span in spans]
    )
    keys = rows.pop("key")
    rows["sound"], keys = keys > 0, np.abs(keys)
    rows["number"], rows["seat"] = keys >> 8, (keys >> 1).astype(np.int16) & 127
    rows["step"] = keys.astype(np.int16) & 1
    return rows | (dict.fromkeys(MORE, np.zeros(len(keys))) if plain else {})


def _find_cut_positions(league: League, position: Position | None) -> list[Position]:
    """Return the positions that divide the games from a position into spans: the start of each but the first."""
    if league.last_number <= SPAN or not is_postgres():
        return []
    games = Game.objects.filter(build_at_or_after_condition(position, "played_at"), league=league).order_by(
        "played_at", "order_key"
    )
    columns = read_apart(games.values_list("played_at", "order_key"), at="moment", order_key="key")
    times, order_keys = columns["at"][SPAN::SPAN].tolist(), columns["order_key"][SPAN::SPAN].tolist()
    return [(convert_to_datetime(time), order_key) for time, order_key in zip(times, order_keys, strict=True)]


def build_between_condition(start: Position | None, end: Position | None) -> Q:
    """Return the condition that a line is at or after a position in the order, and before another."""
    # Partly redundant, but usable by an index.
    before_end = Q() if end is None else Q(at__lte=end[0]) & ~build_at_or_after_condition(end, "at")
    return build_at_or_after_condition(start, "at") & before_end


def read_beginnings(league: League, position: Position | None, *, plain: bool = False) -> Beginnings:
    """Read each player's first stored line from a position, which has the state before it.

    For callers that need no other lines; ``plain`` as in ``read_history``. ``shift``: the largest of the player's
    lines.
    """
    changes = changes_of(league).filter(build_at_or_after_condition(position, "at")).order_by()
    first = changes.values("player").annotate(line=Min(F("games") * 2 + F("step")), most=Max(Abs("shift")))
    query, parameters = first.values_list("player", "line", *(() if plain else ("most",))).query.sql_with_params()
    extra_fields = () if plain else ("shift",)
    names = [
        "first.player",
        "stored.games",
        "stored.step",
        "stored.before",
        *(f"first.{name}" for name in extra_fields),
    ]
    statement = (
        f"WITH first ({', '.join(('player', 'line', *extra_fields))}) AS ({query}) SELECT {', '.join(names)} "  # noqa: S608 -- own names
        "FROM first JOIN league_ratingchange stored ON stored.league_id = %s AND stored.player_id = first.player "
        "AND stored.games = first.line / 2 AND stored.step = (first.line & 1)"
    )
    kinds = {name: kind for name, kind in Beginnings.kinds().items() if name not in MORE or not plain}
    rows = read_statement(statement, (*parameters, league.pk), kinds)
    return Beginnings(**rows | ({"shift": np.zeros(len(rows["player"]))} if plain else {}))


def write_history(league: League, position: Position | None, stored: StoredHistory, computed: ComputedLines) -> Column:
    """Make the stored history from a position equal to the computed one; return the affected players."""
    rows = build_stored_columns(computed)
    rows |= {**build_owner_columns(league, len(computed)), "cause": computed.step}
    scope = changes_of(league).filter(build_at_or_after_condition(position, "at"))
    computed_unchanged, stored_unchanged = make_equal(
        choose_table(league, CHANGES), load_columns_with_key(stored), rows, scope
    )
    return np.union1d(stored.player[~stored_unchanged], computed.player[~computed_unchanged])


def load_columns_with_key(lines: StoredLines) -> dict[str, Column]:
    """Return lines as columns, with the identifying number of each."""
    return lines.by_name() | {"key": lines.key()}


def build_stored_columns(computed: ComputedLines) -> dict[str, Column]:
    """Return computed lines as columns, with the additional columns of stored ones."""
    return load_columns_with_key(computed) | {"sound": np.broadcast_to(True, len(computed))}
