"""Standings without some entries, and lots among those whom no tie-break separates."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

from ratings.contract.competition import CompetitionData
from ratings.contract.lots import draw_lot
from ratings.contract.result_table import tabulate_results
from ratings.standings.ranking import Standings, StandingsRow

#: Why an entry is left out of the ranks.
EXPELLED, FEW_GAMES = "expelled", "few_games"
#: What separates entries by lot, as tie-breaks have their codes.
LOT = "LOT"


def remove_entries(data: CompetitionData, numbers: Collection[int]) -> CompetitionData:
    """Return a competition without some entries and their games."""
    rounds = tuple(
        replace(
            one,
            fixtures=tuple(
                fixture for fixture in one.fixtures if not any(seat.entry in numbers for seat in fixture.seats)
            ),
        )
        for one in data.rounds
    )
    return replace(data, entries=tuple(entry for entry in data.entries if entry.number not in numbers), rounds=rounds)


def draw_lots(standings: Standings, seed: int) -> Standings:
    """Return standings in which those who share a rank are in the order of lots; the same seed draws the same."""
    numbers = standings.table.pairing_numbers
    rows = sorted(standings.rows, key=lambda row: (row.rank, draw_lot(seed, numbers[row.entry])))
    drawn = []
    for at, row in enumerate(rows):
        is_tied = at + 1 < len(rows) and rows[at + 1].rank == row.rank
        drawn.append(replace(row, rank=at + 1, decided_by=LOT if is_tied else row.decided_by))
    return replace(standings, rows=tuple(drawn))


def put_last(standings: Standings, data: CompetitionData, left_out: Mapping[int, str]) -> Standings:
    """Return standings with the entries that are left out below all others, who move up.

    ``data``: the whole competition, which has the points of those who were removed.
    """
    ranked = [row for row in standings.rows if row.entry not in left_out]
    ranks: dict[int, int] = {}
    for at, row in enumerate(ranked, 1):
        ranks.setdefault(row.rank, at)
    rows = [replace(row, rank=ranks[row.rank]) for row in ranked]
    # Below the last one there is nobody whom a tie-break would separate.
    rows[-1:] = [replace(row, decided_by="") for row in rows[-1:]]
    table = tabulate_results(data)
    none: dict[str, Fraction | None] = {choice.code: None for choice in standings.choices}
    for number in (one for one in table.list_entries() if one in left_out):
        points = Fraction(table.points[number], table.scale)
        rows.append(StandingsRow(len(ranked) + 1, number, points, none, left_out=left_out[number]))
    return replace(standings, rows=tuple(rows))
