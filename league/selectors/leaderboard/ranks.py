"""How many stand before a player on a long leaderboard: counted in memory, exactly, by whatever is listed.

A rank is one more than the players who have a higher score (1-2-2-4): here by counting them, for
rows that follow each other by ``ratings.columns.rankings``.

Counting in the database takes time with the rank: 40 ms for the middle of a million. A process
that is asked for such a rank keeps the league's scores as columns (33 bytes a player) and brings
them up to date by the players of the games recorded since. Recording a game does nothing for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from league.db.columns import Column, Columns, Floats, Keys, Moments, Truths, Wholes
from league.db.statements import ask
from league.models import Inactive, League, Rating, Result
from league.selectors.leaderboard.listing import Listing, listed, listed_sql
from league.selectors.leaderboard.rows import Key
from league.selectors.leaderboard.versions import State, board_state
from league.selectors.player_states import rule_shown
from league.selectors.rules import rules_of, system_of
from league.shelf import Shelf

#: So many are counted in the database; where more stand before a player, columns are kept.
COUNTED = 10_000
#: Players in all of the leagues whose columns a process keeps (200 MB), and games after which they are read anew.
MOST, CAUGHT_UP = 5_000_000, 2000


#: A system and its parameters.
Shown = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Scores(Columns):
    """What of ratings tells who is listed, and where."""

    player: Keys
    score: Floats
    games: Wholes
    last_at: Moments


class Loading:
    """A league whose columns are read anew, and the lock of whoever reads them."""

    def __init__(self) -> None:
        self.lock = RLock()


@dataclass
class Board:
    """The scores of a league by player, as of a state of its books.

    shown: the system and the parameters by which they are scores, as the books said before they were read.
    """

    state: State
    scores: Scores
    active: Truths
    shown: Shown | None
    lock: RLock = field(default_factory=RLock)

    def eligible(self, listing: Listing) -> Truths:
        """Return who is listed, as flags."""
        flags: Truths = self.active & listing.flags(self.scores.games, self.scores.last_at)
        return flags

    def in_order(self, listing: Listing) -> Column:
        """Return the scores of who is listed, the lowest first."""
        return np.sort(self.scores.score[self.eligible(listing)])

    def put(self, rows: Scores, inactive: Column) -> None:
        """Bring the rows of some players, who are in ascending order, up to date, new ones included."""
        places = np.searchsorted(self.scores.player, rows.player)
        new = places >= len(self.scores)
        new[~new] = self.scores.player[places[~new]] != rows.player[~new]
        for mine, values in zip(self.scores.by_name().values(), rows.by_name().values(), strict=True):
            mine[places[~new]] = values[~new]
        if new.any():
            self.scores = self.scores.with_rows(places[new], rows.of(new))
            self.active = np.insert(self.active, places[new], ~np.isin(rows.player[new], inactive))


SHELF: Shelf[int, Board] = Shelf(MOST, lambda kept: 1 + len(kept.scores))
#: One thread reads a league's columns anew; the others that want them wait for it. A lock is there while one does.
LOADING: WeakValueDictionary[int, Loading] = WeakValueDictionary()
LOADING_LOCK = Lock()


def count_better(league: League, listing: Listing, score: float) -> int:
    """Return how many listed players have a higher score, exactly."""
    # Without an order: by the model's own one each player would be looked up.
    better = listed(league, listing).filter(score__gt=score).order_by()
    if league.pk not in SHELF:
        count = better[: COUNTED + 1].count()
        if count <= COUNTED:
            return count
    kept = kept_scores(league, listing)
    # Another thread may have brought them further than the books that this one sees.
    return better.count() if kept is None else int(np.count_nonzero(kept > score))


def count_listed(league: League, listing: Listing) -> int:
    """Return how many are on the board, from the columns where a process keeps them."""
    kept = kept_scores(league, listing) if league.pk in SHELF else None
    return listed(league, listing).count() if kept is None else len(kept)


def kept_scores(league: League, listing: Listing) -> Column | None:
    """Return the scores of who is listed, in no order; None where columns are kept of later books than one sees."""
    state = board_state(league.slug)
    assert state is not None, "the league is there"
    board = board_of(league, state)
    with board.lock:
        return board.scores.score[board.eligible(listing)] if board.state == state else None


def rank_of(league: League, listing: Listing, score: float) -> int:
    """Return the rank of a listed player's score, exactly."""
    return count_better(league, listing, score) + 1


def count_level(league: League, listing: Listing, key: Key) -> int:
    """Return how many listed players of the same score stand before a place on the board, exactly."""
    score, rating, handle = key
    sql, parameters = listed_sql(league, listing)
    level = " AND r.score = %s AND (r.rating > %s OR (r.rating = %s AND p.handle < %s))"
    ((count,),) = ask(f"SELECT count(*) {sql}{level}", [*parameters, score, rating, rating, handle])
    return int(count)


def board_of(league: League, state: State | None = None) -> Board:
    """Return the scores of a league as of a state of its books, or of a later one that another thread has seen."""
    state = state or board_state(league.slug)
    assert state is not None, "the league is there"
    board = SHELF.get(league.pk)
    if board is not None and caught_up(board, league, state):
        return board
    loading = loading_of(league)
    with loading.lock:
        board = SHELF.get(league.pk)
        if board is None or not caught_up(board, league, state):
            board = SHELF.put(league.pk, load(league, state))
    return board


def loading_of(league: League) -> Loading:
    """Return what those hold in turn who read a league's columns anew; another league has another one."""
    with LOADING_LOCK:
        return LOADING.setdefault(league.pk, Loading())


def board_now(league: League) -> Board:
    """Return the scores of a league as the books that this one sees tell them, for the asker alone."""
    state = board_state(league.slug)
    assert state is not None, "the league is there"
    board = board_of(league, state)
    with board.lock:
        if board.state == state:
            scores = Scores(**{name: column.copy() for name, column in board.scores.by_name().items()})
            return Board(state, scores, board.active.copy(), board.shown)
    # Another thread has brought them further than the books that this one sees.
    return load(league, state)


def caught_up(board: Board, league: League, state: State) -> bool:
    """Bring scores up to date where only games or edits of players came since; False where they must be read anew.

    Those of a later state are left: who sees an earlier one must not throw away what others use.
    """
    with board.lock:
        before = board.state
        if before == state or before.follows(state):
            return True
        count = state.last_number - before.last_number
        same = before.but_for_games() == state.but_for_games()
        if not same or not 0 <= count <= CAUGHT_UP or (count and anybody_moves(league, board)):
            return False
        if count:
            games = {"game__league": league, "game__number__gt": before.last_number}
            players = sorted(set(Result.objects.filter(**games).values_list("player", flat=True)))
            ratings = Rating.objects.filter(league=league, player__in=players)
            board.put(Scores.read(ratings.order_by("player_id")), inactive(league, players))
        if before.edits != state.edits:
            # Somebody is called otherwise, which no column says, or has left a league or come back, maybe this one.
            board.active = ~np.isin(board.scores.player, inactive(league))
        board.state = state
    return True


def anybody_moves(league: League, board: Board) -> bool:
    """Tell whether a game since may have moved the score of who did not play: by the pool, or by another rule."""
    rules = rules_of(league)
    if not rules:
        return True
    rule = rule_shown(league, rules)
    return (rule.system, rule.parameters) != board.shown or system_of(rule).moves_everybody()


def load(league: League, state: State) -> Board:
    """Read the scores of a league."""
    rules = rules_of(league)
    # Before the scores: where another rule comes into force meanwhile, the next one to ask finds the one before here.
    rule = rule_shown(league, rules) if rules else None
    shown = (rule.system, rule.parameters) if rule else None
    rows = Scores.read(Rating.objects.filter(league=league).order_by())
    # They stand nearly in this order where a replay has written them: a stable sort knows runs.
    rows = rows.of(np.argsort(rows.player, kind="stable"))
    return Board(state, rows, ~np.isin(rows.player, inactive(league)), shown)


def inactive(league: League, players: Sequence[int] | None = None) -> Column:
    """Return the players who are inactive in a league, of some or of all."""
    found = Inactive.objects.filter(league=league)
    if players is not None:
        found = found.filter(player__in=players)
    return np.array(list(found.order_by().values_list("player", flat=True)), dtype=np.int64)
