"""Reads the list of a national federation: CSV whose columns the operator names."""

import csv
from collections.abc import Iterator, Mapping
from typing import IO

from league.apps.rating_lists.reading.listed_people import (
    NUMBERS,
    LineFault,
    ListedValues,
    ListProblem,
    UnreadablePerson,
    build_values,
)

#: What a column can be.
MEANINGS = ("number", "name", "federation", "sex", "title", "born", "club", "flag", *NUMBERS)
#: The encodings that are tried; the last one reads everything.
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
SAMPLE = 200_000


def read_table(source: IO[bytes], columns: Mapping[str, str]) -> Iterator[tuple[int, ListedValues] | UnreadablePerson]:
    """Yield line and values of each person; ``columns``: meaning -> title of the column. Raises ListProblem."""
    sample = source.read(SAMPLE)
    encoding = _find_encoding(sample)
    separator = max(";\t,", key=sample.splitlines()[0].decode(encoding).count) if sample else ","
    source.seek(0)
    reader = csv.reader((line.decode(encoding, "replace") for line in source), delimiter=separator)
    places = _find_places([title.strip() for title in next(reader, [])], columns)
    for cells in reader:
        if not any(cells):
            continue
        try:
            yield (
                reader.line_num,
                build_values({name: cells[at].strip() for name, at in places.items() if at < len(cells)}),
            )
        except LineFault as fault:
            yield UnreadablePerson(reader.line_num, str(fault))


def _find_encoding(sample: bytes) -> str:
    for encoding in ENCODINGS[:-1]:
        try:
            # The last letter of the sample may be cut.
            sample[:-4].decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return ENCODINGS[-1]


def _find_places(titles: list[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Return meaning -> place of the column; raises ListProblem."""
    if unknown := [name for name in columns if name not in MEANINGS]:
        raise ListProblem(f"A column cannot be “{unknown[0]}”, only {', '.join(MEANINGS)}.")
    if missing := [title for title in columns.values() if title not in titles]:
        raise ListProblem(f"The file has no column “{missing[0]}”. Its columns are: {', '.join(titles)[:300]}.")
    if missing := [name for name in ("number", "name") if name not in columns]:
        raise ListProblem(f"Name the column of the {missing[0]}: --column {missing[0]}=TITLE.")
    return {name: titles.index(title) for name, title in columns.items()}
