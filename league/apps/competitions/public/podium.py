"""The podium of a finished competition: who holds the first three ranks, and what decided between equal points."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from urllib.parse import urlencode

from league.apps.competitions.public.lines import ShownEntry
from league.apps.competitions.public.standings_table import (
    MEDALS,
    StandingsLine,
    StandingsTable,
    describe_decision,
)

#: Names on a step; more are counted.
MAX_NAMES = 3


@dataclass(frozen=True)
class PodiumStep:
    """A step with the entries that share a rank; ``more``: how many further ones.

    ``points``: as in the column of the standings, "" in a knock-out; ``worth``: these points, None in a knock-out.

    ``decided``: the tie-break that put them before the next entry with the same points, "" without one.
    """

    rank: int
    entries: list[ShownEntry]
    more: int
    points: str
    worth: Fraction | None
    decided: str = ""
    explained: str = ""
    """The address of the sum that decided."""


def build_podium(table: StandingsTable) -> list[PodiumStep]:
    """Return the steps, the winner first."""
    rows = table.standings.rows
    count = sum(row.rank <= MEDALS and not row.left_out for row in rows)
    steps, done = [], 0
    for rank, tied in groupby(table.lines[:count], key=lambda line: line.rank):
        lines = list(tied)
        entries = [line.entry for line in lines]
        points, worth = (lines[0].points, rows[done].points) if table.by_points else ("", None)
        done += len(lines)
        decided, explained = find_decision(table, lines) if table.by_points else ("", "")
        steps.append(PodiumStep(rank, entries[:MAX_NAMES], len(entries[MAX_NAMES:]), points, worth, decided, explained))
    return steps


def find_decision(table: StandingsTable, lines: Sequence[StandingsLine]) -> tuple[str, str]:
    """Return what separates the last of some lines from the next one with the same points, and its sum's address."""
    choices = {choice.code: choice for choice in table.standings.choices}
    for figure in lines[-1].figures:
        if figure.decides:
            explained = f"{lines[-1].entry.address}?{urlencode({'explain': figure.code})}#values"
            rows = table.standings.rows
            at = next(at for at, row in enumerate(rows) if row.entry == lines[-1].entry.number)
            return describe_decision(choices[figure.code], table.lines[at + 1].entry.name), explained
    return "", ""
