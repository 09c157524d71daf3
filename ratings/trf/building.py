"""A competition as a tournament report file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import groupby

from ratings.contract.competition import (
    ByeKind,
    CompetitionData,
    FixtureData,
    PointsTable,
)
from ratings.contract.result_table import tabulate_results
from ratings.standings.tie_break_codes import write_listed_code
from ratings.texts import N_, say
from ratings.trf.competition import TrfCompetition, list_virtual_points
from ratings.trf.document import (
    BYES,
    TrfAcceleration,
    TrfAccelerations,
    TrfAward,
    TrfByes,
    TrfCell,
    TrfDocument,
    TrfFirstColour,
    TrfForbidden,
    TrfLine,
    TrfPlayer,
    TrfRoundDates,
    TrfRounds,
    TrfText,
    TrfValue,
)
from ratings.trf.head import PROGRAM
from ratings.trf.points import AWARD_POINTS
from ratings.trf.problems import CannotWriteTrf
from ratings.trf.writing import TAGS, TrfVersion, list_points, write_national

LINE_END = "\r\n"
BYE_CODES = {kind: code for code, kind in BYES.items()}
#: Format -> texts of lines 092 and 192; see ``_find_kind`` for those of a double round robin.
KINDS = {
    "swiss": ("Individual: Swiss-System", "FIDE_DUTCH_2026"),
    "round_robin": ("Individual: Round-Robin", "FIDE_ROUNDROBIN"),
    "double": ("Individual: Double Round-Robin", "BERGER_DOUBLEROUNDROBIN"),
    # The last two rounds of the first half change places.
    "exchanged": ("Individual: Double Round-Robin", "FIDE_DOUBLEROUNDROBIN"),
    "knockout": ("Individual: Knockout", "CUSTOM_KNOCKOUT"),
    "double_knockout": ("Individual: Double Knockout", "CUSTOM_KNOCKOUT"),
    "free": ("Individual: Free fixtures", ""),
}
#: Places of a game of two -> codes of the results, rated or not.
RESULTS = {-1: ("10", "WL"), 0: ("==", "DD"), 1: ("01", "LW")}
#: Result of a game -> its code in line 299.
GAME_CODES = {"1": "W", "=": "D", "0": "L"}
#: Tags in TRF26 -> those in TRF16.
OLD_TAGS = {new: old for old, new in TAGS.items()}


def build_document(
    competition: TrfCompetition, *, ranks: Mapping[int, int] | None = None, version: TrfVersion = "26"
) -> TrfDocument:
    """Return a competition's document. ``ranks``: of the standings; otherwise those of the players.

    Raises CannotWriteTrf for what the format has no place for: tables of three or more, several games in a round.
    """
    cells, awards = _build_cells(competition)
    points = _sum_points(competition.data)
    if version == "16":
        _add_next_byes(competition, cells, points)
    players = [
        _complete_player(player, cells[player.number], points[player.number], (ranks or {}).get(player.number))
        for player in competition.players
    ]
    values = [
        *list_header(competition, version),
        *(("001", player) for player in players),
        *_list_arrangements(competition, version),
        *(("299", award) for award in awards),
    ]
    national = competition.national if version == "26" else ()
    lines = ((OLD_TAGS.get(tag, tag) if version == "16" else tag, value) for tag, value in values)
    return TrfDocument(
        (
            *(TrfLine(tag, value, end=LINE_END) for tag, value in lines),
            *(TrfLine(competition.nation, None, write_national(competition.nation, one), LINE_END) for one in national),
        )
    )


def build_remark_lines(texts: Iterable[str]) -> tuple[TrfLine, ...]:
    """Return lines of remarks (###), which only people read."""
    return tuple(TrfLine("###", TrfText(text), end=LINE_END) for text in texts)


def _complete_player(player: TrfPlayer, cells: list[TrfCell], points: Fraction, rank: int | None) -> TrfPlayer:
    return replace(player, rounds=tuple(cells), points=points, rank=rank or player.rank)


def list_header(competition: TrfCompetition, version: TrfVersion) -> Iterator[tuple[str, TrfValue]]:
    """Yield the lines of the tournament, with tags of TRF26."""
    kind, code = find_kind(competition)
    # A rating of 0 is none.
    rated = sum(bool(player.rating) for player in competition.players)
    texts = [
        ("012", competition.title),
        ("022", competition.city),
        ("032", competition.federation),
        ("042", _format_date(competition.starts)),
        ("052", _format_date(competition.ends)),
        ("062", str(len(competition.players))),
        ("072", str(rated)),
        ("092", competition.kind or kind),
        ("102", competition.arbiter),
        *(("112", deputy) for deputy in competition.deputies),
        ("122", competition.time_control),
    ]
    yield from ((tag, TrfText(text)) for tag, text in texts if text)
    if any(competition.round_days):
        yield "132", TrfRoundDates(tuple("" if day is None else f"{day:%y/%m/%d}" for day in competition.round_days))
    if competition.data.planned_rounds:
        yield "142", TrfRounds(competition.data.last_round)
    if competition.first_colour:
        yield "152", TrfFirstColour(competition.first_colour[0])
    adjourned = any(fixture.adjourned for one in competition.data.rounds for fixture in one.fixtures)
    if competition.data.points != PointsTable() or adjourned:
        yield "162", list_points(competition.data.points, adjourned=adjourned)
    if version == "26":
        if competition.ranking:
            yield "172", TrfText(f"{competition.nation} {competition.ranking}")
        yield "182", TrfText(competition.program or PROGRAM)
        if code:
            yield "192", TrfText(code)
        yield from list_tie_break_lines(competition.tie_breaks)
        if competition.seconds:
            yield "222", TrfText(competition.seconds)


def find_kind(competition: TrfCompetition) -> tuple[str, str]:
    """Return the texts of lines 092 and 192, "" for formats that the report has no name for."""
    found = competition.format
    if not found.double:
        kind, code = KINDS.get(found.key, ("", ""))
        return kind, code + "_BAKU" * (found.acceleration == "baku")
    # An odd number has no last rounds to exchange.
    return KINDS["exchanged" if found.exchanged and len(competition.players) % 2 == 0 else "double"]


def list_tie_break_lines(codes: Sequence[str]) -> Iterator[tuple[str, TrfValue]]:
    """Yield the line of tie-breaks: 202, or 212 with the points at their place if they do not come first."""
    listed = [write_listed_code(code) for code in codes]
    if "PTS" in listed[1:]:
        yield "212", TrfText(",".join(listed))
    elif rest := [code for code in listed if code != "PTS"]:
        yield "202", TrfText(",".join(rest))


def _list_arrangements(competition: TrfCompetition, version: TrfVersion) -> Iterator[tuple[str, TrfValue]]:
    """Yield the lines of byes to come, of players who must not meet, and of points that line 162 does not have."""
    following = len(competition.data.rounds) + 1
    for number, byes in sorted(competition.byes.items()):
        kinds: dict[ByeKind, list[int]] = {}
        for player, kind in sorted(byes.items()):
            kinds.setdefault(kind, []).append(player)
        for kind, players in kinds.items():
            if version == "26":
                yield "240", TrfByes(kind, number, tuple(players))
            elif number == following and kind == "zero_bye":
                yield "240", TrfByes(kind, 0, tuple(players))
    for run in _list_accelerations(competition):
        yield "250", TrfAccelerations((run,))
    for group in competition.forbidden:
        yield "260", TrfForbidden(group.players, group.first_round, group.last_round)
    if version == "26":
        yield from _list_awards(competition.data)


def _list_awards(data: CompetitionData) -> Iterator[tuple[str, TrfValue]]:
    """Yield the points that line 162 does not have, and those that an arbiter added."""
    table = data.points
    usual = {"F": table.win, "H": table.draw, "+": table.win, "-": table.zero_bye}
    for code, points in usual.items():
        stated = getattr(table, AWARD_POINTS[code])
        if stated != points:
            yield "299", TrfAward(code, stated)
    for entry in data.entries:
        for number, points in entry.added:
            yield "299", TrfAward("", points, number, (entry.number,))


def _list_accelerations(competition: TrfCompetition) -> Iterator[TrfAcceleration]:
    """Yield the points that count for the pairing alone: for rounds and players that follow each other, once."""
    virtual = list_virtual_points(competition.data, competition.format.acceleration)
    numbers = sorted(entry.number for entry in competition.data.entries)
    for by_round, some in groupby(numbers, key=lambda number: virtual.get(number, ())):
        players, first = list(some), 1
        for points, rounds in groupby(by_round):
            last = first + len(list(rounds)) - 1
            if points:
                yield TrfAcceleration(points, first, last, players[0], players[-1])
            first = last + 1


def _format_date(day: date | None) -> str:
    return day.strftime("%Y/%m/%d") if day else ""


def _sum_points(competition: CompetitionData) -> dict[int, Fraction]:
    table = tabulate_results(competition)
    return {number: Fraction(units, table.scale) for number, units in table.points.items()}


def _add_next_byes(competition: TrfCompetition, cells: dict[int, list[TrfCell]], points: dict[int, Fraction]) -> None:
    """Add byes with points of the next round as cells, and their points, as TRF16 has them."""
    for player, kind in competition.byes.get(len(competition.data.rounds) + 1, {}).items():
        if kind != "zero_bye":
            cells[player].append(TrfCell(0, "", BYE_CODES[kind]))
            points[player] += getattr(competition.data.points, kind)


def _build_cells(competition: TrfCompetition) -> tuple[dict[int, list[TrfCell]], list[TrfAward]]:
    """Return the cells of each entry, and the points that the codes of their results do not have."""
    data = competition.data
    cells: dict[int, list[TrfCell]] = {entry.number: [] for entry in data.entries}
    awards = []
    for at, one_round in enumerate(data.rounds, 1):
        for fixture in one_round.fixtures:
            codes = _list_codes(fixture, data.points, unrated=(at, fixture.seats[0].entry) in competition.unrated)
            usual = _list_points(data, fixture, codes)
            for seat, code, points in zip(fixture.seats, codes, usual, strict=True):
                row = cells[seat.entry]
                if len(row) >= at:
                    message = N_("Round {round}: entry {entry} has several games. The format has one a round.")
                    raise CannotWriteTrf(say(message, round=one_round.number, entry=seat.entry))
                opponent = next((other.entry for other in fixture.seats if other is not seat), 0)
                colour = "" if not opponent else "w" if seat is fixture.seats[0] else "b"
                row.append(TrfCell(opponent, colour, code))
                if seat.points is not None and seat.points != points:
                    awards.append(TrfAward(GAME_CODES.get(code, code), seat.points, at, (seat.entry,)))
        idle = TrfCell() if data.predetermined else TrfCell(0, "", "Z")
        for row in cells.values():
            row.extend([idle] * (at - len(row)))
    return cells, awards


def _list_codes(fixture: FixtureData, table: PointsTable, *, unrated: bool) -> tuple[str, ...]:
    """Return the code of each seat's result."""
    seats = fixture.seats
    if len(seats) == 1:
        return (BYE_CODES[fixture.kind],)  # type: ignore[index]  # a bye has one seat
    if len(seats) > 2:
        raise CannotWriteTrf(say("The format has games of two only. Export CSV or JSON."))
    if fixture.kind == "planned":
        return ("?", "?") if fixture.adjourned else ("", "")
    if fixture.kind == "forfeit":
        return tuple("+" if seat.place == 1 else "-" for seat in seats)
    if seats[0].place == seats[1].place:
        awarded = [seat.points for seat in seats]
        if table.loss in awarded and set(awarded) <= {table.loss, table.draw}:
            codes = "DL" if unrated else "=0"
            return tuple(codes[points == table.loss] for points in awarded)
    sign = (seats[0].place > seats[1].place) - (seats[0].place < seats[1].place)
    return tuple(RESULTS[sign][unrated])


def _list_points(data: CompetitionData, fixture: FixtureData, codes: tuple[str, ...]) -> list[Fraction]:
    """Return the points that the codes of a fixture have."""
    if len(codes) == 1:
        return [getattr(data.points, fixture.kind)]
    return [getattr(data.points, AWARD_POINTS[code]) if code in AWARD_POINTS else Fraction(0) for code in codes]
