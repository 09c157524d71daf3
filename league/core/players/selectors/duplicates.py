"""Finds players of a league with similar names, who may be one person, to propose merging."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.permissions import Viewer
from league.core.players.selectors.search import players_by_key
from league.core.players.selectors.visibility import named_in, people
from league.core.text.lookalikes import seen
from league.core.text.names import PLAIN, key_of
from league.models import League, Player, Rating, Result

#: Maximum number of players compared, most recent first, and of pairs proposed.
MAX_PLAYERS, MAX_PAIRS = 5000, 12
#: Shorter names, without spaces, are similar by accident.
SHORTEST = 5
#: Maximum difference in length of names to compare with a new player's, as comparing is slow.
MAX_LENGTHS_APART = 4
# Translators: what is alike in two players who may be one
SAME, NEARLY = gettext_noop("the same name"), gettext_noop("one letter apart")
# Translators: what is alike in two players who may be one
LOOKS = gettext_noop("names that look the same in different letters")
# Translators: why a player may be meant by a name
SPELLED = gettext_noop("found by this name")


@dataclass(frozen=True)
class TwinCandidate:
    """A player to compare with others."""

    pk: int
    handle: str
    name: str
    games: int


@dataclass(frozen=True)
class Twins:
    """Two players who may be one: the one with fewer games, the one with more, and the similarity."""

    player: TwinCandidate
    into: TwinCandidate
    why: str


def words_of(name: str) -> list[str]:
    """Return the words of a name without case, accents and punctuation: "Đorđe  O'Neill" -> ["dorde", "oneill"]."""
    apart = unicodedata.normalize("NFKD", name.translate(PLAIN)).casefold()
    bare = "".join(letter for letter in apart if letter.isalnum() or letter.isspace() or letter == "-")
    return bare.replace("-", " ").split()


def forms_of(name: str) -> set[str]:
    """Return texts that are equal for names differing only in case, accents, spaces and word order."""
    words = words_of(name)
    return {"".join(words), "".join(sorted(words))} - {""}


def one_letter_apart(first: str, second: str) -> bool:
    """Return whether two texts differ by one inserted, deleted or replaced letter, or by two swapped neighbours."""
    if len(first) > len(second):
        first, second = second, first
    start = 0
    while start < len(first) and first[start] == second[start]:
        start += 1
    one, other = first[start:], second[start:]
    if len(one) < len(other):
        return one == other[1:]
    return one[1:] == other[1:] or (one[:2] == other[1::-1] and one[2:] == other[2:])


def digits_of(text: str) -> str:
    """Return the digits of a text; names with different digits are not similar."""
    return "".join(letter for letter in text if letter.isdigit())


def name_similarity(first: str, second: str) -> str:
    """Return the similarity of two names, untranslated; "" if there is none."""
    if forms_of(first) & forms_of(second):
        return SAME
    if seen(first) == seen(second):
        return LOOKS
    one, other = "".join(words_of(first)), "".join(words_of(second))
    if min(len(one), len(other)) < SHORTEST or digits_of(one) != digits_of(other):
        return ""
    return NEARLY if one_letter_apart(one, other) else ""


def shared_keys(name: str) -> set[str]:
    """Return index keys: similar names share at least one, but so do some others (see ``name_similarity``)."""
    plain = "".join(words_of(name))
    # Texts one letter apart share a text with one letter deleted, or the shorter one itself.
    nearly = {plain[:at] + plain[at + 1 :] for at in range(len(plain))} if len(plain) >= SHORTEST else set()
    return {seen(name)} | forms_of(name) | nearly


def pairs_of(players: list[TwinCandidate]) -> Iterator[tuple[TwinCandidate, TwinCandidate, str]]:
    """Yield pairs of players with similar names, equal names first."""
    buckets: dict[str, list[int]] = {}
    for index, player in enumerate(players):
        for key in shared_keys(player.name):
            buckets.setdefault(key, []).append(index)
    pairs = {pair for indexes in buckets.values() if len(indexes) > 1 for pair in combinations(indexes[:20], 2)}
    found = [
        (players[one], players[other], name_similarity(players[one].name, players[other].name)) for one, other in pairs
    ]
    yield from sorted(
        ((one, other, why) for one, other, why in found if why),
        key=lambda pair: (pair[2] != SAME, pair[0].name.casefold(), pair[0].pk, pair[1].pk),
    )


def alike_players(names: Sequence[str], league: League, viewer: Viewer) -> dict[str, list[tuple[Player, str]]]:
    """Return name -> players it may refer to, with the similarity, this league's first; for names to be added.

    These are the player with that alias, and players visible to ``viewer`` with similar names.
    """
    found: dict[str, dict[int, tuple[Player, str]]] = {name: {} for name in names}
    spelled = players_by_key(names, viewer)
    keys: dict[str, list[str]] = {}
    for name, near in found.items():
        if player := spelled.get(key_of(name)):
            near[player.pk] = (player, _(name_similarity(name, player.name) or SPELLED))
        for key in shared_keys(name):
            keys.setdefault(key, []).append(name)
    here = Player.objects.filter(named_in(League.objects.filter(pk=league.pk)), merged_into=None)
    visible = people(viewer).filter(merged_into=None).order_by("-created_at")
    for players in (here, visible):
        for player in players[:MAX_PLAYERS]:
            for name in {name for key in shared_keys(player.name) for name in keys.get(key, ())}:
                if why := name_similarity(name, player.name):
                    found[name].setdefault(player.pk, (player, _(why)))
    return {name: list(near.values())[:MAX_PAIRS] for name, near in found.items()}


def similar_handles(player: Player, viewer: Viewer) -> list[str]:
    """Return the handles of other players, visible to ``viewer``, with similar names."""
    others = people(viewer).filter(merged_into=None).exclude(pk=player.pk).order_by("-created_at", "-pk")
    named = others.values_list("handle", "name")[:MAX_PLAYERS]
    length = len(player.name)
    near = ((handle, name) for handle, name in named if abs(len(name) - length) <= MAX_LENGTHS_APART)
    return [handle for handle, name in near if name_similarity(player.name, name)][:MAX_PAIRS]


def near_duplicates(league: League) -> list[Twins]:
    """Return players of a league who may be one person, except those who played in the same game."""
    rated = Rating.objects.filter(league=league, player__merged_into=None).order_by("-last_at", "player")
    rows = rated.values_list("player", "player__handle", "player__name", "games")[:MAX_PLAYERS]
    twins: list[Twins] = []
    for one, other, why in pairs_of([TwinCandidate(*row) for row in rows]):
        if not Result.objects.filter(player=one.pk, game__results__player=other.pk).exists():
            less, more = sorted((one, other), key=lambda player: (player.games, -player.pk))
            twins.append(Twins(less, more, _(why)))
        if len(twins) == MAX_PAIRS:
            break
    return twins
