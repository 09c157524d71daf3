"""The ranks of finished competitions, as their last editions have them."""

import json
from collections import defaultdict
from collections.abc import Collection

from league.apps.competitions.models import Entry, FinalStandings
from league.apps.competitions.selectors.competition_data import build_entry_name
from league.models import League


def load_final_ranks(league: League, competitions: Collection[int]) -> dict[int, dict[int, int]]:
    """Return competition -> number of an entry -> rank, by the last edition of each of these competitions."""
    editions = FinalStandings.objects.filter(league=league, competition__in=competitions).order_by("number")
    ranks: dict[int, dict[int, int]] = {}
    for competition, document in editions.values_list("competition", "document"):
        ranks[competition] = {row["entry"]: row["rank"] for row in json.loads(document)["results"]}
    return ranks


def load_winners(league: League, competitions: Collection[int]) -> dict[int, list[str]]:
    """Return competition -> the names of the entries that won, for finished competitions among these."""
    first = {
        competition: {entry for entry, rank in ranks.items() if rank == 1}
        for competition, ranks in load_final_ranks(league, competitions).items()
    }
    rows = Entry.objects.filter(league=league, competition__in=first, number__in=set().union(*first.values()))
    names: defaultdict[int, list[str]] = defaultdict(list)
    for entry in rows.prefetch_related("players__player__merged_into").order_by("number"):
        if entry.number in first[entry.competition_id]:
            names[entry.competition_id].append(build_entry_name(entry))
    return dict(names)
