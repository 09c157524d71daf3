"""The list of a league's competitions, and what its board says about them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Count, Q

from league.apps.competitions.models import Competition, Season, SeasonEntry, SeasonPart
from league.apps.competitions.public.season_words import describe_status
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.final_ranks import load_winners
from league.apps.competitions.selectors.seasons import list_seasons
from league.models import League
from league.web.public.game_titles import format_names

#: The order in which a list has the competitions.
ORDER = ("draft", "running", "open", "finished", "cancelled")


@dataclass(frozen=True)
class ListedCompetition:
    """A competition of a list. ``round``: the last published one. ``winners``: names, once it is finished."""

    competition: Competition
    entries: int
    round: int
    format: str
    winners: str = ""


@dataclass
class CompetitionGroup:
    """Competitions with the same status, by the title of their group, "" for those without."""

    status: str
    label: str
    groups: list[tuple[str, list[ListedCompetition]]] = field(default_factory=list)


@dataclass(frozen=True)
class ListedSeason:
    """A season of a list with its competitions. ``entries``: players; ``finished``: competitions that have ended."""

    season: Season
    entries: int
    competitions: list[Competition]

    @property
    def finished(self) -> int:
        """The number of competitions that have ended."""
        return sum(one.status == Competition.Status.FINISHED for one in self.competitions)

    @property
    def status(self) -> str:
        """The status in words."""
        return describe_status(self.season, self.competitions)

    @property
    def is_past(self) -> bool:
        """Whether it has ended."""
        return self.season.status in (Season.Status.CLOSED, Season.Status.CANCELLED)


def load_seasons(league: League, *, for_organisers: bool) -> list[ListedSeason]:
    """Return the seasons of a league with their competitions, those that have ended last, in two queries."""
    counted = Count("entries", filter=Q(entries__status=SeasonEntry.Status.ENTERED))
    seasons = list(list_seasons(league, for_organisers=for_organisers).annotate(entry_count=counted))
    parts: defaultdict[int, list[Competition]] = defaultdict(list)
    if seasons:
        found = SeasonPart.objects.filter(league=league).select_related("competition")
        for part in found.order_by("event", "pk"):
            if for_organisers or part.competition.status != Competition.Status.DRAFT:
                parts[part.season_id].append(part.competition)
    lines = [ListedSeason(season, season.entry_count, parts[season.pk]) for season in seasons]
    return sorted(lines, key=lambda line: line.is_past)


def load_lines(league: League, competitions: Iterable[Any]) -> list[ListedCompetition]:
    """Return competitions (``count_parts``) as lines, the finished ones with their winners."""
    found = list(competitions)
    winners = load_winners(league, [row.pk for row in found if row.status == Competition.Status.FINISHED])
    return [
        ListedCompetition(
            row,
            row.entry_count,
            row.last_round or 0,
            str(build_format(row).title),
            format_names(winners.get(row.pk, ())),
        )
        for row in found
    ]


def group_lines(lines: Iterable[ListedCompetition]) -> list[CompetitionGroup]:
    """Return competitions by status and group; those without a group come first."""

    def order(line: ListedCompetition) -> tuple[int, str]:
        return ORDER.index(line.competition.status), line.competition.group

    groups: list[CompetitionGroup] = []
    for (status, title), some in groupby(sorted(lines, key=order), key=order):
        label = str(Competition.Status(ORDER[status]).label)
        if not groups or groups[-1].status != ORDER[status]:
            groups.append(CompetitionGroup(ORDER[status], label))
        groups[-1].groups.append((title, list(some)))
    return groups
