"""Worksheets: the columns of a paper form from which a player's score is computed.

A system that declares a worksheet accepts it with the scores or instead of them. It is stored with the game; the
kernel receives only the score.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ratings.contract.parameters import format_localized, is_number
from ratings.texts import localize_number, say

#: A row of input: some of the fields, None for an empty one.
Given: TypeAlias = Mapping[str, object]
#: A row with every field.
Row: TypeAlias = Mapping[str, float]

#: How far a score may differ from its worksheet: 0.1 + 0.2 counts as 0.3.
SAME_SCORE = 1e-6
MAX_VALUE = 1e9


@dataclass(frozen=True)
class WorksheetField:
    """One column of a worksheet."""

    key: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Worksheet:
    """The columns of a player's worksheet, and the score computed from them.

    ``score`` is a pure function of a complete row. ``derived`` maps a field that follows from the other players' rows
    to the function that computes it (rows in seat order, seat from 0); the field is optional, and checked if given.
    """

    formula: str
    fields: tuple[WorksheetField, ...]
    score: Callable[[Row], float]
    derived: Mapping[str, Callable[[Sequence[Row], int], float]] = field(default_factory=dict)

    def required(self) -> list[WorksheetField]:
        """Return the fields that cannot be derived."""
        return [spec for spec in self.fields if spec.key not in self.derived]


@dataclass(frozen=True)
class WorksheetProblem:
    """A problem at a seat (from 0); ``field`` is empty if it concerns the whole row or the score."""

    seat: int
    code: str
    sentence: str
    field: str = ""


@dataclass(frozen=True)
class FilledWorksheets:
    """Complete worksheets and their scores, in seat order."""

    rows: list[dict[str, float]]
    scores: list[float]


def fill(
    worksheet: Worksheet, rows: Sequence[Given | None], scores: Sequence[float | None]
) -> FilledWorksheets | list[WorksheetProblem]:
    """Return a table's complete worksheets with their scores, or the problems found.

    Each of the ``scores`` that is given must agree with its worksheet.
    """
    problems = [problem for seat, row in enumerate(rows) for problem in check_row(worksheet, seat, row)]
    if problems:
        return problems
    inputs = [{key: float(value) for key, value in (row or {}).items() if is_number(value)} for row in rows]
    filled = []
    for seat, row in enumerate(inputs):
        derived = {key: compute(inputs, seat) for key, compute in worksheet.derived.items()}
        problems += check_derived(worksheet, seat, row, derived)
        filled.append({spec.key: {**row, **derived}[spec.key] + 0.0 for spec in worksheet.fields})
    computed = [worksheet.score(row) + 0.0 for row in filled]
    problems = problems or check_scores(computed, scores)
    return problems or FilledWorksheets(filled, computed)


def check_scores(computed: Sequence[float], scores: Sequence[float | None]) -> list[WorksheetProblem]:
    """Return a problem for each score that disagrees with its worksheet."""
    return [
        WorksheetProblem(
            seat,
            "worksheet",
            say(
                "Seat {seat}: the score is {sent}, but the worksheet gives {score}.",
                seat=seat + 1,
                sent=format_localized(sent),
                score=format_localized(score),
            ),
        )
        for seat, (sent, score) in enumerate(zip(scores, computed, strict=True))
        if sent is not None and abs(sent - score) > SAME_SCORE
    ]


def check_row(worksheet: Worksheet, seat: int, row: Given | None) -> list[WorksheetProblem]:
    """Return the problems of one row."""
    if row is None:
        message = say("Seat {seat} has no worksheet; fill one in for every seat or for none.", seat=seat + 1)
        return [WorksheetProblem(seat, "missing", message)]
    labels = {spec.key: spec.label for spec in worksheet.fields}
    problems = []
    for key, value in row.items():
        if key not in labels:
            message = say(
                "Seat {seat}: the worksheet has no field “{key}”; the fields are: {known}.",
                seat=seat + 1,
                key=key,
                known=", ".join(labels),
            )
            problems.append(WorksheetProblem(seat, "unknown_field", message, key))
        elif value is not None and not (is_number(value) and abs(value) <= MAX_VALUE):
            maximum = localize_number(f"{MAX_VALUE:,.0f}")
            message = say(
                "Seat {seat}: {label} must be a number up to {most}.", seat=seat + 1, label=labels[key], most=maximum
            )
            problems.append(WorksheetProblem(seat, "out_of_bounds", message, key))
    for spec in worksheet.required():
        if row.get(spec.key) is None:
            message = say("Seat {seat}: {label} is missing on the worksheet.", seat=seat + 1, label=spec.label)
            problems.append(WorksheetProblem(seat, "missing", message, spec.key))
    return problems


def check_derived(worksheet: Worksheet, seat: int, row: Row, derived: Row) -> list[WorksheetProblem]:
    """Return a problem for each derived field that disagrees with the others' rows."""
    labels = {spec.key: spec.label for spec in worksheet.fields}
    return [
        WorksheetProblem(
            seat,
            "worksheet",
            say(
                "Seat {seat}: {label} is {sent}, but the other worksheets give {made}.",
                seat=seat + 1,
                label=labels[key],
                sent=format_localized(row[key]),
                made=format_localized(value),
            ),
            key,
        )
        for key, value in derived.items()
        if key in row and abs(row[key] - value) > SAME_SCORE
    ]
