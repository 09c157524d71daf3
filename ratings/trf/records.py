"""The lines of a tournament report file other than players. Each parser returns None if only the text counts."""

import re
from collections.abc import Callable
from fractions import Fraction

from ratings.trf.document import (
    AT_THE_END,
    BYES,
    FIRST_ROUND,
    MAX_ROUNDS,
    ROUND_WIDTH,
    TrfAcceleration,
    TrfAccelerations,
    TrfAward,
    TrfByes,
    TrfFirstColour,
    TrfForbidden,
    TrfPoints,
    TrfRoundDates,
    TrfRounds,
    TrfTeam,
    TrfText,
    TrfValue,
)
from ratings.trf.fields import (
    ReportProblem,
    list_words,
    parse_points,
    parse_whole,
    read_numbers,
    read_points,
    read_whole,
)
from ratings.trf.players import parse_player

#: Code of a line 162 -> the points that it sets.
POINTS_162 = {
    "W": ("win", "forfeit_win", "full_bye"),
    "D": ("draw", "half_bye"),
    "L": ("loss",),
    "A": ("zero_bye", "forfeit_loss"),
    "P": ("pairing_bye",),
    "X": (),
}
#: Code of a line XXS -> the points that it sets. Codes of colours come in pairs.
POINTS_XXS = {
    "WW": ("win",), "BW": ("win",), "WD": ("draw",), "BD": ("draw",), "WL": ("loss",), "BL": ("loss",),
    "ZPB": ("zero_bye",), "HPB": ("half_bye",), "FPB": ("full_bye",), "PAB": ("pairing_bye",),
    "FW": ("forfeit_win",), "FL": ("forfeit_loss",), "W": POINTS_162["W"], "D": POINTS_162["D"],
}  # fmt: skip
#: Codes of line 299 for results and byes.
AWARDS = frozenset("WDLFHZU+-")
#: A day in a line of several: numbers with or without blanks behind them, or words.
DATE = re.compile(r"\d{4}([/.-])\d\d?\1\d\d?|\d\d?([/.-])\d\d?\2(\d{4}|\d\d)|\S+( \S+)*", re.ASCII)


def parse_text(text: str, report: ReportProblem) -> TrfText:
    """Return the text from column 5 on."""
    return TrfText(text[4:].strip())


def parse_count(text: str, report: ReportProblem) -> TrfText:
    """Return the text of a line that begins with a count."""
    found = text[4:].strip()
    words = found.split()
    if words and parse_whole(words[0]) is None:
        report(5, "unusual", text=words[0])
    return TrfText(found)


def parse_rounds(text: str, report: ReportProblem) -> TrfRounds | None:
    """Return the number of rounds."""
    found = text[4:].strip()
    count = parse_whole(found)
    if not count or count > MAX_ROUNDS:
        report(5, "round_number", limit=MAX_ROUNDS, text=found)
        return None
    return TrfRounds(count)


def parse_round_dates(text: str, report: ReportProblem) -> TrfRoundDates:
    """Return the dates of the rounds."""
    found = {match.start() + 1: match.group() for match in DATE.finditer(text, 4)}
    if not found:
        return TrfRoundDates(())
    # Lines may be shifted as a whole: then the distances between days still tell their rounds.
    shift = (min(found) - FIRST_ROUND + ROUND_WIDTH // 2 - 1) % ROUND_WIDTH - ROUND_WIDTH // 2 + 1
    places = [divmod(column - shift - FIRST_ROUND, ROUND_WIDTH) for column in found]
    if any(number < 0 or rest for number, rest in places):
        return TrfRoundDates(tuple(found.values()))
    by_round = {number: text for (number, _rest), text in zip(places, found.values(), strict=True)}
    return TrfRoundDates(tuple(by_round.get(number, "") for number in range(max(by_round) + 1)))


def parse_xxc(text: str, report: ReportProblem) -> TrfFirstColour:
    """Return the first colour of a line such as ``XXC rank white1``."""
    words = [word.lower() for _, word in list_words(text, 5)]
    for column, word in list_words(text, 5):
        if word.lower() not in ("white1", "black1", "rank"):
            report(column, "unusual", text=word)
    colour = "w" if "white1" in words else "b" if "black1" in words else ""
    return TrfFirstColour(colour, by_rank="rank" in words)


def parse_152(text: str, report: ReportProblem) -> TrfFirstColour | None:
    """Return the first colour."""
    found = text[4:].strip()
    if found.lower() not in ("w", "b"):
        report(5, "first_colour", text=found)
        return None
    return TrfFirstColour(found.lower())


def parse_162(text: str, report: ReportProblem) -> TrfPoints | None:
    """Return the points of a line such as ``162  W 3.0    D 1.0``; columns 6, 15, 24 … have the codes."""
    amounts: dict[str, Fraction] = {}
    for start in range(5, len(text.rstrip()), 9):
        code, points = text[start].upper(), read_points(text, start + 2, start + 5, report)
        if code == " " and points is None:
            continue
        if code not in POINTS_162:
            report(start + 1, "points_code", text=text[start])
            return None
        if points is None:
            report(start + 2, "number", text=text[start + 1 : start + 5].strip())
            return None
        amounts |= dict.fromkeys(POINTS_162[code], points)
        # A pairing-allocated bye has the points of a win, wherever the line sets them.
        if code == "W":
            amounts = {"pairing_bye": points} | amounts
    return TrfPoints(tuple(amounts.items()))


def parse_xxs(text: str, report: ReportProblem) -> TrfPoints | None:
    """Return the points of a line such as ``XXS W=3 D=1``."""
    amounts: dict[str, Fraction] = {}
    by_code: dict[str, Fraction] = {}
    for column, word in list_words(text, 5):
        code, _, amount = word.upper().partition("=")
        points = parse_points(amount)
        if code not in POINTS_XXS:
            report(column, "points_code", text=word)
            return None
        if points is None:
            report(column + len(code) + 1, "number", text=amount)
            return None
        amounts |= dict.fromkeys(POINTS_XXS[code], points)
        by_code[code] = points
    for white, black in (("WW", "BW"), ("WD", "BD"), ("WL", "BL")):
        if white in by_code and black in by_code and by_code[white] != by_code[black]:
            report(5, "points_by_colour")
            return None
    return TrfPoints(tuple(amounts.items()))


def parse_xxz(text: str, report: ReportProblem) -> TrfByes:
    """Return the players who are absent in the round to be paired."""
    return TrfByes("zero_bye", 0, read_numbers(text, 5, report))


def parse_240(text: str, report: ReportProblem) -> TrfByes | None:
    """Return the byes of a kind in a round."""
    kind = BYES.get(text[4:5].upper())
    if kind is None or kind == "pairing_bye":
        report(5, "bye_kind", text=text[4:5].strip())
        return None
    number = _read_round(text, 7, 9, report)
    return TrfByes(kind, number, read_numbers(text, 10, report)) if number else None


def _read_round(text: str, first: int, last: int, report: ReportProblem) -> int:
    """Return the round in some columns, 0 if there is none."""
    found = text[first - 1 : last].strip()
    number = parse_whole(found)
    if not number or number > MAX_ROUNDS:
        report(first, "round_number", limit=MAX_ROUNDS, text=found)
        return 0
    return number


def parse_xxa(text: str, report: ReportProblem) -> TrfAccelerations | None:
    """Return a player's accelerations; equal points in rounds that follow each other are one."""
    player = parse_whole(text[4:8].strip())
    if not player:
        report(5, "start_number", text=text[4:8].strip())
        return None
    runs: list[TrfAcceleration] = []
    for number, start in enumerate(range(9, len(text.rstrip()), 5), 1):
        points = read_points(text, start + 1, start + 4, report)
        if not points:
            continue
        last = runs[-1] if runs else None
        if last and last.points == points and last.last_round == number - 1:
            runs[-1] = TrfAcceleration(points, last.first_round, number, player, player)
        else:
            runs.append(TrfAcceleration(points, number, number, player, player))
    return TrfAccelerations(tuple(runs))


def parse_250(text: str, report: ReportProblem) -> TrfAccelerations | None:
    """Return an acceleration of several players."""
    points = read_points(text, 10, 13, report)
    first_round = _read_round(text, 15, 17, report)
    last_round = _read_round(text, 19, 21, report) if text[18:21].strip() else first_round
    players = [parse_whole(text[start : start + 4].strip()) for start in (22, 27)]
    if not players[0]:
        report(23, "start_number", text=text[22:26].strip())
    if points is None or not (first_round and last_round and players[0]):
        return None
    return TrfAccelerations((TrfAcceleration(points, first_round, last_round, players[0], players[1] or players[0]),))


def parse_xxp(text: str, report: ReportProblem) -> TrfForbidden | None:
    """Return players who must not meet in any round."""
    return _build_forbidden(read_numbers(text, 5, report), 0, 0, report)


def parse_260(text: str, report: ReportProblem) -> TrfForbidden | None:
    """Return players who must not meet in some rounds."""
    first = _read_round(text, 5, 7, report)
    last = _read_round(text, 9, 11, report) if text[8:11].strip() else first
    players = read_numbers(text, 12, report)
    return _build_forbidden(players, first, last, report) if first and last else None


def _build_forbidden(players: tuple[int, ...], first: int, last: int, report: ReportProblem) -> TrfForbidden | None:
    if len(players) < 2:
        report(0, "too_few_players")
        return None
    return TrfForbidden(players, first, last)


def parse_299(text: str, report: ReportProblem) -> TrfAward | None:
    """Return points that were awarded."""
    code, number = text[4:5].strip().upper(), text[19:22].strip()
    points = read_points(text, 14, 17, report)
    if code and code not in AWARDS:
        report(5, "points_code", text=code)
        return None
    if points is None:
        report(14, "number", text="")
        return None
    if number == str(AT_THE_END):
        award_round = 0 if code else AT_THE_END
    else:
        award_round = 0 if number in ("", "0", "00", "000") else _read_round(text, 20, 22, report)
    return TrfAward(code, points, award_round, read_numbers(text, 23, report))


def parse_013(text: str, report: ReportProblem) -> TrfTeam:
    """Return a team and its players."""
    return TrfTeam(text[4:36].strip(), read_numbers(text, 37, report))


def parse_310(text: str, report: ReportProblem) -> TrfTeam:
    """Return a team with its points and rank, and its players."""
    return TrfTeam(
        text[8:40].strip(),
        read_numbers(text, 73, report),
        read_whole(text, 5, 7, report) or 0,
        text[41:46].strip(),
        read_whole(text, 48, 53, report),
        read_points(text, 55, 60, report),
        read_points(text, 62, 67, report),
        read_whole(text, 69, 71, report),
    )


def parse_nothing(text: str, report: ReportProblem) -> None:
    """Keep the text of a line that needs no value."""


PARSERS: dict[str, Callable[[str, ReportProblem], TrfValue | None]] = {
    **dict.fromkeys(("012", "022", "032", "042", "052", "092", "102", "112", "122"), parse_text),
    **dict.fromkeys(("182", "192", "202", "212", "222"), parse_text),
    **dict.fromkeys(("062", "072", "082"), parse_count),
    **dict.fromkeys(("###", "172", "300", "320", "330", "352", "362", "801", "802"), parse_nothing),
    "001": parse_player,
    "013": parse_013,
    "132": parse_round_dates,
    "142": parse_rounds,
    "XXR": parse_rounds,
    "152": parse_152,
    "XXC": parse_xxc,
    "162": parse_162,
    "XXS": parse_xxs,
    "240": parse_240,
    "XXZ": parse_xxz,
    "250": parse_250,
    "XXA": parse_xxa,
    "260": parse_260,
    "XXP": parse_xxp,
    "299": parse_299,
    "310": parse_310,
}
#: Lines with several fields in fixed columns.
IN_COLUMNS = frozenset(("001", "013", "132", "162", "240", "250", "XXA", "260", "299", "310"))
#: Lines that may occur several times.
REPEATED = frozenset((
    "###", "001", "013", "112", "XXC", "162", "XXS", "240", "XXZ", "250", "XXA", "260", "XXP", "299", "300", "310",
    "330", "801", "802",
))  # fmt: skip
