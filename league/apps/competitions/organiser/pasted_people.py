"""People of rating lists among pasted names: by an id, such as 1503014 or fide:1503014, or by name."""

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from league.core.permissions import Viewer
from league.core.players.external_ids import parse_external_id
from league.core.players.listed_people import (
    ListedPerson,
    find_people_named,
    list_rating_lists,
    look_up_people,
    search_people,
)
from league.core.players.selectors.resolve import list_names, resolve_players
from league.core.players.selectors.search import EXTERNAL_ID, ResolvedName
from league.models import League
from ratings.person_names import put_first_name_first

#: Pasted names for which longer ones are offered, too, and people that are offered for each.
MAX_TEXTS, MAX_FOUND, MIN_LETTERS = 60, 5, 3
#: An id without its provider.
ID_NUMBER = "[0-9]{3,11}"
#: A text that is an id, with its provider or without it.
ID = re.compile(rf"#?\s*(?:([a-z][a-z0-9_-]*)\s*:\s*)?({ID_NUMBER})", re.ASCII | re.IGNORECASE)


def find_listed_people(texts: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Return text -> people of the lists in use who may be meant: id with the provider, and a description."""
    providers = [one.provider for one in list_rating_lists()]
    if not providers:
        return {}
    ids = {text: _parse_id(text, providers) for text in texts if is_id(text)}
    names = [text for text in texts if text not in ids and len(text) >= MIN_LETTERS]
    found = _look_up_ids(ids) | find_people_named(names)
    found |= {text: people for text in names[:MAX_TEXTS] if (people := search_people(text, MAX_FOUND))}
    return {text: [(one.id_text, _describe(one)) for one in people] for text, people in found.items() if people}


def list_unlisted_ids(texts: Iterable[str], listed: Collection[str]) -> list[str]:
    """Return the texts that can only be ids of the lists in use, but are those of nobody ``listed``."""
    providers = [one.provider for one in list_rating_lists()]
    return [text for text in texts if text not in listed and is_id(text) and _parse_id(text, providers)]


def find_players_by_number(
    texts: Iterable[str], listed: Mapping[str, Collection[tuple[str, str]]], league: League, viewer: Viewer
) -> dict[str, ResolvedName]:
    """Return text -> the player of the site whose id is a number without a provider, of the providers with lists.

    A number that is also another person's (``listed``), or several players', is ambiguous: they are candidates.
    """
    providers = [one.provider for one in list_rating_lists()]
    ids = {text: {f"{name}:{text}" for name in providers} for text in texts if is_id(text) and ":" not in text}
    # A person of a list is entered from it, whoever has the id.
    ids = {text: own - {id_text for id_text, _description in listed.get(text, ())} for text, own in ids.items()}
    resolutions = resolve_players([*chain.from_iterable(ids.values())], league, viewer, for_writing=True)
    found = {}
    for text, own in ids.items():
        people = {one.player.pk: one.player for id_text in sorted(own) for one in resolutions[id_text].found}
        players = list_names(people.values())
        if len(players) == 1 and text not in listed:
            found[text] = ResolvedName(*players[0], EXTERNAL_ID)
        elif players:
            found[text] = ResolvedName("", "", "", players, is_ambiguous=True)
    return found


def find_only_namesakes(texts: Iterable[str]) -> dict[str, str]:
    """Return text -> id with the provider of the only person of the lists in use with just this name."""
    named = find_people_named([*texts])
    return {text: people[0].id_text for text, people in named.items() if len(people) == 1}


def is_id(text: str) -> bool:
    """Return whether a text can only be an id."""
    return ID.fullmatch(text.strip()) is not None


def write_id(text: str) -> str:
    """Return an id as it is looked up: ``fide: 78123`` as fide:78123, ``#78123`` as 78123; other texts unchanged."""
    found = ID.fullmatch(text.strip())
    return ":".join(filter(None, found.groups())) if found else text


def is_listed(chosen: str) -> bool:
    """Return whether a choice is a person of a list, and no handle of a player."""
    return ":" in chosen


def _parse_id(text: str, providers: Collection[str]) -> list[tuple[str, str]]:
    """Return each provider that has a list, and the number, that an id may mean."""
    pair = parse_external_id(text)
    return [one for one in ([pair] if pair else [(name, text.strip()) for name in providers]) if one[0] in providers]


def _look_up_ids(ids: Mapping[str, Collection[tuple[str, str]]]) -> dict[str, list[ListedPerson]]:
    numbers: dict[str, set[str]] = {}
    for pairs in ids.values():
        for provider, number in pairs:
            numbers.setdefault(provider, set()).add(number)
    people = {provider: look_up_people(provider, own) for provider, own in numbers.items()}
    return {
        text: [people[provider][number] for provider, number in pairs if number in people[provider]]
        for text, pairs in ids.items()
    }


def _describe(person: ListedPerson) -> str:
    rating = next(iter(person.list_ratings()), None)
    parts = (person.title, put_first_name_first(person.name), str(rating.rating) if rating else "", person.federation)
    return " ".join(part for part in parts if part)
