"""What the scores of a game of two mean: points of the game, or goals and the like."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition
from league.core.finish import rates_results_alone
from league.core.game_words import SideName, has_colours, list_colours, names_game_of_colours
from league.models import League
from ratings.contract.system import RatingSystem

#: Scores of both sides that only an arbiter gives, and those that no game has.
AWARDED = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5))
IMPOSSIBLE = ((1.0, 1.0), (1.0, 0.5), (0.5, 1.0))
#: Formats that balance colours.
COLOURED_FORMATS = ("swiss", "round_robin", "knockout", "double_knockout")


def takes_quick_results(system: RatingSystem | None, sides_of: int) -> bool:
    """Return whether 1, ½ and 0 are enough for the league's system: it needs no scores, margins or game fields."""
    if system is None or not rates_results_alone(system):
        return False
    return system.min_players <= 2 * sides_of <= system.max_players


def list_colours_of(competition: Competition) -> tuple[SideName, ...]:
    """Return what the sides are called if the first seat has White: two players of a format that balances colours."""
    balanced = competition.format in COLOURED_FORMATS and competition.sides_of == 1
    return list_colours() if balanced and has_colours(competition.league) else ()


def have_points_as_scores(league: League, system: RatingSystem | None, sides_of: int) -> bool:
    """Return whether 0, ½ and 1 as scores are points: a game of White and Black has no goals."""
    return (
        system is not None
        and has_colours(league)
        and takes_quick_results(system, sides_of)
        and not system.lowest_score_wins()
    )


def are_awarded(scores: Sequence[Any], *, as_points: bool) -> bool:
    """Return whether scores are points that only an arbiter gives. Without half points, 0–0 may be goals."""
    return tuple(scores) in AWARDED and (as_points or 0.5 in scores)


def explain_impossible(scores: Sequence[Any], league: League) -> str:
    """Return why scores are points that no game has, or "". Without half points, 1–1 may be goals."""
    if tuple(scores) not in IMPOSSIBLE or not (0.5 in scores or names_game_of_colours(league)):
        return ""
    return _(
        "The points of a game are 1–0, ½–½ or 0–1, and ½–0, 0–½ or 0–0 by decision of the arbiter. If these are goals, "
        "name the game in the league's settings, or send places."
    )
