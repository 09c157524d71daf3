"""Who sat at a player's tables, a row for each of them: one question for the player's record and for the rivals'."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from django.db.models import Case, F, IntegerField, Value, When

from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Smalls, Truths, moment_column
from league.core.db.times import to_micros
from league.core.leagues.selectors.rules import lowest_wins, system_of
from league.models import Game, League, Player, Result, Rule
from ratings.columns.records import heads_of
from ratings.contract.system import RatingSystem

#: Kinds of games by the numbers that the column has.
KINDS: tuple[str, ...] = (Game.Kind.PLAYED, *(kind for kind in Game.Kind.values if kind != Game.Kind.PLAYED))


class Against(NamedTuple):
    """For each row 1 if the player is ahead of who sits there, -1 behind, 0 level or not known: by either figure."""

    score: Column
    place: Column


@dataclass(frozen=True)
class GameTables(Columns):
    """All results of a player's games in a league, those of the player among them, in no order.

    ``kind`` is a place in KINDS; score, place and side are NaN if there is none.
    """

    game: Keys
    number: Keys
    kind: Smalls
    voided: Smalls
    at: Moments
    order_key: Keys
    seat: Smalls
    player: Keys
    score: Floats
    place: Floats
    side: Floats

    def heads(self) -> "GameTables":
        """Return the first row of each side; who plays alone is one."""
        return self.of(heads_of(self.game, self.side, self.seat))

    @property
    def counts(self) -> Truths:
        """Return which rows are of games that count."""
        flags: Truths = (self.kind == KINDS.index(Game.Kind.PLAYED)) & (self.voided == 0)
        return flags

    def against(self, own: "GameTables", rules: Sequence[Rule]) -> Against:
        """Return how the player did against each row; ``own``: the player's result in the game of each."""
        apart = self.apart(own, rules)
        return Against(ahead(apart), ahead(self.place - own.place))

    def apart(self, own: "GameTables", rules: Sequence[Rule]) -> Column:
        """Return by how much the player's score is the better one, NaN if one of the two is absent."""
        apart: Column = np.where(lowest_wins(rules, self.at), self.score - own.score, own.score - self.score)
        return apart


def systems_of(rules: Sequence[Rule], at: Column) -> Iterator[tuple[RatingSystem, Truths]]:
    """Yield the system of each rule, and which of some moments are of its time."""
    for rule, after in zip_longest(rules, rules[1:]):
        since = at >= to_micros(rule.starts_at)
        yield system_of(rule), since & (at < to_micros(after.starts_at)) if after else since


def ahead(apart: Column) -> Column:
    """Return the signs of what lies between figures, 0 if that is not known."""
    signs: Column = np.sign(np.nan_to_num(apart)).astype(np.int64)
    return signs


def tables_of(league: League, player: Player) -> GameTables:
    """Return who sat at the tables of a player."""
    kinds = [When(game__kind=kind, then=Value(place)) for place, kind in enumerate(KINDS)]
    void = When(game__voided_at=None, then=Value(0))
    return GameTables.read(
        Result.objects.filter(league=league, game__results__player=player).order_by(),
        game=F("game_id"),
        number=F("game__number"),
        kind=Case(*kinds, output_field=IntegerField()),
        voided=Case(void, default=Value(1), output_field=IntegerField()),
        at=moment_column("game__played_at"),
        order_key=F("game__order_key"),
        player=F("player_id"),
    )


def places_in(numbers: Column, wanted: Column) -> Column:
    """Return at which places of some numbers, each of which is there once, others stand, all of which are there."""
    order = np.argsort(numbers, kind="stable")
    found: Column = order[np.searchsorted(numbers[order], wanted)]
    return found
