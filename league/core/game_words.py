"""What the name of a league's game says of it: White and Black, chess, and whether a game may end level."""

import re
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.text.names import fold_accents
from league.models import League

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
#: Words for tables at which none of these is played at home.
TABLE_GAMES = {"table", "tisch"}


class SideName(NamedTuple):
    """What a side of a game of two is called.

    ``sign``: the same in one character. ``played``: what its player did, after the name of the opponent.
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
    words = _list_words(league)
    if not HOME_GAMES.isdisjoint(words) and TABLE_GAMES.isdisjoint(words):
        return (
            SideName(
                pgettext("side of a game", "Home"), "1", pgettext("what a player did in a game", "played at home")
            ),
            SideName(pgettext("side of a game", "Away"), "2", pgettext("what a player did in a game", "played away")),
        )
    return (
        SideName(_("First side"), "1", pgettext("what a player did in a game", "played as first side")),
        SideName(_("Second side"), "2", pgettext("what a player did in a game", "played as second side")),
    )


def list_colours() -> tuple[SideName, SideName]:
    """Return what the sides are called in a game of White and Black, in the order of the seats."""
    return (
        SideName(pgettext("side of a game", "White"), "○", pgettext("what a player did in a game", "played White")),
        SideName(pgettext("side of a game", "Black"), "●", pgettext("what a player did in a game", "played Black")),
    )


def knows_draws(league: League) -> bool:
    """Return whether the league's game may end level."""
    return DRAWLESS_GAMES.isdisjoint(_list_words(league))


def _list_words(league: League) -> list[str]:
    return re.findall(r"\w+", fold_accents(league.game))
