"""The leaderboard as it stood at a past moment, by the games played before it as the books tell them today.

Read as columns, which hold everyone; rows, with names, are made of those who are shown.
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
from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Wholes, is_postgres, read_statement
from league.core.db.statements import ask
from league.core.db.times import moment_of
from league.core.errors import Refused
from league.core.leaderboard.selectors.listing import Listing
from league.core.leaderboard.selectors.pages import BoardPage
from league.core.leaderboard.selectors.rows import BoardRow, Key, complete
from league.core.leaderboard.selectors.versions import State, board_state
from league.core.leagues.selectors.rules import last_change, rule_of_ratings, rules_of, system_of
from league.core.replay.selectors.player_states import STATE_COLUMNS, ShownRatings, earlier_games
from league.models import GamelessChange, League, Player, RatingChange, Rule
from league.models.derived import SEASON_TURN, SYSTEM_CHANGE
from ratings.columns.rankings import ranks_in_order
from ratings.contract.system import RatingSystem


@dataclass(frozen=True)
class LastLines(Columns):
    """The last lines of players before a moment, in any order."""

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
#: The last line before a moment of everyone: of the lines before it, where these are the fewer ones.
OF_BEFORE = """
SELECT {line}
  FROM (SELECT player_id, MAX(games) AS games FROM league_ratingchange
         WHERE league_id = %s AND at < %s AND step = 1 GROUP BY player_id ORDER BY player_id) f {joined}"""
#: The same where the lines since are the fewer ones: of who has none if they stand, of others the line before them.
OF_SINCE = """
SELECT {line}
  FROM (SELECT player_id, MIN(games) - 1 AS games FROM league_ratingchange
         WHERE league_id = %s AND at >= %s AND step = 1 GROUP BY player_id ORDER BY player_id) f {joined}
 UNION ALL
SELECT r.player_id, r.settled, r.state_1, r.state_2, r.state_3, r.games, r.change, r.shift, {last_at}, r.last_number
  FROM league_rating r WHERE r.league_id = %s AND r.last_at < %s"""
#: How a line is looked up by its key. PostgreSQL would read the whole history for so many; by their keys, in the order
#: of the index, it takes a fifth of the time.
OF_KEY = "c.league_id = %s AND c.player_id = f.player_id AND c.games = f.games AND c.step = 1"
JOINED = {
    "postgresql": f"CROSS JOIN LATERAL (SELECT * FROM league_ratingchange c WHERE {OF_KEY} LIMIT 1) c",  # noqa: S608 -- own text
    "sqlite": f"JOIN league_ratingchange c ON {OF_KEY}",
}
#: About how many games were played before a moment: the number of the last one of them.
NUMBER_BEFORE = """
SELECT g.number FROM league_game g WHERE g.league_id = %s AND g.played_at < %s
 ORDER BY g.played_at DESC, g.order_key DESC, g.number DESC LIMIT 1"""


@dataclass(frozen=True)
class PastBoard(Sequence[BoardRow]):
    """A board of a past moment: columns of everyone on it, the best first; its rows are made when they are asked for.

    states: K × 4, as the tables keep them.
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
        """Return the row at a place, or the rows at some."""
        if isinstance(which, int):
            place = range(len(self))[which]
            return self[place : place + 1][0]
        players = self.player[which].tolist()
        names = people(players)
        lines = zip(
            players,
            *(column[which].tolist() for column in (self.score, self.games, self.change, self.at, self.number)),
            self.states[which].tolist(),
            strict=True,
        )
        rows = [
            BoardRow(*names[player], score, games, change, moment_of(at), number, tuple(state), player)
            for player, score, games, change, at, number, state in lines
        ]
        if self.shown is not None:
            complete(self.shown, rows, self.rank[which].tolist())
        return rows

    def __iter__(self) -> Iterator[BoardRow]:
        """Return all rows, with all names read at once."""
        return iter(self[:])

    def position_of(self, player: int) -> int | None:
        """Return at which place a player stands, 0 being the first; None if they are not on it."""
        found = np.flatnonzero(self.player == player)
        return int(found[0]) if len(found) else None

    def up_to(self, key: Key) -> int:
        """Return how many stand at a place of the board or before it."""
        score, rating, last = key
        better = self.score > score
        higher = (self.score == score) & (self.states[:, 0] > rating)
        level = (self.score == score) & (self.states[:, 0] == rating)
        names = people(self.player[level].tolist())
        there = sum(handle <= last for handle, _ in names.values())
        return int(np.count_nonzero(better | higher)) + there


def board_at(league: League, listing: Listing, moment: datetime, state: State | None = None) -> PastBoard:
    """Return ``leaderboard_at``, read once for all who ask while the league's state is the same.

    state: of the league, if it is known.
    """
    seen = state or board_state(league.slug)
    if seen is None or seen.stale_from is not None:
        return leaderboard_at(league, listing, moment)
    return cached("board-at", (seen, listing, moment), lambda: leaderboard_at(league, listing, moment))


def leaderboard_at(league: League, listing: Listing, moment: datetime) -> PastBoard:
    """Return the leaderboard at a moment.

    Who has been marked as inactive since is listed: no one knows since when.
    """
    before = RatingChange.objects.filter(league=league, step=1, at__lt=moment).order_by("-at", "-order_key")
    newest = before.values_list("at", "shift", "player").first()
    if newest is None:
        return ordered(None, LastLines.nothing(), np.empty(0), np.empty(0))
    rules = [rule for rule in rules_of(league) if rule.starts_at < moment]
    rule = rule_of_ratings(rules, newest[0])
    shown = ShownRatings(system_of(rule), earlier_games(league, rules, rule.starts_at) or {})
    lines, shift = last_lines(league, moment), newest[1]
    if league.eventful:
        lines = moved_lines(league, lines, last_change(rules, rule.starts_at), newest[0], moment)
        # Who sat in the last game played when the pool had moved last, also under a system that came since.
        shift = float(lines.shift[lines.player == newest[2]][0])
    lines = lines.of(listing.flags(lines.games, lines.at))
    rating = lines.after + (shift - lines.shift) + 0.0
    return ordered(shown, lines, rating, scores_of(shown, lines, rating))


def last_lines(league: League, moment: datetime) -> LastLines:
    """Return the last line of everyone before a moment, of whichever lines of the history are the fewer ones."""
    at, pk = connection.ops.adapt_datetimefield_value(moment), league.pk
    number = ask(NUMBER_BEFORE, [pk, at])
    # Where something moves ratings between games, the current ones tell of more than the last lines.
    early = league.eventful or (bool(number) and 2 * number[0][0] < league.last_number)
    sql, values = (OF_BEFORE, [pk, at, pk]) if early else (OF_SINCE, [pk, at, pk, pk, at])
    # On SQLite a moment is read as its text, not as an object.
    kept = "{}" if is_postgres() else "CAST({} AS text)"
    line = LINE.format(at=kept.format("c.at"))
    statement = sql.format(line=line, last_at=kept.format("r.last_at"), joined=JOINED[connection.vendor])
    return LastLines(**read_statement(statement, values, LastLines.kinds()))


def moved_lines(league: League, lines: LastLines, change: Rule | None, newest: datetime, moment: datetime) -> LastLines:
    """Return lines that end where what moved their players since, and before a moment, left them.

    A season that no game had opened had not turned: ``newest`` is when the last game before the moment was played.
    change: the last change of the system that had begun then.
    """
    order = np.argsort(lines.player)
    players, games, after = lines.player[order], lines.games[order], lines.after[order]
    beside = {name: getattr(lines, name)[order].copy() for name in (*STATE_COLUMNS, "shift")}
    there = Q(number=SEASON_TURN, at__lte=newest) | Q(number__gt=SEASON_TURN, at__lt=moment)
    if change is not None:
        there |= Q(number=SYSTEM_CHANGE, at__lte=change.starts_at)
    for line in GamelessChange.objects.filter(there, league=league).order_by("at", "number"):
        place = int(np.searchsorted(players, line.player_id))
        if place < len(players) and players[place] == line.player_id and games[place] == line.games:
            # Behind the last game then a line may be on a turn that had not come yet.
            known = line.at <= newest or line.number == SYSTEM_CHANGE
            after[place] = line.after if known else after[place] + line.change
            for name, values in beside.items():
                values[place] = getattr(line, name)
    return replace(lines.of(order), after=after, **beside)


def scores_of(shown: ShownRatings, lines: LastLines, rating: Column) -> Column:
    """Return the scores of some lines whose ratings the pool has moved to these."""
    system, earlier = shown.system, shown.earlier
    if type(system).display is RatingSystem.display:
        return rating
    rows = zip(states_of(lines, rating).tolist(), lines.games.tolist(), lines.player.tolist(), strict=True)
    scores = [system.display(state, games - earlier.get(player, 0)) for state, games, player in rows]
    return np.array(scores, dtype=np.float64)


def states_of(lines: LastLines, rating: Column) -> Column:
    """Return the states after some lines, as wide as the tables are."""
    return np.column_stack([rating, lines.state_1, lines.state_2, lines.state_3])


def ordered(shown: ShownRatings | None, lines: LastLines, rating: Column, score: Column) -> PastBoard:
    """Return the board of some lines with their ratings and scores: by score, by rating, then by handle."""
    order = np.lexsort((-rating, -score))
    order = order[by_handle(lines.player[order], score[order], rating[order])]
    score, lines = score[order], lines.of(order)
    told = (lines.games, lines.change, lines.at, lines.number)
    return PastBoard(shown, lines.player, score, ranks_in_order(score), *told, states_of(lines, rating[order]))


def by_handle(player: Column, score: Column, rating: Column) -> Column:
    """Return the order of players who stand by score and rating, those who are level in both by their handles."""
    order = np.arange(len(player))
    level = 1 + np.flatnonzero((score[1:] == score[:-1]) & (rating[1:] == rating[:-1]))
    if len(level):
        tied = np.union1d(level - 1, level)
        # Whoever is level with the one before is of one group with them.
        group = np.cumsum(~np.isin(tied, level)).tolist()
        keys = player[tied].tolist()
        named = people(keys)
        found = sorted(zip(group, (named[key][0] for key in keys), tied.tolist(), strict=True))
        order[tied] = [place for _, _, place in found]
    return order


def people(players: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return player -> handle and name of some."""
    found = Player.objects.filter(pk__in=players).order_by().values_list("pk", "handle", "name")
    return {pk: (handle, name) for pk, handle, name in found}


def page_at(board: PastBoard, limit: int, after: Key | None, around: Player | None) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused if the player to look around was not on the board.
    """
    start = 0 if after is None else board.up_to(after)
    if around is not None:
        place = board.position_of(around.pk)
        if place is None:
            raise Refused(_("{name} was not on this leaderboard then.").format(name=around.name))
        start = max(place - (limit - 1) // 2, 0)
    page = board[start : start + limit]
    more = len(board) > start + limit
    return BoardPage(page, page[-1].key if more else None)
