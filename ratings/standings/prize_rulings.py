"""How the rules of prizes are read where the usual regulations leave something open."""

from ratings.contract.declarations import Ruling
from ratings.texts import N_

ONE_EACH = Ruling(
    "R190",
    N_("One prize a person"),
    N_(
        "Whoever would get the most money takes it and leaves all other lists, where those below move up; then again "
        "among the rest, with the shares as they are now. Of equal amounts the earlier list comes first, the whole "
        "competition before all, then the better place. Things without money come after all money, in the same order."
    ),
    "one_each",
)
SHARING = Ruling(
    "R191",
    N_("Shared money"),
    N_(
        "Those with equal points take up as many places as they are, and share the money of these: in equal parts, or "
        "by Hort half in equal parts and half by place. By places nothing is shared, except among those whom no "
        "tie-break separates. Amounts are rounded down to the cent, and the cents that are left go to the best of "
        "those who share, one each. A thing goes with its place."
    ),
    "sharing",
)
WHO = Ruling(
    "R192",
    N_("Who can win a prize"),
    N_(
        "A category has the order of the whole competition, without the others. Whoever withdrew wins nothing, nor "
        "does an entry of which a condition's fact is not known. An unrated entry belongs to no category with a "
        "lowest rating, and to every one with a highest rating only."
    ),
)
PRIZE_RULINGS = (ONE_EACH, SHARING, WHO)
