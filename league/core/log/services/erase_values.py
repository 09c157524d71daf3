"""Erases values of declared fields whose log entries are erased."""

from django.db.models import Q

from league.models import DeclaredField, GameValue, League, LogEntry, PlayerFields, PlayerValue

#: Fields whose values are withheld (``DeclaredField.is_withheld``).
WITHHELD_FIELDS = ~Q(visible=DeclaredField.Visible.ALL) | Q(type=DeclaredField.Type.TEXT)


def erase_game_rows(league: League, number: int) -> None:
    """Delete the rows by which a game is found by values that are erased."""
    withheld = DeclaredField.objects.filter(WITHHELD_FIELDS, league=league)
    GameValue.objects.filter(league=league, game__number=number, field__in=withheld).delete()


def erase_player_values(league: League, entry: LogEntry, opaque: str) -> None:
    """Empty the values of a player that an entry set, unless a later entry set others."""
    later = league.log.filter(position__gt=entry.position, kind=LogEntry.Kind.PLAYER_FIELDS_SET)
    if later.filter(payload__contains=f'"player":"{opaque}"').exists():
        return
    mine = {"league": league, "player__opaque": opaque}
    PlayerFields.objects.filter(**mine).update(shown={}, withheld={})
    PlayerValue.objects.filter(**mine).delete()
