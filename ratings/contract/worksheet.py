"""A worksheet: what is in the columns of a paper, of which a player's score is made.

A system that declares one takes it beside the scores or in their place. It is a fact of the game; the
sums see the score only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ratings.contract.parameters import is_number, shown
from ratings.texts import localised, say

#: A row as it was sent: some of the fields, None for one that is empty.
Given: TypeAlias = Mapping[str, object]
#: A row with every field.
Row: TypeAlias = Mapping[str, float]

#: A score that was sent beside a worksheet may differ from it by so much: 0.1 and 0.2 make 0.3.
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
    """The columns of each player's worksheet, and the score that they make.

    ``score`` is a pure function of one row with every field. ``derived`` maps a field that follows from
    the rows of the others to what gives it (rows in seat order, seat from 0): it may be left out, and is checked
    where it is not.
    """

    formula: str
    fields: tuple[WorksheetField, ...]
    score: Callable[[Row], float]
    derived: Mapping[str, Callable[[Sequence[Row], int], float]] = field(default_factory=dict)

    def required(self) -> list[WorksheetField]:
        """Return the fields that no other one gives."""
        return [spec for spec in self.fields if spec.key not in self.derived]


@dataclass(frozen=True)
class WorksheetProblem:
    """What is wrong with a seat (from 0); ``field`` is empty if the whole row or the score is meant."""

    seat: int
    code: str
    sentence: str
    field: str = ""


@dataclass(frozen=True)
class FilledWorksheets:
    """Worksheets with every field, and the score that each makes; in seat order."""

    rows: list[dict[str, float]]
    scores: list[float]


def fill(
    worksheet: Worksheet, rows: Sequence[Given | None], scores: Sequence[float | None]
) -> FilledWorksheets | list[WorksheetProblem]:
    """Return the worksheets of a table with their scores, or what is wrong with them.

    ``scores`` are those that were sent beside; each must be the one that its worksheet makes.
    """
    problems = [problem for seat, row in enumerate(rows) for problem in check_row(worksheet, seat, row)]
    if problems:
        return problems
    given = [{key: float(value) for key, value in (row or {}).items() if is_number(value)} for row in rows]
    filled = []
    for seat, row in enumerate(given):
        whole = {key: give(given, seat) for key, give in worksheet.derived.items()}
        problems += check_derived(worksheet, seat, row, whole)
        filled.append({spec.key: {**row, **whole}[spec.key] + 0.0 for spec in worksheet.fields})
    made = [worksheet.score(row) + 0.0 for row in filled]
    problems = problems or check_scores(made, scores)
    return problems or FilledWorksheets(filled, made)


def check_scores(made: Sequence[float], scores: Sequence[float | None]) -> list[WorksheetProblem]:
    """Return at which seats another score was sent than the worksheet makes."""
    return [
        WorksheetProblem(
            seat,
            "worksheet",
            say(
                "Seat {seat}: the score is {sent}, but the worksheet makes {score}.",
                seat=seat + 1,
                sent=shown(sent),
                score=shown(score),
            ),
        )
        for seat, (sent, score) in enumerate(zip(scores, made, strict=True))
        if sent is not None and abs(sent - score) > SAME_SCORE
    ]


def check_row(worksheet: Worksheet, seat: int, row: Given | None) -> list[WorksheetProblem]:
    """Return what is wrong with one row by itself."""
    if row is None:
        sentence = say("Seat {seat} has no worksheet; fill one in at every seat, or at none.", seat=seat + 1)
        return [WorksheetProblem(seat, "missing", sentence)]
    labels = {spec.key: spec.label for spec in worksheet.fields}
    problems = []
    for key, value in row.items():
        if key not in labels:
            sentence = say(
                "Seat {seat}: the worksheet has no field “{key}”; it has: {known}.",
                seat=seat + 1,
                key=key,
                known=", ".join(labels),
            )
            problems.append(WorksheetProblem(seat, "unknown_field", sentence, key))
        elif value is not None and not (is_number(value) and abs(value) <= MAX_VALUE):
            most = localised(f"{MAX_VALUE:,.0f}")
            sentence = say(
                "Seat {seat}: {label} must be a number up to {most}.", seat=seat + 1, label=labels[key], most=most
            )
            problems.append(WorksheetProblem(seat, "out_of_bounds", sentence, key))
    for spec in worksheet.required():
        if row.get(spec.key) is None:
            sentence = say("Seat {seat}: {label} of the worksheet is missing.", seat=seat + 1, label=spec.label)
            problems.append(WorksheetProblem(seat, "missing", sentence, spec.key))
    return problems


def check_derived(worksheet: Worksheet, seat: int, row: Row, derived: Row) -> list[WorksheetProblem]:
    """Return which fields of a row are not what the others' rows give."""
    labels = {spec.key: spec.label for spec in worksheet.fields}
    return [
        WorksheetProblem(
            seat,
            "worksheet",
            say(
                "Seat {seat}: {label} is {sent}, but the other worksheets make {made}.",
                seat=seat + 1,
                label=labels[key],
                sent=shown(row[key]),
                made=shown(value),
            ),
            key,
        )
        for key, value in derived.items()
        if key in row and abs(row[key] - value) > SAME_SCORE
    ]
