"""The list of a league's competitions, and what its board says about them."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import ngettext

from league.apps.competitions.models import Competition, Season, SeasonEntry, SeasonPart
from league.apps.competitions.public.season_words import describe_status, find_next_event, find_undated_event
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.final_ranks import load_winners
from league.apps.competitions.selectors.result_texts import format_game_points
from league.apps.competitions.selectors.seasons import build_rule, list_seasons
from league.models import League
from league.web.public.game_titles import format_names

#: The order in which a list has the competitions.
ORDER = ("draft", "running", "open", "finished", "cancelled")


@dataclass(frozen=True)
class ListedCompetition:
    """A competition of a list. ``round``: the last published one. ``winners``: names and points, once finished."""

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
    parts: list[SeasonPart]

    @property
    def competitions(self) -> list[Competition]:
        """Its competitions."""
        return [part.competition for part in self.parts]

    @property
    def next_event(self) -> Competition | None:
        """The event of a series that comes next, if its day is known."""
        return find_next_event(self.competitions) if build_rule(self.season).series else None

    @property
    def undated(self) -> int | None:
        """The number of the first event of a series that has no competition yet, None if each has one or it is over."""
        return None if self.is_past else find_undated_event(build_rule(self.season), self.parts)

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
    parts: defaultdict[int, list[SeasonPart]] = defaultdict(list)
    if seasons:
        found = SeasonPart.objects.filter(league=league).select_related("competition")
        for part in found.order_by("event", "pk"):
            if for_organisers or part.competition.status != Competition.Status.DRAFT:
                parts[part.season_id].append(part)
    lines = [ListedSeason(season, season.entry_count, parts[season.pk]) for season in seasons]
    return sorted(lines, key=lambda line: line.is_past)


def name_all_winners(league: League, competitions: Iterable[Competition]) -> dict[int, str]:
    """Return competition -> its winners with their points, for the finished ones among these."""
    finished = [row.pk for row in competitions if row.status == Competition.Status.FINISHED]
    words = {}
    for pk, (names, points) in load_winners(league, finished).items():
        words[pk] = format_names(names)
        if points is not None:
            # Half a point takes the form of one.
            template = ngettext("{names}, {points} point", "{names}, {points} points", math.ceil(points))
            words[pk] = template.format(names=words[pk], points=format_game_points(points))
    return words


def load_lines(
    league: League, competitions: Iterable[Any], winners: Mapping[int, str] | None = None
) -> list[ListedCompetition]:
    """Return competitions (``count_parts``) as lines, the finished ones with their ``winners``, loaded if not given."""
    found = list(competitions)
    named = name_all_winners(league, found) if winners is None else winners
    return [
        ListedCompetition(
            row,
            row.entry_count,
            row.last_round or 0,
            str(build_format(row).title),
            named.get(row.pk, ""),
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
