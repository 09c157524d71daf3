"""Resolves names on pasted lists to players: in full, without accents, by first name, surname or initial.

It searches the players visible to the viewer. Names that are only similar are proposed, never used.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from django.utils.translation import gettext_noop

from league.core.permissions import Viewer
from league.core.players.selectors.search import handles_by_text, offered_players
from league.core.players.selectors.visibility import own_or_seen
from league.core.text.names import folded, key_of
from league.models import Alias, League, Player, Rating

#: Maximum number of players searched, most recent first, and of names compared letter by letter.
POOL, COMPARED = 2000, 100
NEAR = 3
# Translators: how a name of a pasted list was matched with a player: "found by": the name, the handle …
NAME, HANDLE, SPELLING = gettext_noop("name"), gettext_noop("handle"), gettext_noop("other name")
ACCENTS, INITIAL = gettext_noop("accents"), gettext_noop("initial")
FIRST, SURNAME = gettext_noop("unique first name"), gettext_noop("unique surname")
TURNED = gettext_noop("surname first")
Person = tuple[str, str]


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
