"""Reads FIDE's list as text: fixed columns, whose places its first line shows.

Source: the lists that FIDE publishes. Older ones lack columns; one of a single kind of ratings has its month as the
title of the rating ("NOV26"), which is read as the standard rating.
"""

import re
from collections.abc import Iterable, Iterator

from league.apps.rating_lists.reading.listed_people import (
    LineFault,
    ListedValues,
    ListProblem,
    UnreadablePerson,
    build_values,
)

TITLES = {
    "ID Number": "number", "Name": "name", "Fed": "federation", "Sex": "sex", "Tit": "title", "WTit": "w_title",
    "SRtng": "standard", "SGm": "standard_games", "SK": "standard_k", "RRtng": "rapid", "RGm": "rapid_games",
    "Rk": "rapid_k", "BRtng": "blitz", "BGm": "blitz_games", "BK": "blitz_k", "B-day": "born", "Flag": "flag",
    "Gms": "standard_games", "K": "standard_k",
}  # fmt: skip
HEADING = re.compile(r"ID Number|\S+")
MONTH = re.compile(r"[A-Z]{3}\d\d")


def read_fide_text(lines: Iterable[bytes]) -> Iterator[tuple[int, ListedValues] | UnreadablePerson]:
    """Yield line and values of each person, and the lines that are none; raises ListProblem."""
    numbered = enumerate(lines, start=1)
    _first, titles = next(numbered, (1, b""))
    columns = _find_columns(_decode(titles).rstrip())
    for number, data in numbered:
        line = _decode(data).rstrip()
        if not line:
            continue
        try:
            yield number, build_values({name: line[start:end].strip() for name, start, end in columns})
        except LineFault as fault:
            yield UnreadablePerson(number, str(fault))


def _find_columns(titles: str) -> list[tuple[str, int, int | None]]:
    """Return name, start and end of each column that is read."""
    found = list(HEADING.finditer(titles))
    starts = [match.start() for match in found]
    ends = [*starts[1:], None]
    columns = [
        ("standard" if MONTH.fullmatch(match.group()) else TITLES.get(match.group(), ""), start, end)
        for match, start, end in zip(found, starts, ends, strict=True)
    ]
    if not {"number", "name", "federation"} <= {name for name, _start, _end in columns}:
        raise ListProblem(
            "The first line is not that of FIDE's list: it must have the titles “ID Number”, “Name” and “Fed”."
        )
    return [column for column in columns if column[0]]


def _decode(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
