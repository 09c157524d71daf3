"""Direct encounter: DE (article 6)."""

from collections.abc import Sequence

from ratings.contract.declarations import Ruling
from ratings.contract.encounters import load_direct_encounters, tally_direct
from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import TieBreak, TieBreakOptions
from ratings.texts import N_


def rank_tied(table: ResultTable, tied: Sequence[int], options: TieBreakOptions) -> list[list[int]]:
    """Return the tied entries in groups that remain tied, best first."""
    return load_direct_encounters(table, options).rank(tied)


DE = TieBreak(
    "DE",
    N_("Direct encounter"),
    N_("The points against the entries that are tied at this place in the list."),
    tally_direct,
    article="6",
    modifiers="P",
    rank_tied=rank_tied,
    for_tables=True,
    rulings=(
        Ruling(
            "R144",
            N_("Direct encounter"),
            N_(
                "The value is the points against the tied; the order follows article 6 and may differ from the values: "
                "if not all have met, only places that hold whatever the missing games would have been are decided. At "
                "tables of three or more, everyone has met everyone, and finishing ahead is a win."
            ),
        ),
    ),
)
