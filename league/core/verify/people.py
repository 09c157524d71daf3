"""Spellings under ``verify``: those of the people of a league must lead to them. No log says them, for they are names.

Every handle is a spelling, so that a handle and another spelling never mean two players; whoever was merged into
a player is found there, and keeps that these spellings are their own (``recorded_as``).
"""

from collections.abc import Iterator, Set

import numpy as np

from league.core.text.names import key_of
from league.core.text.stored_messages import Said, phrase
from league.core.verify.league_data import VerifiedLeague, some
from league.models import Alias, Game, Player, Result
from league.models.facts import UNRATED


def spelling_problems(books: VerifiedLeague) -> Iterator[Said]:
    """Yield the spellings that are kept under another key, belong to no player who was merged, or miss."""
    found = list(problems_of(people_of(books)))
    yield from some(len(found), found, phrase("in the other names"))


def people_of(books: VerifiedLeague) -> set[int]:
    """Return the keys of all for whom a result counts."""
    unrated = Game.objects.filter(UNRATED, league=books.league)
    lines = Result.objects.filter(league=books.league, game__in=unrated).order_by()
    return {*np.unique(books.log.players).tolist(), *lines.values_list("player", flat=True).distinct()}


def problems_of(keys: Set[int]) -> Iterator[Said]:
    """Yield what is wrong with the spellings of these players, and of those who were merged into them.

    All people of the site are read at once, as the log's check reads their handles: naming thousands costs more.
    """
    found = Player.objects.order_by().values_list("pk", "handle", "merged_into")
    people = {pk: (handle, into) for pk, handle, into in found if pk in keys or into in keys}
    spelled = Alias.objects.order_by("key").values_list("text", "key", "player", "recorded_as")
    aliases = [alias for alias in spelled if alias[2] in keys or alias[3] in keys]
    for text, key, player, recorded_as in aliases:
        whose = people[player][0] if player in people else phrase("another player")
        name = phrase("The name “{spelling}” of {player}", spelling=text, player=whose)
        if key != key_of(text):
            yield phrase("{fact} is stored as “{key}”; it must be “{other}”.", fact=name, key=key, other=key_of(text))
        owner, into = people.get(recorded_as or player, (phrase("a player"), None))
        if recorded_as is not None and into != player:
            yield phrase("{fact} belongs to {owner}, who was not merged into them.", fact=name, owner=owner)
    led = {key: (player, recorded_as) for _, key, player, recorded_as in aliases}
    for pk, (handle, into) in sorted(people.items(), key=lambda one: one[1][0]):
        if led.get(key_of(handle)) != ((pk, None) if into is None else (into, pk)):
            yield phrase("The handle {handle} does not belong to its player.", handle=handle)
