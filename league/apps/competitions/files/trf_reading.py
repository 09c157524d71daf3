"""Tournament report files that users send: bytes in any encoding to a document, or an answer with every faulty line."""

from collections.abc import Sequence
from datetime import date

from league.core.errors import MAX_PROBLEMS, BadFile, Invalid, Problem, build_pointer
from league.core.text.decoding import DecodedText, UnclearEncoding, decode_text
from ratings.trf.document import TrfDocument
from ratings.trf.problems import TrfFaults, TrfProblem, build_trf_problem, locate_problem
from ratings.trf.reading import read_text

MAX_MEGABYTES = 8


class BadTrf(BadFile):
    """A file that cannot be imported. ``trf_problems``: every error, with its column; ``warnings``: the rest."""

    def __init__(self, problems: Sequence[TrfProblem]) -> None:
        self.trf_problems = tuple(problem for problem in problems if problem.is_error)
        self.warnings = tuple(problem for problem in problems if not problem.is_error)
        super().__init__([_build_problem(found) for found in self.trf_problems[:MAX_PROBLEMS]], len(self.trf_problems))


def _build_problem(found: TrfProblem) -> Problem:
    """Return a problem as every error has it."""
    pointer = build_pointer("lines", found.line) if found.line else ""
    return Problem(pointer, found.code, locate_problem(found), found.line or None, found.column or None)


def read_trf(data: bytes, *, encoding: str = "", starts: date | None = None, with_days: bool = True) -> TrfDocument:
    """Return the document of a file; raises BadTrf with all faulty lines.

    ``encoding``, ``starts`` (the first day): if the user states them. ``with_days``: otherwise no days are read.
    Raises UnclearEncoding if the text may be in several encodings.
    """
    if len(data) > MAX_MEGABYTES * 1024 * 1024:
        raise BadTrf([build_trf_problem(0, 0, "too_large", limit=MAX_MEGABYTES)])
    decoded = _decode(data, encoding)
    try:
        return read_text(decoded.text, decoded.encoding, decoded.mark, starts=starts, with_days=with_days)
    except TrfFaults as faults:
        raise BadTrf(faults.problems) from None


def _decode(data: bytes, encoding: str) -> DecodedText:
    """Return the text of a file; raises UnclearEncoding, and BadTrf if it is no text."""
    try:
        return decode_text(data, encoding)
    except UnclearEncoding:
        raise
    except Invalid:
        raise BadTrf([build_trf_problem(0, 0, "not_text")]) from None
