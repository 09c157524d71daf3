"""The live ranking of a period: ranked by columns of all who play in it, and read only as far as somebody looks."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from django.db.models import Case, SmallIntegerField, Value, When

from league.db.columns import Column, read_columns
from league.models import Period, Standing
from league.selectors.ladders.ladders import method_of
from ratings.columns.rankings import parted_at, ranks_of
from ratings.contract.method import MOST_COLUMNS, position, why_not_shown

VALUES = tuple(f"value_{index}" for index in range(1, MOST_COLUMNS + 1))
#: One line of a ranking: rank, player, name, score, games, columns, qualified, why_not, decided_by.
Row = dict[str, Any]
#: What leads a ranking: those of these ranks, and who comes next.
LEADING = 3
OUT = Case(When(why_not="", then=Value(0)), default=Value(1), output_field=SmallIntegerField())


class Ranking(Sequence[Row]):
    """The ranking of a period as its standings say, best first; players of equal rank by handle.

    Of everybody it holds what ranks them. A line with names and figures is read when somebody asks for it, with those
    lines of the same rank that are needed to put it at its place.
    """

    def __init__(self, period: Period) -> None:
        """Rank who plays in a period."""
        self.period, self.method = period, method_of(period.rule)
        chain = [VALUES[position(self.method, key)] for key in self.method.chain()]
        rows = Standing.objects.filter(period=period).order_by().values_list("player", "games", OUT, "score", *chain)
        kinds = {"player": "key", "games": "whole", "out": "small", "score": "float"}
        self.found = read_columns(rows, **kinds, **dict.fromkeys(chain, "float"))
        score, *deciding = figures = [self.found[name] for name in ("score", *chain)]
        out = self.found["out"] != 0
        self.ranks = ranks_of(score, deciding, out, np.arange(len(out)))
        self.known: dict[int, Row] = {}
        #: Where the lines of each level begin: those that nothing but their handles puts in order.
        self.levels = levels_of([figure[self.ranks.order] for figure in (out, *figures)])

    def __len__(self) -> int:
        """Return how many play."""
        return len(self.ranks.order)

    @property
    def games(self) -> int:
        """Return how many games all of them have, each counted for everybody in it."""
        return int(self.found["games"].sum())

    @property
    def qualified(self) -> int:
        """Return how many of them are ranked, who stand before all others."""
        return int(np.count_nonzero(self.ranks.rank))

    @property
    def head(self) -> list[Row]:
        """Return those of the first ranks, and who comes after them."""
        rank = self.ranks.rank
        return self[: int(np.count_nonzero((rank > 0) & (rank <= LEADING))) + 1]

    @overload
    def __getitem__(self, which: int) -> Row: ...
    @overload
    def __getitem__(self, which: slice) -> list[Row]: ...
    def __getitem__(self, which: int | slice) -> Row | list[Row]:
        """Return a line, or some of them."""
        places = range(len(self))[which]
        if isinstance(places, int):
            return self[places : places + 1][0]
        if any(place not in self.known for place in places):
            self.read(min(places), max(places) + 1)
        # Where the database keeps no state of the books for a reader, somebody may have gone meanwhile.
        return [self.known[place] for place in places if place in self.known]

    def __iter__(self) -> Iterator[Row]:
        """Yield all of them, which are read at once."""
        return iter(self[:])

    def read(self, start: int, end: int) -> None:
        """Read the lines from a place until before another one, and those of the same levels."""
        edges = np.append(self.levels, len(self))
        begin = int(edges[np.searchsorted(edges, start, side="right") - 1])
        until = int(edges[np.searchsorted(edges, end, side="left")])
        chosen = self.ranks.order[begin:until]
        players = self.found["player"][chosen].tolist()
        rows = Standing.objects.filter(period=self.period).order_by()
        if len(players) < len(self):
            rows = rows.filter(player__in=players)
        told = ("player__handle", "player__name", "score", "games", "why_not", *VALUES[: len(self.method.columns)])
        values = {player: rest for player, *rest in rows.values_list("player", *told)}
        level = np.searchsorted(edges, np.arange(begin, until), side="right").tolist()
        some = zip(level, players, chosen.tolist(), strict=True)
        there = [(of, values[player], which) for of, player, which in some if player in values]
        there.sort(key=lambda one: (one[0], one[1][0]))
        self.known |= {begin + place: self.line(said, which) for place, (_, said, which) in enumerate(there)}

    def line(self, values: Sequence[Any], which: int) -> Row:
        """Return a line, of whose standing these are the values; ``which``: its place in the columns."""
        handle, name, score, games, why_not, *figures = values
        return {
            "rank": int(self.ranks.rank[which]) or None,
            "player": handle,
            "name": name,
            "score": score,
            "games": games,
            "columns": {column.key: value for column, value in zip(self.method.columns, figures, strict=True)},
            "qualified": not why_not,
            "why_not": why_not_shown(why_not),
            "decided_by": ("", *self.method.chain())[self.ranks.decided_by[which]],
        }


def levels_of(figures: Sequence[Column]) -> Column:
    """Return at which lines of a ranking another level begins than that of the line before; none where it is empty."""
    if not len(figures[0]):
        return np.empty(0, dtype=np.int64)
    found: Column = np.flatnonzero(parted_at([figure.astype(np.float64) for figure in figures]) >= 0)
    return found


def head_of(rows: Sequence[Row]) -> Sequence[Row]:
    """Return what leads a ranking: at least those of the first ranks, and who comes after them."""
    return rows.head if isinstance(rows, Ranking) else rows


def games_in(rows: Sequence[Row]) -> int:
    """Return how many games all in a ranking have, each counted for everybody in it."""
    return rows.games if isinstance(rows, Ranking) else sum(row["games"] for row in rows)


def qualified_in(rows: Sequence[Row]) -> int:
    """Return how many of a ranking are ranked."""
    return rows.qualified if isinstance(rows, Ranking) else sum(1 for row in rows if row["qualified"])
