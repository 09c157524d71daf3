"""How the rules of seasons are read where their sources leave something open."""

from ratings.contract.declarations import Ruling
from ratings.texts import N_

#: What happens to people when places of a level are free, and how many exchange places.
EXCHANGE = Ruling(
    "R159",
    N_("How many rise and fall"),
    N_(
        "At each border the smaller of the two numbers counts: those who may rise from the lower divisions, and those "
        "who must fall from the upper ones. So as many rise as fall. A division from which both rise and fall gives at "
        "most half of its members to each side."
    ),
    "up",
)
SIZES = Ruling(
    "R160",
    N_("How many divisions there are"),
    N_(
        "The number of players divided by the target size is rounded, a half upwards. With a season before, a division "
        "is added only at (n + 1) times the target, and one is dissolved only at (n - 1) times the target and a half. "
        "Lower divisions get the surplus. Free places are filled by the best of the level below who did not fall; only "
        "a dissolved or a divided level moves those who stayed."
    ),
    "target_size",
)
PLAY_OFFS = Ruling(
    "R172",
    N_("Play-offs between divisions"),
    N_(
        "At a border, the best who do not rise meet those who only just do not fall, the best of the first against "
        "the last of the others; the smaller of the two numbers counts, and nobody who withdrew plays off. Whoever has "
        "more points in their meetings plays in the upper level; if they are level, or did not meet, both keep their "
        "levels, and the proposal says so. As they meet before the season is closed, its lots are drawn from its slug."
    ),
    "play_off",
)
SHARED_PLACES = Ruling(
    "R179",
    N_("Shared places at a border"),
    N_(
        "Those whom no tie-break separates are told apart by lot where only some of them rise, fall or go to the next "
        "stage. A lot is the SHA-256 of the hash of the season's closing edition, a line end and the player's handle; "
        "in a stage, of the hash of the group's edition, a line end and the number of the entry. The lower one comes "
        "first."
    ),
    "down",
)
DIVIDED = Ruling(
    "R173",
    N_("A level that is divided"),
    N_(
        "The number of divisions follows the number of players, so a level that has grown past the bound is divided, "
        "and a new level below it needs members. Newcomers go first, then whoever has the last places; these were "
        "moved and did not stay, and their sentence says so. Nobody else who stayed stands lower than before."
    ),
    "target_size",
)
SERIES_PLACES = Ruling(
    "R161",
    N_("Shared places in a series"),
    N_(
        "Those who share a place of an event share the points of the places that they take up. A bonus belongs to its "
        "event and is dropped with it. First places count for ties even if their event was dropped."
    ),
    "points",
)
CROSSED = Ruling(
    "R162",
    N_("How groups lead to a cup"),
    N_(
        "The first of the groups have the first seeds, in the order of the groups, and the second the next seeds in "
        "reverse order, and so on, every other place reversed. Then those of a place exchange seeds, as little as "
        "possible in all, so that two of a group meet as late as the bracket allows."
    ),
    "seeding",
)
GONE = Ruling(
    "R180",
    N_("Who leaves between two stages"),
    N_(
        "Whoever left the season before a stage is drawn has no place in it: those below in the group move up. Whoever "
        "leaves after the draw keeps the place and loses what is left to play. In play-offs it is the same, and what "
        "was played there counts."
    ),
    "from",
)
CARRIED = Ruling(
    "R174",
    N_("Points of an earlier stage"),
    N_(
        "Points are carried only if the rule says so: all points that a player has in the final standings of the "
        "group, as points that are added before the first round, with the group as their reason. Tie-breaks count "
        "the games of the stage alone. In a bracket nothing is carried, as its places come from who beats whom."
    ),
    "from",
)
