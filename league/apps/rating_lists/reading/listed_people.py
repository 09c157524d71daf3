"""What the readers of lists have in common: the row of a person, and its checks."""

from collections.abc import Mapping
from typing import NamedTuple

from league.core.text.names import NAME_LENGTH, is_storable

MAX_NUMBER_LENGTH, MAX_CLUB_LENGTH, MAX_SHORT = 20, 80, 10
#: Larger ratings, years and numbers of games are errors of a list.
MAX_VALUE = 9999
#: Text -> number: a list has twenty million of them.
VALUES = {"": 0, **{str(value): value for value in range(MAX_VALUE + 1)}}
#: The numbers of a row, in the order of its columns.
NUMBERS = (
    "standard", "standard_games", "standard_k", "rapid", "rapid_games", "rapid_k", "blitz", "blitz_games", "blitz_k",
)  # fmt: skip
SEXES = {"M": "m", "F": "w", "W": "w"}


class ListedValues(NamedTuple):
    """The values of a person, in the order of the columns of ``ListedRow``."""

    number: str
    name: str
    federation: str
    sex: str
    title: str
    born: int
    club: str
    is_inactive: bool
    standard: int
    standard_games: int
    standard_k: int
    rapid: int
    rapid_games: int
    rapid_k: int
    blitz: int
    blitz_games: int
    blitz_k: int


class UnreadablePerson(NamedTuple):
    """A line of a list that is no person, and why, as the end of a sentence."""

    line: int
    why: str


class ListProblem(Exception):
    """Why a file is not loaded, as a sentence for the operator."""


class LineFault(Exception):
    """Why a line is no person."""


def build_values(cells: Mapping[str, str]) -> ListedValues:
    """Return the values of a person's cells, named as in ``ListedValues``, with ``flag`` and ``w_title``.

    Raises LineFault.
    """
    number, name = cells.get("number", ""), cells.get("name", "")
    if not number or len(number) > MAX_NUMBER_LENGTH or not number.isascii() or not number.isalnum():
        raise LineFault(f"“{number[:30]}” is no id")
    if not name:
        raise LineFault("the name is missing")
    if len(name) > NAME_LENGTH or not is_storable(name):
        raise LineFault("the name cannot be stored")
    try:
        numbers = [VALUES[cells.get(column, "")] for column in NUMBERS]
    except KeyError as error:
        raise LineFault(f"“{error.args[0][:30]}” is no number up to {MAX_VALUE}") from None
    flag = cells.get("flag", "").lower()
    sex = SEXES.get(cells.get("sex", "").upper(), "w" if "w" in flag else "")
    return ListedValues(
        number,
        name,
        cells.get("federation", "")[:MAX_SHORT],
        sex,
        (cells.get("title", "") or cells.get("w_title", ""))[:MAX_SHORT].upper(),
        # A birthday is a year, or begins or ends with one: 1990, 1990-05-01, 01.05.1990.
        _read_year(cells.get("born", "")),
        cells.get("club", "")[:MAX_CLUB_LENGTH],
        "i" in flag,
        *numbers,
    )


def _read_year(text: str) -> int:
    for year in (text[:4], text[-4:]):
        if len(year) == 4 and year.isascii() and year.isdigit():
            return int(year)
    if text.strip("0-. "):
        raise LineFault(f"“{text[:30]}” has no year")
    return 0
