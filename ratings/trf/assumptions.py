"""What a tournament report does not say and is read in one way: each is named, so that a user can correct it."""

from collections.abc import Iterator

from ratings.contract.competition import PointsTable
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfCell, TrfDocument, TrfFirstColour
from ratings.trf.formats import names_format
from ratings.trf.points import list_byes, states_points
from ratings.trf.problems import TrfProblem, build_trf_problem

#: Players that a sentence names.
MAX_SHOWN = 12


def list_assumptions(document: TrfDocument, competition: TrfCompetition) -> Iterator[TrfProblem]:
    """Yield a warning for each thing that the file does not state."""
    is_swiss = competition.format.key == "swiss"
    if not document.get_text("012"):
        yield build_trf_problem(0, 0, "title_assumed")
    if not document.of_teams and not names_format(document):
        yield build_trf_problem(0, 0, "swiss_assumed" if is_swiss else "round_robin_assumed")
    if is_swiss and not document.planned_rounds:
        yield build_trf_problem(0, 0, "rounds_open")
    if is_swiss and competition.first_colour and not any(one.colour for one in document.list_values(TrfFirstColour)):
        code = "white_assumed" if competition.first_colour == "white" else "black_assumed"
        yield build_trf_problem(0, 0, code)
    if not competition.tie_breaks:
        yield build_trf_problem(0, 0, "tie_breaks_assumed")
    if not states_points(document) and competition.data.points == PointsTable():
        yield build_trf_problem(0, 0, "points_assumed")
    if is_swiss:
        yield from _list_blank_rounds(document, competition)


def _list_blank_rounds(document: TrfDocument, competition: TrfCompetition) -> Iterator[TrfProblem]:
    """Yield each round with players of whom the file says nothing: they get a zero-point bye."""
    byes = list_byes(document)
    for one_round in competition.data.rounds:
        number = one_round.number
        blank = [
            player
            for player, line in document.players.items()
            if line.get_cell(number) == TrfCell() and player not in byes.get(number, {})
        ]
        if blank:
            shown = ", ".join(map(str, blank[:MAX_SHOWN])) + (" …" if len(blank) > MAX_SHOWN else "")
            yield build_trf_problem(0, 0, "byes_assumed", round=number, players=shown)
