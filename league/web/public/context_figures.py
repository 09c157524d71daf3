"""Players and games in the contexts of a league, for the pages of players and games."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from league.core.contexts.scopes import load_scopes
from league.core.players.selectors.cards import PlayerCard, load_card
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, find_rule_to_show, load_rules
from league.models import Context, Game, League, Player
from league.models.contexts import changes_of
from ratings.contract.system import RatingSystem


@dataclass(frozen=True)
class ContextCard:
    """A player's rating and rank in a context."""

    context: Context
    system: RatingSystem
    card: PlayerCard


@dataclass(frozen=True)
class ContextChanges:
    """The lines of a game in a context, in seat order."""

    context: Context
    system: RatingSystem
    lines: Sequence[Any]


def load_context_cards(league: League, player: Player, now: datetime) -> list[ContextCard]:
    """Return a player's ratings in the contexts in which the player has games."""
    cards = []
    for scope in [] if league.stale_from is not None else load_scopes(league):
        rules = load_rules(scope)
        rule = find_rule_to_show(rules, now)
        card = load_card(scope, player, now, rules) if rule else None
        if rule is not None and card is not None and card.games:
            cards.append(ContextCard(scope.context, build_rule_system(rule), card))
    return cards


def load_context_changes(league: League, game: Game) -> list[ContextChanges]:
    """Return the changes by a rated game in the contexts for which it counts."""
    changes = []
    for scope in [] if league.stale_from is not None else load_scopes(league):
        lines = changes_of(scope).filter(number=game.number, at=game.played_at, order_key=game.order_key, step=1)
        rule = find_rule_at(load_rules(scope), game.played_at)
        if rule is not None and (found := list(lines.select_related("player").order_by("seat"))):
            changes.append(ContextChanges(scope.context, build_rule_system(rule), found))
    return changes
