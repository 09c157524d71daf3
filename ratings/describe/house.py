"""Rulings that apply to every rating system and every ladder."""

from ratings.contract.system import Ruling
from ratings.texts import N_

#: Shown on the public page of rulings, before those of systems and methods.
HOUSE: tuple[Ruling, ...] = (
    Ruling(
        "R100",
        N_("The change is the sum of its parts"),
        N_(
            "A kernel returns the parts of a change. The change is their sum from left to right, and the rating "
            "after is before + change, one addition. For systems with whole ratings this is exact in every order. "
            "For the others, after − before may differ from change in the last bit, as float64 additions do; the "
            "parts never differ from the change."
        ),
    ),
    Ruling(
        "R101",
        N_("When everyone pays"),
        N_(
            "Barbu's zero-sum adjustment of 2005 to 2012 takes equal shares from every player with a game so far, "
            "also from those who did not play this one. Their ratings change at once on the leaderboard. Their "
            "histories get a line of their own (cause pool) before their next game, so that each line begins "
            "where the one before it ended."
        ),
    ),
    Ruling(
        "R102",
        N_("A correction keeps its place"),
        N_(
            "A correction takes played_at, external_id and metadata from the game that it replaces, unless it "
            "names its own."
        ),
    ),
    Ruling(
        "R103",
        N_("The same external_id again"),
        N_(
            "A request with a known external_id and the same content returns the existing game, even if it is "
            "void. So a server that repeats its first request after a correction gets the game that it sent, with "
            "its replaced_by."
        ),
    ),
    Ruling(
        "R104",
        N_("When the system changes"),
        N_(
            "A league's dated rule may name another system. Ratings then begin where all earlier rated games "
            "would have put them under the new rule, with its own starts and seasons, as if the league had always "
            "had it; or, if the rule says so, everyone begins at its start. Initial ratings and adjustments until "
            "then are in the units of the old system and are ignored. Everything before that day stays. A rule "
            "for a coming day begins with the first game from that day on."
        ),
    ),
    Ruling(
        "R108",
        N_("Starting ratings"),
        N_(
            "The start parameter of a system's first rule holds until the system changes: a rule with another "
            "start is refused. A player who should start elsewhere is given an initial rating, in the units of "
            "the system of their first game."
        ),
    ),
    Ruling(
        "R109",
        N_("A ladder's rule applies to whole periods"),
        N_(
            "A period is ranked by the ladder's rule in force on its first day. A new rule begins with a period, "
            "of the old cadence and of the new one. The league's own rules rate each game by the rule in force "
            "when it was played."
        ),
    ),
    Ruling(
        "R110",
        N_("Past dates"),
        N_(
            "?at= and the date on pages show the games played before the start of that day (or before that time), "
            "as they are recorded today, corrections included. What was published then is an edition."
        ),
    ),
    Ruling(
        "R111",
        N_("What needs a decision again"),
        N_(
            "A closed period needs a decision if its ranking, computed now, differs in anything but names from "
            "the last edition and from the ranking that was last accepted. So a correction in May also asks about "
            "June if it changes June."
        ),
    ),
    Ruling(
        "R112",
        N_("A period without games"),
        N_("It is not published. If all games of a published period are voided, its next edition has no lines."),
    ),
    Ruling(
        "R121",
        N_("Won, drawn, lost"),
        N_(
            "A player who is alone at the top of a game has won it; players who share the top have drawn; all "
            "others have lost. The winners of a game are those at the top, unless all are level. Scores decide if "
            "every seat has one; otherwise places do, if the system rates by places or nothing else is recorded. "
            "Places next to the scores of Serpentine, Preferans and Barbu decide nothing, on pages and on "
            "ladders. A side counts as one: partners win together, are no opponents of each other, and finish "
            "second behind one other side, whatever their number. A game's weight says how much it moves ratings, "
            "not whether it was played: a game of weight 0 is won or lost like any other, and counts among the "
            "games of its players. A game that should not count is recorded as a friendly."
        ),
    ),
    Ruling(
        "R138",
        N_("A season pulls everyone once"),
        N_(
            "Before the first game of a new season, every player with a game so far is pulled from their rating "
            "towards the start of newcomers, by the share in the dated rule. Seasons without games pull one after "
            "the other. A season begins with its first game, so that the history follows from the games and not "
            "from the clock; until then boards do not change. Only the rating moves, not a deviation or the like. "
            "If ratings are whole, the change is rounded, half away from zero. A player with an initial rating is "
            "pulled to the same start as everyone."
        ),
    ),
    Ruling(
        "R139",
        N_("Points without a game"),
        N_(
            "An adjustment moves one player's rating by a number of points before every game of its time or "
            "later, as a line of its own in the history, at most to the bound of the system. The player must "
            "already have a rated game; otherwise use an initial rating. If games are voided or moved until there "
            "is none, the adjustment has no effect. Ladders use ratings as of the last game, so an adjustment "
            "after a period's last game does not change that period. The total of all ratings changes: no other "
            "player gains or loses in return."
        ),
    ),
    Ruling(
        "R140",
        N_("A second board is informational"),
        N_(
            "A league has one rating. The board by another system is computed from the same rated games, with "
            "everyone as a newcomer, by one rule without seasons, adjustments and initial ratings, which belong "
            "to the league's own system. It lists the same players as the league's own board. It is "
            "informational: no ladder, history, log or export includes it, and it is computed again some minutes "
            "after the league has changed."
        ),
    ),
)
