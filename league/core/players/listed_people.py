"""People of rating lists, such as FIDE's: not players of the site. An app that has such lists declares a directory.

A site without that app has no lists, and nobody is found.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.capabilities import load_declared
from league.core.players.external_ids import PROVIDER
from league.core.text.display_formats import format_day
from league.core.text.names import is_storable

#: The kinds of ratings of a list.
RATING_KINDS = ("standard", "rapid", "blitz")
#: A list whatever its day: provider and kind, such as ``fide:rapid``.
LIST = re.compile(rf"{PROVIDER.pattern}:({'|'.join(RATING_KINDS)})")
#: Where the rating of an entry is from that had none and got the league's at the start.
RATING_OF_LEAGUE = "league"
#: Where a rating of a list is from: provider, day and kind.
SOURCE = re.compile(rf"({PROVIDER.pattern}) \d{{4}}-\d\d-\d\d, ({'|'.join(RATING_KINDS)})", re.ASCII)
#: An event that lasts longer has ratings of today, another those of its first day.
LONGEST_WITH_FIRST_DAY = timedelta(days=30)


class SourcedRating(NamedTuple):
    """A rating, and where it is from: the list, its day and the kind, such as ``fide 2026-11-01, rapid``."""

    rating: int
    rating_from: str

    @property
    def list_key(self) -> str:
        """Return the list whatever its day, such as ``fide:rapid``."""
        return build_list_key(self.rating_from)


def build_list_key(rating_from: str) -> str:
    """Return the list of a rating whatever its day, such as ``fide:rapid``; "" if it is from none."""
    source = SOURCE.fullmatch(rating_from)
    return f"{source[1]}:{source[2]}" if source else ""


def describe_source(rating_from: str) -> str:
    """Return where a rating is from for pages: FIDE list of 1 Nov 2026, FIDE rapid list of 1 Nov 2026."""
    if rating_from == RATING_OF_LEAGUE:
        return pgettext("where a rating is from", "this league")
    source, _comma, kind = rating_from.partition(", ")
    provider, _space, day = source.partition(" ")
    try:
        values = {"provider": provider.upper(), "day": format_day(date.fromisoformat(day))}
    except ValueError:
        return rating_from
    templates = {
        "rapid": pgettext("where a rating is from", "{provider} rapid list of {day}"),
        "blitz": pgettext("where a rating is from", "{provider} blitz list of {day}"),
    }
    return templates.get(kind, pgettext("where a rating is from", "{provider} list of {day}")).format(**values)


@dataclass(frozen=True)
class ListedRating:
    """A rating with the number of rated games of its period, and K (0: the list has none)."""

    rating: int
    games: int = 0
    k: int = 0


@dataclass(frozen=True)
class ListedPerson:
    """A person of a list. ``ratings``: kind -> rating; a kind without a rating is missing.

    ``sex``: m, w or "". ``born``: a year. ``source`` names the list and its day, such as ``fide 2026-11-01``.
    """

    provider: str
    number: str
    name: str
    federation: str = ""
    sex: str = ""
    title: str = ""
    born: int | None = None
    club: str = ""
    is_inactive: bool = False
    ratings: Mapping[str, ListedRating] = field(default_factory=dict)
    source: str = ""

    @property
    def id_text(self) -> str:
        """Return the text that names the person everywhere: ``fide:1503014``."""
        return f"{self.provider}:{self.number}"

    @property
    def id_label(self) -> str:
        """Return its id as pages show it: FIDE ID 1503014."""
        return _("{provider} ID {number}").format(provider=self.provider.upper(), number=self.number)

    @property
    def details(self) -> str:
        """Return what tells namesakes apart, in a line: GER · 1968 · FIDE ID 1503014 · SC Nord."""
        born = str(self.born) if self.born else ""
        return " · ".join(part for part in (self.federation, born, self.id_label, self.club) if part)

    def list_ratings(self) -> list[SourcedRating]:
        """Return the ratings, of each kind that has one."""
        return [SourcedRating(one.rating, f"{self.source}, {kind}") for kind, one in self.ratings.items()]


@dataclass(frozen=True)
class RatingListState:
    """A list: the provider, its title, day and number of people, and when it was loaded.

    ``federation``: whose national list it is.
    """

    provider: str
    title: str
    dated: date
    people: int
    loaded_at: datetime
    federation: str = ""


class PeopleDirectory(Protocol):
    """What an app with rating lists declares (``Data.people_directory``)."""

    @staticmethod
    def list_states(day: date | None = None) -> list[RatingListState]:
        """Return the lists in use, or of a day if they are still kept, by provider."""

    @staticmethod
    def look_up(provider: str, numbers: Collection[str], day: date | None = None) -> dict[str, ListedPerson]:
        """Return number -> person of those that the list of a provider has, that of a day or the one in use."""

    @staticmethod
    def search(text: str, limit: int) -> list[ListedPerson]:
        """Return people whose name begins with a text, in any order of first name and surname, or with this id."""

    @staticmethod
    def find_named(names: Collection[str]) -> dict[str, list[ListedPerson]]:
        """Return name -> people of the lists in use with just this name, in any order of first name and surname."""


def load_directories() -> Sequence[PeopleDirectory]:
    """Return the directories of the installed apps."""
    return load_declared(lambda config: config.data.people_directory)


def list_rating_lists(day: date | None = None) -> list[RatingListState]:
    """Return the lists in use, or of a day if they are still kept."""
    return [state for directory in load_directories() for state in directory.list_states(day)]


def look_up_people(provider: str, numbers: Collection[str], day: date | None = None) -> dict[str, ListedPerson]:
    """Return number -> person of the list of a provider: that of a day, or the one in use."""
    found: dict[str, ListedPerson] = {}
    # PostgreSQL rejects NUL.
    storable = [number for number in numbers if is_storable(number)]
    for directory in load_directories():
        found |= directory.look_up(provider, storable, day)
    return found


def search_people(text: str, limit: int = 20) -> list[ListedPerson]:
    """Return listed people by the beginning of a name or by an id."""
    directories = load_directories() if is_storable(text) else ()
    return [person for directory in directories for person in directory.search(text, limit)][:limit]


def find_people_named(names: Collection[str]) -> dict[str, list[ListedPerson]]:
    """Return name -> listed people with just this name; names that nobody has are missing."""
    found: dict[str, list[ListedPerson]] = {}
    storable = [name for name in names if is_storable(name)]
    for directory in load_directories() if storable else ():
        for name, people in directory.find_named(storable).items():
            found.setdefault(name, []).extend(people)
    return found
