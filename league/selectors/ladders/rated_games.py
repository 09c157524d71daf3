"""The rated games of a league as columns: the history beside the score sheets, what ladders are made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Q, QuerySet

from league.db.columns import Column, moment_column, read_columns
from league.db.times import micros, moment_of
from league.models import League, Rating, RatingChange, Result, Rule
from league.selectors.rules import rules_of, system_of

#: So many lines are read at once; it bounds the memory that reading takes beside the columns.
PIECE = 1_000_000
#: Up to so many lines, the sheets are asked for by their games.
FEW = 1000
KINDS = {
    "at": "moment", "number": "key", "order_key": "key", "game": "key", "seat": "small", "player": "key",
    "games": "whole", "after": "float", "performance": "float", "shift": "float",
}  # fmt: skip
NAMES = ("at", "number", "player", "games", "after", "performance", "shift")


@dataclass(frozen=True)
class RatedGames:
    """N lines of a league's history (step 1), in the order of the games, those of a game in seat order.

    at: N moments (``db/times.py``). number, player, games, after, shift: N. score, place,
    performance: N, NaN where absent (scores and places also where nobody asked for them). players:
    the P ids, ascending; position: N, of a line's player among them. Scores count as the league's
    system counts them: those of games that the lowest one won are negated, for methods take the
    highest score for the best (ruling R113).
    """

    league: League
    at: Column
    number: Column
    player: Column
    games: Column
    after: Column
    performance: Column
    shift: Column
    score: Column
    place: Column
    players: Column
    position: Column

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.at)

    def edges(self, moments: Sequence[datetime]) -> Column:
        """Return for each instant the position of the first line at it or after it."""
        return np.searchsorted(self.at, np.array([micros(moment) for moment in moments], dtype=np.int64))


def rated_games_of(
    league: League, lines: Mapping[str, Column], *, scores: bool = True, rules: Sequence[Rule] | None = None
) -> RatedGames:
    """Return columns of a league's history as rated games; rows whose ``step`` is not 1 are passed over.

    The rows of step 1 stand in the order of the games and seats. ``score`` and ``place`` have one
    entry for each of these, the other columns one for each row. Columns are shared, not copied, where
    all rows are of step 1. ``scores``: whether somebody will look at scores. ``rules``: the league's, so
    that they need not be read.
    """
    step = lines.get("step")
    rated = None if step is None or (step == 1).all() else step == 1
    columns = {name: lines[name] if rated is None else lines[name][rated] for name in NAMES}
    score, place = lines["score"], lines["place"]
    if not len(score) == len(place) == len(columns["at"]):
        raise ValueError(f"{len(columns['at'])} rated lines, but {len(score)} scores and {len(place)} places.")
    if scores and len(score):
        score = as_counted(rules_of(league) if rules is None else rules, columns["at"], score)
    players, position = positions(columns["player"])
    return RatedGames(league, **columns, score=score, place=place, players=players, position=position)


def read_rated_games(
    league: League,
    start: datetime | None,
    end: datetime | None = None,
    *,
    scores: bool,
    where: Q | None = None,
) -> RatedGames:
    """Read the rated games from an instant (None: the first one) until before another.

    ``scores``: with scores and places. ``where`` is a condition on the lines of the history, for a
    part of them.
    """
    lines = read_lines(league, start, end, scores=scores, where=where)
    return rated_games_of(league, lines, scores=scores)


def read_lines(
    league: League, start: datetime | None, end: datetime | None = None, *, scores: bool, where: Q | None = None
) -> dict[str, Column]:
    """Read what ``read_rated_games`` reads, as the columns that ``rated_games_of`` takes."""
    changes = RatingChange.objects.filter(where or Q(), league=league, step=1)
    changes = changes if start is None else changes.filter(at__gte=start)
    changes = changes if end is None else changes.filter(at__lt=end)
    parts = []
    while True:
        part, following = read_piece(changes)
        nothing = np.full(len(part["at"]), np.nan)
        part["score"], part["place"] = read_scores(league, part) if scores else (nothing, nothing)
        parts.append({name: part[name] for name in (*NAMES, "score", "place")})
        if following is None:
            break
        changes = changes.filter(following)
    lines = parts[0]
    if len(parts) > 1:
        lines = {name: np.concatenate([part.pop(name) for part in parts]) for name in list(lines)}
    return lines


def read_newest(league: League, players: Collection[int], *, scores: bool) -> RatedGames:
    """Read the league's newest rated game, given who sat at it; their current ratings are those after it."""
    ratings = Rating.objects.filter(league=league, player__in=players)
    newest = Q()
    for player, games in ratings.values_list("player", "games"):
        # The whole key: whatever a database believes about its tables, it reads these lines and no others.
        newest |= Q(league=league, player=player, games=games, step=1)
    return read_rated_games(league, None, scores=scores, where=newest)


def read_piece(changes: QuerySet[RatingChange]) -> tuple[dict[str, Column], Q | None]:
    """Read lines of whole games up to a bound, in order; and the condition of what follows, None at the end."""
    names = [
        moment_column(name) if kind == "moment" else f"{name}_id" if name in ("game", "player") else name
        for name, kind in KINDS.items()
    ]
    part = read_columns(changes.order_by("at", "order_key", "seat").values_list(*names)[:PIECE], **KINDS)
    if len(part["at"]) < PIECE:
        return part, None
    # The last game may have more lines than were read: it comes with the next piece.
    order_key, at = int(part["order_key"][-1]), moment_of(part["at"][-1])
    whole = part["order_key"] != order_key
    # The plain bound is what an index can use; the pair needs both.
    following = Q(at__gte=at) & (Q(at__gt=at) | Q(order_key__gte=order_key))
    return {name: values[whole] for name, values in part.items()}, following


def read_scores(league: League, part: Mapping[str, Column]) -> tuple[Column, Column]:
    """Return score and place of each line."""
    if not len(part["at"]):
        return np.empty(0), np.empty(0)
    results = Result.objects.order_by()
    if len(part["at"]) <= FEW:
        results = results.filter(game__in=np.unique(part["game"]).tolist())
    else:
        span = moment_of(part["at"][0]), moment_of(part["at"][-1])
        results = results.filter(game__league=league, game__played_at__range=span)
    rows = read_columns(
        results.values_list("game_id", "seat", "score", "place"), game="key", seat="small", score="float", place="float"
    )
    keys = rows["game"] * 256 + rows["seat"]
    order = np.argsort(keys, kind="stable")
    found = order[np.searchsorted(keys, part["game"] * 256 + part["seat"], sorter=order)]
    return rows["score"][found], rows["place"][found]


def positions(ids: Column) -> tuple[Column, Column]:
    """Return the different ids, ascending, and the position of each among them."""
    found = different(ids)
    return found, positions_among(found, ids)


def different(ids: Column) -> Column:
    """Return the different ids, ascending."""
    if not len(ids) or ids.min() < 0 or ids.max() > most(ids):
        return np.unique(ids)
    known = np.zeros(int(ids.max()) + 1, dtype=bool)
    known[ids] = True
    return np.flatnonzero(known)


def positions_among(known: Column, ids: Column) -> Column:
    """Return the position of each id among those known, which hold all of them in ascending order."""
    if not len(ids) or known[0] < 0 or known[-1] > most(ids):
        return np.searchsorted(known, ids)
    table = np.empty(int(known[-1]) + 1, dtype=np.int64)
    table[known] = np.arange(len(known))
    found: Column = table[ids]
    return found


def most(ids: Column) -> int:
    """Return the largest id up to which a table with a place for each is worth its memory, in place of sorting."""
    return 4 * len(ids) + 1_000_000


def as_counted(rules: Sequence[Rule], at: Column, score: Column) -> Column:
    """Return the scores, negated in games under a rule by which the lowest one wins; NaN stays."""
    moments = np.array([micros(rule.starts_at) for rule in rules], dtype=np.int64)
    edges = [*np.searchsorted(at, moments).tolist(), len(at)]
    counted = score
    for rule, first, last in zip(rules, edges[:-1], edges[1:], strict=True):
        if first < last and system_of(rule).lowest_score_wins():
            counted = counted.copy() if counted is score else counted
            counted[first:last] = 0.0 - score[first:last]  # not -score: no -0.0 in the books
    return counted
