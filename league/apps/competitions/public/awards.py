"""Prizes on pages: who wins what, by the standings as they are or as an edition has them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.core.text.display_formats import format_number
from ratings.standings.prizes import Awards

#: Why nobody gets a prize.
REASONS = {
    "empty": gettext_lazy("nobody belongs to this category"),
    "few": gettext_lazy("fewer belong to this category"),
    "taken": gettext_lazy("all others have a prize that is worth more"),
}


class AwardLine(NamedTuple):
    """What an entry gets. ``amount``: with the currency; ``undecided``: a lot says who of a rank gets the thing."""

    place: int
    name: str
    amount: str
    thing: str
    shared_by: int
    undecided: bool


class AwardTable(NamedTuple):
    """The awards of a list, and the places that nobody wins, each with the reason. ``members``: None for all."""

    title: str
    members: int | None
    lines: list[AwardLine]
    unwon: list[tuple[int, Any]]


def build_award_tables(
    loaded: LoadedCompetition, awards: Awards, members: Mapping[str, Sequence[int]]
) -> list[AwardTable]:
    """Return a table of each list of prizes: that of the whole competition, then those of the categories."""
    competition = loaded.competition
    currency = competition.prizes.get("currency", "")
    decimals = 2 if any(award.amount % 100 for award in awards.awards) else 0
    titles = {"": _("The whole competition"), **{one["key"]: one["title"] for one in competition.categories}}
    tables = []
    for key, title in titles.items():
        lines = [
            AwardLine(
                award.place,
                loaded.name(award.entry),
                f"{format_number(award.amount / 100, decimals)} {currency}".strip() if award.amount else "",
                award.thing,
                award.shared_by if award.amount else 1,
                award.undecided,
            )
            for award in awards.awards
            if award.category == key
        ]
        unwon = [(place, REASONS[why]) for category, place, why in awards.unwon if category == key]
        if key or lines or unwon:
            tables.append(AwardTable(title, len(members.get(key, ())) if key else None, lines, unwon))
    return tables
