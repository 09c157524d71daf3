"""All results of a player's games as columns, read with one query for statistics and opponents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from django.db.models import Case, F, IntegerField, Value, When

from league.core.db.columns import (
    Column,
    Columns,
    Floats,
    Keys,
    Moments,
    Smalls,
    Truths,
    build_timestamp_expression,
    convert_to_micros,
)
from league.core.rules.selectors.rules import build_rule_system, compute_lowest_wins
from league.models import Game, League, Player, Result, Rule
from league.models.contexts import changes_of
from ratings.columns.tallies import heads_of
from ratings.contract.system import RatingSystem

#: Kinds of games by their number in the column.
KINDS: tuple[str, ...] = (Game.Kind.PLAYED, *(kind for kind in Game.Kind.values if kind != Game.Kind.PLAYED))


class Against(NamedTuple):
    """For each row, by score and by place: 1 if the player is ahead, -1 if behind, 0 if level or unknown."""

    score: Column
    place: Column


@dataclass(frozen=True)
class GameTables(Columns):
    """All results of a player's games in a league, including the player's own, unordered.

    ``kind`` is an index of KINDS; score, place and side are NaN if absent.
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
        """Return the first row of each side, and players without a side."""
        return self.of(heads_of(self.game, self.side, self.seat))

    @property
    def counts(self) -> Truths:
        """Return which rows are of games that count."""
        flags: Truths = (self.kind == KINDS.index(Game.Kind.PLAYED)) & (self.voided == 0)
        return flags

    def against(self, own: "GameTables", rules: Sequence[Rule]) -> Against:
        """Return the player's outcome against each row; ``own``: the player's results."""
        difference = self.apart(own, rules)
        return Against(compute_signs(difference), compute_signs(self.place - own.place))

    def apart(self, own: "GameTables", rules: Sequence[Rule]) -> Column:
        """Return the player's advantage in score, NaN if one of the two is absent."""
        difference: Column = np.where(
            compute_lowest_wins(rules, self.at), self.score - own.score, own.score - self.score
        )
        return difference


def iter_systems(rules: Sequence[Rule], times: Column) -> Iterator[tuple[RatingSystem, Truths]]:
    """Yield the system of each rule, and which times it applies to."""
    for rule, next_rule in zip_longest(rules, rules[1:]):
        has_started = times >= convert_to_micros(rule.starts_at)
        yield (
            build_rule_system(rule),
            has_started & (times < convert_to_micros(next_rule.starts_at)) if next_rule else has_started,
        )


def compute_signs(difference: Column) -> Column:
    """Return the signs of differences, 0 for NaN."""
    signs: Column = np.sign(np.nan_to_num(difference)).astype(np.int64)
    return signs


def load_tables(league: League, player: Player) -> GameTables:
    """Return all results of a player's games; in a context those of the games that count for it."""
    kinds = [When(game__kind=kind, then=Value(place)) for place, kind in enumerate(KINDS)]
    void = When(game__voided_at=None, then=Value(0))
    results = Result.objects.filter(league=league, game__results__player=player)
    if league.context is not None:
        results = results.filter(game__in=changes_of(league).filter(player=player, step=1).values("game"))
    return GameTables.read(
        results.order_by(),
        game=F("game_id"),
        number=F("game__number"),
        kind=Case(*kinds, output_field=IntegerField()),
        voided=Case(void, default=Value(1), output_field=IntegerField()),
        at=build_timestamp_expression("game__played_at"),
        order_key=F("game__order_key"),
        player=F("player_id"),
    )


def find_indices(numbers: Column, requested: Column) -> Column:
    """Return the index of each wanted number among unique numbers; all must be present."""
    order = np.argsort(numbers, kind="stable")
    indices: Column = order[np.searchsorted(numbers[order], requested)]
    return indices
