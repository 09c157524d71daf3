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
from league.core.leaderboard.selectors.current_board import inactive_in
from league.core.permissions import Viewer
from league.core.players.selectors.visibility import own_or_seen, reached, seen_by, seen_spellings
from league.core.text.names import folded, key_of, storable
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


def spellings(texts: Iterable[str], viewer: Viewer | None = None) -> dict[str, Alias]:
    """Return key -> alias with its player for every known handle or alias, with one query.

    Limited to players and aliases visible to ``viewer``; None sees everyone.
    """
    keys = {key_of(text) for text in texts if storable(text)}
    found = Alias.objects.filter(key__in=keys).select_related("player", "recorded_as")
    if viewer is not None and viewer.ids() is not None:
        return seen_spellings(found, viewer)
    return {alias.key: alias for alias in found}


def players_by_key(texts: Iterable[str], viewer: Viewer | None = None) -> dict[str, Player]:
    """Return key -> player for every known handle or alias, with one query; see ``spellings``.

    Aliases of a merged player refer to the surviving player.
    """
    return {key: alias.player for key, alias in spellings(texts, viewer).items()}


def find_known_keys(texts: Sequence[str]) -> set[str]:
    """Return the keys of those texts that name a player."""
    return {key for start in range(0, len(texts), BATCH) for key in players_by_key(texts[start : start + BATCH])}


def find_player(text: str, viewer: Viewer | None = None) -> Player:
    """Return the player with that handle or alias; raises NotFound, also if not visible to ``viewer``."""
    player = players_by_key([text], viewer).get(key_of(text))
    if player is None:
        raise NotFound(_("No player is called “{text}”.").format(text=text))
    return player


def find_original(text: str, viewer: Viewer | None = None) -> Player:
    """Return the original player with that handle or alias, merged or not; raises NotFound like ``find_player``."""
    alias = spellings([text], viewer).get(key_of(text))
    if alias is None:
        raise NotFound(_("No player is called “{text}”.").format(text=text))
    return alias.recorded_as or alias.player


def all_players(search: str = "", after: str = "", viewer: Viewer | None = None) -> QuerySet[Player]:
    """Return unmerged players, by handle, after a given one, whose handle, name or alias contains a text.

    Limited to players and aliases visible to ``viewer``. With a text, only the first ``MAX_PAGE_SIZE`` are complete.
    """
    players = Player.objects.filter(handle__gt=after, merged_into=None).order_by("handle")
    if viewer is not None:
        players = players.filter(seen_by(viewer))
    return found_among(players, search, viewer, MAX_PAGE_SIZE)


def found_among(rows: QuerySet[R], search: str, viewer: Viewer | None, most: int, player: str = "") -> QuerySet[R]:
    """Filter rows by players whose handle, name or visible alias contains a text.

    ``player`` is the path to the player, such as "player__".
    """
    key = key_of(search)
    if not key:
        return rows
    spelled = spelled_by(key, viewer, "player_id" if player else "pk")
    return rows.filter(name_condition(rows, player, key, most) | Q(**{f"{player}handle__icontains": key}) | spelled)


def spelled_by(key: str, viewer: Viewer | None, who: str) -> Q:
    """Return the condition for rows whose player has an alias, visible to ``viewer``, that contains a key."""
    found = Alias.objects.filter(player=OuterRef(who), key__contains=key)
    if viewer is None:
        return Q(Exists(found))
    return Q(Exists(found.filter(own_or_seen(viewer)))) & reached(viewer, "organise", who)


def name_condition(rows: QuerySet[Any], player: str, key: str, most: int) -> Q:
    """Return the condition for rows whose player's name contains a key; complete for the first ``most`` rows.

    The databases fold case alike for ASCII only, so other names are compared in Python.
    """
    foreign = {f"{player}name__regex": BEYOND_ASCII}
    others = rows.filter(**foreign).values_list("pk", f"{player}name")
    found = list(islice((pk for pk, name in others if key in key_of(name)), most))
    return Q(pk__in=found) | (Q(**{f"{player}name__icontains": key}) & ~Q(**foreign))


def handles_by_text(texts: Iterable[str], league: League | None = None, viewer: Viewer | None = None) -> dict[str, str]:
    """Return text -> handle for texts that are an alias, or a name of exactly one player.

    Players of the league take precedence; others must be visible to ``viewer``.
    """
    return {text: found[0] for text, found in meanings(texts, league, viewer).items() if len(found) == 1}


def find_called(text: str, league: League, viewer: Viewer) -> str:
    """Return the handle of the player that a text refers to in a league.

    Raises NotFound if there is none, Conflict listing the candidates if several have that name.
    """
    handles = meanings([text], league, viewer).get(text, [])
    if len(handles) > 1:
        several = ", ".join(handles[:MAX_NAMESAKES])
        if len(handles) > MAX_NAMESAKES:
            several = _("{handles} and others").format(handles=several)
        count = len(handles)
        sentence = ngettext(
            "“{text}” is the name of {count} player: {handles}. Enter the handle.",
            "“{text}” is the name of {count} players: {handles}. Enter the handle.",
            count,
        )
        raise Conflict(sentence.format(text=text, count=count, handles=several))
    if not handles:
        raise NotFound(_("No player is called “{text}”.").format(text=text))
    return handles[0]


def find_together(texts: Sequence[str], league: League, viewer: Viewer | None = None) -> tuple[list[Player], list[str]]:
    """Return the players of a league that texts refer to, in order, and the texts without a player."""
    handles = handles_by_text(texts, league, viewer)
    rated = Rating.objects.filter(league=league, player__handle__in=handles.values()).select_related("player")
    here = {rating.player.handle: rating.player for rating in rated}
    found = {handles[text]: here[handles[text]] for text in texts if handles.get(text) in here}
    return list(found.values()), [text for text in texts if handles.get(text) not in here]


def player_choices(players: Iterable[tuple[str, str]], league: League, viewer: Viewer) -> list[tuple[str, str]]:
    """Return (value, label) for each (handle, name): the name, or the handle if the name is ambiguous.

    An unambiguous name needs no label.
    """
    pairs = list(players)
    means = handles_by_text([name for _, name in pairs], league, viewer)
    return [(name, "") if means.get(name) == handle else (handle, f"{name} ({handle})") for handle, name in pairs]


def meanings(texts: Iterable[str], league: League | None, viewer: Viewer | None) -> dict[str, list[str]]:
    """Return text -> handles of the players it refers to, if any: see ``handles_by_text``."""
    wanted = list(texts)
    spelled = players_by_key(wanted, viewer)
    handles = {text: [spelled[key_of(text)].handle] for text in wanted if key_of(text) in spelled}
    unknown = set(wanted) - set(handles)
    if not unknown:
        return handles
    bearers = Player.objects.filter(name__in=unknown)
    bearers = bearers if viewer is None else bearers.filter(seen_by(viewer))
    here = Exists(Rating.objects.filter(league=league, player=OuterRef("pk")))
    names: dict[tuple[str, bool], set[str]] = {}
    rows = bearers.annotate(here=here).values_list("name", "here", Coalesce("merged_into__handle", "handle"))
    for name, at_home, handle in rows:
        names.setdefault((name, False), set()).add(handle)
        if at_home:
            names.setdefault((name, True), set()).add(handle)
    for text in unknown:
        found = names.get((text, True)) or names.get((text, False), set())
        if found:
            handles[text] = sorted(found)
    return handles


def name_sort_key(pair: tuple[str, str]) -> tuple[str, str]:
    """Return the sort key of (handle, name): by name, namesakes by handle."""
    return pair[1].casefold(), pair[0]


def offered_players(league: League, viewer: Viewer | None = None, most: int = 500) -> list[tuple[str, str]]:
    """Return (handle, name) of active players to choose from: the league's, then others visible to ``viewer``.

    If there are too many, the most recent ones; both groups sorted by name.
    """
    played = Rating.objects.filter(~inactive_in(league), league=league).order_by("-last_at")
    found = dict(played.values_list("player__handle", "player__name")[:most])
    gone = Rating.objects.filter(league=league, player=OuterRef("pk"))
    others = Player.objects.filter(~Exists(gone), active=True, merged_into=None).order_by("-created_at")
    others = others if viewer is None else others.filter(seen_by(viewer))
    more = dict(others.values_list("handle", "name")[: most - len(found)])
    return [pair for part in (found, more) for pair in sorted(part.items(), key=name_sort_key)]


class Meant(NamedTuple):
    """The player a name refers to (handle "" if unclear), how it was matched, and other candidates.

    ``how`` is untranslated; pages translate it.
    """

    handle: str
    name: str
    how: str
    near: tuple[Person, ...] = ()


def resolve_names(texts: Iterable[str], league: League, viewer: Viewer) -> dict[str, Meant]:
    """Return text -> resolved player."""
    wanted = list(dict.fromkeys(texts))
    spelled = handles_by_text(wanted, league, viewer)
    names = dict(Player.objects.filter(handle__in=set(spelled.values())).values_list("handle", "name"))
    found = {
        text: Meant(handle, names[handle], how_spelled(text, handle, names[handle])) for text, handle in spelled.items()
    }
    missing = [text for text in wanted if text not in found]
    if missing:
        people = people_of(league)
        others = list(dict.fromkeys([*people, *offered_players(league, viewer)]))
        shapes, near = shapes_of(people), Near(others)
        for count, text in enumerate(missing):
            found[text] = resolve_by_shape(text, shapes) or Meant("", "", "", near.of(text) if count < COMPARED else ())
    return found


def known_names(league: League, viewer: Viewer) -> tuple[list[str], list[str]]:
    """Return the names of the players who can be matched in a league, and their handles and aliases."""
    people = {*people_of(league), *offered_players(league, viewer)}
    handles = [handle for handle, _name in people]
    spellings = Alias.objects.filter(own_or_seen(viewer), player__handle__in=handles).values_list("text", flat=True)
    return [name for _handle, name in people], [*spellings]


def how_spelled(text: str, handle: str, name: str) -> str:
    """Return how a player was found: by name, handle or alias."""
    key = key_of(text)
    return NAME if key == key_of(name) else HANDLE if key == key_of(handle) else SPELLING


def people_of(league: League) -> list[Person]:
    """Return (handle, name) of a league's players, most recent first."""
    rows = Rating.objects.filter(league=league, player__merged_into=None).order_by("-last_at")
    return list(rows.values_list("player__handle", "player__name")[:POOL])


def simplify_name(name: str) -> str:
    """Return a name without accents, punctuation and capitals, its words separated by hyphens."""
    return "-".join(re.findall(r"\w+", folded(name)))


def shapes_of(people: Iterable[Person]) -> Mapping[tuple[str, str], set[Person]]:
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


def resolve_by_shape(text: str, shapes: Mapping[tuple[str, str], set[Person]]) -> Meant | None:
    """Resolve a name by its shapes; several matches are proposed; None if there is no match."""
    key = simplify_name(text)
    everybody: dict[Person, str] = {}
    for how in (ACCENTS, TURNED, INITIAL, FIRST, SURNAME):
        for person in sorted(shapes.get((how, key), ())):
            everybody.setdefault(person, how)
    if len(everybody) == 1:
        ((person, how),) = everybody.items()
        return Meant(*person, how)
    return Meant("", "", "", tuple(everybody)[:8]) if everybody else None


class Near:
    """Finds players with names similar to a text."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.by_text: dict[str, list[Person]] = defaultdict(list)
        for person in people:
            whole = simplify_name(person[1])
            for part in dict.fromkeys([whole, *whole.split("-"), simplify_name(person[0])]):
                if part and person not in self.by_text[part]:
                    self.by_text[part].append(person)

    def of(self, text: str) -> tuple[Person, ...]:
        """Return the few players with the most similar names."""
        key = simplify_name(text)
        close = get_close_matches(key, self.by_text, n=2 * NEAR, cutoff=0.72)
        # Typing errors are rarer in the first letter.
        close.sort(key=lambda part: part[:1] != key[:1])
        return tuple(dict.fromkeys(person for part in close for person in self.by_text[part]))[:NEAR]
