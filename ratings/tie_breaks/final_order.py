"""Numbers that separate all remaining ties: RTNG, TPN."""

from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import TallyLine, TieBreak, TieBreakOptions, TieBreakTally
from ratings.texts import N_

NO_RATING = N_("This entry has no rating.")


def tally_rating(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the own rating (10.6)."""
    rating = table.ratings[entry]
    if rating is None:
        rating = options.rules.replacement_rating
    return TieBreakTally(reason=NO_RATING) if rating is None else TieBreakTally([TallyLine(0, 0, rating)])


def tally_number(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the pairing number (7.8)."""
    return TieBreakTally([TallyLine(0, 0, entry)])


RTNG = TieBreak(
    "RTNG",
    N_("Rating"),
    N_("The own rating at the start; the higher one is first."),
    tally_rating,
    article="10.6",
    modifiers="R",
    for_tables=True,
    needs_ratings=True,
)
TPN = TieBreak(
    "TPN",
    N_("Pairing number"),
    N_("The own pairing number; the lower one is first."),
    tally_number,
    article="7.8",
    modifiers="R",
    for_tables=True,
    lowest_first=lambda table: True,
)
