"""The ranks of finished competitions, as their last editions have them."""

import json
from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

from league.apps.competitions.models import Entry, FinalStandings
from league.apps.competitions.selectors.competition_data import build_entry_name
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.models import League


class Winners(NamedTuple):
    """The names of the entries that won a competition, and their points, None where points do not decide."""

    names: list[str]
    points: Fraction | None


def _load_documents(league: League, competitions: Collection[int]) -> dict[int, Any]:
    """Return competition -> the last edition of its standings."""
    editions = FinalStandings.objects.filter(league=league, competition__in=competitions).order_by("number")
    return {pk: json.loads(document) for pk, document in editions.values_list("competition", "document")}


def load_final_ranks(league: League, competitions: Collection[int]) -> dict[int, dict[int, int]]:
    """Return competition -> number of an entry -> rank, by the last edition of each of these competitions."""
    return {
        competition: {row["entry"]: row["rank"] for row in document["results"]}
        for competition, document in _load_documents(league, competitions).items()
    }


def load_winners(league: League, competitions: Collection[int]) -> dict[int, Winners]:
    """Return competition -> who won it, for finished competitions among these."""
    documents = _load_documents(league, competitions)
    first = {
        competition: {row["entry"]: row["points"] for row in document["results"] if row["rank"] == 1}
        for competition, document in documents.items()
    }
    rows = Entry.objects.filter(league=league, competition__in=first, number__in=set().union(*first.values()))
    names: defaultdict[int, list[str]] = defaultdict(list)
    for entry in rows.prefetch_related("players__player__merged_into").order_by("number"):
        if entry.number in first[entry.competition_id]:
            names[entry.competition_id].append(build_entry_name(entry))
    return {pk: Winners(names[pk], _read_points(documents[pk], first[pk])) for pk in names}


def _read_points(document: Any, first: dict[int, Any]) -> Fraction | None:
    """Return the points of those who share the first rank."""
    points = next(iter(first.values()))
    return None if document["rules"]["format"] in BRACKET_FORMATS or points is None else Fraction(str(points))
