"""Rating lists in use, and a competition whose entries are looked up in them."""

from typing import Any

from django.test import Client

from league.apps.competitions.models import Entry
from league.apps.rating_lists.models import ListedRow, RatingList
from league.apps.rating_lists.name_keys import build_key
from tests.helpers.builders import league_of
from tests.helpers.competition_builders import make_competition
from tests.helpers.competition_desk import sign_in

PAGE = "/admin/leagues/club/competitions/cup/rating-lists/"
JO = {"number": "77", "name": "Roe, Jo", "federation": "ENG", "title": "FM", "standard": 2210, "rapid": 2150}
ANNA = {"number": "78", "name": "Anna", "federation": "SWE", "standard": 1900}


def put_into_use(*people: dict[str, Any], provider: str = "fide", dated: str = "2026-11-01") -> None:
    """Put a list into use."""
    RatingList.objects.filter(provider=provider, state="current").delete()
    listed = RatingList.objects.create(
        provider=provider, title=provider.upper(), dated=dated, state="current", people=len(people),
        loaded_at="2026-11-01T00:00Z",
    )  # fmt: skip
    for one in people:
        ListedRow.objects.create(rating_list=listed, name_key=build_key(one["name"]), **one)


def open_cup(**settings: Any) -> Client:
    """Return the browser of an arbiter of a league with a competition that takes entries."""
    browser = sign_in()
    make_competition(league_of(), "swiss", rounds=3, **settings)
    return browser


def list_ratings() -> list[tuple[int, int | None, str]]:
    """Return number, rating and its source of each entry."""
    return list(Entry.objects.order_by("number").values_list("number", "rating", "rating_from"))


def keep_list() -> None:
    """Keep the list in use as one that was replaced, whatever is put into use next."""
    RatingList.objects.filter(state="current").update(state="replaced")
