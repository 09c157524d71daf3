"""Imports a competition from a file: its entries, rounds and games, all of it or nothing."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Max
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat, Round, SourceFile
from league.apps.competitions.selectors import rows
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.game_points import are_awarded, explain_impossible, have_points_as_scores
from league.apps.competitions.services.competitions import create_competition, refresh_mark
from league.apps.competitions.services.import_people import ImportRequest, NamedPerson, find_people
from league.apps.competitions.services.log_rows import append_change
from league.core.db.bulk import insert_rows, refresh_statistics
from league.core.errors import Refused
from league.core.games.services.game_columns import Facts, GameColumns, NamedPlayer
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import NewGame, NewResult
from league.core.jobs.services.progress import ignore_progress
from league.core.leagues.selectors.rules import load_rules, load_system_in_force
from league.core.locking import get_write_time, run_with_league_lock
from league.core.replay.services.inline import catch_up
from league.models import Game, League, LogEntry, Player, Result
from ratings.contract.competition import FixtureKind, Seat, parse_fraction

#: When the first round of a day begins if a file states only days, and the time between two rounds of a day.
FIRST_ROUND, BETWEEN_ROUNDS = time(10), timedelta(hours=1)
#: The time between two rounds that have no day.
WITHOUT_DAY = timedelta(minutes=1)
FIXTURE_COLUMNS = (
    "league", "competition", "number", "round", "kind", "table", "starts_at", "deadline", "venue", "game", "forfeit",
    "cancelled_at",
)  # fmt: skip
FIXTURE_VALUES = tuple(
    f"{name}_id" if name in ("league", "competition", "round", "game") else name for name in FIXTURE_COLUMNS
)
#: Number of games or fixtures from which the database's statistics are refreshed.
MIN_ROWS_FOR_STATISTICS = 500


@dataclass(frozen=True)
class ImportedEntry:
    """An entry of a file. ``people``: a side has several."""

    number: int
    people: tuple[NamedPerson, ...]
    name: str = ""
    rating: int | None = None
    title: str = ""
    federation: str = ""
    byes: tuple[tuple[int, str], ...] = ()
    not_against: tuple[int, ...] = ()
    withdrawn_after: int | None = None


@dataclass(frozen=True)
class ImportedFixture:
    """A fixture of a file. ``rated``: whether its game counts for ratings if the competition is rated."""

    seats: tuple[Seat, ...]
    kind: FixtureKind
    rated: bool = True
    table: int | None = None
    reason: str = ""
    played_at: datetime | None = None
    starts_at: datetime | None = None
    deadline: datetime | None = None
    venue: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True)
class ImportedRound:
    """A round of a file; ``day``: when it was played, if the file states it."""

    number: int
    fixtures: tuple[ImportedFixture, ...]
    day: date | None = None
    starts_at: datetime | None = None


class ImportWarning(NamedTuple):
    """A sentence about a line that was imported nevertheless."""

    line: int
    column: int
    code: str
    detail: str


@dataclass(frozen=True)
class ImportedCompetition:
    """A competition as a file has it. ``settings``: as for ``create_competition``."""

    settings: Mapping[str, Any]
    entries: Sequence[ImportedEntry]
    rounds: Sequence[ImportedRound]
    warnings: Sequence[ImportWarning] = field(default_factory=tuple)
    starts_on: date | None = None
    slug: str = ""
    source: bytes = b""
    """The file, if an export must keep what it has."""

    def with_title(self, title: str) -> "ImportedCompetition":
        """Return the competition under another title."""
        return replace(self, settings={**self.settings, "title": title})


def import_competition(league_id: int, read: ImportedCompetition, request: ImportRequest) -> Competition:
    """Write a competition with its entries, rounds and games in one transaction.

    Raises Invalid, Refused or Conflict with the line of each problem; then nothing was written.
    """
    return run_with_league_lock(league_id, lambda league, now: _CompetitionImport(league, now, read, request).run())


class _CompetitionImport:
    """One import under the league's lock."""

    def __init__(self, league: League, now: datetime, read: ImportedCompetition, request: ImportRequest) -> None:
        self.league, self.now, self.read, self.request = league, now, read, request
        self.entries: dict[int, Entry] = {}
        self.players: dict[int, list[Player]] = {}
        self.rounds: dict[int, Round] = {}
        self.games: dict[int, int] = {}
        """Number -> key."""

    def run(self) -> Competition:
        """Write everything."""
        if not load_rules(self.league):
            raise Refused(_("The league has no rule yet. Choose a rating system before importing games."))
        people = [person for entry in self.read.entries for person in entry.people]
        players = iter(find_people(self.league, self.now, people, self.request))
        self.players = {entry.number: [next(players) for _person in entry.people] for entry in self.read.entries}
        self.competition = self._create()
        points, sides_of = self.competition.points, self.competition.sides_of
        self.loss, self.draw = parse_fraction(points.get("loss", 0)), parse_fraction(points.get("draw", 0.5))
        self.scores_are_points = have_points_as_scores(self.league, load_system_in_force(self.league), sides_of)
        self._write_entries()
        fixtures = [fixture for one in self.read.rounds for fixture in one.fixtures]
        numbers = self._write_games(fixtures)
        self._write_rounds()
        self._write_fixtures(numbers)
        refresh_mark(self.league)
        return self.competition

    def _create(self) -> Competition:
        """Create the competition as running."""
        league, by = self.league, self.request.by
        created = create_competition(league.pk, self.read.slug, {**self.read.settings, "status": "open"}, by=by)
        # The other service locked the league again: what it changed of it is read, and the log goes on after it.
        league.refresh_from_db()
        self.now = get_write_time(league)
        created.league = league
        created.seed = secrets.randbelow(1 << 53)
        created.status = Competition.Status.RUNNING
        created.save(update_fields=["status", "seed"])
        if self.read.source:
            SourceFile.objects.create(league=league, competition=created, data=self.read.source)
        return created

    def _write_entries(self) -> None:
        entries = [
            Entry(
                league=self.league,
                competition=self.competition,
                number=one.number,
                name=one.name,
                seed=one.number,
                rating=one.rating,
                title=one.title,
                federation=one.federation,
                byes=[{"round": number, "kind": kind} for number, kind in one.byes],
                not_against=sorted(one.not_against),
                status=Entry.Status.ENTERED if one.withdrawn_after is None else Entry.Status.WITHDRAWN,
                withdrawn_after=one.withdrawn_after,
                entered_at=self.now,
                entered_by=self.request.by,
            )
            for one in self.read.entries
        ]
        Entry.objects.bulk_create(entries)
        self.entries = {entry.number: entry for entry in entries}
        lines = {
            number: [
                EntryPlayer(
                    league=self.league,
                    competition=self.competition,
                    entry=self.entries[number],
                    position=at,
                    player=one,
                )
                for at, one in enumerate(players, start=1)
            ]
            for number, players in self.players.items()
        }
        EntryPlayer.objects.bulk_create(line for side in lines.values() for line in side)
        changed = [rows.build_entry_row(self.competition.slug, entry, lines[entry.number]) for entry in entries]
        self._append(LogEntry.Kind.COMPETITION_STARTED, settings=True, changed_entries=changed)

    def _write_games(self, fixtures: Sequence[ImportedFixture]) -> dict[int, int]:
        """Write the games of the fixtures with results; return the position of a fixture -> the number of its game."""
        league, now = self.league, self.now
        played = [(at, fixture) for at, fixture in enumerate(fixtures) if fixture.kind in ("played", "forfeit")]
        if not played:
            return {}
        times = self._choose_times()
        sheets = [self._build_game(fixture, times) for _at, fixture in played]
        columns = GameColumns.of(ReadFile(sheets, ()), load_rules(league), now, ignore_progress)
        for _at, fixture in played:
            why = explain_impossible([seat.score for seat in fixture.seats], self.league)
            if why and fixture.kind == "played":
                columns.refused.add(fixture.line, "impossible_points", why, kind=Refused)
        columns.refused.raise_any()
        by_handle = {player.handle: player for side in self.players.values() for player in side}
        people = [NamedPlayer.by(by_handle[name], None) for name in columns.names]
        first = league.last_number + 1
        Facts(league, now, self.request.by, columns, people).write(np.arange(len(columns)), columns.columns())
        rated = [
            (sheet.game.played_at, number)
            for number, sheet in enumerate(sheets, start=first)
            if sheet.game.kind == Game.Kind.PLAYED and sheet.game.played_at is not None
        ]
        if rated:
            catch_up(league, min(rated), new_count=len(rated))
        if len(sheets) >= MIN_ROWS_FOR_STATISTICS:
            refresh_statistics(Game, Result)
        stored = Game.objects.filter(league=league, number__gte=first)
        self.games = dict(stored.values_list("number", "pk"))
        return {at: first + position for position, (at, _fixture) in enumerate(played)}

    def _build_game(self, fixture: ImportedFixture, times: Mapping[int, datetime]) -> ReadGame:
        """Return the game of a fixture as it is recorded."""
        sides = self.competition.sides_of > 1
        forfeited = fixture.kind == "forfeit"
        awarded = self._list_awarded_scores(fixture)
        converted = [_convert_result(fixture, seat) for seat in fixture.seats]
        if awarded:
            converted = [(score, None) for score in awarded]
        results = [
            NewResult(player.handle, *result, side=number if sides else None)
            for number, (seat, result) in enumerate(zip(fixture.seats, converted, strict=True), start=1)
            for player in self.players[seat.entry]
        ]
        rated = fixture.rated and self.competition.rated and not awarded
        kind = Game.Kind.FORFEIT if forfeited else Game.Kind.PLAYED if rated else Game.Kind.FRIENDLY
        played_at = fixture.played_at or times[id(fixture)]
        game = NewGame(results, played_at=played_at, kind=kind.value, details=fixture.details)
        return ReadGame(game, (fixture.line,) * len(results), whole=True)

    def _list_awarded_scores(self, fixture: ImportedFixture) -> list[float]:
        """Return the scores of a game of two whose points only an arbiter gives, otherwise none."""
        if fixture.kind != "played" or len(fixture.seats) != 2:
            return []
        points, level = [seat.points for seat in fixture.seats], fixture.seats[0].place == fixture.seats[1].place
        if level and self.loss in points and set(points) <= {self.loss, self.draw}:
            return [0.0 if one == self.loss else 0.5 for one in points]
        scores = [float(seat.score) for seat in fixture.seats if seat.score is not None]
        return scores if are_awarded(scores, as_points=self.scores_are_points) else []

    def _choose_times(self) -> dict[int, datetime]:
        """Return when the games of each fixture (by id) were played, in the order of the rounds."""
        zone, times, last_day = get_zone(self.competition), dict[int, datetime](), None
        start = self.read.starts_on
        moment = self.now - WITHOUT_DAY * len(self.read.rounds)
        if start is not None:
            moment = datetime.combine(start, FIRST_ROUND, zone)
        for one in self.read.rounds:
            if one.starts_at is not None:
                moment = one.starts_at
            elif one.day is not None and one.day != last_day:
                moment = datetime.combine(one.day, FIRST_ROUND, zone)
            elif one.day is not None:
                moment += BETWEEN_ROUNDS
            elif one.number > 1:
                moment += WITHOUT_DAY
            last_day = one.day
            # A competition that is still running may have started today.
            times |= {id(fixture): min(moment, self.now) for fixture in one.fixtures}
        return times

    def _write_rounds(self) -> None:
        self.rounds = {
            one.number: Round(
                league=self.league,
                competition=self.competition,
                number=one.number,
                starts_at=one.starts_at,
                made_at=self.now,
                made_by=self.request.by,
                published_at=self.now,
            )
            for one in self.read.rounds
            if one.number
        }
        Round.objects.bulk_create(self.rounds.values())

    def _write_fixtures(self, numbers: Mapping[int, int]) -> None:
        """Write the fixtures with an entry of the log for each round; ``numbers``: position -> number of the game."""
        stored = Fixture.objects.filter(league=self.league)
        first = 1 + (stored.aggregate(last=Max("number"))["last"] or 0)
        fixtures = [(one.number, fixture) for one in self.read.rounds for fixture in one.fixtures]
        written = [
            self._build_fixture(fixture, round_number, number, self.games.get(numbers.get(number - first, 0)))
            for number, (round_number, fixture) in enumerate(fixtures, start=first)
        ]
        insert_rows(Fixture, FIXTURE_COLUMNS, ([getattr(row, name) for name in FIXTURE_VALUES] for row in written))
        keys = dict(stored.filter(number__gte=first).values_list("number", "pk"))
        logged: dict[int, list[rows.Row]] = {one.number: [] for one in self.read.rounds}
        seats: list[tuple[object, ...]] = []
        for row, (round_number, fixture) in zip(written, fixtures, strict=True):
            derived = self.scores_are_points and bool(self._list_awarded_scores(fixture))
            lines = [(seat.entry, "" if derived or seat.points is None else str(seat.points)) for seat in fixture.seats]
            seats += [
                (self.league.pk, keys[row.number], at, self.entries[entry].pk, points)
                for at, (entry, points) in enumerate(lines, start=1)
            ]
            game = numbers.get(row.number - first)
            built = rows.build_fixture_row(self.competition.slug, row, round_number or None, lines, game)
            logged[round_number].append(built)
        insert_rows(FixtureSeat, ("league", "fixture", "seat", "entry", "points"), seats)
        if len(written) >= MIN_ROWS_FOR_STATISTICS:
            refresh_statistics(Entry, EntryPlayer, Fixture, FixtureSeat)
        for one in self.read.rounds:
            made = [self.rounds[one.number]] if one.number else []
            kind = LogEntry.Kind.ROUND_PUBLISHED if made else LogEntry.Kind.FIXTURE_ADDED
            members = {"round": one.number} if made else {}
            self._append(kind, rounds=made, fixtures=logged[one.number], members=members)

    def _build_fixture(self, fixture: ImportedFixture, round_number: int, number: int, game: int | None) -> Fixture:
        """Return an unsaved fixture; ``game``: the key of its game."""
        with_game = fixture.kind in ("planned", "played", "forfeit")
        one_round = self.rounds.get(round_number)
        return Fixture(
            league_id=self.league.pk,
            competition_id=self.competition.pk,
            number=number,
            round_id=None if one_round is None else one_round.pk,
            kind=Fixture.Kind.GAME.value if with_game else fixture.kind,
            table=fixture.table,
            starts_at=fixture.starts_at,
            deadline=fixture.deadline,
            venue=fixture.venue,
            game_id=game,
            forfeit=(fixture.reason or Fixture.Reason.OTHER.value) if fixture.kind == "forfeit" else "",
        )

    def _append(self, kind: LogEntry.Kind, **tables: Any) -> None:
        append_change(self.league, self.now, self.request.by, kind, self.competition, **tables)


def _convert_result(fixture: ImportedFixture, seat: Seat) -> tuple[float | None, int | None]:
    """Return the score and the place of a seat as its game has them."""
    if fixture.kind == "forfeit":
        return (float(seat.place == 1) if len(fixture.seats) == 2 else None), seat.place
    if seat.score is not None or len(fixture.seats) != 2:
        return None if seat.score is None else float(seat.score), None if seat.score is not None else seat.place
    places = [other.place for other in fixture.seats]
    if places[0] == places[1]:
        return 0.5, None
    return float(seat.place == min(places)), None
