"""The lines of players (001) of a tournament report file."""

import re
import unicodedata
from collections.abc import Iterator
from sys import intern

from ratings.trf.document import (
    ADJOURNED,
    BYES,
    COLOUR_AT,
    FIRST_ROUND,
    MAX_ROUNDS,
    PLAYED,
    RESULT_AT,
    ROUND_WIDTH,
    UNOPPOSED,
    UNRATED,
    TrfCell,
    TrfPlayer,
)
from ratings.trf.fields import ReportProblem, parse_points, parse_whole, read_points, read_whole

#: Titles as some programs write them.
TITLES = {
    "g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM",
    **{title.lower(): title for title in ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")},
}  # fmt: skip
BIRTH = re.compile(r"\d{4}([/.-]\d{2}[/.-]\d{2})?|\d{2}[/.-]\d{2}[/.-]\d{4}", re.ASCII)
#: Columns that are blank in every line of a player.
BLANKS = (4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91)
RESULTS = frozenset(PLAYED + UNRATED) | UNOPPOSED.keys()
#: Takes the place of the columns that a wide character occupies in the files of some programs.
FILLER = "\ue000"


def parse_player(line: str, report: ReportProblem) -> TrfPlayer | None:
    """Return a player, None if the line has no start number."""
    text = lay_out(line)
    for column in BLANKS:
        if text[column - 1 : column].strip():
            report(column, "columns")
            break
    number = parse_whole(text[4:8].strip())
    if not number:
        report(5, "start_number", text=text[4:8].strip())
        return None
    name = text[14:47].replace(FILLER, "").strip()
    if not name:
        report(15, "name_missing")
    rating = read_whole(text, 49, 52, report)
    if not rating:
        report(49, "rating_missing")
    return TrfPlayer(
        number,
        name,
        _read_known(text, 10, 10, "mwfu", report),
        _read_title(text, report),
        rating or None,
        text[53:56].strip(),
        _read_fide_id(text, report),
        _read_birth(text, report),
        read_points(text, 81, 84, report),
        read_whole(text, 86, 89, report) or None,
        tuple(_list_cells(text.rstrip(), number, report)),
    )


def lay_out(line: str) -> str:
    """Return a line with its fields in their columns, whatever its program counted: letters, bytes or widths."""
    if line.isascii():
        return line
    composed = unicodedata.normalize("NFC", line)
    layouts = (
        line,
        composed,
        "".join(letter + FILLER * (len(letter.encode()) - 1) for letter in line),
        "".join(letter + FILLER * (unicodedata.east_asian_width(letter) in "WF") for letter in line),
    )
    return next(filter(_is_aligned, layouts), line)


def _is_aligned(text: str) -> bool:
    """Return whether blanks and points are in their columns."""
    points = text[80:84].strip()
    return not any(text[column - 1 : column].strip() for column in BLANKS) and (
        not points or parse_points(points) is not None
    )


def _read_known(text: str, first: int, last: int, known: str, report: ReportProblem) -> str:
    found = text[first - 1 : last].strip().lower()
    if found not in known:
        report(first, "unusual", text=found)
    return found


def _read_title(text: str, report: ReportProblem) -> str:
    found = text[10:13].strip()
    title = TITLES.get(found.lower(), found)
    if title and title not in TITLES.values():
        report(11, "unusual", text=title)
    return title


def _read_fide_id(text: str, report: ReportProblem) -> str:
    found = text[57:68].strip()
    if found and not found.isdecimal():
        report(58, "unusual", text=found)
    return "" if found.strip("0") == "" else found


def _read_birth(text: str, report: ReportProblem) -> str:
    found = text[69:79].strip()
    if found and not BIRTH.fullmatch(found):
        report(70, "unusual", text=found)
    return found


def _list_cells(text: str, player: int, report: ReportProblem) -> Iterator[TrfCell | None]:
    """Yield the cells of the rounds."""
    for number, start in enumerate(range(FIRST_ROUND - 1, len(text), ROUND_WIDTH), 1):
        if number > MAX_ROUNDS:
            report(start + 1, "too_many_rounds", count=number, rounds=MAX_ROUNDS)
            return
        yield _read_cell(text[start : start + ROUND_WIDTH], start + 1, player, report)


def _read_cell(text: str, column: int, player: int, report: ReportProblem) -> TrfCell | None:
    """Return a round's cell; ``text`` goes on to the next cell."""
    if not text.strip():
        return TrfCell()
    opponent_text, colour, result = text[:4].strip(), text[COLOUR_AT : COLOUR_AT + 1].strip().lower(), text[RESULT_AT:8]
    opponent, result = parse_whole(opponent_text) if opponent_text else 0, result.strip().upper()
    shifted = next((blank for blank in (4, 6, 8, 9) if text[blank : blank + 1].strip()), 0)
    if shifted:
        report(column + shifted, "columns")
    elif opponent is None:
        report(column, "number", text=opponent_text)
    elif colour not in ("", "w", "b", "-"):
        report(column + COLOUR_AT, "colour", text=colour)
    elif result and result not in RESULTS and not (opponent and result in ADJOURNED):
        report(column + RESULT_AT, "result", text=result)
    elif problem := _find_contradiction(opponent, result, player):
        report(column, problem, result=result, player=player)
    else:
        sign = ADJOURNED[0] if result and result in ADJOURNED else result
        return TrfCell(opponent, intern(colour.strip("-")), intern(sign))
    return None


def _find_contradiction(opponent: int, result: str, player: int) -> str:
    """Return the code of what is wrong between opponent and result, "" if nothing is."""
    if opponent == player:
        return "own_opponent"
    if opponent and result in BYES:
        return "bye_with_opponent"
    return "no_opponent" if not opponent and result and result not in UNOPPOSED else ""
