"""What pages call those who are ranked in a league: players, or teams."""

from collections.abc import Callable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from league.core.text.display_formats import format_number

PLAYERS, TEAMS = "players", "teams"
PLAYED_BY_CHOICES = [(PLAYERS, gettext_lazy("Players")), (TEAMS, pgettext_lazy("those that are ranked", "Teams"))]


class BoardWords(NamedTuple):
    """The words of a page for those who are ranked, sentences with them, and texts with a number of them."""

    one: str
    many: str
    find: str
    none_ranked: str
    none_matches: str
    none_qualified: str
    count_ranked: Callable[[int], str]
    #: Of a link to more.
    count_more: Callable[[int], str]
    #: After a number of games: 20 games by 3 players.
    count_by: Callable[[int], str]


def _count_players(number: int) -> str:
    return ngettext("%(shown)s player", "%(shown)s players", number) % {"shown": format_number(number)}


def _count_teams(number: int) -> str:
    return ngettext("%(shown)s team", "%(shown)s teams", number) % {"shown": format_number(number)}


def _count_more_players(number: int) -> str:
    text = ngettext("Show %(shown)s more player", "Show %(shown)s more players", number)
    return text % {"shown": format_number(number)}


def _count_more_teams(number: int) -> str:
    text = ngettext("Show %(shown)s more team", "Show %(shown)s more teams", number)
    return text % {"shown": format_number(number)}


def _count_by_players(number: int) -> str:
    return ngettext("by {count} player", "by {count} players", number).format(count=format_number(number))


def _count_by_teams(number: int) -> str:
    return ngettext("by {count} team", "by {count} teams", number).format(count=format_number(number))


def _name_players() -> BoardWords:
    return BoardWords(
        _("Player"),
        _("Players"),
        _("Find a player"),
        _("No player is ranked yet."),
        _("No player on the board matches."),
        _("No player qualified."),
        _count_players,
        _count_more_players,
        _count_by_players,
    )


def _name_teams() -> BoardWords:
    return BoardWords(
        pgettext("one that is ranked", "Team"),
        pgettext("those that are ranked", "Teams"),
        _("Find a team"),
        _("No team is ranked yet."),
        _("No team on the board matches."),
        _("No team qualified."),
        _count_teams,
        _count_more_teams,
        _count_by_teams,
    )


def get_board_words(played_by: str) -> BoardWords:
    """Return the words of a league whose ranked are players or teams, in the current language."""
    return _name_teams() if played_by == TEAMS else _name_players()
