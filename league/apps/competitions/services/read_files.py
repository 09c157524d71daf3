"""Files of competitions as what is imported: tournament reports, CSV of fixtures, JSON."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from league.apps.competitions.files.csv_fixtures import FixtureCsvRow, read_fixtures
from league.apps.competitions.files.fixture_plan import read_plan
from league.apps.competitions.files.trf_reading import read_trf
from league.apps.competitions.models import MAX_SQUAD, Entry
from league.apps.competitions.selectors.competition_data import FORFEIT_LOSER
from league.apps.competitions.services.category_checks import MAX_YEAR, MIN_YEAR, SEXES
from league.apps.competitions.services.import_people import NamedPerson
from league.apps.competitions.services.imported_competition import (
    FROM_FILE,
    ImportedCompetition,
    ImportedEntry,
    ImportedFixture,
    ImportedRound,
    ImportWarning,
    name_person,
)
from league.apps.competitions.services.read_json import read_json_document
from league.apps.competitions.services.read_teams import find_teams
from league.core.calendar import compute_local_date, start_of_day
from league.core.text.written_days import DayOrder
from league.models import League
from ratings.contract.competition import EntryData, FixtureData, PointsTable, Seat
from ratings.standings.tie_break_codes import UnknownTieBreak, parse_code
from ratings.tournaments.checking import build_format, list_round_findings
from ratings.trf.assumptions import list_assumptions
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfDocument, TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.head import TEXT_TAGS, read_arbiter, read_federation, read_time_control
from ratings.trf.problems import build_trf_problem
from ratings.trf.remarks import read_remarks

OUTCOMES = (
    "win", "draw", "loss", "pairing_bye", "full_bye", "half_bye", "zero_bye", "forfeit_win", "forfeit_loss",
)  # fmt: skip
#: Rounds of players whose pairings are compared while one waits: 60 players in 11 rounds take about a second.
MAX_CHECKED = 660
MAX_TITLE, MAX_VENUE, MAX_SHORT = 120, 200, 10


class FileHints(NamedTuple):
    """What the user states about a file: its title, first day, encoding, and what comes first in 11/06/2026."""

    title: str = ""
    starts: date | None = None
    encoding: str = ""
    order: DayOrder = ""


def read_competition_file(kind: str, data: bytes, league: League, hints: FileHints) -> ImportedCompetition:
    """Return what a file of a kind (trf, csv, json) has; raises Invalid, or BadFile with every faulty line."""
    if kind == "trf":
        read = read_report(data, league.time_zone, hints)
    elif kind == "csv":
        read = read_fixture_table(data, league.time_zone, hints)
    else:
        read = read_json_document(data)
    read = replace(read, starts_on=hints.starts or read.starts_on)
    return read.with_title(hints.title) if hints.title else read


NO_HINTS = FileHints()


def read_report(data: bytes, time_zone: str, hints: FileHints = NO_HINTS) -> ImportedCompetition:
    """Return the competition of a tournament report file; raises BadTrf with every faulty line."""
    document = read_trf(data, starts=hints.starts, encoding=hints.encoding)
    competition = read_competition(document)
    problems = [*document.warnings, *list_assumptions(document, competition)]
    warnings = [ImportWarning(found.line, found.column, found.code, found.detail) for found in problems]
    warnings += _check_rounds(document, competition)
    teams = find_teams(document, competition)
    played, found = (teams.teams.data, teams.teams.format) if teams else (competition.data, competition.format)
    stated_codes = teams.list_tie_breaks() if teams else competition.tie_breaks
    codes = list(_check_tie_breaks(stated_codes, warnings))
    lines = {line.value.number: line.number for line in document.lines if isinstance(line.value, TrfPlayer)}
    settings = {
        "title": " ".join(competition.title.split())[:MAX_TITLE] or _("Tournament"),
        "format": found.key,
        "parameters": _build_parameters(found, "" if teams else competition.first_colour),
        "rounds": played.planned_rounds or None,
        "starts_at": _start(competition.starts, time_zone),
        "ends_at": _start(competition.ends, time_zone),
        "points": _write_points(played.points),
        "seeding": "hand",
        "venue": " ".join(competition.city.split())[:MAX_VENUE],
        "federation": read_federation(competition.federation) or "",
        "arbiter": read_arbiter(competition.arbiter),
        "time_control": read_time_control(competition.seconds) or "",
        **({"tie_breaks": codes} if stated_codes else {}),
        **(teams.write_settings() if teams else {}),
    }
    warnings += _list_cut_texts(document, settings)
    if teams:
        warnings += teams.list_warnings()
        return ImportedCompetition(
            settings, list(teams.list_entries()), list(teams.list_rounds()), warnings, competition.starts
        )
    if document.of_teams:
        message = _(
            "The teams are not imported, only the games of their players: a squad has 1 to {limit} players, each is in "
            "one squad, and each game is on a board of a match."
        )
        warnings.append(ImportWarning(0, 0, "teams", message.format(limit=MAX_SQUAD)))
    always, apart = _find_forbidden(competition)
    entries = [
        replace(
            _build_entry(competition, player, data, lines[player.number]),
            not_against=tuple(always[player.number] - {player.number}),
            kept_apart=tuple(one for one in apart[player.number] if one[0] != player.number),
        )
        for player, data in zip(competition.players, competition.data.entries, strict=True)
    ]
    return ImportedCompetition(
        settings,
        entries,
        list(_build_rounds(competition, lines)),
        warnings,
        competition.starts,
        source=data,
        encoding=document.encoding,
    )


def _list_cut_texts(document: TrfDocument, settings: Mapping[str, Any]) -> Iterator[ImportWarning]:
    """Yield the texts that a setting does not keep as the file has them."""
    for name, tag in TEXT_TAGS.items():
        text, kept = " ".join(document.get_text(tag).split()), settings[name]
        if text and text != kept:
            number = next(document.list_lines(tag)).number
            found = build_trf_problem(number, 5, "shortened" if kept else "left_out", text=text, kept=kept)
            yield ImportWarning(found.line, found.column, found.code, found.detail)


#: Codes of warnings about pairings that do not follow from the rules, or were not compared with them.
ROUND_CODES = ("not_checked", "no_pairing", "pairing_differs", "colours_differ", "remark_differs")


def _check_rounds(document: TrfDocument, competition: TrfCompetition) -> Iterator[ImportWarning]:
    """Yield what does not follow of the pairings of each round, as ``rungs check`` says it."""
    pairing_format = build_format(competition)
    size = len(competition.players) * len(competition.data.rounds)
    if pairing_format is None or not size:
        return
    if size > MAX_CHECKED:
        message = _("The pairings of {count} players are not compared with the rules. Run: rungs check FILE.")
        yield ImportWarning(0, 0, "not_checked", message.format(count=len(competition.players)))
        return
    lines = {line.value.number: line.number for line in document.lines if isinstance(line.value, TrfPlayer)}
    for found in list_round_findings(competition, pairing_format, lines, list(read_remarks(document))):
        if not found.differs:
            continue
        sentence = _("Round {round}: {why}").format(round=found.round, why=found.sentence)
        yield ImportWarning(found.line, 0, found.code, sentence)


def _start(day: date | None, time_zone: str) -> datetime | None:
    return None if day is None else start_of_day(day, time_zone)


def _build_parameters(found: TrfFormat, first_colour: str) -> dict[str, Any]:
    """Return the parameters of the format; only a Swiss system has the first colour."""
    if found.double:
        return {"turns": "double", "exchange": "yes" if found.exchanged else "no"}
    if found.key != "swiss":
        return {}
    stated = {"first_colour": first_colour, "acceleration": found.acceleration}
    return {name: value for name, value in stated.items() if value}


def _write_points(points: PointsTable) -> dict[str, float]:
    """Return points as JSON numbers."""
    return {
        name: int(value) if value.denominator == 1 else float(value)
        for name in OUTCOMES
        for value in [getattr(points, name)]
    }


def _check_tie_breaks(codes: Sequence[str], warnings: list[ImportWarning]) -> Iterator[str]:
    """Yield the codes that are known; the others become warnings."""
    for code in codes:
        try:
            yield parse_code(code).code
        except UnknownTieBreak as error:
            warnings.append(ImportWarning(0, 0, "unknown_tie_break", str(error.args[0])))


def _find_forbidden(
    competition: TrfCompetition,
) -> tuple[defaultdict[int, set[int]], defaultdict[int, set[tuple[int, int, int]]]]:
    """Return number -> whom the player must not meet: in all rounds, and in some, with the first and the last one."""
    always, apart = defaultdict[int, set[int]](set), defaultdict[int, set[tuple[int, int, int]]](set)
    for group in competition.forbidden:
        for number in group.players:
            if group.is_always(competition.data.planned_rounds):
                always[number].update(group.players)
            else:
                apart[number].update((other, group.first_round, group.last_round) for other in group.players)
    return always, apart


def _build_entry(competition: TrfCompetition, player: TrfPlayer, data: EntryData, line: int) -> ImportedEntry:
    byes = [(number, in_round[player.number]) for number, in_round in competition.byes.items()
            if player.number in in_round]  # fmt: skip
    row = Entry(
        rating=player.rating,
        title=player.title.upper()[:MAX_SHORT],
        federation=player.federation[:MAX_SHORT],
    )
    sex, year = player.sex.lower().replace("f", "w"), player.birth[:4]
    row.about = {
        **({"born": int(year)} if year.isdecimal() and MIN_YEAR <= int(year) <= MAX_YEAR else {}),
        **({"sex": sex} if sex in SEXES else {}),
    }
    row.virtual_points = [str(points) for points in data.virtual]
    row.added_points = [{"round": number, "points": str(points), "reason": FROM_FILE} for number, points in data.added]
    return ImportedEntry(player.number, (name_person(player, line),), row, byes=tuple(byes))


def _build_rounds(competition: TrfCompetition, lines: dict[int, int]) -> Iterator[ImportedRound]:
    days = competition.round_days
    for one in competition.data.rounds:
        table = 0
        fixtures = []
        for fixture in one.fixtures:
            is_game = len(fixture.seats) > 1
            table += is_game
            fixtures.append(_build_fixture(competition, one.number, fixture, table if is_game else None, lines))
        day = days[one.number - 1] if one.number <= len(days) else None
        yield ImportedRound(one.number, tuple(fixtures), day)


def _build_fixture(
    competition: TrfCompetition, number: int, fixture: FixtureData, table: int | None, lines: dict[int, int]
) -> ImportedFixture:
    first = fixture.seats[0].entry
    return ImportedFixture(
        fixture.seats,
        fixture.kind,
        rated=(number, first) not in competition.unrated,
        table=table,
        line=lines[first],
        adjourned=fixture.adjourned,
    )


def read_fixture_table(data: bytes, zone: str, hints: FileHints = NO_HINTS) -> ImportedCompetition:
    """Return the competition of free fixtures that a CSV file has; raises BadFile with every faulty line."""
    today = compute_local_date(timezone.now(), zone)
    table = read_fixtures(data, zone, hints.encoding, hints.order, today)
    lines: dict[str, int] = {}
    for row in table.rows:
        for player in row.players:
            lines.setdefault(player, row.line)
    numbers = {player: number for number, player in enumerate(lines, start=1)}
    entries = [ImportedEntry(numbers[player], (NamedPerson((player,), "", line),)) for player, line in lines.items()]
    rounds = [
        ImportedRound(number, tuple(_build_row(row, numbers) for row in table.rows if (row.round or 0) == number))
        for number in sorted({row.round or 0 for row in table.rows})
    ]
    warnings = [
        ImportWarning(1, 0, "unknown_column", _("The column {name} is not used.").format(name=name))
        for name in table.ignored
    ]
    return ImportedCompetition(
        {"title": hints.title or "Fixtures", "format": "free", "seeding": "hand"},
        entries,
        rounds,
        warnings,
        lists_entries=False,
    )


def _build_row(row: FixtureCsvRow, numbers: Mapping[str, int]) -> ImportedFixture:
    """Return the fixture of a line."""
    is_game, size = row.kind == "game", len(row.players)
    scores, places = row.scores or (None,) * size, row.places or (0,) * size
    kind: Any = row.kind
    if is_game:
        kind = "forfeit" if row.forfeits else "played" if row.scores or row.places else "planned"
    if row.forfeits:
        places = tuple(FORFEIT_LOSER if seat in row.forfeits else 1 for seat in range(size))
    seats = [
        Seat(numbers[player], place, score) for player, place, score in zip(row.players, places, scores, strict=True)
    ]
    played_at = row.starts_at if kind in ("played", "forfeit") else None
    return ImportedFixture(tuple(seats), kind, reason=row.reason, played_at=played_at, line=row.line, **read_plan(row))
