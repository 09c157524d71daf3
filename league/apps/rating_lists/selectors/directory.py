"""Finds people in the lists in use."""

from collections.abc import Collection, Iterable
from datetime import date

from django.db.models import Q

from league.apps.rating_lists.models import ListedRow, RatingList
from league.apps.rating_lists.name_keys import list_search_keys
from league.core.players.external_ids import parse_external_id
from league.core.players.listed_people import RATING_KINDS, ListedPerson, ListedRating, RatingListState
from ratings.person_names import put_first_name_first

#: What follows every name that begins with a key: no text in UTF-8 has this byte.
AFTER = b"\xff"


class RatingListDirectory:
    """The directory of ``league.core.players.listed_people``."""

    @staticmethod
    def list_states(day: date | None = None) -> list[RatingListState]:
        """Return the lists in use, or of a day if they are still kept, by provider."""
        return [
            RatingListState(one.provider, one.title, one.dated, one.people, one.loaded_at, one.federation)
            for one in _list_in_force(day)
        ]

    @staticmethod
    def look_up(provider: str, numbers: Collection[str], day: date | None = None) -> dict[str, ListedPerson]:
        """Return number -> person of those that the list of a provider has, that of a day or the one in use."""
        lists = [one.pk for one in _list_in_force(day) if one.provider == provider]
        rows = ListedRow.objects.filter(rating_list__in=lists, number__in=[*numbers]).select_related("rating_list")
        return {row.number: _describe(row) for row in rows}

    @staticmethod
    def search(text: str, limit: int) -> list[ListedPerson]:
        """Return people whose name begins with a text, by name; an id, with or without its provider, finds its own."""
        lists = [one.pk for one in _list_in_force()]
        provider, number = parse_external_id(text) or ("", text.strip())
        by_id = Q(number=number) & (Q(rating_list__provider=provider) if provider else Q())
        found: dict[int, ListedRow] = {}
        for pk in lists:
            rows = ListedRow.objects.filter(rating_list=pk).select_related("rating_list")
            found |= _key(rows.filter(by_id))
            for key in () if provider else list_search_keys(text):
                named = rows.filter(name_key__gte=key, name_key__lt=key + AFTER)
                found |= _key(named.order_by("name_key", "number")[:limit])
        return [_describe(row) for row in list(found.values())[:limit]]

    @staticmethod
    def find_named(names: Collection[str]) -> dict[str, list[ListedPerson]]:
        """Return name -> people of the lists in use with just this name, by list and id."""
        keys = {name: list_search_keys(name) for name in names}
        wanted = {key for own in keys.values() for key in own}
        lists = [one.pk for one in _list_in_force()]
        rows = ListedRow.objects.filter(rating_list__in=lists, name_key__in=wanted).select_related("rating_list")
        by_key: dict[bytes, list[ListedPerson]] = {}
        for row in rows.order_by("rating_list__provider", "number"):
            by_key.setdefault(bytes(row.name_key), []).append(_describe(row))
        found = {name: [one for key in own for one in by_key.get(key, [])] for name, own in keys.items()}
        return {name: people for name, people in found.items() if people}


def _list_in_force(day: date | None = None) -> Iterable[RatingList]:
    """Return the list of each provider that is in use, or the newest one of a day that is still kept."""
    state = RatingList.State
    if day is None:
        return RatingList.objects.filter(state=state.CURRENT).order_by("provider")
    kept = RatingList.objects.filter(state__in=(state.CURRENT, state.REPLACED), dated__lte=day)
    return {one.provider: one for one in kept.order_by("provider", "dated", "pk")}.values()


def _key(rows: Iterable[ListedRow]) -> dict[int, ListedRow]:
    return {row.pk: row for row in rows}


def _describe(row: ListedRow) -> ListedPerson:
    ratings = {
        kind: ListedRating(rating, getattr(row, f"{kind}_games"), getattr(row, f"{kind}_k"))
        for kind in RATING_KINDS
        if (rating := getattr(row, kind))
    }
    listed = row.rating_list
    return ListedPerson(
        listed.provider,
        row.number,
        put_first_name_first(row.name),
        row.federation,
        row.sex,
        row.title,
        row.born or None,
        row.club,
        row.is_inactive,
        ratings,
        f"{listed.provider} {listed.dated.isoformat()}",
    )
