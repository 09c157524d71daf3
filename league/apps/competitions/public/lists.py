"""The list of a league's competitions, and what its board says about them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.final_ranks import load_winners
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
