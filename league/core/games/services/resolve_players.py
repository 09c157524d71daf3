"""Resolves the names on a sheet to players, as its sender may see them.

Handles are unique across the site, so a name on a sheet may be the handle of a player in a private league whom the
sender may not see. Such players are ignored: the name then refers to a player of that name in the sender's league, or
else to a player to be added under another handle. So different persons are never mistaken for one another, names
cannot be found by guessing handles, and a file that is sent twice finds the same players. Someone who organises both
leagues can merge two players who are the same person.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from league.core.errors import Refused
from league.core.games.services.game_input import problem_at
from league.core.permissions import Viewer
from league.core.players.selectors.search import spellings
from league.core.players.selectors.seats import SheetTable, table_of
from league.core.players.selectors.visibility import is_plain, named_in
from league.core.text.names import key_of, name_problem, shortened
from league.models import League, Player


def seen_table(league: League, names: Sequence[str], viewer: Viewer | None) -> tuple[SheetTable, list[str]]:
    """Return the players of a sheet that its sender may see, and the names under which they are found."""
    table = table_of(league, names)
    hidden = hidden_keys(league, table, viewer)
    if not hidden:
        return table, list(names)
    here = namesakes(league, [name for name in names if key_of(name) in hidden])
    meant = [here.get(key_of(name), name) for name in names]
    found = table_of(league, meant)
    return replace(found, seats={key: seat for key, seat in found.seats.items() if key not in hidden}), meant


def hidden_keys(league: League, table: SheetTable, viewer: Viewer | None) -> set[str]:
    """Return the keys that the viewer may not use: of players they may not see, or aliases not visible to them.

    Players of the league are visible, with all aliases except those from merges.
    """
    if viewer is None or viewer.ids() is None:
        return set()
    records = viewer.may("record", league)
    others = {
        key: seat.text
        for key, seat in table.seats.items()
        if (seat.row[0] is None and seat.start is None)
        or seat.recorded_as is not None
        or not (records or is_plain(key, seat.player))
    }
    return others.keys() - spellings(list(others.values()), viewer).keys() if others else set()


def namesakes(league: League, names: Iterable[str]) -> dict[str, str]:
    """Return key -> handle for names that exactly one player of a league has."""
    wanted = {" ".join(name.split()) for name in names}
    bearers: dict[str, set[str]] = {}
    if wanted:
        found = Player.objects.filter(named_in(League.objects.filter(pk=league.pk)), name__in=wanted, merged_into=None)
        for name, handle in found.values_list("name", "handle"):
            bearers.setdefault(key_of(name), set()).add(handle)
    return {key: next(iter(handles)) for key, handles in bearers.items() if len(handles) == 1}


def refuse_unnameable(names: Sequence[str], unknown: Sequence[int]) -> None:
    """Raise Refused if the name of a new player at one of these seats is invalid."""
    sentence = _("Seat {seat}: “{name}” cannot be added as a player: {reason}")
    problems = [
        problem_at(seat, "player", "unknown_player", sentence, name=shortened(names[seat]), reason=reason)
        for seat in unknown
        if (reason := name_problem(names[seat]))
    ]
    if problems:
        raise Refused.of(problems)
