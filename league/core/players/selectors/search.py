"""Finds players by handle or alias, offers players to choose from, and resolves names on pasted lists.

Such names are resolved in full, without accents, by first name, surname or initial, among the players visible to the
viewer. Names that are only similar are proposed, never used.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from league.core.errors import Conflict, NotFound
from league.core.leaderboard.selectors.current_board import build_inactive_condition
from league.core.permissions import Viewer
from league.core.players.selectors.visibility import (
    build_alias_visible_condition,
    build_reachable_condition,
    build_visible_condition,
    find_usable_aliases,
)
from league.core.text.names import build_name_key, fold_accents, is_storable
from league.models import Alias, League, Player, Rating

#: Number of texts looked up by one query.
BATCH = 2000
#: The largest page of players, plus one.
MAX_PAGE_SIZE = 1001
#: Maximum number of players with the same name listed in an error.
MAX_NAMESAKES = 5
R = TypeVar("R", bound=Model)
BEYOND_ASCII = r"[^\x01-\x7f]"


#: Maximum number of players searched, most recent first, and of names compared letter by letter.
POOL, COMPARED = 2000, 100
NEAR = 3
# Translators: how a name of a pasted list was matched with a player: "found by": the name, the handle …
NAME, HANDLE, SPELLING = gettext_noop("name"), gettext_noop("handle"), gettext_noop("other name")
ACCENTS, INITIAL = gettext_noop("accents"), gettext_noop("initial")
FIRST, SURNAME = gettext_noop("unique first name"), gettext_noop("unique surname")
TURNED = gettext_noop("surname first")
Person = tuple[str, str]


def load_aliases_by_key(texts: Iterable[str], viewer: Viewer | None = None) -> dict[str, Alias]:
    """Return key -> alias with its player for every known handle or alias, with one query.

    Limited to players and aliases visible to ``viewer``; None sees everyone.
    """
    keys = {build_name_key(text) for text in texts if is_storable(text)}
    aliases = Alias.objects.filter(key__in=keys).select_related("player", "recorded_as")
    if viewer is not None and viewer.ids() is not None:
        return find_usable_aliases(aliases, viewer)
    return {alias.key: alias for alias in aliases}


def load_players_by_key(texts: Iterable[str], viewer: Viewer | None = None) -> dict[str, Player]:
    """Return key -> player for every known handle or alias, with one query; see ``load_aliases_by_key``.

    Aliases of a merged player refer to the surviving player.
    """
    return {key: alias.player for key, alias in load_aliases_by_key(texts, viewer).items()}


def find_known_keys(texts: Sequence[str]) -> set[str]:
    """Return the keys of those texts that name a player."""
    return {key for start in range(0, len(texts), BATCH) for key in load_players_by_key(texts[start : start + BATCH])}


def find_player(text: str, viewer: Viewer | None = None) -> Player:
    """Return the player with that handle or alias; raises NotFound, also if not visible to ``viewer``."""
    player = load_players_by_key([text], viewer).get(build_name_key(text))
    if player is None:
        raise NotFound(_("No player is called “{text}”.").format(text=text))
    return player


def find_original(text: str, viewer: Viewer | None = None) -> Player:
    """Return the original player with that handle or alias, merged or not; raises NotFound like ``find_player``."""
    alias = load_aliases_by_key([text], viewer).get(build_name_key(text))
    if alias is None:
        raise NotFound(_("No player is called “{text}”.").format(text=text))
    return alias.recorded_as or alias.player


def find_all_players(search: str = "", after_handle: str = "", viewer: Viewer | None = None) -> QuerySet[Player]:
    """Return unmerged players, by handle, after a given one, whose handle, name or alias contains a text.

    Limited to players and aliases visible to ``viewer``. With a text, only the first ``MAX_PAGE_SIZE`` are complete.
    """
    players = Player.objects.filter(handle__gt=after_handle, merged_into=None).order_by("handle")
    if viewer is not None:
        players = players.filter(build_visible_condition(viewer))
    return filter_by_search(players, search, viewer, MAX_PAGE_SIZE)


def filter_by_search(
    rows: QuerySet[R], search: str, viewer: Viewer | None, max_rows: int, player: str = ""
) -> QuerySet[R]:
    """Filter rows by players whose handle, name or visible alias contains a text.

    ``player`` is the path to the player, such as "player__".
    """
    key = build_name_key(search)
    if not key:
        return rows
    spelled = _build_alias_condition(key, viewer, "player_id" if player else "pk")
    return rows.filter(name_condition(rows, player, key, max_rows) | Q(**{f"{player}handle__icontains": key}) | spelled)


def _build_alias_condition(key: str, viewer: Viewer | None, player_path: str) -> Q:
    """Return the condition for rows whose player has an alias, visible to ``viewer``, that contains a key."""
    aliases = Alias.objects.filter(player=OuterRef(player_path), key__contains=key)
    if viewer is None:
        return Q(Exists(aliases))
    return Q(Exists(aliases.filter(build_alias_visible_condition(viewer)))) & build_reachable_condition(
        viewer, "organise", player_path
    )


def name_condition(rows: QuerySet[Any], player: str, key: str, max_rows: int) -> Q:
    """Return the condition for rows whose player's name contains a key; complete for the first ``max_rows`` rows.

    The databases fold case alike for ASCII only, so other names are compared in Python.
    """
    foreign = {f"{player}name__regex": BEYOND_ASCII}
    foreign_names = rows.filter(**foreign).values_list("pk", f"{player}name")
    matching_ids = list(islice((pk for pk, name in foreign_names if key in build_name_key(name)), max_rows))
    return Q(pk__in=matching_ids) | (Q(**{f"{player}name__icontains": key}) & ~Q(**foreign))


def load_handles_by_text(
    texts: Iterable[str], league: League | None = None, viewer: Viewer | None = None
) -> dict[str, str]:
    """Return text -> handle for texts that are an alias, or a name of exactly one player.

    Players of the league take precedence; others must be visible to ``viewer``.
    """
    return {text: handles[0] for text, handles in load_meanings(texts, league, viewer).items() if len(handles) == 1}


def find_called(text: str, league: League, viewer: Viewer) -> str:
    """Return the handle of the player that a text refers to in a league.

    Raises NotFound if there is none, Conflict listing the candidates if several have that name.
    """
    handles = load_meanings([text], league, viewer).get(text, [])
    if len(handles) > 1:
        several = ", ".join(handles[:MAX_NAMESAKES])
        if len(handles) > MAX_NAMESAKES:
            several = _("{handles} and others").format(handles=several)
        count = len(handles)
        template = ngettext(
            "“{text}” is the name of {count} player: {handles}. Enter the handle.",
            "“{text}” is the name of {count} players: {handles}. Enter the handle.",
            count,
        )
        raise Conflict(template.format(text=text, count=count, handles=several))
    if not handles:
        raise NotFound(_("No player is called “{text}”.").format(text=text))
    return handles[0]


def find_together(texts: Sequence[str], league: League, viewer: Viewer | None = None) -> tuple[list[Player], list[str]]:
    """Return the players of a league that texts refer to, in order, and the texts without a player."""
    handles = load_handles_by_text(texts, league, viewer)
    rated = Rating.objects.filter(league=league, player__handle__in=handles.values()).select_related("player")
    players_by_handle = {rating.player.handle: rating.player for rating in rated}
    matches = {
        handles[text]: players_by_handle[handles[text]] for text in texts if handles.get(text) in players_by_handle
    }
    return list(matches.values()), [text for text in texts if handles.get(text) not in players_by_handle]


def build_player_choices(players: Iterable[tuple[str, str]], league: League, viewer: Viewer) -> list[tuple[str, str]]:
    """Return (value, label) for each (handle, name): the name, or the handle if the name is ambiguous.

    An unambiguous name needs no label.
    """
    pairs = list(players)
    means = load_handles_by_text([name for _, name in pairs], league, viewer)
    return [(name, "") if means.get(name) == handle else (handle, f"{name} ({handle})") for handle, name in pairs]


def load_meanings(texts: Iterable[str], league: League | None, viewer: Viewer | None) -> dict[str, list[str]]:
    """Return text -> handles of the players it refers to, if any: see ``load_handles_by_text``."""
    requested = list(texts)
    spelled = load_players_by_key(requested, viewer)
    handles = {text: [spelled[build_name_key(text)].handle] for text in requested if build_name_key(text) in spelled}
    unknown = set(requested) - set(handles)
    if not unknown:
        return handles
    bearers = Player.objects.filter(name__in=unknown)
    bearers = bearers if viewer is None else bearers.filter(build_visible_condition(viewer))
    has_rating = Exists(Rating.objects.filter(league=league, player=OuterRef("pk")))
    names: dict[tuple[str, bool], set[str]] = {}
    rows = bearers.annotate(here=has_rating).values_list("name", "here", Coalesce("merged_into__handle", "handle"))
    for name, at_home, handle in rows:
        names.setdefault((name, False), set()).add(handle)
        if at_home:
            names.setdefault((name, True), set()).add(handle)
    for text in unknown:
        matches = names.get((text, True)) or names.get((text, False), set())
        if matches:
            handles[text] = sorted(matches)
    return handles


def name_sort_key(pair: tuple[str, str]) -> tuple[str, str]:
    """Return the sort key of (handle, name): by name, namesakes by handle."""
    return pair[1].casefold(), pair[0]


def load_offered_players(league: League, viewer: Viewer | None = None, max_players: int = 500) -> list[tuple[str, str]]:
    """Return (handle, name) of active players to choose from: the league's, then others visible to ``viewer``.

    If there are too many, the most recent ones; both groups sorted by name.
    """
    ratings = Rating.objects.filter(~build_inactive_condition(league), league=league).order_by("-last_at")
    league_players = dict(ratings.values_list("player__handle", "player__name")[:max_players])
    league_ratings = Rating.objects.filter(league=league, player=OuterRef("pk"))
    other_players = Player.objects.filter(~Exists(league_ratings), active=True, merged_into=None).order_by(
        "-created_at"
    )
    other_players = other_players if viewer is None else other_players.filter(build_visible_condition(viewer))
    other_names = dict(other_players.values_list("handle", "name")[: max_players - len(league_players)])
    return [pair for group in (league_players, other_names) for pair in sorted(group.items(), key=name_sort_key)]


class ResolvedName(NamedTuple):
    """The player a name refers to (handle "" if unclear), how it was matched, and other candidates.

    ``how`` is untranslated; pages translate it.
    """

    handle: str
    name: str
    how: str
    near: tuple[Person, ...] = ()


def resolve_names(texts: Iterable[str], league: League, viewer: Viewer) -> dict[str, ResolvedName]:
    """Return text -> resolved player."""
    requested = list(dict.fromkeys(texts))
    spelled = load_handles_by_text(requested, league, viewer)
    names = dict(Player.objects.filter(handle__in=set(spelled.values())).values_list("handle", "name"))
    resolved = {
        text: ResolvedName(handle, names[handle], _describe_match(text, handle, names[handle]))
        for text, handle in spelled.items()
    }
    unresolved = [text for text in requested if text not in resolved]
    if unresolved:
        people = _list_people(league)
        candidates = list(dict.fromkeys([*people, *load_offered_players(league, viewer)]))
        shapes, near = _index_shapes(people), SimilarNames(candidates)
        for count, text in enumerate(unresolved):
            resolved[text] = resolve_by_shape(text, shapes) or ResolvedName(
                "", "", "", near.of(text) if count < COMPARED else ()
            )
    return resolved


def load_known_names(league: League, viewer: Viewer) -> tuple[list[str], list[str]]:
    """Return the names of the players who can be matched in a league, and their handles and aliases."""
    people = {*_list_people(league), *load_offered_players(league, viewer)}
    handles = [handle for handle, _name in people]
    spellings = Alias.objects.filter(build_alias_visible_condition(viewer), player__handle__in=handles).values_list(
        "text", flat=True
    )
    return [name for _handle, name in people], [*spellings]


def _describe_match(text: str, handle: str, name: str) -> str:
    """Return how a player was found: by name, handle or alias."""
    key = build_name_key(text)
    return NAME if key == build_name_key(name) else HANDLE if key == build_name_key(handle) else SPELLING


def _list_people(league: League) -> list[Person]:
    """Return (handle, name) of a league's players, most recent first."""
    rows = Rating.objects.filter(league=league, player__merged_into=None).order_by("-last_at")
    return list(rows.values_list("player__handle", "player__name")[:POOL])


def simplify_name(name: str) -> str:
    """Return a name without accents, punctuation and capitals, its words separated by hyphens."""
    return "-".join(re.findall(r"\w+", fold_accents(name)))


def _index_shapes(people: Iterable[Person]) -> Mapping[tuple[str, str], set[Person]]:
    """Return (how, plain text) -> matching players."""
    shapes: dict[tuple[str, str], set[Person]] = defaultdict(set)
    for person in people:
        words = simplify_name(person[1]).split("-")
        if not words[0]:
            continue
        shapes[ACCENTS, "-".join(words)].add(person)
        first, last = words[0], words[-1]
        if len(words) > 1:
            shapes[FIRST, first].add(person)
            shapes[SURNAME, last].add(person)
            shapes[INITIAL, f"{first[0]}-{last}"].add(person)
            shapes[INITIAL, f"{first}-{last[0]}"].add(person)
            shapes[TURNED, f"{last}-{'-'.join(words[:-1])}"].add(person)
    return shapes


def resolve_by_shape(text: str, shapes: Mapping[tuple[str, str], set[Person]]) -> ResolvedName | None:
    """Resolve a name by its shapes; several matches are proposed; None if there is no match."""
    key = simplify_name(text)
    everybody: dict[Person, str] = {}
    for shape in (ACCENTS, TURNED, INITIAL, FIRST, SURNAME):
        for person in sorted(shapes.get((shape, key), ())):
            everybody.setdefault(person, shape)
    if len(everybody) == 1:
        ((person, shape),) = everybody.items()
        return ResolvedName(*person, shape)
    return ResolvedName("", "", "", tuple(everybody)[:8]) if everybody else None


class SimilarNames:
    """Finds players with names similar to a text."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.by_text: dict[str, list[Person]] = defaultdict(list)
        for person in people:
            simple_name = simplify_name(person[1])
            for text in dict.fromkeys([simple_name, *simple_name.split("-"), simplify_name(person[0])]):
                if text and person not in self.by_text[text]:
                    self.by_text[text].append(person)

    def of(self, text: str) -> tuple[Person, ...]:
        """Return the few players with the most similar names."""
        key = simplify_name(text)
        close = get_close_matches(key, self.by_text, n=2 * NEAR, cutoff=0.72)
        # Typing errors are rarer in the first letter.
        close.sort(key=lambda candidate: candidate[:1] != key[:1])
        return tuple(dict.fromkeys(person for candidate in close for person in self.by_text[candidate]))[:NEAR]
