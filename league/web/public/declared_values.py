"""Values of declared fields on public pages: those that everyone may read."""

from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.fields.selectors.fields import collect_game_values, load_player_values, load_readable_fields
from league.core.games.selectors.games import ShownGame
from league.models import DeclaredField, League, Player

Of, Type = DeclaredField.Of, DeclaredField.Type


def list_declared_values(league: League, view: ShownGame) -> list[tuple[str, Any]]:
    """Return the labels and values of a game and, with the players' names, of its seats."""
    fields = [declared for declared in load_readable_fields(league, None) if declared.of != Of.PLAYER]
    if not fields:
        return []
    values = collect_game_values(view.game, fields)
    rows = [(one.title, format_declared(one, values.game[one.key])) for one in fields if one.key in values.game]
    for line, seat in zip(view.results, values.seats, strict=False):
        label = pgettext("a field of a player in a game", "{field} of {player}")
        rows += [
            (label.format(field=one.title, player=line.result.player.name), format_declared(one, seat[one.key]))
            for one in fields
            if one.key in seat
        ]
    return rows


def list_player_values(league: League, player: Player) -> list[tuple[str, Any]]:
    """Return the labels and values of a player."""
    fields = load_readable_fields(league, None)
    values = load_player_values(league, [player.pk], fields).get(player.pk, {})
    return [(one.title, format_declared(one, values[one.key])) for one in fields if one.key in values]


def format_declared(declared: DeclaredField, value: Any) -> Any:
    """Return a value as pages show it."""
    if declared.type == Type.YES_NO:
        return _("Yes") if value else _("No")
    if declared.type == Type.DATE:
        return date_format(date.fromisoformat(value))
    return value
