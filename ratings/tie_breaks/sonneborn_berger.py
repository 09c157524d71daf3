"""Products of points and the opponents' points: SB, ESB."""

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable
from ratings.contract.tallies import tally_extended, tally_products
from ratings.contract.tie_break import TieBreak, TieBreakOptions, TieBreakTally
from ratings.contract.unplayed_rounds import FORFEITS_AS_PLAYED, ROUNDS_SO_FAR, UNPLAYED, score_opponents
from ratings.texts import N_


def tally_sonneborn_berger(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return each round's points times the opponent's points (9.1)."""
    scores = score_opponents(table, entry, options)
    return tally_products(scores, [result.points for result in scores.results], table.scale, table.scale, options)


SB = TieBreak(
    "SB",
    N_("Sonneborn-Berger"),
    N_("The points of each round times the opponent's points."),
    tally_sonneborn_berger,
    article="9.1",
    modifiers="CP",
    rulings=(UNPLAYED, ROUNDS_SO_FAR, FORFEITS_AS_PLAYED),
)
ESB = TieBreak(
    "ESB",
    N_("Extended Sonneborn-Berger"),
    N_("The game score of each round times the opponent's points."),
    tally_extended,
    article="13.2",
    modifiers="CP",
    rulings=(
        UNPLAYED,
        ROUNDS_SO_FAR,
        FORFEITS_AS_PLAYED,
        Ruling(
            "R150",
            N_("Extended Sonneborn-Berger"),
            N_(
                "Of the four variants in article 13.2, ESB is EMGSB: the opponent's points of the competition times "
                "the score of the game (board points, goals). An unplayed round without a score counts as 0."
            ),
        ),
    ),
)
