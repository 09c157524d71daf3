"""The current leaderboard: the listed players, their rows and exact ranks, cached columns, and when it changes.

A rank is one more than the number of players with a higher score (1-2-2-4), counted by the database; consecutive rows
are ranked by ``ratings.columns.tallies``. ``State`` invalidates the cached columns and the cached answers of
``league.web.api.leaderboard``; ``find_next_departure`` invalidates those answers when the next player leaves for
inactivity.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial, reduce
from typing import Any, NamedTuple, cast

import numpy as np
from django.db import DatabaseError, InterfaceError
from django.db.models import Exists, Min, OuterRef, Q, QuerySet

from league.core.db.bounded_cache import cached
from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Truths, Wholes, convert_to_micros
from league.core.db.statements import execute_query, fetch_first_rows, parse_timestamp
from league.core.fields.selectors.fields import ValueFilter, find_players_with
from league.core.rules.selectors.rules import ShownRatings
from league.models import Inactive, League, Player, Rating
from league.models.contexts import ratings_of

#: (score, rating, handle): the sort key of the board; handles break remaining ties.
Key = tuple[float, float, str]

#: The fields of a rating for a row.
FIELDS = (
    *("player__handle", "player__name", "score", "games", "change", "last_at", "last_number"),
    *("rating", "state_1", "state_2", "state_3", "player_id"),
)
FORWARDS = ("-score", "-rating", "player__handle")
BACKWARDS = ("score", "rating", "-player__handle")


@dataclass(frozen=True)
class Listing:
    """Lists active players with at least ``min_games`` games, the last one not before ``active_since``.

    ``only``: values of declared fields that they have, or have played with.
    """

    min_games: int
    active_since: datetime | None
    only: tuple[ValueFilter, ...] = ()

    def flags(self, games: Column, last_at: Column) -> Column:
        """Return which of K players have enough games and a recent one (booleans, K)."""
        flags: Column = games >= self.min_games
        return flags if self.active_since is None else flags & (last_at >= convert_to_micros(self.active_since))


def build_listing(
    league: League, now: datetime, min_games: int | None = None, active_since: datetime | None = None
) -> Listing:
    """Return the league's listing rule at a time, with overrides."""
    if active_since is None and league.inactive_after_days is not None:
        active_since = _subtract_days(now, league.inactive_after_days)
    return Listing(league.min_games if min_games is None else min_games, active_since)


def build_inactive_condition(league: League) -> Exists:
    """Return the condition that a row's player is inactive in a league."""
    return Exists(Inactive.objects.filter(league=league, player=OuterRef("player_id")))


def find_listed_ratings(league: League, listing: Listing) -> QuerySet[Rating]:
    """Return the listed ratings, unordered."""
    ratings = ratings_of(league).filter(~build_inactive_condition(league), games__gte=listing.min_games)
    if listing.active_since is not None:
        ratings = ratings.filter(last_at__gte=listing.active_since)
    for only in listing.only:
        ratings = ratings.filter(player__in=find_players_with(league, only))
    return ratings


@dataclass(frozen=True)
class MatchingPlayers(Columns):
    """The players that a filter chooses."""

    player: Keys


def load_matching_players(league: League, filters: Sequence[ValueFilter], before: datetime | None = None) -> Column:
    """Return the ids of the players that all of some filters choose, by games before a time if one is given."""
    chosen = (find_players_with(league, only, before).order_by() for only in filters)
    matching = [np.unique(MatchingPlayers.read(players).player) for players in chosen]
    return reduce(partial(np.intersect1d, assume_unique=True), matching)


def _subtract_days(time: datetime, days: int) -> datetime | None:
    """Return the time ``days`` days earlier; None before the calendar begins."""
    try:
        return time - timedelta(days=days)
    except OverflowError:
        return None


#: Every change of a board changes one of these: a game takes a number, replays and rebuilt ratings are
#: counted, settings are in the row, edits of players are counted by a trigger. The times of the last game
#: and of the league distinguish a restored or recreated league from its predecessor.
STATE = """
SELECT l.id, l.visibility, l.last_number, l.replays, l.stale_from, l.stale_key, l.min_games,
       l.inactive_after_days, l.time_zone, l.created_at,
       (SELECT g.recorded_at FROM league_game g WHERE g.league_id = l.id AND g.number = l.last_number),
       (SELECT e.count FROM league_edits e WHERE e.name = 'players')
  FROM league_league l WHERE l.slug = %s
"""


class State(NamedTuple):
    """A row of STATE: equal states imply equal boards, until a player leaves for inactivity (``find_next_departure``).

    Times are as returned by the database.
    """

    league: int
    visibility: str
    last_number: int
    replays: int
    stale_from: Any
    stale_key: int | None
    min_games: int
    inactive_after_days: int | None
    time_zone: str
    created_at: Any
    last_recorded_at: Any
    edits: int | None


def load_board_state(slug: str, query: Callable[..., list[tuple[Any, ...]]] = execute_query) -> State | None:
    """Return the state of a league's board, using ``query`` as query function; None if there is no such league."""
    rows = query(STATE, [slug])
    return State(*rows[0]) if rows else None


def league_of(slug: str, state: State) -> League:
    """Return a partial league with the fields that its board depends on."""
    return League(
        pk=state.league,
        slug=slug,
        visibility=state.visibility,
        last_number=state.last_number,
        min_games=state.min_games,
        inactive_after_days=state.inactive_after_days,
        time_zone=state.time_zone,
    )


def load_public_state(slug: str) -> State | None:
    """Return the state of a public league's board, None for any other; the query is the connection's health check, too.

    Also None if the database does not answer, which the view reports.
    """
    try:
        state = load_board_state(slug, fetch_first_rows)
    except (DatabaseError, InterfaceError):
        return None
    return state if state is not None and state.visibility == League.Visibility.PUBLIC else None


def find_next_departure(league: League, listing: Listing, *, by_clock: bool) -> datetime | None:
    """Return when the next player leaves the board for inactivity, None if none does.

    ``by_clock`` is False if the client gave the day.
    """
    if not by_clock or league.inactive_after_days is None:
        return None
    oldest = find_listed_ratings(league, listing).aggregate(oldest=Min("last_at"))["oldest"]
    return None if oldest is None else oldest + timedelta(days=league.inactive_after_days)


@dataclass(slots=True)
class BoardRow:
    """A row of the board; ``complete`` fills in the last fields.

    stored: the stored state columns, the rating first.
    """

    handle: str
    name: str
    score: float
    games: int
    change: float
    last_at: datetime
    last_number: int
    stored: tuple[float, ...]
    player: int
    rank: int = 0
    state: dict[str, float] = field(default_factory=dict)
    provisional: bool = False

    @property
    def rating(self) -> float:
        """Return the rating."""
        return self.stored[0]

    @property
    def apart(self) -> float:
        """Return the difference between score and rating."""
        return self.score - self.rating

    @property
    def key(self) -> Key:
        """Return the sort key of the board."""
        return self.score, self.rating, self.handle

    @property
    def record(self) -> dict[str, Any]:
        """Return the row for the API."""
        return {
            "rank": self.rank,
            "name": self.name,
            "score": self.score,
            "rating": self.rating,
            "games": self.games,
            "change": self.change,
            "player": self.handle,
            "last_game": self.last_at,
            "state": self.state,
            "provisional": self.provisional,
        }


@dataclass(frozen=True)
class BoardScores(Columns):
    """The columns of ratings for listing and sorting."""

    player: Keys
    score: Floats
    games: Wholes
    last_at: Moments
    change: Floats


@dataclass(frozen=True)
class LeagueBoard:
    """The scores of a league by player, for one state of its data."""

    state: State
    scores: BoardScores
    active: Truths

    def eligible(self, listing: Listing) -> Truths:
        """Return flags of the listed players."""
        flags: Truths = self.active & listing.flags(self.scores.games, self.scores.last_at)
        return flags

    def in_order(self, listing: Listing) -> Column:
        """Return the scores of listed players, ascending."""
        return np.sort(self.scores.score[self.eligible(listing)])


def count_better(league: League, listing: Listing, score: float) -> int:
    """Return the number of listed players with a higher score."""
    # Unordered, as the model's default order would look up each player.
    return find_listed_ratings(league, listing).filter(score__gt=score).order_by().count()


def ranks_of(league: League, listing: Listing, scores: Sequence[float]) -> list[int]:
    """Return the exact ranks of listed players' scores; several from the columns, one by a count."""
    if len(scores) < 2:
        return [count_better(league, listing, score) + 1 for score in scores]
    order = load_current_board(league).in_order(listing)
    ranks: list[int] = (len(order) - np.searchsorted(order, scores, side="right") + 1).tolist()
    return ranks


def count_level(league: League, listing: Listing, key: Key) -> int:
    """Return the exact number of listed players with the same score before a key."""
    return find_listed_ratings(league, listing).filter(build_before_condition(key), score=key[0]).order_by().count()


def load_current_board(league: League) -> LeagueBoard:
    """Return the current scores of a league, cached by state."""
    state = load_board_state(league.slug)
    assert state is not None, "the league is there"
    context = None if league.context is None else league.context.pk
    return cached("scores", (state, context), lambda: load(league, state))


def load(league: League, state: State) -> LeagueBoard:
    """Read the scores of a league."""
    rows = BoardScores.read(ratings_of(league).order_by())
    # After a replay they are nearly sorted, which a stable sort exploits.
    rows = rows.of(np.argsort(rows.player, kind="stable"))
    return LeagueBoard(state, rows, ~np.isin(rows.player, load_inactive_players(league)))


def load_inactive_players(league: League) -> Column:
    """Return the inactive players of a league."""
    inactive_players = Inactive.objects.filter(league=league)
    return np.array(list(inactive_players.order_by().values_list("player", flat=True)), dtype=np.int64)


def read_rows(ratings: QuerySet[Rating], count: int, order: Sequence[str] = FORWARDS, skip: int = 0) -> list[BoardRow]:
    """Return at most ``count`` of some listed ratings as rows of the board, after skipping ``skip``."""
    return [row_of(values) for values in ratings.order_by(*order).values_list(*FIELDS)[skip : skip + count]]


def build_before_condition(key: Key) -> Q:
    """Return the condition for rows before a key."""
    score, rating, handle = key
    level = Q(rating__gt=rating) | Q(rating=rating, player__handle__lt=handle)
    # The first condition is redundant, but usable by an index.
    return Q(score__gte=score) & (Q(score__gt=score) | Q(score=score) & level)


def build_after_condition(key: Key) -> Q:
    """Return the condition for rows after a key."""
    score, rating, handle = key
    level = Q(rating__lt=rating) | Q(rating=rating, player__handle__gt=handle)
    return Q(score__lte=score) & (Q(score__lt=score) | Q(score=score) & level)


def row_of(values: Sequence[Any]) -> BoardRow:
    """Return a row from the values of FIELDS."""
    handle, name, score, games, change, last_at, last_number = values[:7]
    at = cast("datetime", parse_timestamp(last_at))
    return BoardRow(handle, name, score, games, change, at, last_number, tuple(values[7:11]), values[11])


def complete(shown: ShownRatings, rows: Sequence[BoardRow], ranks: Iterable[int]) -> None:
    """Fill in rank and state of rows."""
    for row, rank in zip(rows, ranks, strict=True):
        row.rank = rank
        row.state, row.provisional = shown.describe(row.player, row.stored, row.games).values()


def load_names(players: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return player -> (handle, name)."""
    rows = Player.objects.filter(pk__in=players).order_by().values_list("pk", "handle", "name")
    return {pk: (handle, name) for pk, handle, name in rows}
