"""Koya: KS."""

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import Tally, TallyLine, TieBreak, TieBreakOptions, cached
from ratings.texts import N_


def most_rounds(table: ResultTable) -> int:
    """Return the number of rounds in which an entry can have scored."""
    if table.competition.predetermined:
        return max((len(lines) for lines in table.results.values()), default=0)
    return table.rounds


def tally_koya(table: ResultTable, entry: int, options: TieBreakOptions) -> Tally:
    """Return the points against entries that reached the limit (9.2)."""
    most = cached(table, "most rounds", lambda: most_rounds(table))
    limit = (options.limit * most * table.competition.points.win + options.limit_points) * table.scale
    lines = [
        TallyLine(result.round, result.opponent, result.points)
        for result in table.results[entry]
        if result.opponent and result.kind != "planned" and table.points[result.opponent] >= limit
    ]
    return Tally(lines, table.scale)


KS = TieBreak(
    "KS",
    N_("Koya"),
    N_("The points against entries that scored at least half of the maximum."),
    tally_koya,
    article="9.2",
    modifiers="L",
    rulings=(
        Ruling(
            "R149",
            N_("Koya's limit"),
            N_(
                "The maximum is a win in each round so far, in a round robin of an odd number without the round off. "
                "/L60 sets the limit to 60% of it; /L+1 and /L-1 move it by half a point, as article 14.5 allows. "
                "Forfeits against entries above the limit count with the points that they gave."
            ),
        ),
    ),
)
