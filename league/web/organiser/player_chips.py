"""The players that a sheet offers to be seated with one tap."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from league.core.players.selectors.search import find_latest_players
from league.models import League

#: Maximum number of players offered as chips, and of long ones if not all have one; the name field finds the others.
MAX_CHIPS, MAX_LONG_CHIPS = 28, 12
#: A player's handle and name.
HandleAndName = tuple[str, str]


class PlayerChip(NamedTuple):
    """A player who can be seated with one tap."""

    handle: str
    name: str
    short: str
    tonight: bool


def build_chips(league: League, offered: Sequence[HandleAndName], tonight_handles: Collection[str]) -> list[PlayerChip]:
    """Return the chips, players of tonight first, then by name, or those who played last if not all have a chip.

    ``short`` is the first name if it is unambiguous. Where most names are one word, as those of countries are, the
    first word of another one is no given name.
    """
    tonight = [pair for pair in offered if pair[0] in tonight_handles]
    other_players = [pair for pair in offered if pair[0] not in tonight_handles]
    if len(offered) > MAX_CHIPS:
        order = {handle: place for place, handle in enumerate(find_latest_players(league, MAX_CHIPS))}
        other_players.sort(key=lambda pair: order.get(pair[0], MAX_CHIPS))
    selected_players = tonight + other_players[: max(MAX_CHIPS - len(tonight), 0)]
    first_names = [name.split()[0] if name.split() else name for _, name in selected_players]
    unshortened = sum(short == name for short, (_, name) in zip(first_names, selected_players, strict=True))
    if 2 * unshortened > len(first_names):
        if len(offered) > MAX_CHIPS:
            selected_players = selected_players[: max(MAX_LONG_CHIPS, len(tonight))]
        first_names = [name for _, name in selected_players]
    return [
        PlayerChip(handle, name, short if first_names.count(short) == 1 else name, handle in tonight_handles)
        for (handle, name), short in zip(selected_players, first_names, strict=True)
    ]
