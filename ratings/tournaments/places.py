"""Compares the ranks of a tournament report with the standings that its results give."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ratings.contract.competition import CompetitionData
from ratings.standings.ranking import StandingsRow, parse_list, rank_groups, rank_standings
from ratings.standings.tie_break_codes import UnknownTieBreak, parse_code
from ratings.texts import N_, say
from ratings.tournaments.findings import TournamentFinding
from ratings.trf.document import TrfDocument
from ratings.trf.points import format_points

PLACE = N_("Player {player} has rank {rank}; the results give {expected} ({values}).")


def check_places(
    document: TrfDocument,
    data: CompetitionData,
    tie_breaks: Sequence[str],
    ranks: Mapping[int, int],
    lines: Mapping[int, int],
    sentence: str = PLACE,
    *,
    left_out: Collection[int] = (),
) -> tuple[int, list[TournamentFinding]]:
    """Return the number of ranks that were compared, and those that do not follow from points and tie-breaks.

    ``ranks``, ``lines``: of the file, by number. ``sentence``: of a rank that differs. ``left_out``: who has no rank,
    so that others move up.
    """
    findings = []
    line = next((line.number for line in document.list_lines("202", "212")), 0)
    known: list[str] = []
    for code in tie_breaks:
        try:
            known.append(parse_code(code).code)
        except UnknownTieBreak as error:
            # Those after it cannot be told either.
            findings.append(TournamentFinding(0, line, "unknown_tie_break", str(error.args[0])))
            break
    if not ranks or not data.rounds:
        return 0, findings
    return len(ranks), [*findings, *sorted(_compare(data, known, ranks, lines, sentence, left_out))]


def _compare(
    data: CompetitionData,
    codes: Sequence[str],
    ranks: Mapping[int, int],
    lines: Mapping[int, int],
    template: str,
    left_out: Collection[int],
) -> Iterator[TournamentFinding]:
    """Yield the ranks outside of those that an entry and all that share its rank by the results have.

    Files order by lot or number who is still tied: so each of their ranks is right.
    """
    # As 1 2 2 4, also if the file has 1 2 2 3.
    stated = {entry: 1 + sum(other < rank for other in ranks.values()) for entry, rank in ranks.items()}
    standings = rank_standings(data, codes)
    rows = {row.entry: row for row in standings.rows}
    last = 0
    for everyone in rank_groups(standings.table, parse_list(codes)):
        group = [entry for entry in everyone if entry not in left_out]
        first, last = last + 1, last + len(group)
        expected = str(first) if first == last else f"{first}–{last}"
        for entry in group:
            if entry in stated and not first <= stated[entry] <= last:
                sentence = say(
                    template, player=entry, rank=ranks[entry], expected=expected, values=_write_values(rows[entry])
                )
                yield TournamentFinding(0, lines[entry], "rank_differs", sentence)


def _write_values(row: StandingsRow) -> str:
    """Return the points and tie-breaks of a row."""
    return ", ".join(f"{code} {'–' if value is None else format_points(value)}" for code, value in row.values.items())
