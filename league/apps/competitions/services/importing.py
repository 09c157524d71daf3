"""Imports a competition from a file: its entries, rounds and games, all of it or nothing."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import JSONField, Max
from django.utils.translation import gettext as _

from league.apps.competitions.files.fixture_plan import read_plan
from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat, Round, SourceFile
from league.apps.competitions.records import ENTRY_LOG, FIXTURE_LOG, build_file_row
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import check_running, find_competition
from league.apps.competitions.selectors.game_points import are_awarded, explain_impossible, have_points_as_scores
from league.apps.competitions.services.competitions import create_competition, refresh_mark
from league.apps.competitions.services.continuing import Continuation, compare_competition, renumber, unite_entries
from league.apps.competitions.services.import_people import ImportRequest, NamedPerson, find_people
from league.apps.competitions.services.imported_competition import (
    ImportedCompetition,
    ImportedEntry,
    ImportedFixture,
    ImportWarning,
)
from league.apps.competitions.services.imported_times import choose_times
from league.apps.competitions.services.known_events import describe_event, find_same_event
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.read_files import ROUND_CODES
from league.apps.competitions.services.regulations import CONFIRMED, RuleWarning, refuse_unconfirmed
from league.apps.competitions.services.setting_rules import REGULATED_FORMATS
from league.core.db.bulk import insert_rows, refresh_statistics
from league.core.errors import MAX_MESSAGES, Conflict, Problem, Refused, describe_more_problems
from league.core.games.services.game_columns import Facts, GameColumns, NamedPlayer
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import NewGame, NewResult
from league.core.jobs.services.progress import ignore_progress
from league.core.locking import get_write_time, run_with_league_lock
from league.core.records import Values
from league.core.replay.services.inline import catch_up
from league.core.rules.selectors.rules import load_rules, load_system_in_force
from league.models import Game, League, Player, Result
from ratings.contract.competition import Seat, parse_fraction

#: The warning that pairings of a file do not follow from the rules.
IMPORTED_ROUNDS = "imported_rounds"
FIXTURE_FIELDS = [field for field in Fixture._meta.concrete_fields if not field.primary_key]
#: Number of games or fixtures from which the database's statistics are refreshed.
MIN_ROWS_FOR_STATISTICS = 500


class ImportResult(NamedTuple):
    """A competition after an import, and how many entries, rounds and games were added to it."""

    competition: Competition
    entries: int
    rounds: int
    games: int
    warnings: Sequence[ImportWarning]


def import_competition(
    league_id: int, read: ImportedCompetition, request: ImportRequest, into: str = ""
) -> ImportResult:
    """Write a competition with its entries, rounds and games in one transaction.

    ``into``: the slug of the competition that the file continues. Raises Invalid, Refused or Conflict with the line of
    each problem, also if the event is in the league already; then nothing was written.
    """
    return run_with_league_lock(
        league_id, lambda league, now: _CompetitionImport(league, now, read, request, into).run()
    )


def _build_id_warning(person: NamedPerson) -> ImportWarning:
    return ImportWarning(person.line, 0, "id_not_stored", person.describe_unstored_id())


class _CompetitionImport:
    """One import under the league's lock."""

    def __init__(
        self, league: League, now: datetime, read: ImportedCompetition, request: ImportRequest, into: str
    ) -> None:
        self.league, self.now, self.read, self.request, self.into = league, now, read, request, into
        self.entries: dict[int, Entry] = {}
        self.players: dict[int, list[Player]] = {}
        self.rounds: dict[int, Round] = {}
        self.games: dict[int, int] = {}
        """Number -> key."""
        self.warnings = list(read.warnings)
        self.event = describe_event(read, league.time_zone)

    def run(self) -> ImportResult:
        """Write everything."""
        if not load_rules(self.league):
            raise Refused(_("The league has no rule yet. Choose a rating system before importing games."))
        people = [person for entry in self.read.entries for person in entry.people]
        found = find_people(self.league, self.now, people, self.request, once=self.read.lists_entries)
        self.warnings += map(_build_id_warning, found.without_id)
        players = iter(found.players)
        self.players = {entry.number: [next(players) for _person in entry.people] for entry in self.read.entries}
        if not self.read.lists_entries:
            self.read, self.players = unite_entries(self.read, self.players)
        self.new = Continuation(self.read.entries, self.read.rounds, {}, {}, ())
        if self.into:
            self._continue()
        else:
            self._refuse_again()
            self.competition = self._create()
        points = self.competition.teams or self.competition.points
        self.loss, self.draw = parse_fraction(points.get("loss", 0)), parse_fraction(points.get("draw", 0.5))
        system, players_of_seat = load_system_in_force(self.league), self.competition.players_of_seat
        self.scores_are_points = have_points_as_scores(self.league, system, players_of_seat)
        self._write_entries()
        fixtures = [fixture for one in self.new.rounds for fixture in one.list_fixtures()]
        numbers = self._write_games([*fixtures, *self.new.results.values()])
        made = self._write_rounds()
        self._write_fixtures(numbers, made)
        self._write_results([numbers[at] for at in range(len(fixtures), len(fixtures) + len(self.new.results))])
        refresh_mark(self.league)
        return ImportResult(self.competition, len(self.new.entries), len(made), len(self.games), self.warnings)

    def _refuse_again(self) -> None:
        """Raise Conflict naming the competition that is the same event."""
        everyone = [player for side in self.players.values() for player in side]
        for competition, is_sure in find_same_event(self.league, self.event, everyone):
            loaded = load_competition(competition, self.now)
            if not is_sure and self._differs_from(loaded):
                continue
            template = _(
                "This event was imported before: {title} ({slug}{day}). Another event needs another title or first "
                "day. The file can continue {title}."
            )
            if competition.teams:
                template = _(
                    "This event was imported before: {title} ({slug}{day}). A file cannot continue a competition of "
                    "teams. Another event needs another title or first day."
                )
            day = f", {self.event.first_day}" if self.event.first_day else ""
            sentence = template.format(title=competition.title, slug=competition.slug, day=day)
            raise Conflict(sentence, [Problem("?into", "imported", sentence)], {"competition": competition.slug})

    def _differs_from(self, loaded: LoadedCompetition) -> bool:
        """Return whether the rounds of the file contradict those of a competition."""
        try:
            read, _players = renumber(self.read, loaded, self.players)
        except Conflict:
            return True
        return bool(compare_competition(read, loaded).differences)

    def _continue(self) -> None:
        """Find what the file adds to a running competition."""
        self.competition = find_competition(self.league, self.into, for_organisers=True)
        self.competition.league = self.league
        check_running(self.competition)
        if self.competition.teams or self.read.settings.get("teams"):
            raise Refused(_("A file cannot continue a competition of teams. Enter its line-ups and results instead."))
        loaded = load_competition(self.competition, self.now)
        self.read, self.players = renumber(self.read, loaded, self.players)
        self.new = compare_competition(self.read, loaded)
        self.new.refuse_differences()
        self.rounds, self.entries = dict(loaded.rounds), dict(loaded.entries)
        stated = self.read.settings.get("rounds") or 0
        rounds = max([stated, *(one.number for one in self.new.rounds)])
        if self.competition.rounds is not None and rounds > self.competition.rounds:
            if self.competition.regulations:
                template = _("The file has {rounds} rounds; by the regulations their number is fixed at the start.")
                raise Refused(template.format(rounds=rounds))
            self.competition.rounds = rounds
            self.competition.save(update_fields=["rounds"])
            self._append(ChangeKind.COMPETITION_CHANGED, settings=True)
        changed = [self.entries[number] for number in self.new.byes]
        for entry in changed:
            entry.byes = [*entry.byes, *({"round": at, "kind": kind} for at, kind in self.new.byes[entry.number])]
            entry.save(update_fields=["byes"])
        if changed:
            rows = ENTRY_LOG.build_payloads(changed, competition=self.competition.slug)
            self._append(ChangeKind.ENTRY_CHANGED, changed_entries=rows)
        self._keep_source(self.competition)

    def _create(self) -> Competition:
        """Create the competition as running."""
        league, by = self.league, self.request.by
        settings = {**self.read.settings, "status": "open"}
        is_for_one = settings.get("sides_of", 1) == 1
        if self.request.regulations and settings.get("format") in REGULATED_FORMATS and is_for_one:
            settings["regulations"] = True
        created = create_competition(league.pk, self.read.slug, settings, by=by, seed=self.read.seed, from_file=True)
        refuse_unconfirmed(created, self._list_round_warnings(), self.request.confirmed)
        # The other service locked the league again: what it changed of it is read, and the log goes on after it.
        league.refresh_from_db()
        self.now = get_write_time(league)
        created.league = league
        created.status = Competition.Status.RUNNING
        created.save(update_fields=["status"])
        self._keep_source(created)
        return created

    def _list_round_warnings(self) -> list[RuleWarning]:
        """Return the warning that pairings of the file do not follow from the rules, or were not compared."""
        found = [one.detail for one in self.read.warnings if one.code in ROUND_CODES]
        if not found:
            return []
        sentence = " ".join(found[:MAX_MESSAGES]) + describe_more_problems(len(found) - MAX_MESSAGES)
        return [RuleWarning(IMPORTED_ROUNDS, CONFIRMED, sentence)]

    def _keep_source(self, competition: Competition) -> None:
        """Keep the event of the file, and a tournament report."""
        kept = {**self.event._asdict(), "data": self.read.source, "encoding": self.read.encoding}
        file, _new = SourceFile.objects.update_or_create(league=self.league, competition=competition, defaults=kept)
        row = build_file_row(competition.slug, file)
        append_change(self.league, self.now, self.request.by, ChangeKind.COMPETITION_CHANGED, competition, file=row)

    def _write_entries(self) -> None:
        entries = [self._complete_entry(one) for one in self.new.entries]
        if self.into and not entries:
            return
        Entry.objects.bulk_create(entries)
        self.entries |= {entry.number: entry for entry in entries}
        EntryPlayer.objects.bulk_create(
            EntryPlayer(league=self.league, competition=self.competition, entry=entry, position=at, player=one)
            for entry in entries
            for at, one in enumerate(self.players[entry.number], start=1)
        )
        changed = ENTRY_LOG.build_payloads(entries, competition=self.competition.slug)
        kind = ChangeKind.ENTRY_ADDED if self.into else ChangeKind.COMPETITION_STARTED
        self._append(kind, settings=not self.into, changed_entries=changed)

    def _complete_entry(self, one: ImportedEntry) -> Entry:
        """Return the row of an entry as it is stored; another try after a database error starts from ``one.row``."""
        row = copy(one.row)
        row.league, row.competition, row.number, row.seed = self.league, self.competition, one.number, one.number
        if self.into:
            # The numbers of a file are those of its own entries.
            row.moved_number = None
        row.byes = [{"round": number, "kind": kind} for number, kind in one.byes]
        row.not_against = sorted(one.not_against)
        row.apart = [{"entry": other, "rounds": [first, last]} for other, first, last in sorted(one.kept_apart)]
        row.status = Entry.Status.ENTERED if row.withdrawn_after is None else Entry.Status.WITHDRAWN
        row.entered_at, row.entered_by = self.now, self.request.by
        return row

    def _write_games(self, fixtures: Sequence[ImportedFixture]) -> dict[int, int]:
        """Write the games of the fixtures with results; return the position of a fixture -> the number of its game."""
        league, now = self.league, self.now
        played = [(at, fixture) for at, fixture in enumerate(fixtures) if fixture.has_game]
        if not played:
            return {}
        times, warnings = choose_times(self.read, self.competition.time_zone or league.time_zone, now)
        self.warnings += warnings
        sheets = [self._build_game(fixture, times) for _at, fixture in played]
        columns = GameColumns.of(league, ReadFile(sheets, ()), load_rules(league), now, ignore_progress)
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
        sides = self.competition.players_of_seat > 1
        forfeited = fixture.kind == "forfeit"
        awarded = self._list_awarded_scores(fixture)
        converted = [_convert_result(fixture, seat) for seat in fixture.seats]
        if awarded:
            converted = [(score, None) for score in awarded]
        results = [
            NewResult(player.handle, *result, side=number if sides else None)
            for number, (seat, result) in enumerate(zip(fixture.seats, converted, strict=True), start=1)
            for player in self._list_players(fixture, number)
        ]
        rated = fixture.rated and self.competition.rated and not awarded
        kind = Game.Kind.FORFEIT if forfeited else Game.Kind.PLAYED if rated else Game.Kind.FRIENDLY
        game = NewGame(results, played_at=times[id(fixture)], kind=kind.value, details=fixture.details)
        return ReadGame(game, (fixture.line,) * len(results), whole=True)

    def _list_players(self, fixture: ImportedFixture, seat: int) -> list[Player]:
        """Return who plays on a seat, from 1: the entry, or one of the squad of a team."""
        squad = self.players[fixture.seats[seat - 1].entry]
        member = fixture.members[seat - 1] if fixture.members else None
        return squad if member is None else [squad[member - 1]]

    def _list_awarded_scores(self, fixture: ImportedFixture) -> list[float]:
        """Return the scores of a game of two whose points only an arbiter gives, otherwise none."""
        if not fixture.has_game or fixture.kind != "played" or len(fixture.seats) != 2:
            return []
        points, level = [seat.points for seat in fixture.seats], fixture.seats[0].place == fixture.seats[1].place
        if level and self.loss in points and set(points) <= {self.loss, self.draw}:
            return [0.0 if one == self.loss else 0.5 for one in points]
        scores = [float(seat.score) for seat in fixture.seats if seat.score is not None]
        return scores if are_awarded(scores, as_points=self.scores_are_points) else []

    def _write_rounds(self) -> list[Round]:
        """Write the new rounds, published."""
        made = [
            Round(
                league=self.league,
                competition=self.competition,
                number=one.number,
                starts_at=one.starts_at,
                made_at=self.now,
                made_by=self.request.by,
                published_at=self.now,
            )
            for one in self.new.rounds
            if one.number and one.number not in self.rounds
        ]
        Round.objects.bulk_create(made)
        self.rounds |= {one.number: one for one in made}
        return made

    def _write_fixtures(self, numbers: Mapping[int, int], made: Sequence[Round]) -> None:
        """Write the new fixtures with an entry of the log for each round.

        ``numbers``: position -> number of the game. ``made``: the rounds that are new.
        """
        stored = Fixture.objects.filter(league=self.league)
        first = 1 + (stored.aggregate(last=Max("number"))["last"] or 0)
        fixtures = [(one.number, fixture) for one in self.new.rounds for fixture in one.list_fixtures()]
        written: list[Fixture] = []
        match = board = 0
        for number, (round_number, fixture) in enumerate(fixtures, start=first):
            row = self._build_fixture(fixture, round_number, number, self.games.get(numbers.get(number - first, 0)))
            written.append(row)
            if fixture.boards is not None:
                match, board = number, 0
            if fixture.members:
                board += 1
                row.match, row.board = match, board
        values = ([_read_column(row, field) for field in FIXTURE_FIELDS] for row in written)
        insert_rows(Fixture, [field.name for field in FIXTURE_FIELDS], values)
        keys = dict(stored.filter(number__gte=first).values_list("number", "pk"))
        logged: dict[int, list[Values]] = {one.number: [] for one in self.new.rounds}
        seats: list[tuple[object, ...]] = []
        for row, (round_number, fixture) in zip(written, fixtures, strict=True):
            lines = self._list_seats(fixture)
            seats += [
                (
                    self.league.pk,
                    keys[row.number],
                    at,
                    self.entries[seat["entry"]].pk,
                    seat["points"],
                    seat.get("member"),
                )
                for at, seat in enumerate(lines, start=1)
            ]
            built = FIXTURE_LOG.build_payload(
                row,
                competition=self.competition.slug,
                round=round_number or None,
                game=numbers.get(row.number - first),
                seats=lines,
            )
            logged[round_number].append(built)
        insert_rows(FixtureSeat, ("league", "fixture", "seat", "entry", "points", "member"), seats)
        if len(written) >= MIN_ROWS_FOR_STATISTICS:
            refresh_statistics(Entry, EntryPlayer, Fixture, FixtureSeat)
        for one in self.new.rounds:
            opened = [row for row in made if row.number == one.number]
            kind = ChangeKind.ROUND_PUBLISHED if opened else ChangeKind.FIXTURE_ADDED
            members = {"round": one.number} if opened else {}
            self._append(kind, rounds=opened, fixtures=logged[one.number], members=members)

    def _list_seat_points(self, fixture: ImportedFixture) -> list[tuple[int, str]]:
        """Return the entry and the awarded points of each seat, "" if they follow from the result."""
        derived = self.scores_are_points and bool(self._list_awarded_scores(fixture))
        return [(seat.entry, "" if derived or seat.points is None else str(seat.points)) for seat in fixture.seats]

    def _list_seats(self, fixture: ImportedFixture) -> list[Values]:
        """Return the seats of a fixture as the log has them."""
        members = fixture.members or (None,) * len(fixture.seats)
        return [
            {"entry": entry, "points": points, **({} if member is None else {"member": member})}
            for (entry, points), member in zip(self._list_seat_points(fixture), members, strict=True)
        ]

    def _write_results(self, games: Sequence[int]) -> None:
        """Attach games to the fixtures that had none; ``games``: their numbers."""
        written = {fixture.number: fixture for fixture in self.competition.fixtures.filter(number__in=self.new.results)}
        for (number, read), game in zip(self.new.results.items(), games, strict=True):
            written[number].game_id = self.games[game]
            written[number].forfeit = self._build_fixture(read, 0, number, None).forfeit
            for seat, (_entry, points) in enumerate(self._list_seat_points(read), start=1):
                seats = FixtureSeat.objects.filter(league=self.league, fixture=written[number], seat=seat)
                seats.exclude(points=points).update(points=points)
        Fixture.objects.bulk_update(written.values(), ["game", "forfeit"])
        if written:
            stored = self.competition.fixtures.filter(number__in=written).select_related("round", "game")
            changed = FIXTURE_LOG.build_payloads(stored.order_by("number"), competition=self.competition.slug)
            self._append(ChangeKind.FIXTURE_CHANGED, fixtures=changed)

    def _build_fixture(self, fixture: ImportedFixture, round_number: int, number: int, game: int | None) -> Fixture:
        """Return an unsaved fixture; ``game``: the key of its game."""
        kind: str = fixture.kind
        if kind in ("planned", "played", "forfeit"):
            kind = (Fixture.Kind.GAME if fixture.boards is None else Fixture.Kind.MATCH).value
        one_round = self.rounds.get(round_number)
        is_forfeited = fixture.has_game and fixture.kind == "forfeit"
        row = Fixture(
            league_id=self.league.pk,
            competition_id=self.competition.pk,
            number=number,
            round_id=None if one_round is None else one_round.pk,
            kind=kind,
            **read_plan(fixture),
            game_id=game,
            forfeit=(fixture.reason or Fixture.Reason.OTHER.value) if is_forfeited else "",
        )
        row.adjourned, row.reported = fixture.adjourned, fixture.reported
        return row

    def _append(self, kind: ChangeKind, **tables: Any) -> None:
        append_change(self.league, self.now, self.request.by, kind, self.competition, **tables)


def _read_column(row: Fixture, field: Any) -> Any:
    """Return the value of a column for ``insert_rows``."""
    value = getattr(row, field.attname)
    return json.dumps(value) if isinstance(field, JSONField) else value


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
