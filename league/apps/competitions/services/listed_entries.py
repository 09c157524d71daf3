"""Enters people of rating lists, and compares the ratings of entries with the lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import RATING_OF_LEAGUE, Competition, Entry
from league.apps.competitions.services.category_checks import MAX_FACT
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.import_people import ImportRequest, NamedPerson, find_people
from league.core.errors import NotFound
from league.core.locking import locked
from league.core.permissions import Viewer
from league.core.players.listed_people import RATING_KINDS, ListedPerson, look_up_people
from league.models import League


def describe_source(person: ListedPerson, kind: str) -> str:
    """Return where a rating of a list is from: the list, its day and the kind."""
    return f"{person.source}, {kind}"


def build_listed_details(person: ListedPerson, kind: str) -> dict[str, Any]:
    """Return what an entry of a listed person brings along; the standard rating if there is none of the kind."""
    used = person.choose_rating(kind)
    rating = {} if used is None else {"rating": used[1], "rating_from": describe_source(person, used[0])}
    known = {"sex": person.sex, "born": person.born, "club": person.club[:MAX_FACT].strip()}
    about = {name: value for name, value in known.items() if value}
    return {"title": person.title, "federation": person.federation, "about": about, **rating}


@dataclass(frozen=True)
class ListedChoice:
    """A person of a list to enter: provider, id and the kind of the rating.

    ``typed``: an entry that says some of it otherwise.
    """

    provider: str
    number: str
    kind: str = RATING_KINDS[0]
    typed: NewEntry | None = None

    @classmethod
    def read(cls, id_text: str, typed: NewEntry) -> "ListedChoice":
        """Return the person of an id with its provider, such as fide:1503014, with what was typed."""
        provider, _colon, number = id_text.partition(":")
        return cls(provider, number, typed=typed)

    def build_entry(self, handle: str, person: ListedPerson) -> NewEntry:
        """Return the entry of a player: what was typed counts, else what the list has."""
        details = build_listed_details(person, self.kind)
        if self.typed is None:
            return NewEntry([handle], **details)
        row = self.typed.row
        details |= {name: value for name in ("title", "federation") if (value := getattr(row, name))}
        if row.rating is not None:
            details |= {"rating": row.rating, "rating_from": ""}
        return NewEntry([handle], byes=self.typed.byes, **details)


@locked
def add_listed_entry(
    league: League, now: datetime, slug: str, choice: ListedChoice, *, by: str, viewer: Viewer
) -> Entry:
    """Enter a person of a rating list, who becomes a player of the site with this id unless one has it.

    Raises NotFound if the list has no such person, else as ``add_entries``.
    """
    provider, number = choice.provider, choice.number
    person = look_up_people(provider, [number]).get(number)
    if person is None:
        raise NotFound(_("The rating list has nobody with the ID {number}.").format(number=f"{provider}:{number}"))
    named = NamedPerson((person.name,), person.number, provider=person.provider)
    (player,) = find_people(league, now, [named], ImportRequest(by, viewer, create_players=True), once=True)
    return add_entries(league.pk, slug, [choice.build_entry(player.handle, person)], by=by, viewer=viewer)[0]


@dataclass(frozen=True)
class RatingDifference:
    """An entry whose rating is not that of the list in use: its number, both ratings, and where they are from."""

    entry: int
    rating: int | None
    rating_from: str
    listed: int
    listed_from: str


def find_rating_differences(
    competition: Competition, people: dict[int, ListedPerson], kind: str
) -> list[RatingDifference]:
    """Return the entries with another rating than the lists have; ``people``: entry -> its listed person."""
    differences = []
    for entry in competition.entries.entered().filter(number__in=people).order_by("number"):
        details = build_listed_details(people[entry.number], kind)
        if "rating" in details and (entry.rating, entry.rating_from) != (details["rating"], details["rating_from"]):
            source = "" if entry.rating_from == RATING_OF_LEAGUE else entry.rating_from
            listed, listed_from = details["rating"], details["rating_from"]
            differences.append(RatingDifference(entry.number, entry.rating, source, listed, listed_from))
    return differences


@locked
def take_listed_ratings(
    league: League, now: datetime, slug: str, chosen: Sequence[RatingDifference], *, by: str
) -> int:
    """Give entries the ratings of the lists; returns their number. Raises as ``change_entry``."""
    for one in chosen:
        changes = {"rating": one.listed, "rating_from": one.listed_from}
        change_entry(league.pk, slug, one.entry, changes, by=by)
    return len(chosen)
