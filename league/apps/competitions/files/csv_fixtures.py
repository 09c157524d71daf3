"""CSV of fixtures: one line each, with its players, result, time and venue."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

from django.utils.translation import gettext as _

from league.apps.competitions.files.fixture_plan import PLANNED_TIMES, WHEN, WHICH, FixturePlan, get_outside_name
from league.core.calendar import LATEST
from league.core.errors import Invalid, Problems
from league.core.text.cell_rows import CellRows, simplify_heading
from league.core.text.csv_rows import render_csv
from league.core.text.decoding import open_text
from league.core.text.names import is_no_player
from league.core.text.numbers import UnclearText
from league.core.text.spreadsheet_cells import unquote_cell
from league.core.text.written_days import DayOrder, UnclearOrder, find_day_order, read_moment

MAX_MEGABYTES, MAX_SEATS, MAX_TABLE, MAX_ROUND = 8, 8, 9999, 100
KINDS = ("game", "pairing_bye", "full_bye", "half_bye", "zero_bye")
REASONS = ("no_show", "late", "illness", "retired", "by_arbiter", "other")
COLUMNS = (*WHICH, "result", "places", "reason", *map(get_outside_name, WHEN))
PLAYER = re.compile(r"player_?([1-9])")
#: Results of two players with a hyphen, as they are usually written.
HYPHEN = re.compile(r"([\d.,½/]+|[+-])\s*[-–]\s*([\d.,½/]+|[+-])")
SCORE = re.compile(r"[-−]?\d{1,6}([.,]\d{1,4})?")


@dataclass(frozen=True)
class FixtureCsvRow(FixturePlan):
    """A line: a fixture with players in seat order, or the bye of one.

    ``scores``, ``places``: of each seat, empty without a result. ``forfeits``: the seats, from 0, that lost without
    play. ``line``: in the file, 0 if it came from none.
    """

    players: tuple[str, ...]
    round: int | None = None
    kind: str = "game"
    scores: tuple[Fraction, ...] = ()
    places: tuple[int, ...] = ()
    forfeits: tuple[int, ...] = ()
    reason: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class FixtureCsv:
    """The fixtures of a file, and the columns that were ignored."""

    rows: tuple[FixtureCsvRow, ...]
    ignored: tuple[str, ...] = ()


def write_fixtures(rows: Sequence[FixtureCsvRow]) -> str:
    """Return the CSV of fixtures."""
    seats = max((len(row.players) for row in rows), default=2)
    names = ["round", "table", *(f"player_{seat}" for seat in range(1, seats + 1)), *COLUMNS[2:]]
    return render_csv(({name: _list_cells(row, seats)[name] for name in names} for row in rows), names)


def _list_cells(row: FixtureCsvRow, seats: int) -> dict[str, object]:
    players = (*row.players, *[""] * (seats - len(row.players)))
    signs = ["-" if seat in row.forfeits else "+" for seat in range(len(row.players))] if row.forfeits else []
    values = {get_outside_name(name): value for name, value in vars(row).items()}
    values["result"] = ":".join(signs or map(_format_score, row.scores))
    values["places"] = ":".join(map(str, row.places))
    players_by_column = {f"player_{seat}": player for seat, player in enumerate(players, 1)}
    return players_by_column | {name: _format_cell(values[name]) for name in COLUMNS}


def _format_cell(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else value


def _format_score(score: Fraction) -> str:
    return str(score.numerator) if score.denominator == 1 else repr(float(score))


def read_fixtures(data: bytes, zone: str, encoding: str = "", order: DayOrder = "", today: date = LATEST) -> FixtureCsv:
    """Return the fixtures of a file; raises BadFile with every faulty line, or Invalid.

    ``zone``: of times without an offset. ``encoding``, ``order``: if the user states them.
    """
    if len(data) > MAX_MEGABYTES * 1024 * 1024:
        raise Invalid(_("The file is larger than {limit} MB.").format(limit=MAX_MEGABYTES))
    problems = Problems()
    lines = CellRows(open_text(data, encoding))
    names = [simplify_heading(name) for name in lines.header]
    seats = _find_seats(names, lines.header_line)
    readers = [_CsvRowReader(lines.line, names, cells, problems) for cells in lines]
    order = order or find_day_order(text for reader in readers for text in reader.list_times())
    rows = [reader.read(seats, lambda text: read_moment(text, zone, order, today)) for reader in readers]
    _check_rounds(rows, problems)
    problems.raise_any()
    if not rows:
        raise Invalid(_("Nothing was imported. The file has no fixtures below its header."))
    known = {*COLUMNS, *seats}
    pairs = zip(lines.header, names, strict=True)
    return FixtureCsv(tuple(rows), tuple(shown for shown, name in pairs if shown and name not in known))


def _find_seats(names: Sequence[str], line: int) -> dict[str, int]:
    """Return the columns of the players: name -> seat from 0; raises Invalid without any, or if one occurs twice."""
    seats = {name: int(match[1]) - 1 for name in names if (match := PLAYER.fullmatch(name))}
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        why = _("Line {line}: the header names {names} twice.").format(line=line, names=", ".join(twice))
        raise Invalid(_("Nothing was imported. {why}").format(why=why))
    if sorted(seats.values()) != list(range(len(seats))) or not seats or len(seats) > MAX_SEATS:
        why = _("Line {line}: the header needs the columns player_1, player_2 … (at most {limit}).")
        raise Invalid(_("Nothing was imported. {why}").format(why=why.format(line=line, limit=MAX_SEATS)))
    return seats


class _CsvRowReader:
    """Reads the cells of a line."""

    def __init__(self, line: int, names: Sequence[str], cells: Sequence[str], problems: Problems) -> None:
        self._line, self._problems = line, problems
        self._cells = {name: unquote_cell(cell.strip()) for name, cell in zip(names, cells, strict=False) if name}
        if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
            self._add("", "too_many_cells", _("the line has more cells than the header."))

    def _add(self, column: str, code: str, sentence: str) -> None:
        self._problems.add(self._line, code, sentence, f"/{column}" if column else "")

    def _get(self, name: str) -> str:
        return self._cells.get(name, "")

    def list_times(self) -> list[str]:
        """Return the texts of times."""
        return [text for name in PLANNED_TIMES if (text := self._get(get_outside_name(name)))]

    def read(self, seats: Mapping[str, int], parse_time: Callable[[str], datetime]) -> FixtureCsvRow:
        """Return the fixture of the line. A player such as BYE is none, unless the line says that it is a game."""
        columns = sorted(seats, key=seats.__getitem__)
        players = [" ".join(self._get(name).split()) for name in columns]
        while players and not players[-1]:
            players.pop()
        is_game = self._get("kind").lower() == "game"
        playing = [at for at, name in enumerate(players) if is_game or not is_no_player(name)]
        seated = len(players)
        players = [players[at] for at in playing] if len(playing) == 1 else players
        kind = self._get("kind").lower() or ("game" if len(players) > 1 else "pairing_bye")
        self._check_players(columns, players, kind)
        scores, forfeits = self._read_result(seated)
        places = self._read_places(seated)
        if len(players) < seated and (playing[0] not in forfeits if forfeits else _is_highest(scores, playing[0])):
            # Programs may write that who has no opponent has won.
            scores, forfeits, places = (), (), ()
        if kind != "game" and (scores or forfeits or places):
            self._add("result", "bye_with_result", _("a bye has no result."))
        times = {name: self._read_time(get_outside_name(name), parse_time) for name in PLANNED_TIMES}
        starts, deadline = times.values()
        if starts and deadline and deadline < starts:
            self._add("deadline", "deadline_before_start", _("the deadline is before the start."))
        return FixtureCsvRow(
            tuple(players),
            self._read_number("round", MAX_ROUND),
            kind,
            scores,
            places,
            forfeits,
            self._read_reason(bool(forfeits)),
            self._line,
            table=self._read_number("table", MAX_TABLE),
            venue=self._get("venue"),
            **times,
        )

    def _check_players(self, columns: Sequence[str], players: Sequence[str], kind: str) -> None:
        if not players:
            self._add(columns[0], "missing", _("the player is missing."))
        for seat, player in enumerate(players):
            if not player:
                self._add(columns[seat], "missing", _("the player is missing."))
            elif player in players[:seat]:
                self._add(columns[seat], "player_twice", _("{player} occurs twice.").format(player=player))
        if kind not in KINDS:
            message = _("the kind “{text}” is not one of: {kinds}.")
            self._add("kind", "unknown_kind", message.format(text=kind[:40], kinds=", ".join(KINDS)))
        elif kind == "game" and len(players) == 1:
            self._add("kind", "too_few_players", _("a game needs at least two players."))
        elif kind != "game" and len(players) > 1:
            self._add("kind", "too_many_players", _("a bye has one player."))

    def _read_number(self, name: str, limit: int) -> int | None:
        text = self._get(name)
        if not text:
            return None
        if re.fullmatch(r"\d{1,6}", text, re.ASCII) and 1 <= int(text) <= limit:
            return int(text)
        message = _("the {column} “{text}” is not a whole number from 1 to {limit}.")
        self._add(name, "number", message.format(column=name, text=text[:40], limit=limit))
        return None

    def _read_time(self, name: str, parse_time: Callable[[str], datetime]) -> datetime | None:
        text = self._get(name)
        try:
            return parse_time(text) if text else None
        except UnclearText as error:
            self._add(name, "ambiguous_day" if isinstance(error, UnclearOrder) else "time", str(error))
        except (ValueError, OverflowError):
            message = _("the {column} “{text}” is not a time such as 2026-11-26 19:30.")
            self._add(name, "time", message.format(column=name, text=text[:40]))
        return None

    def _read_reason(self, forfeit: bool) -> str:
        reason = self._get("reason").lower()
        if reason and reason not in REASONS:
            message = _("the reason “{text}” is not one of: {reasons}.")
            self._add("reason", "unknown_reason", message.format(text=reason[:40], reasons=", ".join(REASONS)))
        elif reason and not forfeit:
            self._add("reason", "reason_without_forfeit", _("only a forfeit has a reason."))
        return reason

    def _read_result(self, seats: int) -> tuple[tuple[Fraction, ...], tuple[int, ...]]:
        """Return the scores of the seats, or the seats that lost by forfeit."""
        text = self._get("result")
        if not text:
            return (), ()
        match = HYPHEN.fullmatch(text) if ":" not in text else None
        parts = list(match.groups()) if match else [part.strip() for part in text.split(":")]
        signs = [part.replace("−", "-") for part in parts]
        if len(parts) == seats and {*signs} <= {"+", "-"} and "-" in signs:
            return (), tuple(seat for seat, sign in enumerate(signs) if sign == "-")
        scores = [_parse_score(part) for part in parts]
        if len(scores) != seats or None in scores:
            message = _("the result “{text}” does not give each of {count} players a score, or + and - for a forfeit.")
            self._add("result", "result", message.format(text=text[:40], count=seats))
            return (), ()
        return tuple(score for score in scores if score is not None), ()

    def _read_places(self, seats: int) -> tuple[int, ...]:
        text = self._get("places")
        parts = [part.strip() for part in text.split(":")] if text else []
        if all(re.fullmatch(r"[1-9]", part, re.ASCII) for part in parts) and len(parts) in (0, seats):
            return tuple(map(int, parts))
        message = _("the places “{text}” do not give each of {count} players a place.")
        self._add("places", "places", message.format(text=text[:40], count=seats))
        return ()


def _is_highest(scores: Sequence[Fraction], seat: int) -> bool:
    """Return whether a seat has the highest of some scores, if there are any."""
    return not scores or scores[seat] == max(scores)


def _parse_score(text: str) -> Fraction | None:
    """Return a score, such as 2, 0.5 or ½."""
    if text in ("½", "1/2"):
        return Fraction(1, 2)
    return Fraction(text.replace(",", ".").replace("−", "-")) if SCORE.fullmatch(text) else None


def _check_rounds(rows: Iterable[FixtureCsvRow], problems: Problems) -> None:
    """Report players and tables that occur twice in a round."""
    seen: dict[tuple[int, str], int] = {}
    tables: dict[tuple[int, int], int] = {}
    for row in rows:
        if row.round is None:
            continue
        for player in dict.fromkeys(filter(None, row.players)):
            other = seen.setdefault((row.round, player.casefold()), row.line)
            if other != row.line:
                message = _("{player} already has a fixture in round {round}, on line {other_line}.")
                sentence = message.format(player=player, round=row.round, other_line=other)
                problems.add(row.line, "twice_in_round", sentence)
        if row.table is not None:
            other = tables.setdefault((row.round, row.table), row.line)
            if other != row.line:
                message = _("table {table} of round {round} is already used, on line {other_line}.")
                sentence = message.format(table=row.table, round=row.round, other_line=other)
                problems.add(row.line, "table_twice", sentence)
