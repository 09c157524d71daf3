"""Koya: KS."""

from math import ceil

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import TallyLine, TieBreak, TieBreakOptions, TieBreakTally, compute_once
from ratings.texts import N_


def compute_koya_limit(table: ResultTable, options: TieBreakOptions) -> int:
    """Return the points in units that an opponent needs: a share of the most that an entry can have scored."""
    rounds = table.rounds
    if table.competition.predetermined:
        rounds = max(sum(result.opponent > 0 for result in lines) for lines in table.results.values())
    return ceil(options.limit * rounds * table.win + options.limit_points * table.scale)


def tally_koya(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points against entries that reached the limit (9.2)."""
    limit = compute_once(
        table, ("Koya", options.limit, options.limit_points), lambda: compute_koya_limit(table, options)
    )
    lines = [
        TallyLine(result.round, result.opponent, result.points)
        for result in table.results[entry]
        if result.opponent and result.kind != "planned" and table.points[result.opponent] >= limit
    ]
    return TieBreakTally(lines, table.scale)


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
                "/L1 and /L-1 move it by half a point, /L2 and /L-2 by one, as article 14.5 allows. From 10 on, the "
                "number is a percentage: /L60 sets the limit to 60% of the maximum. Forfeits against entries above "
                "the limit count with the points that they gave."
            ),
        ),
    ),
)
