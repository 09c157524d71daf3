"""Numbers of an entry that separate remaining ties: RTNG, TPN, HAND."""

from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import (
    SEVERAL_RATINGS,
    TallyLine,
    TieBreak,
    TieBreakOptions,
    TieBreakTally,
    compute_once,
    find_rating,
)
from ratings.texts import N_

NO_RATING = N_("This entry has no rating.")
NOT_TYPED = N_("The arbiter typed no value.")


def tally_rating(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the own rating (10.6)."""
    rating = find_rating(table, entry, options.rules, table.rounds)
    if rating is None:
        rating = options.rules.replacement_rating
    return TieBreakTally(reason=NO_RATING) if rating is None else TieBreakTally([TallyLine(0, 0, rating)])


def tally_number(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the pairing number (7.8)."""
    return TieBreakTally([TallyLine(0, 0, table.pairing_numbers[entry])])


def tally_typed_value(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return what the arbiter typed."""
    typed = compute_once(table, "by_hand", lambda: {one.number: one.by_hand for one in table.competition.entries})
    value = typed[entry]
    if value is None:
        return TieBreakTally(reason=NOT_TYPED)
    return TieBreakTally([TallyLine(0, 0, value.numerator)], value.denominator)


RTNG = TieBreak(
    "RTNG",
    N_("Rating"),
    N_("The own rating at the start; the higher one is first."),
    tally_rating,
    article="10.6",
    modifiers="R",
    for_tables=True,
    needs_ratings=True,
    rulings=(SEVERAL_RATINGS,),
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
HAND = TieBreak(
    "HAND",
    N_("Value by hand"),
    N_("What the arbiter typed, such as a place in a play-off or a value of another program; the higher one is first."),
    tally_typed_value,
    modifiers="R",
    for_tables=True,
)
