"""Categories of a competition and who wins its prizes, from the standings as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.standings import compute_standings
from ratings.contract.bracket_format import BracketFormat
from ratings.standings.categories import Category
from ratings.standings.prizes import Awards, Prize, PrizeList, RankedEntry, award_prizes
from ratings.standings.ranking import Standings

Members = Mapping[str, Sequence[int]]


def build_categories(competition: Competition) -> list[Category]:
    """Return the categories in their order."""
    return [Category(**one) for one in competition.categories]


def list_members(loaded: LoadedCompetition, kept: Members | None = None) -> dict[str, list[int]]:
    """Return category -> the numbers of its entries.

    ``kept``: the members in an edition. Of a person whose data was erased since, the category stays as it was.
    """
    gone = {number for number, entry in loaded.entries.items() if kept and is_erased(entry)}
    members: dict[str, list[int]] = {}
    for category in build_categories(loaded.competition):
        known = set((kept or {}).get(category.key, ()))
        members[category.key] = [
            number
            for number, entry in loaded.entries.items()
            if (number in known if number in gone else category.includes(entry.about, entry.rating))
        ]
    return members


def is_erased(entry: Entry) -> bool:
    """Return whether the personal data of one of an entry's players was erased."""
    return any(line.survivor.erased_at is not None for line in entry.players.all())


def compute_awards(
    loaded: LoadedCompetition, standings: Standings | None = None, kept: Members | None = None
) -> tuple[Awards, dict[str, list[int]]]:
    """Return who wins which prizes by the standings, and the members of the categories."""
    members = list_members(loaded, kept)
    prizes = loaded.competition.prizes
    if not prizes:
        return Awards(()), members
    rows = (standings or compute_standings(loaded)).rows
    # A knock-out goes by how far one came: those who share a place share its money.
    is_bracket = isinstance(build_format(loaded.competition), BracketFormat)
    ranked = [
        RankedEntry(row.entry, row.rank, Fraction(-row.rank) if is_bracket else row.points)
        for row in rows
        if loaded.entries[row.entry].status != Entry.Status.WITHDRAWN
    ]
    lists = [
        PrizeList(key, tuple(map(_build_prize, found)))
        for key in ("", *members)
        if (found := [one for one in prizes["list"] if one["category"] == key])
    ]
    return award_prizes(ranked, members, lists, prizes["sharing"], one_each=prizes["one_each"]), members


def _build_prize(stored: Mapping[str, Any]) -> Prize:
    return Prize(int(stored["amount"].replace(".", "")), stored["thing"])


def filter_standings(standings: Standings, members: Sequence[int]) -> Standings:
    """Return the standings of a category: in the order of all, with ranks among its members."""
    chosen = set(members)
    rows = [row for row in standings.rows if row.entry in chosen]
    ranks: dict[int, int] = {}
    for place, row in enumerate(rows, start=1):
        ranks.setdefault(row.rank, place)
    return replace(standings, rows=tuple(replace(row, rank=ranks[row.rank], decided_by="") for row in rows))


def build_prize_document(
    loaded: LoadedCompetition, standings: Standings | None, kept: Members | None = None
) -> dict[str, Any]:
    """Return the prizes as a document of final standings has them: rules, members and awards by number; {} without."""
    competition = loaded.competition
    if not competition.prizes:
        return {}
    awards, members = compute_awards(loaded, standings, kept)
    return {
        "rules": competition.prizes,
        "categories": [{**one, "members": members[one["key"]]} for one in competition.categories],
        "awards": [
            {
                "category": award.category,
                "place": award.place,
                "entry": award.entry,
                "amount": f"{award.amount // 100}.{award.amount % 100:02}",
                "thing": award.thing,
                "shared_by": award.shared_by,
            }
            for award in awards.awards
        ],
        "unwon": [{"category": key, "place": place, "reason": why} for key, place, why in awards.unwon],
    }
