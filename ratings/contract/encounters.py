"""Direct encounters: the meetings of tied entries (article 6)."""

from collections.abc import Sequence
from itertools import accumulate
from math import lcm
from typing import TypeAlias

from ratings.contract.competition import FixtureData
from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import TallyLine, TieBreakOptions, TieBreakTally, compute_once
from ratings.texts import N_

#: Entry -> opponent -> rounds and points in units of each meeting.
Meetings: TypeAlias = dict[int, dict[int, list[tuple[int, int]]]]

NOT_TIED = N_("Nobody else is tied here.")
NOT_MET = N_("None of the tied entries have met.")


def collect_meetings(table: ResultTable, with_forfeits: bool) -> Meetings:
    """Return the meetings of each pair of entries; at a table of three or more, everyone has met everyone."""
    meetings: Meetings = {entry: {} for entry in table.results}
    for entry, lines in table.results.items():
        for result in lines:
            if result.opponent:
                if result.kind == "played" or (with_forfeits and result.kind == "forfeit"):
                    meetings[entry].setdefault(result.opponent, []).append((result.round, result.points))
            elif result.kind == "played" and result.fixture:
                for opponent, points in collect_table_meetings(table, result.fixture, result.seat):
                    meetings[entry].setdefault(opponent, []).append((result.round, points))
    return meetings


def collect_table_meetings(table: ResultTable, fixture: FixtureData, seat: int) -> list[tuple[int, int]]:
    """Return the other entries at a table, with a win's points for each one that finished behind."""
    own = fixture.seats[seat].place
    by_difference = {-1: table.win, 0: table.draw, 1: table.loss}
    return [
        (other.entry, by_difference[(own > other.place) - (own < other.place)])
        for other in fixture.seats
        if other is not fixture.seats[seat]
    ]


class DirectEncounters:
    """The mean points of each pair of entries that met, in whole units."""

    def __init__(self, table: ResultTable, with_forfeits: bool) -> None:
        self.meetings = collect_meetings(table, with_forfeits)
        self.factor = lcm(*(len(met) for by_opponent in self.meetings.values() for met in by_opponent.values()))
        self.unit = table.scale * self.factor
        self.win = table.win * self.factor
        self.points = {
            entry: {
                opponent: sum([points for _, points in met]) * self.factor // len(met)
                for opponent, met in by_opponent.items()
            }
            for entry, by_opponent in self.meetings.items()
        }
        self.met: dict[frozenset[int], bool] = {}

    def rank(self, tied: Sequence[int]) -> list[list[int]]:
        """Return the entries in groups that remain tied, best first: the rule is applied to each part again (6.2)."""
        parts = self.split(tied)
        return parts if len(parts) == 1 else [again for part in parts for again in self.rank(part)]

    def split(self, tied: Sequence[int]) -> list[list[int]]:
        """Return the entries in the groups that the rule makes when it is applied once, best first (6.2, 6.3)."""
        if len(tied) < 2:
            return [list(tied)]
        tied_set = set(tied)
        scores: dict[int, int] = {}
        highest: dict[int, int] = {}
        for entry in tied:
            met = [points for opponent, points in self.points[entry].items() if opponent in tied_set]
            scores[entry] = sum(met)
            highest[entry] = scores[entry] + (len(tied) - 1 - len(met)) * self.win
        if highest == scores:
            return [[entry for entry in tied if scores[entry] == score] for score in sorted(set(scores.values()))][::-1]
        rest = sorted(tied, key=lambda entry: -scores[entry])
        # The most that anyone behind each place can still have; nobody is behind the last.
        reachable = [*accumulate((highest[entry] for entry in reversed(rest)), max)][-2::-1]
        first = next((at for at, most in enumerate(reachable) if scores[rest[at]] <= most), len(rest) - 1)
        behind = set(rest[first:])
        return [*([entry] for entry in rest[:first]), [entry for entry in tied if entry in behind]]

    def have_met(self, tied: frozenset[int]) -> bool:
        """Return whether any two of the tied entries have met; each of them asks."""
        if tied not in self.met:
            self.met[tied] = any(not tied.isdisjoint(self.points[entry]) for entry in tied)
        return self.met[tied]


def load_direct_encounters(table: ResultTable, options: TieBreakOptions) -> DirectEncounters:
    """Return the meetings that count: forfeits do if pairings are predetermined, or with /P (6.1.1)."""
    with_forfeits = options.forfeits_played or table.competition.predetermined
    return compute_once(table, ("direct encounters", with_forfeits), lambda: DirectEncounters(table, with_forfeits))


def tally_direct(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points against the tied entries (6.1)."""
    if len(options.tied) < 2:
        return TieBreakTally(reason=NOT_TIED)
    encounters = load_direct_encounters(table, options)
    if not encounters.have_met(options.tied):
        return TieBreakTally(reason=NOT_MET)
    lines = [
        TallyLine(number, opponent, points * encounters.factor // len(met))
        for opponent, met in encounters.meetings[entry].items()
        if opponent in options.tied
        for number, points in met
    ]
    return TieBreakTally(lines, encounters.unit)
