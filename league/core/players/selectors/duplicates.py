"""Finds players of a league with similar names, who may be one person, to propose merging."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.permissions import Viewer
from league.core.players.selectors.resolve import resolve_players
from league.core.players.selectors.visibility import build_in_league_condition, find_visible_people
from league.core.text.lookalikes import replace_lookalikes
from league.core.text.names import PLAIN
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


def _split_words(name: str) -> list[str]:
    """Return the words of a name without case, accents and punctuation: "Đorđe  O'Neill" -> ["dorde", "oneill"]."""
    decomposed = unicodedata.normalize("NFKD", name.translate(PLAIN)).casefold()
    bare = "".join(letter for letter in decomposed if letter.isalnum() or letter.isspace() or letter == "-")
    return bare.replace("-", " ").split()


def _build_name_forms(name: str) -> set[str]:
    """Return texts that are equal for names differing only in case, accents, spaces and word order."""
    words = _split_words(name)
    return {"".join(words), "".join(sorted(words))} - {""}


def differs_by_one_letter(first: str, second: str) -> bool:
    """Return whether two texts differ by one inserted, deleted or replaced letter, or by two swapped neighbours."""
    if len(first) > len(second):
        first, second = second, first
    start = 0
    while start < len(first) and first[start] == second[start]:
        start += 1
    first_tail, second_tail = first[start:], second[start:]
    if len(first_tail) < len(second_tail):
        return first_tail == second_tail[1:]
    return first_tail[1:] == second_tail[1:] or (
        first_tail[:2] == second_tail[1::-1] and first_tail[2:] == second_tail[2:]
    )


def _extract_digits(text: str) -> str:
    """Return the digits of a text; names with different digits are not similar."""
    return "".join(letter for letter in text if letter.isdigit())


def name_similarity(first: str, second: str) -> str:
    """Return the similarity of two names, untranslated; "" if there is none."""
    if _build_name_forms(first) & _build_name_forms(second):
        return SAME
    if replace_lookalikes(first) == replace_lookalikes(second):
        return LOOKS
    first_key, second_key = "".join(_split_words(first)), "".join(_split_words(second))
    if min(len(first_key), len(second_key)) < SHORTEST or _extract_digits(first_key) != _extract_digits(second_key):
        return ""
    return NEARLY if differs_by_one_letter(first_key, second_key) else ""


def _build_index_keys(name: str) -> set[str]:
    """Return index keys: similar names share at least one, but so do some others (see ``name_similarity``)."""
    folded = "".join(_split_words(name))
    # Texts one letter apart share a text with one letter deleted, or the shorter one itself.
    nearly = (
        {folded[:index] + folded[index + 1 :] for index in range(len(folded))} if len(folded) >= SHORTEST else set()
    )
    return {replace_lookalikes(name)} | _build_name_forms(name) | nearly


def iter_similar_pairs(players: list[TwinCandidate]) -> Iterator[tuple[TwinCandidate, TwinCandidate, str]]:
    """Yield pairs of players with similar names, equal names first."""
    buckets: dict[str, list[int]] = {}
    for index, player in enumerate(players):
        for key in _build_index_keys(player.name):
            buckets.setdefault(key, []).append(index)
    pairs = {pair for indexes in buckets.values() if len(indexes) > 1 for pair in combinations(indexes[:20], 2)}
    candidates = [
        (players[first], players[second], name_similarity(players[first].name, players[second].name))
        for first, second in pairs
    ]
    yield from sorted(
        ((first, second, reason) for first, second, reason in candidates if reason),
        key=lambda pair: (pair[2] != SAME, pair[0].name.casefold(), pair[0].pk, pair[1].pk),
    )


def find_players_with_similar_names(
    names: Sequence[str], league: League, viewer: Viewer
) -> dict[str, list[tuple[Player, str]]]:
    """Return name -> players it may refer to, with the similarity, this league's first; for names to be added.

    These are the player with that alias, and players visible to ``viewer`` with similar names.
    """
    matches_by_name: dict[str, dict[int, tuple[Player, str]]] = {name: {} for name in names}
    resolutions = resolve_players(names, league, viewer)
    keys: dict[str, list[str]] = {}
    for name, near in matches_by_name.items():
        for player, _recorded_as in resolutions[name].found:
            near[player.pk] = (player, _(name_similarity(name, player.name) or SPELLED))
        for key in _build_index_keys(name):
            keys.setdefault(key, []).append(name)
    league_players = Player.objects.filter(build_in_league_condition(league), merged_into=None)
    visible = find_visible_people(viewer).filter(merged_into=None).order_by("-created_at")
    for players in (league_players, visible):
        for player in players[:MAX_PLAYERS]:
            for name in {name for key in _build_index_keys(player.name) for name in keys.get(key, ())}:
                if reason := name_similarity(name, player.name):
                    matches_by_name[name].setdefault(player.pk, (player, _(reason)))
    return {name: list(near.values())[:MAX_PAIRS] for name, near in matches_by_name.items()}


def find_similar_handles(player: Player, viewer: Viewer) -> list[str]:
    """Return the handles of other players, visible to ``viewer``, with similar names."""
    other_players = (
        find_visible_people(viewer).filter(merged_into=None).exclude(pk=player.pk).order_by("-created_at", "-pk")
    )
    named_players = other_players.values_list("handle", "name")[:MAX_PLAYERS]
    length = len(player.name)
    near = ((handle, name) for handle, name in named_players if abs(len(name) - length) <= MAX_LENGTHS_APART)
    return [handle for handle, name in near if name_similarity(player.name, name)][:MAX_PAIRS]


def find_near_duplicates(league: League) -> list[Twins]:
    """Return players of a league who may be one person, except those who played in the same game."""
    rated = Rating.objects.filter(league=league, player__merged_into=None).order_by("-last_at", "player")
    rows = rated.values_list("player", "player__handle", "player__name", "games")[:MAX_PLAYERS]
    twins: list[Twins] = []
    for first, second, reason in iter_similar_pairs([TwinCandidate(*row) for row in rows]):
        if not Result.objects.filter(player=first.pk, game__results__player=second.pk).exists():
            less_active, more_active = sorted((first, second), key=lambda player: (player.games, -player.pk))
            twins.append(Twins(less_active, more_active, _(reason)))
        if len(twins) == MAX_PAIRS:
            break
    return twins
