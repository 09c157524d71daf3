"""A player's record in a league: recent form, and results against opponents."""

from collections.abc import Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from league.core.db.columns import Column, Truths
from league.core.games.selectors.finish import places_first
from league.core.leagues.selectors.rules import rules_of
from league.core.players.selectors.tables import GameTables, places_in, systems_of, tables_of
from league.models import League, Player, RatingChange, Rule

FORM = 10
OPPONENTS = 100


def recent_form(league: League, player: Player) -> list[RatingChange]:
    """Return a player's last rating changes by games, newest first."""
    lines = RatingChange.objects.filter(league=league, player=player, step=1).order_by("-games")
    return list(lines[:FORM])


class Rival(NamedTuple):
    """An opponent: games together, and how often the player was ahead, level and behind.

    margin: the player's mean advantage in points; None if there are no scores.
    """

    handle: str
    name: str
    games: int
    ahead: int
    level: int
    behind: int
    margin: float | None


def rivals(league: League, player: Player, rules: Sequence[Rule], most: int) -> list[Rival]:
    """Return the most frequent opponents; games without places and scores count as level."""
    return rivals_at(tables_of(league, player), player, rules, most)


def rivals_at(tables: GameTables, player: Player, rules: Sequence[Rule], most: int) -> list[Rival]:
    """Return the most frequent opponents, given the player's tables."""
    others, own = facing(tables, player)
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


def facing(tables: GameTables, player: Player) -> tuple[GameTables, GameTables]:
    """Return the opponents' results in games that count, and the player's own result for each."""
    counting = tables.of(tables.counts)
    own = counting.of(counting.player == player.pk)
    others = counting.of(counting.player != player.pk)
    own = own.of(places_in(own.number, others.number))
    # Partners are not opponents.
    apart = ~(others.side == own.side)
    return others.of(apart), own.of(apart)


def outcomes_of(others: GameTables, own: GameTables, rules: Sequence[Rule]) -> Column:
    """Return for each row 1 if the player is ahead, -1 if behind, 0 otherwise; ``own``: the player's results.

    Compared by score if both have one, else by place; the other way round if the system rates by places.
    """
    against = others.against(own, rules)
    scored, placed = ~np.isnan(others.score - own.score), ~np.isnan(others.place - own.place)
    by_score = np.where(scored, against.score, against.place)
    by_place = np.where(placed, against.place, against.score)
    for system, rated in systems_of(rules, others.at):
        if places_first(system):
            by_score = np.where(rated, by_place, by_score)
    return by_score


def head_to_head(league: League, player: Player) -> list[dict[str, Any]]:
    """Return the most frequent opponents for the API: games together, how often ahead, level and behind."""
    left_out = ("handle", "margin")
    return [
        {"player": one.handle, **{name: value for name, value in one._asdict().items() if name not in left_out}}
        for one in rivals(league, player, rules_of(league), OPPONENTS)
    ]
