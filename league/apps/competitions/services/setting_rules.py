"""What FIDE says of settings: points of draws and byes, acceleration of a Swiss system, the head of a report."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import POINTS, Competition
from league.core.errors import Problem, build_pointer
from ratings.contract.competition import parse_fraction
from ratings.contract.parameters import is_number
from ratings.trf.head import read_federation, read_time_control

#: Formats that can be held to the regulations, and tie-breaks that say nothing in a round robin.
REGULATED_FORMATS = ("swiss", "round_robin")
BUCHHOLZ = ("BH", "FB", "AOB")
#: The usual points of a loss, a draw and a win: a bye has those of one of them.
STANDARD = [Fraction(0), Fraction(1, 2), Fraction(1)]


def is_accelerated(competition: Competition) -> bool:
    """Return whether the better half has points more for the pairing of the first rounds."""
    parameters = competition.parameters
    return isinstance(parameters, Mapping) and parameters.get("acceleration") == "baku"


def _is_given(parameters: Any) -> bool:
    return isinstance(parameters, Mapping) and parameters.get("acceleration") == "given"


def find_rule_problems(competition: Competition, previous: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of points and acceleration; ``previous``: the settings before, which are as they are."""
    points = competition.points
    if not isinstance(points, Mapping) or not all(is_number(points.get(name, POINTS[name])) for name in POINTS):
        return
    table = {name: parse_fraction(points.get(name, POINTS[name])) for name in POINTS}
    win, draw, loss, bye = (table[name] for name in ("win", "draw", "loss", "pairing_bye"))
    if points != previous["points"]:
        if 2 * draw > win + loss:
            message = _("Two draws must not give more than a win and a loss.")
            yield Problem("/points/draw", "out_of_order", message)
        if bye > win:
            message = _("A bye must not give more than a win.")
            yield Problem("/points/pairing_bye", "out_of_bounds", message)
        elif [loss, draw, win] == STANDARD and bye not in STANDARD:
            message = _("If a win gives 1 point and a draw ½, a bye gives 1, ½ or 0.")
            yield Problem("/points/pairing_bye", "out_of_bounds", message)
    if _is_given(competition.parameters) and not _is_given(previous["parameters"]):
        message = _("Only a tournament report gives the points of an acceleration.")
        yield Problem("/parameters/acceleration", "given", message)
    if is_accelerated(competition) and (win != 2 * draw or loss):
        message = _("An acceleration needs a win that gives as much as two draws, and a loss that gives nothing.")
        yield Problem("/parameters/acceleration", "points", message)


def can_be_regulated(competition: Competition) -> bool:
    """Return whether FIDE's regulations have rules for a competition."""
    return competition.format in REGULATED_FORMATS and competition.sides_of == 1


def find_regulation_problems(competition: Competition) -> Iterator[Problem]:
    """Yield what the regulations do not allow in the settings of a competition that is held to them."""
    if not can_be_regulated(competition):
        message = _("The regulations are for Swiss systems and round robins of single players.")
        yield Problem("/regulations", "format", message)
    elif competition.format == "round_robin":
        template = _("{code} says nothing in a round robin, where all have the same opponents. Use SB, DE or WIN.")
        for index, code in enumerate(competition.tie_breaks):
            if code.partition("/")[0].partition(":")[0] in BUCHHOLZ:
                yield Problem(build_pointer("tie_breaks", index), "unfit_tie_break", template.format(code=code))


def find_head_problems(competition: Competition) -> Iterator[Problem]:
    """Yield the problems of what a tournament report states, and store it as it is usually written."""
    federation, seconds = read_federation(competition.federation), read_time_control(competition.time_control)
    if federation is None:
        message = _("A federation has three letters, as FIDE writes them, e.g. SRB.")
        yield Problem("/federation", "invalid", message)
    if seconds is None:
        message = _("Enter the time control in seconds, e.g. 5400+30: 90 minutes, and 30 seconds for each move.")
        yield Problem("/time_control", "invalid", message)
    competition.federation = competition.federation if federation is None else federation
    competition.time_control = competition.time_control if seconds is None else seconds
    competition.arbiter = " ".join(competition.arbiter.split())
