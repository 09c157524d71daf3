"""Verification of the aliases of a league's players. Aliases are names, so they are not in the log.

Every handle is an alias, so that a handle and an alias never mean two players. Aliases of a merged player belong to
the other player, with the merged one in ``recorded_as``.
"""

from collections.abc import Iterator, Set

import numpy as np

from league.core.text.names import build_name_key
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.league_data import VerifiedLeague, limit_messages
from league.models import Alias, Game, Player, Result
from league.models.facts import UNRATED


def find_spelling_problems(data: VerifiedLeague) -> Iterator[StoredMessage]:
    """Yield the aliases that have a wrong key, belong to a player who was not merged, or are missing."""
    problems = list(find_problems_of_people(find_people(data)))
    yield from limit_messages(len(problems), problems, phrase("in the other names"))


def find_people(data: VerifiedLeague) -> set[int]:
    """Return the keys of all players with results."""
    unrated = Game.objects.filter(UNRATED, league=data.league)
    lines = Result.objects.filter(league=data.league, game__in=unrated).order_by()
    return {*np.unique(data.log.players).tolist(), *lines.values_list("player", flat=True).distinct()}


def find_problems_of_people(keys: Set[int]) -> Iterator[StoredMessage]:
    """Yield the problems of the names and aliases of these players, and of those merged into them.

    All players of the site are read, which costs less than a query with thousands of keys.
    """
    players_by_id: dict[int, tuple[str, int | None]] = {}
    player_rows = Player.objects.order_by("handle").values_list("pk", "handle", "merged_into", "name", "name_key")
    for pk, handle, survivor, player_name, name_key in player_rows:
        if pk in keys or survivor in keys:
            players_by_id[pk] = (handle, survivor)
            if name_key != build_name_key(player_name):
                name = phrase("The name of {player}", player=handle)
                yield phrase(
                    "{fact} is stored as “{key}”; it must be “{other}”.",
                    fact=name,
                    key=name_key,
                    other=build_name_key(player_name),
                )
    spelled = Alias.objects.order_by("key").values_list("text", "key", "player", "recorded_as")
    aliases = [alias for alias in spelled if alias[2] in keys or alias[3] in keys]
    for text, key, player, recorded_as in aliases:
        owner_name = players_by_id[player][0] if player in players_by_id else phrase("another player")
        name = phrase("The name “{spelling}” of {player}", spelling=text, player=owner_name)
        if key != build_name_key(text):
            yield phrase(
                "{fact} is stored as “{key}”; it must be “{other}”.", fact=name, key=key, other=build_name_key(text)
            )
        owner, survivor = players_by_id.get(recorded_as or player, (phrase("a player"), None))
        if recorded_as is not None and survivor != player:
            yield phrase("{fact} belongs to {owner}, who was not merged into them.", fact=name, owner=owner)
    led = {key: (player, recorded_as) for _, key, player, recorded_as in aliases}
    for pk, (handle, survivor) in sorted(players_by_id.items(), key=lambda item: item[1][0]):
        if led.get(build_name_key(handle)) != ((pk, None) if survivor is None else (survivor, pk)):
            yield phrase("The handle {handle} does not belong to its player.", handle=handle)
