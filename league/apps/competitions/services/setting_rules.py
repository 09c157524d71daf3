"""What FIDE says of settings: points of draws and byes, acceleration of a Swiss system, the head of a report."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import MAX_LISTS, POINTS, Competition
from league.apps.competitions.selectors.team_matches import PRIMARIES, TEAM_RULES
from league.core.errors import Problem, build_pointer
from league.core.players.listed_people import LIST, RATING_KINDS
from ratings.contract.competition import parse_fraction
from ratings.contract.parameters import is_number
from ratings.trf.head import read_federation, read_time_control

#: Formats that can be held to the regulations, and tie-breaks that say nothing in a round robin.
REGULATED_FORMATS = ("swiss", "round_robin")
BUCHHOLZ = ("BH", "FB", "AOB")
#: Formats of teams with boards, and the most points of a board.
TEAM_FORMATS = ("swiss", "round_robin", "free")
MAX_BOARD_POINTS = 100
#: Settings, and points of outcomes, that say nothing in other formats: brackets are not won by points, and places at a
#: table are those of three or more.
FORMATS_OF_SETTINGS: Mapping[str, Sequence[str]] = {
    "regulations": REGULATED_FORMATS,
    "teams": TEAM_FORMATS,
    **dict.fromkeys(("win", "draw", "loss", "long"), ("swiss", "round_robin", "free")),
    "places": ("tables", "free"),
    **dict.fromkeys(("tie_breaks", "lots"), ("swiss", "round_robin", "tables", "free")),
    "chess960": ("swiss", "round_robin", "knockout", "double_knockout", "free"),
}
#: The usual points of a loss, a draw and a win: a bye has those of one of them.
STANDARD = [Fraction(0), Fraction(1, 2), Fraction(1)]


def has_setting(format_key: str, name: str) -> bool:
    """Return whether a setting says anything in a format."""
    return name not in FORMATS_OF_SETTINGS or format_key in FORMATS_OF_SETTINGS[name]


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


def find_team_problems(competition: Competition) -> Iterator[Problem]:
    """Yield the problems of the boards of teams, and store all of their rules."""
    teams = competition.teams
    if not isinstance(teams, Mapping):
        yield Problem("/teams", "invalid", _("What teams have is an object of names and values; empty: no teams."))
        return
    if not teams:
        return
    if competition.format not in TEAM_FORMATS:
        message = _("Teams with boards meet in a Swiss system, a round robin or free fixtures.")
        yield Problem("/teams", "format", message)
    if competition.sides_of < 2:
        yield Problem("/sides_of", "boards", _("A match of teams has at least two boards."))
    if competition.result_entries != Competition.ResultEntries.ONCE:
        yield Problem("/result_entries", "invalid", _("Results of boards are entered once."))
    for name, value in teams.items():
        pointer = build_pointer("teams", name)
        if name not in TEAM_RULES:
            template = _("There is no rule “{name}” of teams; the rules are: {known}.")
            yield Problem(pointer, "unknown_rule", template.format(name=name, known=", ".join(TEAM_RULES)))
        elif name == "primary":
            if value not in PRIMARIES:
                message = _("The points that come first are those of the match or of the board.")
                yield Problem(pointer, "invalid", message)
        elif not (is_number(value) and 0 <= value <= MAX_BOARD_POINTS) and not (name == "bye" and value is None):
            template = _("Board points are a number from 0 to {high}.")
            yield Problem(pointer, "out_of_bounds", template.format(high=MAX_BOARD_POINTS))
    competition.teams = TEAM_RULES | dict(teams)
    values = [competition.teams[name] for name in ("win", "draw", "loss")]
    if all(map(is_number, values)) and not values[0] >= values[1] >= values[2]:
        message = _("A win must give at least as much as a draw, and a draw as a loss.")
        yield Problem("/teams/win", "out_of_order", message)


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


def find_rating_list_problems(competition: Competition) -> Iterator[Problem]:
    """Yield the problems of the lists from which ratings come; one need not be loaded."""
    lists = competition.rating_lists
    if not isinstance(lists, list) or len(lists) > MAX_LISTS or not all(isinstance(one, str) for one in lists):
        template = _("Rating lists are a list of at most {limit} texts such as fide:rapid.")
        yield Problem("/rating_lists", "invalid", template.format(limit=MAX_LISTS))
        return
    for index, one in enumerate(lists):
        if not LIST.fullmatch(one):
            template = _("A list is a provider and a kind ({kinds}), such as fide:rapid.")
            sentence = template.format(kinds=", ".join(RATING_KINDS))
            yield Problem(build_pointer("rating_lists", index), "invalid", sentence)
        elif one in lists[:index]:
            message = _("A list is named once.")
            yield Problem(build_pointer("rating_lists", index), "twice", message)


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
