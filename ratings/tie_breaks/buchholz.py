"""Sums of the opponents' points: BH, FB, AOB."""

from dataclasses import replace

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable
from ratings.contract.tallies import tally_buchholz
from ratings.contract.tie_break import (
    NO_GAME,
    TallyLine,
    TieBreak,
    TieBreakOptions,
    TieBreakTally,
    compute_once,
    round_half_up,
    tally_mean,
)
from ratings.contract.unplayed_rounds import (
    FORFEITS_AS_PLAYED,
    ROUNDS_SO_FAR,
    UNPLAYED,
    score_opponents,
)
from ratings.texts import N_


def tally_fore_buchholz(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points of the opponents as if all games of the final round were drawn (8.3)."""
    return tally_buchholz(table, entry, replace(options, fore=True))


def tally_average(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the mean Buchholz of the opponents met over the board, in hundredths (8.2)."""

    def buchholz_sums() -> dict[int, int]:
        scores = {number: score_opponents(table, number, options) for number in table.results}
        return {number: sum([line.amount for line in own.lines]) for number, own in scores.items()}

    key = ("Buchholz", options.fore, options.forfeits_played, options.rules.regulations)
    sums = compute_once(table, key, buchholz_sums)
    lines = [
        TallyLine(result.round, result.opponent, sums[result.opponent])
        for result in table.results[entry]
        if result.played
    ]
    if not lines:
        return TieBreakTally(reason=NO_GAME)
    divisor = table.scale * len(lines)
    return tally_mean(lines, divisor, round_half_up(100 * sum(line.amount for line in lines), divisor), 100)


AVERAGE = Ruling(
    "R146",
    N_("Decimals of AOB"),
    N_(
        "Article 8.2 does not mention rounding. The value has two decimals, half up, as FIDE's published exercises "
        "print it; FIDE's checker has three from nine rounds on."
    ),
)

FINAL_ROUND = Ruling(
    "R152",
    N_("The final round of Fore Buchholz"),
    N_(
        "All paired games of the final round count as draws (8.3), also forfeits and games still to be played. Byes "
        "keep their points. Before the final round is paired, Fore Buchholz is Buchholz."
    ),
)

BH = TieBreak(
    "BH",
    N_("Buchholz"),
    N_("The sum of the opponents' points."),
    tally_buchholz,
    article="8.1",
    modifiers="CMPF",
    rulings=(UNPLAYED, ROUNDS_SO_FAR, FORFEITS_AS_PLAYED),
)
FB = TieBreak(
    "FB",
    N_("Fore Buchholz"),
    N_("The sum of the opponents' points as if all games of the final round were drawn."),
    tally_fore_buchholz,
    article="8.3",
    modifiers="CMP",
    rulings=(UNPLAYED, ROUNDS_SO_FAR, FORFEITS_AS_PLAYED, FINAL_ROUND),
)
AOB = TieBreak(
    "AOB",
    N_("Average Buchholz of the opponents"),
    N_("The mean Buchholz of the opponents met over the board."),
    tally_average,
    article="8.2",
    modifiers="FP",
    rulings=(UNPLAYED, ROUNDS_SO_FAR, FORFEITS_AS_PLAYED, AVERAGE),
)
