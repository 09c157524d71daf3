"""The leaderboard at a past time, from the games played before it as recorded today.

It is read as columns of all players; rows with names are created only for those displayed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import overload

import numpy as np
from django.db import connection
from django.db.models import Q
from django.utils.translation import gettext as _

from league.core.db.bounded_cache import cached
from league.core.db.columns import (
    Column,
    Columns,
    Floats,
    Keys,
    Moments,
    Wholes,
    convert_to_datetime,
    is_postgres,
    read_statement,
)
from league.core.db.statements import execute_query
from league.core.errors import Refused
from league.core.leaderboard.selectors.current_board import (
    BoardRow,
    Key,
    Listing,
    State,
    complete,
    load_board_state,
    load_names,
)
from league.core.leaderboard.selectors.pages import BoardPage
from league.core.rules.selectors.rules import (
    STATE_COLUMNS,
    ShownRatings,
    build_rule_system,
    find_last_system_change,
    find_rule_of_ratings,
    load_earlier_games,
    load_rules,
)
from league.models import League, Player, Rule
from league.models.contexts import changes_of, gameless_changes_of, ratings_of
from league.models.derived import SEASON_TURN, SYSTEM_CHANGE
from ratings.columns.tallies import rank_scores, rank_sorted_values
from ratings.contract.system import RatingSystem


@dataclass(frozen=True)
class LastLines(Columns):
    """The last lines of players before a time, unordered."""

    player: Keys
    after: Floats
    state_1: Floats
    state_2: Floats
    state_3: Floats
    games: Wholes
    change: Floats
    shift: Floats
    at: Moments
    number: Keys


LINE = "c.player_id, c.after, c.state_1, c.state_2, c.state_3, c.games, c.change, c.shift, {at}, c.number"
#: Everyone's last line before a time, read from the lines before it, if these are fewer.
OF_BEFORE = """
SELECT {line}
  FROM (SELECT player_id, MAX(games) AS games FROM {changes}
         WHERE league_id = %s{scope} AND at < %s AND step = 1 GROUP BY player_id ORDER BY player_id) f {joined}"""
#: The same, if the lines since are fewer: from current ratings and, for players with lines since, the line before.
OF_SINCE = """
SELECT {line}
  FROM (SELECT player_id, MIN(games) - 1 AS games FROM {changes}
         WHERE league_id = %s{scope} AND at >= %s AND step = 1 GROUP BY player_id ORDER BY player_id) f {joined}
 UNION ALL
SELECT r.player_id, r.settled, r.state_1, r.state_2, r.state_3, r.games, r.change, r.shift, {last_at}, r.last_number
  FROM {ratings} r WHERE r.league_id = %s{scope} AND r.last_at < %s"""
#: Looks up a line by its key. PostgreSQL would otherwise scan the history; lookups in index order take a fifth of the
#: time.
OF_KEY = "c.league_id = %s{scope} AND c.player_id = f.player_id AND c.games = f.games AND c.step = 1"
JOINED = {
    "postgresql": f"CROSS JOIN LATERAL (SELECT * FROM {{changes}} c WHERE {OF_KEY} LIMIT 1) c",  # noqa: S608 -- own text
    "sqlite": f"JOIN {{changes}} c ON {OF_KEY}",
}
#: Estimates the games before a time by the number of the last one.
NUMBER_BEFORE = """
SELECT g.number FROM league_game g WHERE g.league_id = %s AND g.played_at < %s
 ORDER BY g.played_at DESC, g.order_key DESC, g.number DESC LIMIT 1"""


COLUMNS = ("player", "score", "games", "change", "at", "number")


@dataclass(frozen=True)
class PastBoard(Sequence[BoardRow]):
    """A board at a past time: columns of all players on it, best first; rows are created on demand.

    states: K × 4, all stored columns.
    """

    shown: ShownRatings | None
    player: Column
    score: Column
    rank: Column
    games: Column
    change: Column
    at: Column
    number: Column
    states: Column

    def __len__(self) -> int:
        return len(self.player)

    @overload
    def __getitem__(self, which: int) -> BoardRow: ...
    @overload
    def __getitem__(self, which: slice) -> list[BoardRow]: ...
    def __getitem__(self, which: int | slice) -> BoardRow | list[BoardRow]:
        """Return the row at a place, or the rows of a slice."""
        if isinstance(which, int):
            place = range(len(self))[which]
            return self[place : place + 1][0]
        players = self.player[which].tolist()
        names = load_names(players)
        lines = zip(
            players,
            *(column[which].tolist() for column in (self.score, self.games, self.change, self.at, self.number)),
            self.states[which].tolist(),
            strict=True,
        )
        rows = [
            BoardRow(*names[player], score, games, change, convert_to_datetime(last_at), number, tuple(state), player)
            for player, score, games, change, last_at, number, state in lines
        ]
        if self.shown is not None:
            complete(self.shown, rows, self.rank[which].tolist())
        return rows

    def __iter__(self) -> Iterator[BoardRow]:
        """Iterate over all rows, reading all names at once."""
        return iter(self[:])

    def select(self, players: Column) -> "PastBoard":
        """Return the board of some of the players, with ranks among these."""
        is_selected = np.isin(self.player, players)
        columns = {name: getattr(self, name)[is_selected] for name in (*COLUMNS, "rank", "states")}
        return replace(self, **columns | {"rank": rank_sorted_values(columns["score"])})

    def find_ranks(self, scores: Sequence[float]) -> list[int]:
        """Return the ranks of some scores on the board."""
        ranks: list[int] = rank_scores(self.score[::-1], np.array(scores)).tolist()
        return ranks

    def position_of(self, player: int) -> int | None:
        """Return a player's place, from 0; None if not listed."""
        indices = np.flatnonzero(self.player == player)
        return int(indices[0]) if len(indices) else None

    def up_to(self, key: Key) -> int:
        """Return the number of players at or before a key."""
        score, rating, last = key
        better = self.score > score
        higher = (self.score == score) & (self.states[:, 0] > rating)
        level = (self.score == score) & (self.states[:, 0] == rating)
        names = load_names(self.player[level].tolist())
        tied_count = sum(handle <= last for handle, _ in names.values())
        return int(np.count_nonzero(better | higher)) + tied_count


def load_past_board(league: League, listing: Listing, time: datetime, state: State | None = None) -> PastBoard:
    """Return ``compute_leaderboard_at``, cached while the league's state is unchanged.

    state: the league's state, if known.
    """
    current_state = state or load_board_state(league.slug)
    if current_state is None or current_state.stale_from is not None:
        return compute_leaderboard_at(league, listing, time)
    context = None if league.context is None else league.context.pk
    key = (current_state, context, listing, time)
    return cached("board-at", key, lambda: compute_leaderboard_at(league, listing, time))


def compute_leaderboard_at(league: League, listing: Listing, time: datetime) -> PastBoard:
    """Return the leaderboard at a time.

    Players marked as inactive are listed, as the date is not recorded.
    """
    earlier_changes = changes_of(league).filter(step=1, at__lt=time).order_by("-at", "-order_key")
    latest = earlier_changes.values_list("at", "shift", "player").first()
    if latest is None:
        return sort_board(None, LastLines.nothing(), np.empty(0), np.empty(0))
    rules = [rule for rule in load_rules(league) if rule.starts_at < time]
    rule = find_rule_of_ratings(rules, latest[0])
    shown_ratings = ShownRatings(build_rule_system(rule), load_earlier_games(league, rules, rule.starts_at) or {})
    lines, shift = _load_last_lines(league, time), latest[1]
    if league.eventful:
        lines = apply_events(league, lines, find_last_system_change(rules, rule.starts_at), latest[0], time)
        # A player of the last game has the latest shift, also under a system that began since.
        shift = float(lines.shift[lines.player == latest[2]][0])
    lines = lines.of(listing.flags(lines.games, lines.at))
    rating = lines.after + (shift - lines.shift) + 0.0
    return sort_board(shown_ratings, lines, rating, _compute_scores(shown_ratings, lines, rating))


def _load_last_lines(league: League, time: datetime) -> LastLines:
    """Return everyone's last line before a time, using the smaller part of the history."""
    time_value, pk = connection.ops.adapt_datetimefield_value(time), league.pk
    number = execute_query(NUMBER_BEFORE, [pk, time_value])
    # With events between games, current ratings include more than the last lines.
    early = league.eventful or (bool(number) and 2 * number[0][0] < league.last_number)
    sql, values = (OF_BEFORE, [pk, time_value, pk]) if early else (OF_SINCE, [pk, time_value, pk, pk, time_value])
    # On SQLite timestamps are read as text, not as objects.
    cast_format = "{}" if is_postgres() else "CAST({} AS text)"
    tables = {
        "changes": changes_of(league).model._meta.db_table,
        "ratings": ratings_of(league).model._meta.db_table,
        "scope": "" if league.context is None else f" AND context_id = {league.context.pk:d}",
    }
    statement = sql.format(
        line=LINE.format(at=cast_format.format("c.at")),
        last_at=cast_format.format("r.last_at"),
        joined=JOINED[connection.vendor].format(**tables),
        **tables,
    )
    return LastLines(**read_statement(statement, values, LastLines.kinds()))


def apply_events(
    league: League, lines: LastLines, change: Rule | None, last_time: datetime, time: datetime
) -> LastLines:
    """Return lines updated by the events between the players' last games and a time.

    A season without games had not started: ``last_time`` is the time of the last game before.
    change: the last change of system that had taken effect.
    """
    order = np.argsort(lines.player)
    players, games, ratings = lines.player[order], lines.games[order], lines.after[order]
    other_fields = {name: getattr(lines, name)[order].copy() for name in (*STATE_COLUMNS, "shift")}
    condition = Q(number=SEASON_TURN, at__lte=last_time) | Q(number__gt=SEASON_TURN, at__lt=time)
    if change is not None:
        condition |= Q(number=SYSTEM_CHANGE, at__lte=change.starts_at)
    for line in gameless_changes_of(league).filter(condition).order_by("at", "number"):
        place = int(np.searchsorted(players, line.player_id))
        if place < len(players) and players[place] == line.player_id and games[place] == line.games:
            # After the last game there may be the line of a season that had not started yet.
            is_settled = line.at <= last_time or line.number == SYSTEM_CHANGE
            ratings[place] = line.after if is_settled else ratings[place] + line.change
            for name, values in other_fields.items():
                values[place] = getattr(line, name)
    return replace(lines.of(order), after=ratings, **other_fields)


def _compute_scores(shown_ratings: ShownRatings, lines: LastLines, rating: Column) -> Column:
    """Return the display scores of some lines, given their ratings including the pool's shift."""
    system, earlier_counts = shown_ratings.system, shown_ratings.earlier
    if type(system).display is RatingSystem.display:
        return rating
    rows = zip(_build_states(lines, rating).tolist(), lines.games.tolist(), lines.player.tolist(), strict=True)
    scores = [system.display(state, games - earlier_counts.get(player, 0)) for state, games, player in rows]
    return np.array(scores, dtype=np.float64)


def _build_states(lines: LastLines, rating: Column) -> Column:
    """Return the states after some lines, with all stored columns."""
    return np.column_stack([rating, lines.state_1, lines.state_2, lines.state_3])


def sort_board(shown_ratings: ShownRatings | None, lines: LastLines, rating: Column, score: Column) -> PastBoard:
    """Return the board of some lines with their ratings and scores, sorted by score, rating, then handle."""
    order = np.lexsort((-rating, -score))
    order = order[_sort_players(lines.player[order], score[order], rating[order])]
    score, lines = score[order], lines.of(order)
    fields = (lines.games, lines.change, lines.at, lines.number)
    return PastBoard(
        shown_ratings, lines.player, score, rank_sorted_values(score), *fields, _build_states(lines, rating[order])
    )


def _sort_players(player: Column, score: Column, rating: Column) -> Column:
    """Return the order of players sorted by score and rating, with ties broken by handle."""
    order = np.arange(len(player))
    level = 1 + np.flatnonzero((score[1:] == score[:-1]) & (rating[1:] == rating[:-1]))
    if len(level):
        tied = np.union1d(level - 1, level)
        # A player tied with the previous one is in the same group.
        group = np.cumsum(~np.isin(tied, level)).tolist()
        keys = player[tied].tolist()
        names_by_key = load_names(keys)
        sorted_ties = sorted(zip(group, (names_by_key[key][0] for key in keys), tied.tolist(), strict=True))
        order[tied] = [place for _, _, place in sorted_ties]
    return order


def paginate_past_board(board: PastBoard, limit: int, after_position: Key | None, around: Player | None) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused if that player was not on the board.
    """
    start = 0 if after_position is None else board.up_to(after_position)
    if around is not None:
        place = board.position_of(around.pk)
        if place is None:
            raise Refused(_("{name} was not on this leaderboard then.").format(name=around.name))
        start = max(place - (limit - 1) // 2, 0)
    page = board[start : start + limit]
    has_more = len(board) > start + limit
    return BoardPage(page, page[-1].key if has_more else None)
