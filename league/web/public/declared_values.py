"""Values of declared fields on public pages: those that the viewer may read; and what programs stored of a game."""

from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.fields.selectors.fields import collect_game_values, load_player_values, load_readable_fields
from league.core.games.selectors.games import ShownGame
from league.core.permissions import Viewer
from league.core.players.selectors.external_ids import load_external_ids
from league.models import DeclaredField, League, Player

Of, Type = DeclaredField.Of, DeclaredField.Type


def list_declared_values(league: League, view: ShownGame, viewer: Viewer | None) -> list[tuple[str, Any]]:
    """Return the labels and values of a game and, with the players' names, of its seats."""
    fields = [declared for declared in load_readable_fields(league, viewer) if declared.of != Of.PLAYER]
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


def list_player_values(league: League, player: Player, viewer: Viewer | None) -> list[tuple[str, Any]]:
    """Return the labels and values of a player."""
    fields = load_readable_fields(league, viewer)
    values = load_player_values(league, [player.pk], fields).get(player.pk, {})
    return [(one.title, format_declared(one, values[one.key])) for one in fields if one.key in values]


def list_program_data(league: League, view: ShownGame, viewer: Viewer) -> list[tuple[str, str]]:
    """Return what programs stored of a game, for organisers: its external id, its metadata, and its players' ids."""
    if not viewer.may("organise", league):
        return []
    players = [line.result.player for line in view.results]
    ids = load_external_ids([player.pk for player in players])
    rows = [(_("External id"), view.game.external_id)] if view.game.external_id else []
    rows += view.game.metadata.items()
    label = pgettext("an external id of a player", "{provider} of {player}")
    return rows + [
        (label.format(provider=provider, player=player.name), text)
        for player in players
        for provider, text in ids.get(player.pk, {}).items()
    ]


def format_declared(declared: DeclaredField, value: Any) -> Any:
    """Return a value as pages show it."""
    if declared.type == Type.YES_NO:
        return _("Yes") if value else _("No")
    if declared.type == Type.DATE:
        return date_format(date.fromisoformat(value))
    return value
