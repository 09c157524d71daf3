"""How FIDE's rating and title regulations are read where they leave something open."""

from ratings.contract.declarations import Ruling
from ratings.texts import N_

CHOICE_OF_K = Ruling(
    "R181",
    N_("K of a player"),
    N_(
        "The K of FIDE's list counts. If no list is loaded or the player is not in it, K is assumed by the rating at "
        "the start: 10 from 2400 on, 40 until the end of the year of the 18th birthday under 2300 if a list has the "
        "year, else 20; 30 games are taken to be played. Who once reached 2400 keeps 10, even with fewer than 30 "
        "games. K times the games of the period may be at most 700: the games of the competition are counted. In a "
        "competition of more than 30 days each month is a period: with its rating, K and games, and by the list of the "
        "month while that is kept."
    ),
)
LIMIT_BY_DATE = Ruling(
    "R182",
    N_("The 400 points by date"),
    N_(
        "The first day of the competition decides: its start, else its first game. Since 1 March 2024 each difference "
        "of more than 400 points counts as 400; before, only that to the weakest opponent did so in favour of a "
        "player. Since 1 October 2025 the differences of a player of 2650 or more count as they are, whoever the "
        "opponent is; the opponent's own is limited. Rapid and blitz ratings have no such exception."
    ),
)
COUNTED_GAMES = Ruling(
    "R183",
    N_("Games that count for FIDE's rating"),
    N_(
        "Games that were played over the board against rated opponents, by the ratings of the entries at the start, in "
        "a competition of more than 30 days by those of the round: no forfeits, byes, friendly games and games against "
        "unrated opponents. A game with ½–0 or 0–0 counts for each side by its own points. The change is exact; FIDE "
        "rounds the sum of a rating period once, a half away from zero, so the rounded change may differ if there were "
        "other games."
    ),
)
FIRST_RATING = Ruling(
    "R184",
    N_("First rating of an unrated player"),
    N_(
        "Only the games of the competition are counted; FIDE also adds those of the 26 months before. The average with "
        "the two imagined opponents is not rounded, the percentage of the score is, a half upwards; the sum is rounded "
        "in the same way and is then at most 2200. Without a point there is no first rating. The rule is that of 1 "
        "March 2024; for earlier competitions none is computed."
    ),
)
NORM_HINTS = Ruling(
    "R185",
    N_("Hints for norms"),
    N_(
        "A hint is told after three games, if performance and average of the opponents are at most 100 below what "
        "the norm asks and 35% of the points were scored. Opponents to come are counted in the bounds of titles and "
        "federations. Players of FID and without a federation are of no federation. In a Swiss, games after the "
        "ninth may be ignored if the norm was made before; games won are not left out. A Swiss with 20 rated "
        "players of other federations than its own, of three federations, of whom ten are GM, IM, WGM or WIM, asks "
        "nothing of federations (1.4.3d): players who missed two rounds do not count, nor does it without a "
        "federation of its own. The other exemptions of 1.4.3 and the conditions of the event, such as arbiters and "
        "time control, are not examined."
    ),
)

RULINGS = (CHOICE_OF_K, LIMIT_BY_DATE, COUNTED_GAMES, FIRST_RATING, NORM_HINTS)
