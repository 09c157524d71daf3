"""Players of an export who are known here already: they must be who they are in the file."""

from typing import Any

from django.utils.translation import gettext as _

from league.errors import Invalid
from league.models import Player


def refuse_other(player: Player, name: str, merge: dict[str, Any] | None, *, same_people: bool) -> None:
    """Raise Invalid where a player who is known here is another one in the file, or stands otherwise there.

    ``same_people``: equal handles are the same people, whatever their names.
    """
    if player.name != name and not same_people:
        raise Invalid(
            _(
                "the handle {handle} is {here} here, {there} in the file. If equal handles are the same people, say so "
                "(--known-players)."
            ).format(handle=player.handle, here=player.name, there=name)
        )
    here = None if player.merged_into is None else player.merged_into.handle
    there = None if merge is None else merge["into"]
    if here != there:
        sentence = _("the player {player} is {there} in the file, {here} here; make it the same here.")
        raise Invalid(sentence.format(player=player.handle, there=merged_words(there), here=merged_words(here)))


def merged_words(into: str | None) -> str:
    """Say whether somebody is merged, and into whom."""
    return _("not merged") if into is None else _("merged into {player}").format(player=into)
