"""Points and sums of points: PTS, PS."""

from itertools import accumulate

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable
from ratings.contract.tallies import tally_points
from ratings.contract.tie_break import TallyLine, TieBreak, TieBreakOptions, TieBreakTally
from ratings.texts import N_

NO_ROUNDS = N_("The fixtures of this competition have no rounds.")


def tally_progressive(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points after each round (7.5); a round without a fixture adds none."""
    rounds = [one_round.number for one_round in table.competition.rounds]
    if 0 in rounds:
        return TieBreakTally(reason=NO_ROUNDS)
    gained = dict.fromkeys(rounds, 0)
    for result in table.results[entry]:
        gained[result.round] += result.points
    lines = [TallyLine(number, 0, points) for number, points in zip(gained, accumulate(gained.values()), strict=True)]
    return TieBreakTally(lines, table.scale, frozenset(range(min(options.cut_low, len(lines)))))


PTS = TieBreak(
    "PTS",
    N_("Points"),
    N_("The points of all rounds, including byes and forfeits, by the competition's table."),
    tally_points,
    for_tables=True,
    rulings=(
        Ruling(
            "R170",
            N_("Possible ranks and ties"),
            N_(
                "Possible ranks assume that the open games of two will be played. Entries that can end with the same "
                "points are counted as behind for the best rank and as ahead for the worst one, unless the few games "
                "that remain let every outcome be ranked. So are those that no tie-break separates."
            ),
        ),
        Ruling(
            "R175",
            N_("Points that an arbiter adds or takes"),
            N_(
                "They count in the standings and for the pairing of the rounds after theirs. They are of no game: "
                "other tie-breaks do not have them, neither an entry's own nor its opponents'; only Koya's limit is "
                "reached with them. FIDE's checker decides in the same way."
            ),
        ),
    ),
)
PS = TieBreak(
    "PS",
    N_("Progressive scores"),
    N_("The sum of the points after each round."),
    tally_progressive,
    article="7.5",
    modifiers="C",
    for_tables=True,
    rulings=(
        Ruling(
            "R147",
            N_("Progressive scores and cuts"),
            N_(
                "PS/C1 leaves out the points after the first round, PS/C2 those after the first two, whether these "
                "rounds were played or not: article 16 does not cover this tie-break."
            ),
        ),
    ),
)
