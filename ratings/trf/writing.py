"""Writing a tournament report file. A line that nobody changed is written as it came."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from ratings.contract.competition import PointsTable
from ratings.texts import N_, say
from ratings.trf.document import (
    BYES,
    FIRST_ROUND,
    ROUND_WIDTH,
    TrfAccelerations,
    TrfAward,
    TrfByes,
    TrfCell,
    TrfColumns,
    TrfDocument,
    TrfFirstColour,
    TrfForbidden,
    TrfLine,
    TrfPlayer,
    TrfPoints,
    TrfRoundDates,
    TrfRounds,
    TrfTeam,
    TrfText,
)
from ratings.trf.points import format_points
from ratings.trf.problems import CannotWriteTrf

TrfVersion: TypeAlias = Literal["16", "26"]
#: Tag in TRF16 (with the extensions of pairing programs) -> tag in TRF26, for lines of the same value.
TAGS = {"XXR": "142", "XXC": "152", "XXS": "162", "XXZ": "240", "XXA": "250", "XXP": "260", "013": "310"}
#: Codes of lines 162 and XXS, with one of the points that they set.
CODES_162 = {"W": "win", "D": "draw", "L": "loss", "A": "zero_bye", "P": "pairing_bye", "X": "adjourned"}
CODES_XXS = {
    "W": "win", "D": "draw", "WL": "loss", "BL": "loss", "ZPB": "zero_bye", "HPB": "half_bye", "FPB": "full_bye",
    "PAB": "pairing_bye", "FW": "forfeit_win", "FL": "forfeit_loss",
}  # fmt: skip


def write_trf(document: TrfDocument, *, version: TrfVersion | None = None) -> bytes:
    """Return the file of a document.

    Without a version, each line is of the version in which it came. With one, lines that only the other has are
    written as their counterparts. Raises CannotWriteTrf if a value does not fit its columns.
    """
    text = ""
    for line in document.lines:
        parts = list(_format_line(document, line, version))
        text += (line.end or "\n").join(parts) + line.end * bool(parts)
    try:
        return document.mark + text.encode(document.encoding)
    except UnicodeEncodeError:
        # A changed name may have letters that the encoding of the file lacks.
        return text.encode("utf-8")


def _format_line(document: TrfDocument, line: TrfLine, version: TrfVersion | None) -> Iterator[str]:
    """Yield the lines that a line becomes."""
    tag = _translate_tag(line, version)
    if line.text is not None and tag == line.tag:
        yield line.text
    elif isinstance(line.value, TrfColumns):
        yield f"{tag} {line.value.text}".rstrip()
    else:
        assert line.value is not None
        yield from (part.rstrip() for part in FORMATTERS[tag](tag, line.value, document))


def _translate_tag(line: TrfLine, version: TrfVersion | None) -> str:
    """Return the tag of a line in a version."""
    if line.value is None or version is None:
        return line.tag
    if version == "26":
        return TAGS.get(line.tag, line.tag)
    value = line.value
    # TRF16 has no line for byes of other rounds and kinds, and none for some rounds only.
    if (isinstance(value, TrfByes) and (value.kind != "zero_bye" or value.round)) or line.tag == "310":
        return line.tag
    return {new: old for old, new in TAGS.items()}.get(line.tag, line.tag)


def format_player(player: TrfPlayer) -> str:
    """Return a player's line in its columns."""
    head = (
        f"001 {player.number:>4} {player.sex:1}{player.title:>3} {_fit(player.name, 33):33} "
        f"{player.rating or '':>4} {player.federation:3} {player.fide_id:>11} {player.birth:10} "
    )
    points = "" if player.points is None else _fit_points(player.points)
    cells = "".join(f"  {_format_cell(cell or TrfCell())}" for cell in player.rounds)
    line = f"{head}{points:>4} {player.rank or '':>4}"
    if len(line) != FIRST_ROUND - 3:
        message = N_("The line of player {player} does not fit the columns of the format: “{line}”.")
        raise CannotWriteTrf(say(message, player=player.number, line=line))
    return line + cells


def write_national(nation: str, player: TrfPlayer) -> str:
    """Return the line of a federation for a player, whose columns are those of line 001 up to the birth."""
    return f"{nation}{format_player(player)[3:79]}".rstrip()


def _fit(text: str, width: int) -> str:
    """Return a text cut to a width, without line ends and tabs."""
    return re.sub(r"\s", " ", text)[:width]


def _fit_points(points: Any) -> str:
    """Return points in at most four columns."""
    text = format_points(points)
    if len(text) > 4 and text.endswith(".0"):
        text = text[:-2]
    if len(text) > 4 or "/" in text:
        raise CannotWriteTrf(say("{points} points do not fit the four columns of the format.", points=text))
    return text


def _format_cell(cell: TrfCell) -> str:
    if cell == TrfCell():
        return " " * 8
    return (
        f"{cell.opponent:4} {cell.colour or ' '} {cell.result or ' '}" if cell.opponent else f"0000 - {cell.result:1}"
    )


def _format_text(tag: str, value: TrfText, document: TrfDocument) -> Iterator[str]:
    yield f"{tag} {' '.join(value.text.split())}"


def _format_rounds(tag: str, value: TrfRounds, document: TrfDocument) -> Iterator[str]:
    yield f"{tag} {value.count}"


def _format_dates(tag: str, value: TrfRoundDates, document: TrfDocument) -> Iterator[str]:
    yield f"{tag:{FIRST_ROUND - 1}}" + "".join(f"{day:{ROUND_WIDTH}}" for day in value.dates)


def _format_152(tag: str, value: TrfFirstColour, document: TrfDocument) -> Iterator[str]:
    if value.colour:
        yield f"{tag} {value.colour.upper()}"


def _format_xxc(tag: str, value: TrfFirstColour, document: TrfDocument) -> Iterator[str]:
    words = ["rank"] * value.by_rank + [{"w": "white1", "b": "black1"}[value.colour]] * bool(value.colour)
    yield " ".join([tag, *words])


def _format_162(tag: str, value: TrfPoints, document: TrfDocument) -> Iterator[str]:
    amounts = dict(value.amounts)
    codes = [(code, amounts[name]) for code, name in CODES_162.items() if name in amounts]
    yield f"{tag}  " + "    ".join(f"{code}{_fit_points(points):>4}" for code, points in codes)


def _format_xxs(tag: str, value: TrfPoints, document: TrfDocument) -> Iterator[str]:
    amounts = dict(value.amounts)
    codes = [(code, amounts[name]) for code, name in CODES_XXS.items() if name in amounts]
    yield " ".join([tag, *(f"{code}={_fit_points(points)}" for code, points in codes)])


def _format_xxz(tag: str, value: TrfByes, document: TrfDocument) -> Iterator[str]:
    yield " ".join([tag, *map(str, value.players)])


def _format_240(tag: str, value: TrfByes, document: TrfDocument) -> Iterator[str]:
    code = next(code for code, kind in BYES.items() if kind == value.kind)
    number = value.round or document.paired_rounds + 1
    yield f"{tag} {code} {number:03} " + " ".join(f"{player:4}" for player in value.players)


def _format_xxa(tag: str, value: TrfAccelerations, document: TrfDocument) -> Iterator[str]:
    """Yield a line for each player, with the points of all its rounds."""
    by_player: dict[int, dict[int, str]] = {}
    for run in value.runs:
        for player in range(run.first_player, run.last_player + 1):
            rounds = range(run.first_round, run.last_round + 1)
            by_player.setdefault(player, {}).update(dict.fromkeys(rounds, f"{_fit_points(run.points):>4}"))
    for player, points in by_player.items():
        cells = " ".join(points.get(number, "    ") for number in range(1, max(points) + 1))
        yield f"{tag} {player:4} {cells}"


def _format_250(tag: str, value: TrfAccelerations, document: TrfDocument) -> Iterator[str]:
    for run in value.runs:
        rounds = f"{run.first_round:03} {run.last_round:03} {run.first_player:04} {run.last_player:04}"
        yield f"{tag}      {_fit_points(run.points):>4} {rounds}"


def _format_xxp(tag: str, value: TrfForbidden, document: TrfDocument) -> Iterator[str]:
    yield " ".join([tag, *map(str, value.players)])


def _format_260(tag: str, value: TrfForbidden, document: TrfDocument) -> Iterator[str]:
    last = value.last_round or max(document.planned_rounds, document.paired_rounds + 1)
    players = " ".join(f"{player:4}" for player in value.players)
    yield f"{tag} {value.first_round or 1:03} {last:03} {players}"


def _format_299(tag: str, value: TrfAward, document: TrfDocument) -> Iterator[str]:
    players = " ".join(f"{player:4}" for player in value.players)
    yield f"{tag} {value.code or ' '}        {_fit_points(value.points):>4}  {value.round or '':>3} {players}"


def _format_310(tag: str, value: TrfTeam, document: TrfDocument) -> Iterator[str]:
    number = value.number or 1 + [team.name for team in document.list_values(TrfTeam)].index(value.name)
    match, board = ("" if one is None else _fit_points(one) for one in (value.points, value.board_points))
    yield (
        f"{tag} {number:3} {_fit(value.name, 32):32} {_fit(value.nickname, 5):5} {value.strength or '':>6} "
        f"{match:>6} {board:>6} {value.rank or '':>3}  " + " ".join(f"{player:4}" for player in value.players)
    )


def _format_player(tag: str, value: TrfPlayer, document: TrfDocument) -> Iterator[str]:
    yield format_player(value)


FORMATTERS: dict[str, Callable[[str, Any, TrfDocument], Iterator[str]]] = {
    **dict.fromkeys(("012", "022", "032", "042", "052", "062", "072", "082", "092"), _format_text),
    **dict.fromkeys(("102", "112", "122", "172", "182", "192", "202", "212", "222", "###"), _format_text),
    "001": _format_player,
    "132": _format_dates,
    "142": _format_rounds,
    "XXR": _format_rounds,
    "152": _format_152,
    "XXC": _format_xxc,
    "162": _format_162,
    "XXS": _format_xxs,
    "240": _format_240,
    "XXZ": _format_xxz,
    "250": _format_250,
    "XXA": _format_xxa,
    "260": _format_260,
    "XXP": _format_xxp,
    "299": _format_299,
    "310": _format_310,
}


def list_points(table: PointsTable, *, adjourned: bool = False) -> TrfPoints:
    """Return the points of a table as a line's value; ``adjourned``: with those of a game without a result."""
    amounts = tuple((name, getattr(table, name)) for name in dict.fromkeys(CODES_XXS.values()))
    return TrfPoints((*amounts, ("adjourned", table.draw)) if adjourned else amounts)
