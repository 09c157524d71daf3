"""A player's record in a league: recent form, and who came out ahead against whom."""

from collections.abc import Sequence
from itertools import zip_longest
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When

from league.db.columns import Column, Truths
from league.models import Game, League, Player, RatingChange, Result, Rule
from league.selectors.finish import places_first
from league.selectors.players.tables import Tables, places_in, tables_of
from league.selectors.rules import rules_of, system_of

FORM = 10
OPPONENTS = 100


def form(league: League, player: Player) -> list[RatingChange]:
    """Return a player's last changes by games, the newest first."""
    lines = RatingChange.objects.filter(league=league, player=player, step=1).order_by("-games")
    return list(lines[:FORM])


class Rival(NamedTuple):
    """Somebody met at the table: games together, how often the player was ahead, level and behind.

    margin: by how many points the player's score was the better one, on average; None where there are no scores.
    """

    handle: str
    name: str
    games: int
    ahead: int
    level: int
    behind: int
    margin: float | None


#: A place is better the lower it is.
BY_PLACE = (
    When(place__lt=F("game__results__place"), then=Value(1)),
    When(place__gt=F("game__results__place"), then=Value(-1)),
    When(place=F("game__results__place"), then=Value(0)),
)


def by_score(rules: Sequence[Rule]) -> tuple[When, ...]:
    """Return what tells who is ahead by scores, as the rule in force then says which is better."""
    lowest = lowest_wins(rules)
    return (
        When(score=F("game__results__score"), then=Value(0)),
        When(lowest, score__lt=F("game__results__score"), then=Value(1)),
        When(lowest, score__gt=F("game__results__score"), then=Value(-1)),
        When(score__gt=F("game__results__score"), then=Value(1)),
        When(score__lt=F("game__results__score"), then=Value(-1)),
    )


def first_of(*cases: When) -> Case:
    """Return what the first of some cases that is one says; 0 without one."""
    return Case(*cases, default=Value(0), output_field=IntegerField())


def with_outcome(own: QuerySet[Result], rules: Sequence[Rule]) -> QuerySet[Result]:
    """Return a player's results, one row for each at the table: ``outcome`` is 1 where the player is ahead, -1 behind.

    Of games that count: by score where both have one, else by place, and the other way round where the system rates by
    places; 0 without either.
    """
    by_places = places_first(system_of(rules[-1]) if rules else None)  # one a league, R104
    cases = (*BY_PLACE, *by_score(rules)) if by_places else (*by_score(rules), *BY_PLACE)
    return own.annotate(outcome=first_of(*cases))


def counting(league: League, player: Player) -> QuerySet[Result]:
    """Return a player's results in the games that count."""
    return Result.objects.filter(
        player=player, game__league=league, game__kind=Game.Kind.PLAYED, game__voided_at__isnull=True
    )


def rivals(league: League, player: Player, rules: Sequence[Rule], most: int) -> list[Rival]:
    """Return the opponents met most often; games without place and score count as level."""
    return rivals_at(tables_of(league, player), player, rules, most)


def rivals_at(tables: Tables, player: Player, rules: Sequence[Rule], most: int) -> list[Rival]:
    """Return who was met most often at a player's tables."""
    counting = tables.of(tables.counts)
    own = counting.of(counting.player == player.pk)
    others = counting.of(counting.player != player.pk)
    own = own.of(places_in(own.number, others.number))
    # Partners do not play against each other.
    apart = ~(others.side == own.side)
    others, own = others.of(apart), own.of(apart)
    people, which = np.unique(others.player, return_inverse=True)
    outcomes, margin_of = outcomes_of(others, own, rules), others.apart(own, rules)

    def counted(flags: Truths) -> Column:
        return np.bincount(which[flags], minlength=len(people))

    scored = ~np.isnan(margin_of)
    sums = np.bincount(which[scored], margin_of[scored], minlength=len(people))
    margins = np.where(counted(scored) > 0, sums / np.maximum(counted(scored), 1), np.nan)
    games = counted(outcomes < 2)
    columns = people, margins, games, *(counted(outcomes == way) for way in (1, 0, -1))
    last = np.sort(games)[-most] if len(games) > most else 0
    told = np.flatnonzero(games >= last)
    names = Player.objects.only("handle", "name").in_bulk(people[told].tolist())
    found = [
        Rival._make((names[pk].handle, names[pk].name, *counts, None if isnan(margin) else margin))
        for pk, margin, *counts in zip(*(column[told].tolist() for column in columns), strict=True)
    ]
    return sorted(found, key=lambda one: (-one.games, one.handle))[:most]


def outcomes_of(others: Tables, own: Tables, rules: Sequence[Rule]) -> Column:
    """Return for each row what ``with_outcome`` tells of it; ``own``: the player's result in the game of each."""
    against = others.against(own, rules)
    scored, placed = ~np.isnan(others.score - own.score), ~np.isnan(others.place - own.place)
    by_score = np.where(scored, against.score, against.place)
    by_place = np.where(placed, against.place, against.score)
    system = system_of(rules[-1]) if rules else None  # one a league, R104
    return by_place if places_first(system) else by_score


def head_to_head(league: League, player: Player) -> list[dict[str, Any]]:
    """Return the opponents met most often, as the API tells them: games together, how often ahead, level and behind."""
    found = rivals(league, player, rules_of(league), OPPONENTS)
    return [
        {
            "player": one.handle,
            "name": one.name,
            "games": one.games,
            "ahead": one.ahead,
            "level": one.level,
            "behind": one.behind,
        }
        for one in found
    ]


def lowest_wins(rules: Sequence[Rule]) -> Q:
    """Return the condition for results of games played under a rule by which the lower score is the better one."""
    found = Q(pk__in=[])
    for rule, after in zip_longest(rules, rules[1:]):
        if system_of(rule).lowest_score_wins():
            found |= Q(game__played_at__gte=rule.starts_at) & (Q(game__played_at__lt=after.starts_at) if after else Q())
    return found
