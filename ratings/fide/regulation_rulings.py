"""How FIDE's regulations are applied to a competition that is held to them."""

from ratings.contract.declarations import Ruling
from ratings.texts import N_

FIXED = Ruling(
    "R200",
    N_("What the start fixes"),
    N_(
        "A competition that is held to the regulations fixes at its start the format, the number of rounds, the points "
        "and the tie-breaks. Who must not meet is fixed once round 1 is made. Only Swiss systems and round robins of "
        "single players can be held to them; on the pages of organisers that is the default of a new one in a league "
        "of chess, in the API it is a setting."
    ),
)
CORRECTIONS = Ruling(
    "R201",
    N_("Results that are fixed"),
    N_(
        "In a Swiss system only results of the last played round and of the one before it are corrected or voided; a "
        "round is played from its first result on. In a round robin nothing was paired from a result, so any can be "
        "corrected."
    ),
)
LEAVING = Ruling(
    "R202",
    N_("Leaving the regulations"),
    N_(
        "Before the start the regulations are a setting like any other. A running competition can leave them, "
        "confirmed twice and with a reason, and never comes back: its pages say so, and its tournament report has a "
        "remark with the number of the last round that was made."
    ),
)
BY_HAND = Ruling(
    "R203",
    N_("Pairings by hand"),
    N_(
        "A round is paired by hand while it is a proposal; publishing it ends that, and compares it with the rules if "
        "it was changed. A change that breaks something that the round did not break before is confirmed: a rematch, a "
        "forbidden pair, a second bye, a colour for the third time in a row or three times more often than the other; "
        "two wrong colours in one game are acknowledged. Each change of a published round is confirmed."
    ),
)
REGULATION_RULINGS = (FIXED, CORRECTIONS, LEAVING, BY_HAND)
