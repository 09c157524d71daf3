"""A player's record in a league: recent form, and who came out ahead against whom."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, Sum, Value, When

from league.models import Game, League, Player, RatingChange, Result, Rule
from league.selectors.rules import rules_of, system_of

FORM = 10
OPPONENTS = 100


def form(league: League, player: Player) -> list[RatingChange]:
    """Return a player's last changes by games, the newest first."""
    lines = RatingChange.objects.filter(league=league, player=player, step=1).order_by("-games")
    return list(lines[:FORM])


def head_to_head(league: League, player: Player) -> list[dict[str, Any]]:
    """Return the opponents met most often: games together, and how often ahead, level and behind.

    By place where both have one, else by score (the rule in force says whether the higher is ahead); games
    without either count as level.
    """
    lowest = lowest_wins(rules_of(league))
    own = Result.objects.filter(
        player=player, game__league=league, game__kind=Game.Kind.PLAYED, game__voided_at__isnull=True
    )
    met = own.annotate(other=F("game__results__player")).exclude(other=player.pk)
    met = met.annotate(
        handle=F("game__results__player__handle"),
        name=F("game__results__player__name"),
        outcome=Case(
            When(place__lt=F("game__results__place"), then=Value(1)),
            When(place__gt=F("game__results__place"), then=Value(-1)),
            When(place=F("game__results__place"), then=Value(0)),
            When(lowest, score__lt=F("game__results__score"), then=Value(1)),
            When(lowest, score__gt=F("game__results__score"), then=Value(-1)),
            When(score__gt=F("game__results__score"), then=Value(1)),
            When(score__lt=F("game__results__score"), then=Value(-1)),
            default=Value(0),
            output_field=IntegerField(),
        ),
    )
    counted = met.values("handle", "name").annotate(
        games=Count("pk"),
        ahead=Sum(Case(When(outcome=1, then=Value(1)), default=Value(0))),
        level=Sum(Case(When(outcome=0, then=Value(1)), default=Value(0))),
        behind=Sum(Case(When(outcome=-1, then=Value(1)), default=Value(0))),
    )
    rows = counted.order_by("-games", "handle")[:OPPONENTS]
    return [{"player": row.pop("handle"), **row} for row in map(dict, rows)]


def lowest_wins(rules: Sequence[Rule]) -> Q:
    """Return the condition for results of games played under a rule by which the lower score is the better one."""
    found = Q(pk__in=[])
    for rule, after in zip_longest(rules, rules[1:]):
        if system_of(rule).lowest_score_wins():
            found |= Q(game__played_at__gte=rule.starts_at) & (Q(game__played_at__lt=after.starts_at) if after else Q())
    return found
