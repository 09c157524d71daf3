"""The list of a league's competitions, and what its board says about them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import Competition, Season, SeasonEntry, SeasonPart
from league.apps.competitions.public.brackets import draw_bracket, list_round_titles
from league.apps.competitions.public.context import Clock
from league.apps.competitions.public.lines import build_entry_lines
from league.apps.competitions.public.link_words import describe_finalists, describe_leaders
from league.apps.competitions.public.season_words import (
    describe_status,
    find_next_event,
    find_undated_event,
    is_complete,
)
from league.apps.competitions.public.standings_table import build_standings_table
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.final_ranks import load_winners
from league.apps.competitions.selectors.result_texts import count_as_points, format_game_points
from league.apps.competitions.selectors.seasons import build_rule, list_seasons
from league.models import League
from league.web.public.game_titles import format_names

#: The order in which a list has the competitions.
ORDER = ("draft", "running", "open", "finished", "cancelled")


@dataclass(frozen=True)
class ListedCompetition:
    """A competition of a list. ``round``: the last published one. ``winners``: a sentence, once finished."""

    competition: Competition
    entries: int
    round: int
    format: str
    winners: str = ""
    progress: "CompetitionProgress | None" = None

    @property
    def clock(self) -> Clock:
        """The competition's time zone."""
        return Clock(self.competition.time_zone or self.competition.league.time_zone)


@dataclass(frozen=True)
class CompetitionProgress:
    """How far a running competition is. ``round_title``: of the last round of a bracket, "" in other formats.

    ``leaders``: who leads, or is in the final; "" before the first result, and while many lead.
    """

    round_title: str
    leaders: str


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
    def clock(self) -> Clock:
        """The time zone of the next event."""
        event = self.next_event
        return Clock((event and event.time_zone) or self.season.league.time_zone)

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
        return describe_status(self.season, self.parts)

    @property
    def is_complete(self) -> bool:
        """Whether all its competitions have ended, and none is to come."""
        return is_complete(self.season, self.parts)

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


def describe_winners(league: League, competitions: Iterable[Competition]) -> dict[int, str]:
    """Return competition -> who won it, with their points, for the finished ones among these."""
    finished = [row.pk for row in competitions if row.status == Competition.Status.FINISHED]
    return {pk: _describe_winner(*winners) for pk, winners in load_winners(league, finished).items()}


def _describe_winner(names: Sequence[str], points: Fraction | None) -> str:
    """Return who won: Winner: Anna, 3 points; Winners: Anna and Ben, 1 point each."""
    words = format_names(names)
    if points is None:
        return (_("Winner: %(names)s") if len(names) == 1 else _("Winners: %(names)s")) % {"names": words}
    count, shown = count_as_points(points), format_game_points(points)
    if len(names) == 1:
        template = ngettext("{names}, {points} point", "{names}, {points} points", count)
        return _("Winner: %(names)s") % {"names": template.format(names=words, points=shown)}
    template = ngettext("Winners: {names}, {points} point each", "Winners: {names}, {points} points each", count)
    return template.format(names=words, points=shown)


def describe_progress(league: League, competitions: Iterable[Any]) -> dict[int, CompetitionProgress]:
    """Return competition (``count_parts``) -> how far it is, of the running ones, in as many queries as one takes."""
    running = [one for one in competitions if one.status == Competition.Status.RUNNING]
    for one in running:
        one.league = league
    last_rounds = {one.pk: one.last_round for one in running}
    return {
        one.competition.pk: CompetitionProgress(
            list_round_titles(one).get(last_rounds[one.competition.pk], ""), _name_leaders(one.hide_unpublished())
        )
        for one in load_competitions(running)
    }


def _name_leaders(loaded: LoadedCompetition) -> str:
    """Return who leads a competition, or is in its final; "" before the first result."""
    if all(one.status not in ("played", "forfeited") for one in loaded.fixtures):
        return ""
    entries = build_entry_lines(loaded)
    bracket = draw_bracket(loaded, entries)
    names, words = (
        describe_finalists(bracket)
        if bracket
        else describe_leaders(
            build_standings_table(loaded, entries, with_moves=False, with_possible=False), with_decision=False
        )
    )
    return f"{names} {words}".strip()


def load_lines(
    competitions: Iterable[Any],
    winners: Mapping[int, str] | None = None,
    progress: Mapping[int, CompetitionProgress] | None = None,
) -> list[ListedCompetition]:
    """Return competitions (``count_parts``) as lines, with what is known of winners and progress."""
    return [
        ListedCompetition(
            row,
            row.entry_count,
            row.last_round or 0,
            str(build_format(row).title),
            (winners or {}).get(row.pk, ""),
            (progress or {}).get(row.pk),
        )
        for row in competitions
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
