"""Players of an export who are known here already: they must be who they are in the file."""

from typing import Any

from league.errors import Invalid
from league.models import Player


def refuse_other(player: Player, name: str, merge: dict[str, Any] | None, *, same_people: bool) -> None:
    """Raise Invalid where a player who is known here is another one in the file, or stands otherwise there.

    ``same_people``: equal handles are the same people, whatever their names.
    """
    if player.name != name and not same_people:
        raise Invalid(
            f"the handle {player.handle} is {player.name} here, {name} in the file. If equal handles are the "
            "same people, say so (--known-players)."
        )
    here = "not merged" if player.merged_into is None else f"merged into {player.merged_into.handle}"
    there = "not merged" if merge is None else f"merged into {merge['into']}"
    if here != there:
        raise Invalid(f"the player {player.handle} is {there} in the file, {here} here; make it the same here.")
