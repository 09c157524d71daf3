"""The ratings of lists that an entry gets: the lists of a competition in their order, and the rating that counts."""

from collections.abc import Sequence
from typing import Any

from league.apps.competitions.models import MAX_LISTS, MAX_ROUNDS, Competition, Entry
from league.core.players.listed_people import (
    RATING_KINDS,
    ListedPerson,
    RatingListState,
    SourcedRating,
    list_rating_lists,
)
from ratings.fide.event_kind import find_event_kind

FIDE = "fide"
#: The kind of ratings that others fall back to.
STANDARD = RATING_KINDS[0]


def list_fitting_keys(provider: str, kind: str) -> list[str]:
    """Return the lists of a federation for a kind of events: its own, then the standard one."""
    return [f"{provider}:{one}" for one in dict.fromkeys((kind, STANDARD))]


def propose_lists(competition: Competition, states: Sequence[RatingListState]) -> list[str]:
    """Return the lists that fit a competition, in order: FIDE's first, then those of its federation.

    The kind of the event follows from the time control. A national list of an unknown federation fits each one.
    """
    kind = find_event_kind(competition.time_control)
    fitting = [
        one.provider
        for one in states
        if one.provider == FIDE or not (one.federation and competition.federation not in ("", one.federation))
    ]
    fitting.sort(key=lambda provider: provider != FIDE)
    return [key for provider in fitting for key in list_fitting_keys(provider, kind)][:MAX_LISTS]


def get_lists(competition: Competition) -> list[str]:
    """Return the lists from which the ratings of a competition come, in order: those chosen, else as proposed."""
    return competition.rating_lists or propose_lists(competition, list_rating_lists())


def list_official_ratings(people: Sequence[ListedPerson], lists: Sequence[str]) -> list[SourcedRating]:
    """Return the ratings that a person has in some lists, in their order; ``people``: the person in each list."""
    found = {one.list_key: one for person in people for one in person.list_ratings()}
    return [found[key] for key in lists if key in found]


def list_other_ratings(people: Sequence[ListedPerson], lists: Sequence[str]) -> list[SourcedRating]:
    """Return the ratings that a person has in other lists."""
    return [one for person in people for one in person.list_ratings() if one.list_key not in lists]


def choose_rating(competition: Competition, official: Sequence[SourcedRating]) -> SourcedRating | None:
    """Return the rating that an entry gets, of those in the competition's lists, which are in order."""
    firsts: dict[str, SourcedRating] = {}
    for one in official:
        firsts.setdefault(one.list_key.partition(":")[0], one)
    if competition.rating_choice == Competition.RatingChoice.HIGHEST:
        return max(firsts.values(), key=lambda one: one.rating, default=None)
    return next(iter(firsts.values()), None)


def serialize_ratings(official: Sequence[SourcedRating]) -> list[dict[str, Any]]:
    """Return ratings of lists as an entry stores them."""
    return [one._asdict() for one in official]


def find_round_rating(entry: Entry, number: int = MAX_ROUNDS) -> SourcedRating | None:
    """Return the rating of an entry that applies in a round (by default the last one), None if it has none."""
    if later := read_later_ratings(entry, number):
        return later[-1]
    return None if entry.rating is None else SourcedRating(entry.rating, entry.rating_from)


def read_later_ratings(entry: Entry, number: int) -> list[SourcedRating]:
    """Return the later ratings of an entry up to a round, in their order."""
    return [
        SourcedRating(one["rating"], one["rating_from"]) for one in entry.later_ratings if one["from_round"] <= number
    ]


def read_official_ratings(entry: Entry) -> list[SourcedRating]:
    """Return the ratings of lists that an entry has."""
    return [SourcedRating(**one) for one in entry.official_ratings]
