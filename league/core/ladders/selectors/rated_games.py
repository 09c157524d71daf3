"""The input of ladders: rated games of a league as columns, rating history joined with score sheets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import connection
from django.db.models import Q

from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Smalls, Truths, Wholes, is_postgres
from league.core.db.statements import ask, pairs_of
from league.core.db.times import from_texts, moment_of, to_micros
from league.core.leagues.selectors.rules import changes_of_system, lowest_wins, rules_of, scores_decide
from league.models import League, RatingChange, Result, Rule

#: Time of a change of system -> players, each with their games until then and their rating after it.
Begun = Mapping[int, Sequence[tuple[int, int, float]]]
#: Up to this many lines, sheets are queried by game id.
FEW_LINES = 1000


@dataclass(frozen=True)
class HistoryLines(Columns):
    """Lines of a league's history as ladders need them."""

    at: Moments
    number: Keys
    player: Keys
    games: Wholes
    after: Floats
    performance: Floats
    shift: Floats
    state_1: Floats


@dataclass(frozen=True)
class SeatedLines(HistoryLines):
    """Stored lines of the history, with the keys that identify their sheets."""

    order_key: Keys
    game: Keys
    seat: Smalls


@dataclass(frozen=True)
class RatedLines(HistoryLines):
    """Lines of the history (step 1), in the order of the games and seats, joined with the results of their sheets."""

    score: Floats
    place: Floats
    side: Floats


@dataclass(frozen=True)
class SheetResults(Columns):
    """Stored results of games."""

    game: Keys
    seat: Smalls
    score: Floats
    place: Floats
    side: Floats


@dataclass(frozen=True)
class RatedGames(RatedLines):
    """N lines of a league's history (step 1), ordered by game, then by seat.

    Absent values are NaN (also columns of sheets that were not requested). players: the P ids, ascending; position:
    N, the index of a line's player among them. lowest: N, whether the lowest score is best under the game's rule
    (ruling R113). Places are absent if the system requires scores, which then decide (R105). changes: the times of
    changes of system, ascending. begun: players' ratings at changes that are not stored yet.
    """

    league: League
    players: Column
    position: Column
    lowest: Truths
    changes: Column
    begun: Begun

    def edges(self, moments: Sequence[datetime]) -> Column:
        """Return for each time the index of the first line at or after it."""
        return np.searchsorted(self.at, np.array([to_micros(moment) for moment in moments], dtype=np.int64))


def rated_games_of(
    league: League,
    lines: RatedLines,
    *,
    scores: bool = True,
    rules: Sequence[Rule] | None = None,
    begun: Begun | None = None,
) -> RatedGames:
    """Convert lines of a league's history to rated games; columns are shared, not copied.

    ``scores``: whether scores are needed. ``rules``: the league's rules, if already loaded. begun: see ``RatedGames``.
    """
    columns, size = lines.by_name(), len(lines.score)
    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError(f"{len(lines)} rated lines, but {size} scores and {len(lines.place)} places.")
    if size and (scores or league.eventful) and rules is None:
        rules = rules_of(league)
    lowest = np.zeros(size, dtype=bool)
    if scores and size:
        lowest = lowest_wins(rules or [], lines.at)
        columns["place"] = np.where(scores_decide(rules or [], lines.at), np.nan, lines.place)
    changes = np.array([to_micros(rule.starts_at) for rule in changes_of_system(rules or [])], dtype=np.int64)
    players, position = np.unique(lines.player, return_inverse=True)
    about = {"players": players, "position": position, "lowest": lowest, "changes": changes}
    return RatedGames(**columns, **about, league=league, begun=begun or {})


def read_rated_games(
    league: League, start: datetime | None, end: datetime | None = None, *, scores: bool
) -> RatedGames:
    """Read the rated games from a time (None: the first) until before another; scores: with scores and places."""
    return rated_games_of(league, read_lines(league, start, end, scores=scores), scores=scores)


def read_lines(
    league: League, start: datetime | None, end: datetime | None = None, *, scores: bool, where: Q | None = None
) -> RatedLines:
    """Read the lines for ``rated_games_of``, as in ``read_rated_games``; where: an additional condition."""
    changes = RatingChange.objects.filter(where or Q(), league=league, step=1)
    changes = changes if start is None else changes.filter(at__gte=start)
    changes = changes if end is None else changes.filter(at__lt=end)
    ordered = changes.order_by("at", "order_key", "seat")
    if scores:
        seated = SeatedLines.read(ordered, apart=True)
        return RatedLines(**HistoryLines.cut(seated).by_name(), **read_scores(league, seated))
    lines = HistoryLines.read(ordered, apart=True)
    return RatedLines(**lines.by_name(), **dict.fromkeys(SHEET_COLUMNS, np.full(len(lines), np.nan)))


#: Sheet columns added to each line.
SHEET_COLUMNS = ("score", "place", "side")
#: The number of games of some players before a time.
GAMES_BEFORE = """
SELECT wanted.one, COALESCE((SELECT c.games FROM league_ratingchange c
                              WHERE c.league_id = %s AND c.player_id = wanted.one AND c.step = 1 AND c.at < %s
                              ORDER BY c.games DESC LIMIT 1), 0)
  FROM {wanted}
"""
#: All lines, with sheets, of the games of some players, each after their n-th; uses the history's unique index.
GAMES_OF = """
WITH played AS (
    SELECT DISTINCT o.at, o.order_key FROM {wanted} CROSS JOIN league_ratingchange o
     WHERE o.league_id = %s AND o.player_id = wanted.one AND o.games > wanted.two AND o.step = 1)
SELECT {moment}, c.number, c.player_id, c.games, c.after, c.performance, c.shift, c.state_1, r.score, r.place, r.side
  FROM played CROSS JOIN league_ratingchange c
  JOIN league_result r ON r.league_id = c.league_id AND r.game_id = c.game_id AND r.seat = c.seat
 WHERE c.league_id = %s AND c.at = played.at AND c.order_key = played.order_key AND c.step = 1
 ORDER BY c.at, c.order_key, c.seat
"""


def read_games_of(league: League, players: Sequence[int], start: datetime, rules: Sequence[Rule]) -> RatedGames:
    """Read the rated games of a few players from a time, with prepared statements."""
    at = connection.ops.adapt_datetimefield_value(start)
    wanted, parameters = pairs_of(players, [0] * len(players))
    before = ask(GAMES_BEFORE.format(wanted=wanted), [league.pk, at, *parameters])
    wanted, parameters = pairs_of(*(list(column) for column in zip(*before, strict=True)))
    statement = GAMES_OF.format(moment="c.at" if is_postgres() else "CAST(c.at AS text)", wanted=wanted)
    moments, *others = zip(*ask(statement, [*parameters, league.pk, league.pk]), strict=True)
    columns: list[Column] = [
        np.array([to_micros(one) for one in moments], dtype=np.int64) if is_postgres() else from_texts(moments)
    ]
    columns += [np.array(cells, dtype=np.int64) for cells in others[:3]]
    columns += [np.array(cells, dtype=np.float64) for cells in others[3:]]  # None is NaN there
    return rated_games_of(league, RatedLines(*columns), rules=rules)


def read_scores(league: League, lines: SeatedLines) -> dict[str, Column]:
    """Return the SHEET_COLUMNS of each line."""
    if not len(lines):
        return dict.fromkeys(SHEET_COLUMNS, np.empty(0))
    results = Result.objects.filter(league=league).order_by()
    if len(lines) <= FEW_LINES:
        results = results.filter(game__in=np.unique(lines.game).tolist())
    else:
        span = moment_of(lines.at[0]), moment_of(lines.at[-1])
        results = results.filter(game__played_at__range=span)
    rows = SheetResults.read(results, apart=True)
    keys = rows.game * 256 + rows.seat
    order = np.argsort(keys, kind="stable")
    found = order[np.searchsorted(keys, lines.game * 256 + lines.seat, sorter=order)]
    return {name: getattr(rows, name)[found] for name in SHEET_COLUMNS}
