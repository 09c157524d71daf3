"""Spellings under ``verify``: those of the people of a league must lead to them. No log says them, for they are names.

Every handle is a spelling, so that a handle and another spelling never mean two players; whoever was merged into
somebody is found there, and keeps that these spellings are their own (``recorded_as``).
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from django.db.models import Q

from league.models import Alias, Game, Player, Result
from league.models.facts import UNRATED
from league.names import key_of
from league.services.verify_books import Books, some

#: So many players are looked at at once.
SPAN = 5000


def spelling_problems(books: Books) -> Iterator[str]:
    """Yield the spellings that are kept under another key, belong to nobody who was merged, or miss."""
    found = list(problems_of(people_of(books)))
    yield from some(len(found), found, "the spellings")


def people_of(books: Books) -> Sequence[int]:
    """Return the keys of all for whom a result counts."""
    unrated = Game.objects.filter(UNRATED, league=books.league)
    others = Result.objects.filter(game__in=unrated).order_by().values_list("player", flat=True).distinct()
    keys: list[int] = np.union1d(books.log.players, np.array(list(others), dtype=np.int64)).tolist()
    return keys


def problems_of(keys: Sequence[int]) -> Iterator[str]:
    """Yield what is wrong with the spellings of these players, and of those who were merged into them."""
    for start in range(0, len(keys), SPAN):
        part = keys[start : start + SPAN]
        people = Player.objects.filter(Q(pk__in=part) | Q(merged_into__in=part)).order_by("handle")
        spelled = Alias.objects.filter(Q(player__in=part) | Q(recorded_as__in=part)).order_by("key")
        aliases = list(spelled.select_related("player", "recorded_as"))
        yield from odd_spellings(aliases)
        led = {alias.key: (alias.player_id, alias.recorded_as_id) for alias in aliases}
        for pk, handle, into in people.values_list("pk", "handle", "merged_into"):
            if led.get(key_of(handle)) != ((pk, None) if into is None else (into, pk)):
                yield f"The handle {handle} does not lead to its player."


def odd_spellings(aliases: Iterable[Alias]) -> Iterator[str]:
    """Yield the spellings that are kept under another key than theirs, and those of nobody who was merged."""
    for alias in aliases:
        name = f"The spelling “{alias.text}” of {alias.player.handle}"
        if alias.key != key_of(alias.text):
            yield f"{name} is kept as “{alias.key}”; it must be kept as “{key_of(alias.text)}”."
        if alias.recorded_as is not None and alias.recorded_as.merged_into_id != alias.player_id:
            yield f"{name} is {alias.recorded_as.handle}'s own, who was not merged into them."
