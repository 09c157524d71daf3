"""Fields of a line in fixed columns: numbers, points, lists of players."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

POINTS = re.compile(r"[-+]?(\d{1,5}([.,]\d{0,4})?|[.,]\d{1,4})", re.ASCII)
NUMBER = re.compile(r"\d{1,4}", re.ASCII)
WORD = re.compile(r"[^\s,/]+")


class ReportProblem(Protocol):
    """Reports a problem of the line that is being read."""

    def __call__(self, column: int, code: str, **values: object) -> None:
        """Report a problem at a column, from 1."""


@lru_cache(maxsize=4096)
def parse_points(text: str) -> Fraction | None:
    """Return a number of points, None if the text is none."""
    return Fraction(text.replace(",", ".")) if POINTS.fullmatch(text) else None


def parse_whole(text: str) -> int | None:
    """Return a whole number of at most four digits, None if the text is none."""
    return int(text) if NUMBER.fullmatch(text) else None


def read_points(text: str, first: int, last: int, report: ReportProblem) -> Fraction | None:
    """Return the points in some columns; blank is None."""
    part = text[first - 1 : last].strip()
    points = parse_points(part) if part else None
    if part and points is None:
        report(first, "number", text=part)
    return points


def read_whole(text: str, first: int, last: int, report: ReportProblem) -> int | None:
    """Return the whole number in some columns; blank is None."""
    part = text[first - 1 : last].strip()
    number = parse_whole(part) if part else None
    if part and number is None:
        report(first, "number", text=part)
    return number


def list_words(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield the words from a column on, with their columns."""
    return ((match.start() + 1, match.group()) for match in WORD.finditer(text, first - 1))


def read_numbers(text: str, first: int, report: ReportProblem) -> tuple[int, ...]:
    """Return the numbers of a list that begins at a column. Zeros stand for nobody."""
    numbers = []
    for column, word in list_words(text, first):
        number = parse_whole(word)
        if number is None:
            report(column, "number", text=word)
        elif number:
            numbers.append(number)
    return tuple(numbers)
