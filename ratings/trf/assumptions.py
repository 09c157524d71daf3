"""What a tournament report does not say and is read in one way: each is named, so that a user can correct it."""

from collections.abc import Iterator

from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfDocument, TrfFirstColour
from ratings.trf.formats import names_format
from ratings.trf.problems import TrfProblem, build_trf_problem


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
