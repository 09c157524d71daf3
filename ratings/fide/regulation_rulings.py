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
        "two wrong colours in one game are acknowledged. Each change of a published round is confirmed. In a round "
        "robin a change is also confirmed if two meet more or less often than the others, or an entry gets one colour "
        "twice more often than the other."
    ),
)
LEFT_OUT = Ruling(
    "R204",
    N_("Who is left out of the ranks"),
    N_(
        "In a round robin the games of an entry that withdraws before it has played half of them do not count, neither "
        "for it nor for its opponents; it is listed below all others without a rank. A forfeit is no game that was "
        "played. An entry that an arbiter expels is listed below all others in any format; its games count."
    ),
)
ADJOURNED = Ruling(
    "R205",
    N_("Adjourned games"),
    N_(
        "An adjourned game is a draw for the pairing. While one is open there are neither final standings nor a "
        "tournament report. If it ends otherwise, that is confirmed. Pairing a round while one of a round before the "
        "last is open is acknowledged. So is pairing a round while results are missing: those games are then adjourned."
    ),
)
BYES = Ruling(
    "R206",
    N_("Byes with points"),
    N_(
        "A second half-point bye of an entry is confirmed, a full-point bye acknowledged. An entry that an arbiter "
        "marks so gets no bye with points, whether the competition is held to the regulations or not."
    ),
)
LOTS = Ruling(
    "R207",
    N_("Lots"),
    N_(
        "If a competition ranks by lot those whom no tie-break separates, they are in the order of the SHA-256 of the "
        "seed, a colon and the number of the entry. So a second draw gives the same. Only arbiters see the seed before "
        "the end, as pairings to come follow from it; then it is on the page of the rules."
    ),
)
NUMBERS = Ruling(
    "R208",
    N_("Pairing numbers"),
    N_(
        "In a Swiss system a late entry gets the number that its rating earns, and those behind it move down, until "
        "round 4 is made; then numbers are fixed, and it gets the next one. Until then two entries can exchange their "
        "numbers, with a reason, which is confirmed. Rounds that are made stay; a round is compared with the rules "
        "without entries that came after it was made."
    ),
)
REGULATION_RULINGS = (FIXED, CORRECTIONS, LEAVING, BY_HAND, LEFT_OUT, ADJOURNED, BYES, LOTS, NUMBERS)
