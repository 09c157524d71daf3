"""How Rungs reads what no source says: the rulings of the house, beside those of systems and methods."""

from ratings.contract.system import Ruling
from ratings.texts import N_

#: They hold for every system and every ladder, and stand on the public page of rulings.
HOUSE: tuple[Ruling, ...] = (
    Ruling(
        "R100",
        N_("The change is the sum of its parts"),
        N_(
            "A kernel answers the parts of a change; the change is their sum from left to right and the "
            "rating after is before + change, one addition. For systems with whole ratings this is exact in "
            "every order. For the others, after − before may differ from change in the last bit, as float64 "
            "additions do; the parts never differ from the change."
        ),
    ),
    Ruling(
        "R101",
        N_("When everybody pays"),
        N_(
            "Barbu's zero-sum adjustment of 2005 to 2012 takes equal shares of every player with a game so "
            "far, also of those who are not at the table. Their ratings move at once on the leaderboard; "
            "their histories get a line of its own (cause pool) before their next game, so that every history "
            "stays a chain: before is always the after of the line before."
        ),
    ),
    Ruling(
        "R102",
        N_("A correction keeps its place"),
        N_(
            "What a correction leaves out of played_at, external_id and metadata it takes from the game that it "
            "replaces."
        ),
    ),
    Ruling(
        "R103",
        N_("The same external_id again"),
        N_(
            "Any game of that id with the same content is answered, void or not: a server that repeats the "
            "first sending after somebody has corrected the game gets the game that it sent, with its "
            "replaced_by."
        ),
    ),
    Ruling(
        "R104",
        N_("When the system changes"),
        N_(
            "A league's dated rule may name another system. Ratings then begin where all rated games before would "
            "have put them under the new rule, from its own starts on and with its own seasons, as in a league that "
            "always had it; or, if it says so, at its start for everybody. Initial ratings and adjustments until then "
            "are in the units of the system before and left aside. What was before that day stays. A rule whose day "
            "was still to come when it was adopted begins with the first game since."
        ),
    ),
    Ruling(
        "R108",
        N_("Where newcomers start"),
        N_(
            "The start parameter of a system's first rule holds until the system changes: a rule that names another "
            "start is refused. A player who shall start elsewhere has an initial rating, in the units of the system "
            "of their first game."
        ),
    ),
    Ruling(
        "R109",
        N_("A ladder's rule holds for whole periods"),
        N_(
            "A period is ranked by the ladder's rule in force on its first day; a rule begins with a period, "
            "of the old cadence and of the new. The league's own rules rate each game by the rule in force "
            "when it was played."
        ),
    ),
    Ruling(
        "R110",
        N_("As it stood"),
        N_(
            "?at= and the pages' date show the games played before the first instant of that day (or before "
            "that time) as the books tell them today, corrections included. What was published then is an "
            "edition."
        ),
    ),
    Ruling(
        "R111",
        N_("What reopens a question"),
        N_(
            "A closed period awaits a decision when its ranking, computed now, differs in anything but names "
            "from the last edition and from what was carried since. So a correction in May asks about June, "
            "too, where it moved June."
        ),
    ),
    Ruling(
        "R112",
        N_("A period without games"),
        N_(
            "It is neither published nor kept. Where all games of a published period are voided, its next "
            "edition has no lines."
        ),
    ),
    Ruling(
        "R121",
        N_("Won, drawn, lost"),
        N_(
            "Whoever is alone at the top of a game has won it, whoever shares the top has drawn, everybody else has "
            "lost; a game's winners are those at the top, unless all are level. Scores say who that is where every "
            "seat has one; places do where the system rates by places, or where nothing else is there. Places beside "
            "the scores of Serpentine, Preferans and Barbu decide nothing, on pages and on ladders. A side counts as "
            "one: partners win together, are no opponents of each other, and finish second behind one other side, "
            "however many are on it. A game's weight says how much it moves ratings, not whether it was played: one "
            "of weight 0 is won and lost like any other, and counts among the games of its players. What shall not "
            "count is a friendly."
        ),
    ),
    Ruling(
        "R138",
        N_("A season pulls everybody once"),
        N_(
            "Before the first game of a new season every player with a game so far is pulled towards the start of "
            "newcomers, by the share that the dated rule says, from where they stand; seasons in which nobody "
            "played pull one after the other. The season turns with its first game, so that the history follows "
            "from the facts and not from the clock: until then boards stay as they were. Only the rating moves; "
            "what a system keeps beside it, such as a deviation, stays. Where ratings are whole the change is "
            "rounded, half away from zero. Who has an initial rating of their own is pulled to the "
            "same start as everybody."
        ),
    ),
    Ruling(
        "R139",
        N_("Points beside the games"),
        N_(
            "An adjustment moves one player's rating by so many points before every game of its time or later, as "
            "a line of the history of its own, to the bound of the system at most. It takes a rated game before it: "
            "where somebody starts is an "
            "initial rating. Where games are voided or moved until it has none, it stands and moves nothing. "
            "Ladders take ratings as the last game left them, so one that comes after a period's last game does "
            "not change that period. Zero sum is not kept: somebody gained or lost what nobody else did."
        ),
    ),
    Ruling(
        "R140",
        N_("A second board is for looking"),
        N_(
            "A league has one rating. The board by another system beside it is made of the same rated games, from "
            "newcomers on, by one rule without seasons, adjustments and initial ratings, which are those of the "
            "league's own system; it lists whom the league's own board lists. It is no fact: no ladder, history, log "
            "or export knows it, and it is made anew some minutes after the books have changed."
        ),
    ),
)
