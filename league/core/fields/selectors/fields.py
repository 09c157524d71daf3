"""Declared fields, who may read them, and the rows that have a value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.core.fields.values import StoredValues, Values, find_fault, format_index_text, parse_value
from league.core.permissions import Viewer
from league.core.text.names import shorten_name
from league.models import DeclaredField, Game, GameValue, League, PlayerFields, PlayerValue, Result
from league.models.recorded import DECLARED

Of, Visible = DeclaredField.Of, DeclaredField.Visible
#: The beginning of the name of a field in addresses and files.
PREFIX = "field."


def load_fields(league: League) -> list[DeclaredField]:
    """Return the fields of a league in the order of their declaration, also retired ones; no query if it has none."""
    return list(league.declared_fields.order_by("pk")) if league.has_fields else []


def find_field(league: League, key: str) -> DeclaredField:
    """Return a field; raises NotFound."""
    for declared in load_fields(league):
        if declared.key == key:
            return declared
    raise NotFound(_("The league declares no field “{field}”.").format(field=shorten_name(key)))


def may_read(viewer: Viewer | None, league: League, declared: DeclaredField) -> bool:
    """Return whether a viewer may read the values of a field; None: everyone who sees the league."""
    if declared.visible == Visible.ALL:
        return True
    action = "read" if declared.visible == Visible.MEMBERS else "organise"
    return viewer is not None and viewer.may(action, league)


def load_readable_fields(league: League, viewer: Viewer | None) -> list[DeclaredField]:
    """Return the fields of a league that a viewer may read."""
    return [declared for declared in load_fields(league) if may_read(viewer, league, declared)]


def collect_game_values(game: Game, fields: Iterable[DeclaredField]) -> StoredValues:
    """Return the values of a game that belong to some fields, with as many seats as have values."""
    keys = {declared.key for declared in fields}
    shown, withheld = StoredValues.read(game.details.get(DECLARED)), StoredValues.read(game.withheld)
    length = max(len(shown.seats), len(withheld.seats))
    seats = [_select(keys, *(part.seats[seat] for part in (shown, withheld) if part.seats)) for seat in range(length)]
    return StoredValues(_select(keys, shown.game, withheld.game), seats)


def _select(keys: set[str], *parts: Values) -> Values:
    return {key: value for part in parts for key, value in part.items() if key in keys}


def load_player_values(league: League, players: Sequence[int], fields: Sequence[DeclaredField]) -> Mapping[int, Values]:
    """Return player -> values of some fields, in the order of the fields."""
    mine = [declared for declared in fields if declared.of == Of.PLAYER]
    if not mine:
        return {}
    rows = PlayerFields.objects.filter(league=league, player__in=players).values_list("player", "shown", "withheld")
    return {
        player: {declared.key: both[declared.key] for declared in mine if declared.key in both}
        for player, shown, withheld in rows
        if (both := {**shown, **withheld})
    }


@dataclass(frozen=True)
class ValueFilter:
    """Chooses what has a value of a field: an index text, or one from ``lowest`` up to ``below``, which is excluded."""

    declared: DeclaredField
    text: str = ""
    lowest: str = ""
    below: str = ""

    def build_condition(self) -> Q:
        """Return the condition for rows with such a value, which an index finds."""
        values = Q(value__gte=self.lowest, value__lt=self.below) if self.below else Q(value=self.text)
        return values & Q(field=self.declared)


def parse_filter(declared: DeclaredField, text: str) -> ValueFilter:
    """Return the filter for a value as a text; the ValueError completes the sentence "… must be"."""
    value = parse_value(declared, text)
    if find_fault(declared, value) is not None:
        words = {"choice": f"one of {', '.join(declared.choices)}", "yes_no": "true or false", "number": "a number"}
        raise ValueError(words.get(declared.type, "a date such as 2024-03-05"))
    return ValueFilter(declared, format_index_text(value))


def find_games_with(league: League, only: ValueFilter) -> QuerySet[GameValue]:
    """Return the values of games that a filter chooses; each has its ``game``."""
    return GameValue.objects.filter(only.build_condition(), league=league)


def find_players_with(league: League, only: ValueFilter, before: datetime | None = None) -> QuerySet[Any, Any]:
    """Return the keys of players with a value; of a game's or seat's field: those who played a game with it.

    ``before``: only games played before this time count. Values of players have no time.
    """
    if only.declared.of == Of.PLAYER:
        return PlayerValue.objects.filter(only.build_condition(), league=league).values("player")
    lines = Result.objects.rated().filter(league=league)
    if before is not None:
        lines = lines.filter(game__played_at__lt=before)
    games = find_games_with(league, only)
    if only.declared.of == Of.GAME:
        return lines.filter(game__in=games.values("game")).values("player")
    seat = GameValue.objects.filter(
        only.build_condition(), league=OuterRef("league"), game=OuterRef("game"), seat=OuterRef("seat")
    )
    return lines.filter(Exists(seat)).values("player")
