"""What the name of a league's game says of it: White and Black, chess, and whether a game may end level."""

import re
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.fields.selectors.fields import load_fields
from league.core.fields.values import StoredValues, format_index_text
from league.core.text.names import fold_accents
from league.models import DeclaredField, Game, GameValue, League, Player
from league.models.recorded import DECLARED

#: Words for chess, in the languages of the site and some more, folded.
CHESS = {
    "chess", "schach", "ajedrez", "echecs", "scacchi", "xadrez", "schaken", "szachy", "sah", "sachy", "sakk", "sjakk",
    "шахматы", "шах",
}  # fmt: skip
#: Words for games of White and Black.
COLOURED_GAMES = CHESS | {
    "shogi", "xiangqi", "checkers", "draughts", "dame", "damespiel", "dames", "damas", "dammen",
    "warcaby", "шашки", "даме", "go", "weiqi", "baduk", "го", "othello", "reversi", "gomoku", "renju",
}  # fmt: skip
#: Words for games that never end level.
DRAWLESS_GAMES = {
    "tennis", "tischtennis", "pingpong", "badminton", "squash", "padel", "pickleball", "volleyball", "pool",
    "billiards", "billard", "snooker", "darts", "dart", "tenis", "siatkowka", "odbojka", "bilard", "bilijar", "pikado",
    "теннис", "бадминтон", "сквош", "волейбол", "бильярд", "снукер", "дартс", "тенис", "одбојка", "билијар", "пикадо",
}  # fmt: skip


#: Words for games that one side plays at home.
HOME_GAMES = {
    "football", "soccer", "fussball", "futsal", "handball", "basketball", "hockey", "eishockey", "rugby",
    "pilka", "koszykowka", "hokej", "футбол", "хоккей", "баскетбол", "гандбол", "фудбал", "кошарка", "рукомет", "хокеј",
}  # fmt: skip
#: The key of a field (yes or no) that a league declares of its games: neither of the two sides plays at home.
NEUTRAL = "neutral"
#: Words for tables at which none of these is played at home.
TABLE_GAMES = {"table", "tisch"}


class SideName(NamedTuple):
    """What a side of a game of two is called.

    ``sign``: the same in one character. ``played``: where its player sat, before the name of the opponent.
    """

    name: str
    sign: str
    played: str


def has_colours(league: League) -> bool:
    """Return whether the league's game is played with White and Black; a league that names no game may have chess."""
    words = _list_words(league)
    return not words or not COLOURED_GAMES.isdisjoint(words)


def may_have_chess(league: League) -> bool:
    """Return whether the league's game is chess, or it names no game."""
    words = _list_words(league)
    return not words or not CHESS.isdisjoint(words)


def names_game_of_colours(league: League) -> bool:
    """Return whether the league names a game of White and Black."""
    return bool(league.game) and has_colours(league)


def list_side_names(league: League) -> tuple[SideName, SideName]:
    """Return what the sides of a league's game of two are called, in the order of the seats."""
    if names_game_of_colours(league):
        return list_colours()
    if is_played_at_home(league):
        return (
            SideName(pgettext("side of a game", "Home"), "1", pgettext("before an opponent", "at home against")),
            SideName(pgettext("side of a game", "Away"), "2", pgettext("before an opponent", "away against")),
        )
    return (
        SideName(_("First side"), "1", pgettext("before an opponent", "as first side against")),
        SideName(_("Second side"), "2", pgettext("before an opponent", "as second side against")),
    )


def list_sides_of_game(league: League, game: Game) -> tuple[SideName, ...]:
    """Return what the sides of a game of two are called; none on neutral ground."""
    return () if is_played_at_home(league) and _is_neutral(game) else list_side_names(league)


def is_played_at_home(league: League) -> bool:
    """Return whether one side of the league's games plays at home, if the ground is not neutral."""
    words = _list_words(league)
    return not HOME_GAMES.isdisjoint(words) and TABLE_GAMES.isdisjoint(words)


def _is_neutral(game: Game) -> bool:
    return StoredValues.read(game.details.get(DECLARED)).game.get(NEUTRAL) is True


def find_neutral_games(league: League, player: Player) -> list[int]:
    """Return the ids of a player's games on neutral ground; no query if the league has no fields."""
    fields = [one for one in load_fields(league) if one.key == NEUTRAL and one.visible == DeclaredField.Visible.ALL]
    if not fields or not is_played_at_home(league):
        return []
    values = GameValue.objects.filter(league=league, field=fields[0], value=format_index_text(True))
    return list(values.filter(game__results__player=player).values_list("game", flat=True))


def list_colours() -> tuple[SideName, SideName]:
    """Return what the sides are called in a game of White and Black, in the order of the seats."""
    return (
        SideName(pgettext("side of a game", "White"), "○", pgettext("before an opponent", "as White against")),
        SideName(pgettext("side of a game", "Black"), "●", pgettext("before an opponent", "as Black against")),
    )


def knows_draws(league: League) -> bool:
    """Return whether the league's game may end level."""
    return DRAWLESS_GAMES.isdisjoint(_list_words(league))


def _list_words(league: League) -> list[str]:
    return re.findall(r"\w+", fold_accents(league.game))
