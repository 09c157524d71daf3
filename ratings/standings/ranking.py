"""Standings: entries by points and a list of tie-breaks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import lcm

from ratings.contract.competition import CompetitionData
from ratings.contract.result_table import ResultTable, tabulate_results
from ratings.contract.tie_break import NO_GAME, TieBreakChoice, TieBreakExplanation, TieBreakRules, find_rating
from ratings.standings.tie_break_codes import parse_code, parse_codes


@dataclass(frozen=True)
class StandingsRow:
    """An entry's line of the standings. Entries that no tie-break separates share a rank (1-2-2-4).

    ``decided_by``: the tie-break that separates the entry, and those that share its rank, from the row below; "" if it
    has the same points as nobody below. ``left_out``: why it is left out of the ranks, "" if it is not.
    """

    rank: int
    entry: int
    points: Fraction
    values: dict[str, Fraction | None]
    decided_by: str = ""
    left_out: str = ""


@dataclass(frozen=True)
class Standings:
    """The rows, best first. Entries that share a rank are in the order of their pairing numbers."""

    rows: tuple[StandingsRow, ...]
    choices: tuple[TieBreakChoice, ...]
    table: ResultTable
    tied: dict[str, dict[int, frozenset[int]]] = field(repr=False)
    """Code -> entry -> the entries tied with it when the tie-break is applied, only for direct encounter."""

    def explain(self, entry: int) -> dict[str, TieBreakExplanation]:
        """Return the parts of each value of an entry, by code; it has none if its games do not count."""
        if entry not in self.table.results:
            return {choice.code: TieBreakExplanation(None, (), NO_GAME) for choice in self.choices}
        return {
            choice.code: choice.explain(self.table, entry, self.tied.get(choice.code, {}).get(entry, ()))
            for choice in self.choices
        }


def rank_standings(
    competition: CompetitionData, tie_breaks: Sequence[str], rules: TieBreakRules | None = None
) -> Standings:
    """Return the standings after the rounds of a competition.

    ``tie_breaks``: codes in order. They begin with points unless these are among them. Raises UnknownTieBreak.
    """
    table = tabulate_results(competition)
    choices = parse_list(tie_breaks, rules)
    groups = [table.list_entries()] if table.results else []
    values: dict[str, dict[int, Fraction | None]] = {}
    tied: dict[str, dict[int, frozenset[int]]] = {}
    #: The position in the list of the tie-break that separates each group from the one before.
    separated_by = [0] * len(groups)
    for position, choice in enumerate(choices):
        if choice.tie_break.rank_tied:
            # A code that is listed again keeps its value for entries that are no longer tied.
            tied[choice.code] = tied.get(choice.code, {}) | {
                entry: together
                for group in groups
                if len(group) > 1
                for together in [frozenset(group)]
                for entry in group
            }
        tied_entries = tied.get(choice.code, {})
        column = {entry: choice.tally(table, entry, tied_entries.get(entry, ())).value for entry in table.results}
        values[choice.code] = column
        split = [_split(table, choice, group, column) for group in groups]
        separated_by = [
            before if first else position
            for before, parts in zip(separated_by, split, strict=True)
            for first in [True] + [False] * (len(parts) - 1)
        ]
        groups = [part for parts in split for part in parts]
    rows = _rows(table, choices, groups, values, separated_by)
    return Standings(tuple(rows), tuple(choices), table, tied)


def find_deciding_codes(standings: Standings) -> dict[int, list[str]]:
    """Return entry -> the tie-breaks that separate it from those above and below with the same points."""
    order = [choice.code for choice in standings.choices]
    found: dict[int, list[str]] = {}
    above = ""
    for _rank, group in groupby(standings.rows, key=lambda row: row.rank):
        rows = list(group)
        for row in rows:
            found[row.entry] = [code for code in order if code in (above, row.decided_by)]
        above = rows[-1].decided_by
    return found


def parse_list(tie_breaks: Sequence[str], rules: TieBreakRules | None = None) -> list[TieBreakChoice]:
    """Return the tie-breaks of a list, with points first unless they are among them; raises UnknownTieBreak."""
    points, choices = parse_code("PTS", rules), parse_codes(tie_breaks, rules)
    stated = choices[:1] and choices[0].code in ("MPTS", "GPTS")
    return choices if stated or any(choice.code == points.code for choice in choices) else [points, *choices]


def rank_groups(
    table: ResultTable, choices: Sequence[TieBreakChoice], wanted: Collection[int] | None = None
) -> list[list[int]]:
    """Return the entries in groups that share a rank, best first, without values that decide nothing.

    ``wanted``: groups without any of these entries need not be split.
    """
    groups = [table.list_entries()]
    needed = frozenset(table.results if wanted is None else wanted)
    for choice in choices:
        groups = [
            part for group in groups for part in ([group] if needed.isdisjoint(group) else _split(table, choice, group))
        ]
    return groups


def _split(
    table: ResultTable, choice: TieBreakChoice, group: list[int], column: dict[int, Fraction | None] | None = None
) -> list[list[int]]:
    """Return a tied group in the groups that remain tied after a tie-break, best first; no value is last."""
    if len(group) == 1 or not _applies(table, choice):
        return [group]
    if (ranked := choice.rank_tied(table, group)) is not None:
        return ranked
    #: By numerator and denominator, as fractions are slow to hash and to compare.
    by_value: dict[tuple[int, int], list[int]] = {}
    without: list[int] = []
    for entry in group:
        value = column[entry] if column else choice.tally(table, entry).value
        tied = without if value is None else by_value.setdefault(value.as_integer_ratio(), [])
        tied.append(entry)
    scale = lcm(*(denominator for _numerator, denominator in by_value))
    lowest_first = choice.tie_break.lowest_first(table) != choice.options.reverse
    in_order = sorted(by_value, key=lambda ratio: ratio[0] * (scale // ratio[1]), reverse=not lowest_first)
    return [*(by_value[ratio] for ratio in in_order), *([without] if without else [])]


def _applies(table: ResultTable, choice: TieBreakChoice) -> bool:
    """Return whether a tie-break ranks anyone: without a rule for unrated entries, those by ratings do not (R145)."""
    if not choice.tie_break.needs_ratings or choice.options.rules.unrated != "drop":
        return True
    return all(find_rating(table, entry, choice.options.rules, 0) is not None for entry in table.ratings)


def _rows(
    table: ResultTable,
    choices: Sequence[TieBreakChoice],
    groups: list[list[int]],
    values: dict[str, dict[int, Fraction | None]],
    separated_by: list[int],
) -> list[StandingsRow]:
    rows, rank = [], 1
    for at, group in enumerate(groups):
        step = separated_by[at + 1] if at + 1 < len(groups) else 0
        decided_by = choices[step].code if step else ""
        for entry in group:
            rows.append(
                StandingsRow(
                    rank,
                    entry,
                    Fraction(table.points[entry], table.scale),
                    {choice.code: values[choice.code][entry] for choice in choices},
                    decided_by,
                )
            )
        rank += len(group)
    return rows
