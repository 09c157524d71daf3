"""People of rating lists among pasted names: by an id, such as 1503014 or fide:1503014, or by name."""

import re
from collections.abc import Iterable

from league.core.players.listed_people import ListedPerson, find_people_named, list_rating_lists, search_people
from ratings.person_names import put_first_name_first

#: Pasted names that are looked up in the lists, and people that are offered for each.
MAX_TEXTS, MAX_FOUND, MIN_LETTERS = 60, 5, 3
#: A text that is an id, with its provider or without it.
ID = re.compile(r"(?:[a-z][a-z0-9_-]*:)?\d{3,11}", re.ASCII | re.IGNORECASE)


def find_listed_people(texts: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Return text -> people of the lists in use who may be meant: id with the provider, and a description."""
    if not list_rating_lists():
        return {}
    some = [text for text in texts if len(text) >= MIN_LETTERS][:MAX_TEXTS]
    found = {text: search_people(text, MAX_FOUND) for text in some}
    return {text: [(one.id_text, _describe(one)) for one in people] for text, people in found.items() if people}


def find_only_namesakes(texts: Iterable[str]) -> dict[str, str]:
    """Return text -> id with the provider of the only person of the lists in use with just this name."""
    named = find_people_named([*texts][:MAX_TEXTS])
    return {text: people[0].id_text for text, people in named.items() if len(people) == 1}


def is_id(text: str) -> bool:
    """Return whether a text can only be an id."""
    return ID.fullmatch(text.strip()) is not None


def is_listed(chosen: str) -> bool:
    """Return whether a choice is a person of a list, and no handle of a player."""
    return ":" in chosen


def _describe(person: ListedPerson) -> str:
    rating = next(iter(person.list_ratings()), None)
    parts = (person.title, put_first_name_first(person.name), str(rating.rating) if rating else "", person.federation)
    return " ".join(part for part in parts if part)
