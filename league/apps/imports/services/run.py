"""Imports many games at once: all of them, or none with errors by line.

A file is read into columns and checked without the lock. Under the lock, players and known games are found, the
facts are written by columns, and one replay rates them.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Literal, TypeVar

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from league.apps.imports.services.read_csv import read_csv
from league.apps.imports.services.read_ndjson import read_ndjson
from league.core.calendar import compute_local_date
from league.core.db.bulk import refresh_statistics
from league.core.db.columns import Column
from league.core.dry_runs.services.diff import Diff, serialize_diff
from league.core.dry_runs.services.rollback import find_games_since, run_and_roll_back, run_dry
from league.core.dry_runs.services.run import DRY_RUN_AUTHOR
from league.core.errors import Busy, Conflict, NotFound, Problems, Refused, RungsError
from league.core.fields.selectors.fields import load_fields
from league.core.games.selectors.games import find_by_external_ids
from league.core.games.services.attaching import (
    Attachment,
    GameAttacher,
    attach_games,
    build_attacher,
    find_attachment,
)
from league.core.games.services.game_columns import Facts, GameColumns, NamedPlayer, ResultColumns, format_game_prefix
from league.core.games.services.game_files import ReadFile
from league.core.games.services.game_input import find_repeated_players, has_same_content
from league.core.jobs import queue
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.ladders.services.decisions import enqueue_if_due
from league.core.locking import get_write_time, run_with_league_lock
from league.core.monitoring.telemetry import METERS
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import load_spellings, resolve_players
from league.core.players.selectors.search import find_name_problems
from league.core.players.services.add_players import add_players, log_added_players
from league.core.replay.services.background import run_long_replay
from league.core.replay.services.history import Position
from league.core.replay.services.inline import has_many_following_games, mark_stale, replay_from
from league.core.rules.selectors.rules import build_rule_system, find_rule_to_show, load_rules
from league.core.text.names import build_name_key
from league.core.text.written_days import DayOrder
from league.models import Game, League, Player, RatingChange, Result, Standing

logger = logging.getLogger(__name__)
BATCH_SIZE = 2000
#: Above this number of external_ids it is quicker to read all of a league's than to look each up.
MAX_LOOKUPS = 20_000
#: Number of new games from which PostgreSQL's statistics are refreshed.
MIN_ROWS_FOR_STATISTICS = 2000
Media = Literal["csv", "ndjson"]
#: When many later games are rated: in the same transaction, after it, or by Celery.
Rating = Literal["inline", "after", "later"]
T = TypeVar("T")


def guess_media(name: str) -> Media:
    """Guess a file's format from its name."""
    return "ndjson" if name.removesuffix(".gz").endswith((".ndjson", ".jsonl", ".json")) else "csv"


@dataclass(frozen=True)
class ImportOptions:
    """Who imports a file, and how."""

    by: str
    media: Media = "csv"
    create_players: bool = False
    compiled: bool = False
    """Whether long replays may be compiled; only in workers and commands."""
    rating: Rating = "after"
    """When many later games are rated; after the commit by default, which frees the lock."""
    viewer: Viewer | None = None
    """Players hidden from this viewer are not matched."""
    encoding: str = ""
    """The encoding of a CSV file, if its user chose one."""
    order: DayOrder = ""
    """What comes first in days of a CSV file such as 11/06/2026, if its user chose it."""


@dataclass(frozen=True)
class ImportReport:
    """What an import did, or would do."""

    games: int
    results: int
    known: int
    """Games already recorded with the same content."""
    created_players: int
    replayed: int
    ignored: tuple[str, ...]
    """Columns of the file that the league's system does not use."""


def import_games(
    league_id: int,
    source: BinaryIO,
    options: ImportOptions,
    progress: Progress = ignore_progress,
    end: Callable[[ImportReport], None] = lambda report: None,
) -> ImportReport:
    """Import a file of CSV or lines of JSON (gzip too) into a league and rate its games; returns what was done.

    Numbers are handed out in file order, so the order inside a day is file order. An external_id that
    is known with the same content is left as it is. ``end`` is called in the transaction that writes the games.
    Raises Invalid with a problem per line; then nothing was written.
    """
    games = read_file(league_id, source, options, progress)
    report = record_games(league_id, games, options, progress, end)
    if options.rating == "after":
        report = replace(report, replayed=report.replayed + rate_unrated_games(league_id, progress))
    enqueue_if_due(league_id)
    return report


def read_file(
    league_id: int, source: BinaryIO, options: ImportOptions, progress: Progress = ignore_progress
) -> GameColumns:
    """Read and check a file; raises Invalid, Refused or NotFound."""
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        raise NotFound(_("There is no such league."))
    rules = load_rules(league)
    if not rules:
        raise Refused(_("The league has no rule yet. Choose a rating system before importing games."))
    now = get_write_time(league)
    if options.media == "ndjson":
        parsed_file = read_ndjson(source, league.time_zone, progress)
    else:
        # A file of games under an earlier system, with other columns, is sent as NDJSON.
        parsed_file = read_csv(
            source,
            build_rule_system(find_rule_to_show(rules, now) or rules[0]),
            league.time_zone,
            progress,
            encoding=options.encoding,
            order=options.order,
            today=compute_local_date(now, league.time_zone),
            declared=load_fields(league),
        )
    return GameColumns.of(league, parsed_file, rules, now, progress)


def import_parsed_games(
    league_id: int, parsed_file: ReadFile, options: ImportOptions, progress: Progress = ignore_progress
) -> ImportReport:
    """Import parsed games in one transaction; see ``import_games``."""
    games = check_games(league_id, parsed_file, progress)
    return record_games(league_id, games, replace(options, rating="inline"), progress)


def import_and_rate_later(league_id: int, parsed_file: ReadFile, options: ImportOptions) -> ImportReport:
    """Import parsed games; if many later games must be rated, Celery does so. See ``import_games``."""
    report = record_games(league_id, check_games(league_id, parsed_file), replace(options, rating="later"))
    enqueue_if_due(league_id)
    return report


def check_games(league_id: int, parsed_file: ReadFile, progress: Progress = ignore_progress) -> GameColumns:
    """Check parsed games; raises Invalid if they are not well-formed."""
    league = League.objects.get(pk=league_id)
    return GameColumns.of(league, parsed_file, load_rules(league), get_write_time(league), progress)


def record_games(
    league_id: int,
    games: GameColumns,
    options: ImportOptions,
    progress: Progress = ignore_progress,
    end: Callable[[ImportReport], None] = lambda report: None,
) -> ImportReport:
    """Record the games of a file in one transaction and rate them; see ``import_games``."""

    def work(league: League, now: datetime) -> ImportReport:
        report = ImportRun(league, now, options, progress).run(games)
        end(report)
        return report

    return run_with_league_lock(league_id, work)


class ImportRun:
    """One import under the league's lock."""

    def __init__(self, league: League, now: datetime, options: ImportOptions, progress: Progress) -> None:
        self.league, self.now, self.options, self.progress = league, now, options, progress
        self.problems = Problems()
        self.attacher: GameAttacher | None = None
        self.is_first_import = league.last_number == 0
        """Whether the league had no games before."""

    def run(self, games: GameColumns) -> ImportReport:
        """Find players and known games, write the facts, and rate from the earliest new game on."""
        read_rules, current_rules = (
            [(rule.pk, rule.starts_at, rule.system, rule.parameters) for rule in rules]
            for rules in (games.rules, load_rules(self.league))
        )
        if read_rules != current_rules:
            raise Busy(
                _("The league's rules were changed while the file was being read. Nothing was saved; please try again.")
            )
        named_players, created = self.find_players(games)
        players = np.array([player.pk for player in named_players], dtype=np.int64)
        columns = games.columns()
        self.problems = games.refused
        self.note_repeated_players(games, columns, players)
        fresh = ~self.find_known_games(games, players)
        attached = self.find_fixtures(games, players, fresh)
        self.problems.raise_any()
        position = self.write_games(games, columns, named_players, fresh)
        if self.attacher is not None and attached:
            last = self.league.last_number - int(fresh.sum())
            numbers = last + np.cumsum(fresh)
            by_number = {int(numbers[place]): attachment for place, attachment in attached.items()}
            attach_games(self.attacher, by_number, self.league, self.now, self.options.by)
        if fresh.sum() >= MIN_ROWS_FOR_STATISTICS:
            refresh_statistics(Game, Result)
        return ImportReport(
            games=int(fresh.sum()),
            results=int(fresh[columns.game].sum()),
            known=int((~fresh).sum()) + games.repeated,
            created_players=created,
            replayed=self.rate_games(position, int(fresh.sum())),
            ignored=games.ignored,
        )

    def find_players(self, games: GameColumns) -> tuple[list[NamedPlayer], int]:
        """Return the players named in the file, by position of the text, and the number of added ones."""
        spellings = load_spellings(games.names, self.options.viewer)
        resolutions = resolve_players(
            games.names, self.league, self.options.viewer, spellings=spellings, for_writing=True
        )
        unresolved = [text for text, resolution in resolutions.items() if resolution.one is None]
        problems = Problems()
        found = find_name_problems(
            self.league, resolutions, unresolved, self.options.viewer, create_players=self.options.create_players
        )
        for text, problem in zip(unresolved, found, strict=True):
            if problem is not None:
                problems.add_problem(games.named_on[games.seen[text]], replace(problem, pointer="/player"), Refused)
        problems.raise_any()
        added = self.add_players(unresolved, spellings.keys()) if unresolved else {}
        players = [
            NamedPlayer.by(*one) if (one := resolutions[text].one) is not None else added[build_name_key(text)]
            for text in games.names
        ]
        return players, len(added)

    def add_players(self, texts: Sequence[str], known: Set[str]) -> dict[str, NamedPlayer]:
        """Add the players of unknown names and log them; return key -> player."""
        names: dict[str, str] = {}
        for text in texts:
            names.setdefault(build_name_key(text), text)
        self.progress("adding players", 0, len(names))
        rows = add_players(list(names.values()), self.league.pk, known)
        log_added_players(self.league, self.now, self.options.by, [opaque for _pk, opaque in rows])
        return {key: NamedPlayer(*row) for key, row in zip(names, rows, strict=True)}

    def note_repeated_players(self, games: GameColumns, columns: ResultColumns, players: Column) -> None:
        """Record a problem for each game in which a player has two seats, under any name."""
        player_ids = players[columns.player]
        order = np.lexsort((player_ids, columns.game))
        game, player_ids = columns.game[order], player_ids[order]
        hits = np.unique(game[1:][(game[1:] == game[:-1]) & (player_ids[1:] == player_ids[:-1])])
        for position in hits.tolist():
            entry = games.entry(position)
            ids = players[games.players[games.span(position)]].tolist()
            players_by_id = Player.objects.in_bulk(ids)
            for problem in find_repeated_players([players_by_id[player] for player in ids]):
                seat = int(problem.pointer.split("/")[2])
                pointer = problem.pointer if entry.whole else "/player"
                self.problems.add(
                    entry.lines[seat], problem.code, f"{format_game_prefix(entry)}{problem.detail}", pointer, Refused
                )

    def find_known_games(self, games: GameColumns, players: Column) -> Column:
        """Return which games are already recorded; record a problem for external_ids of other games."""
        is_recorded = np.zeros(len(games), dtype=bool)
        games_by_external_id: dict[str, list[Game]] = {}
        for batch in split_batches(self.list_candidate_ids(games), BATCH_SIZE):
            for game in find_by_external_ids(self.league, batch).prefetch_related("results"):
                games_by_external_id.setdefault(game.external_id or "", []).append(game)
        for name, candidates in games_by_external_id.items():
            position = games.index[name]
            entry = games.entry(position)
            seated = [Player(pk=player) for player in players[games.players[games.span(position)]].tolist()]
            is_recorded[position] = any(has_same_content(game, entry.game, seated) for game in candidates)
            if not is_recorded[position]:
                field_name = "external_id" if entry.whole else "game_id"
                message = _("{word} “{name}” belongs to game {number}, which has other content.").format(
                    word=field_name, name=name, number=candidates[0].number
                )
                self.problems.add(entry.lines[0], "conflict", message, f"/{field_name}", Conflict)
        return is_recorded

    def find_fixtures(self, games: GameColumns, players: Column, fresh: Column) -> dict[int, Attachment]:
        """Return position -> the fixture of a new game; record a problem for a fixture that it cannot be for."""
        if not games.fixtures and not self.league.attaches_games:
            return {}
        self.attacher = build_attacher(self.league, self.now, self.options.by, many=True)
        people = Player.objects.in_bulk(players.tolist())
        attached: dict[int, Attachment] = {}
        for position in np.flatnonzero(fresh).tolist():
            entry = games.entry(position)
            seated = [people[player] for player in players[games.players[games.span(position)]].tolist()]
            try:
                attachment = find_attachment(self.attacher, self.league, entry.game, seated)
            except (Refused, Conflict) as error:
                games.refuse(entry, error)
                continue
            if self.attacher is not None and attachment is not None:
                self.attacher.taken.add(attachment.number)
                attached[position] = attachment
                games.sheets["kind"][position] = attachment.kind
        return attached

    def list_candidate_ids(self, games: GameColumns) -> Iterable[str]:
        """Return the external_ids of the file that may be in the league's data."""
        if self.league.last_number == 0:
            return []
        if len(games.index) < MAX_LOOKUPS:
            return games.index
        names = self.league.games.filter(external_id__isnull=False).order_by().values_list("external_id", flat=True)
        return dict.fromkeys(name for name in names.iterator(chunk_size=MAX_LOOKUPS) if name in games.index)

    def write_games(
        self, games: GameColumns, columns: ResultColumns, people: Sequence[NamedPlayer], fresh: Column
    ) -> Position | None:
        """Write games and results; returns the position of the earliest new game, None if there is none."""
        positions = np.flatnonzero(fresh)
        if not len(positions):
            return None
        last_number = self.league.last_number
        Facts(self.league, self.now, self.options.by, games, people).write(positions, columns, self.progress)
        if METERS.on:
            transaction.on_commit(partial(METERS.count, "rungs_games_imported_total", by=len(positions)), robust=True)
        earliest = min(positions.tolist(), key=games.sheets["played_at"].__getitem__)
        return games.sheets["played_at"][earliest], last_number + 1 + int(np.searchsorted(positions, earliest))

    def rate_games(self, position: Position | None, count: int) -> int:
        """Replay from the earliest new or stale game; returns the number of rated games.

        If many games follow, the league is only marked stale.
        """
        if position is None:
            return 0
        # Nobody else records games in a league without any.
        alone = self.is_first_import and self.options.rating == "after"
        if self.options.rating != "inline" and not alone and has_many_following_games(self.league, position):
            mark_stale(self.league, position)
            if self.options.rating == "later":
                queue.enqueue("league.replay", self.league.pk)
            return 0
        self.progress("rating", 0, count)
        replayed = replay_from(self.league, None if self.is_first_import else position, compiled=self.options.compiled)
        if count >= MIN_ROWS_FOR_STATISTICS:
            refresh_statistics(RatingChange, Standing)
        self.progress("rating", count, count)
        return replayed


def rate_unrated_games(league_id: int, progress: Progress) -> int:
    """Rate the games that an import left unrated, locking the league only briefly; returns their number.

    If that fails, the games stay recorded and a task is enqueued to rate them.
    """
    if not has_unrated_games(league_id):
        return 0
    try:
        return run_long_replay(league_id, lambda _, completed, total: progress("rating", completed, total)).games
    except RungsError as error:
        logger.warning("The games of an import will be rated later: %s", error.detail)
        queue.enqueue("league.replay", league_id)
        return 0


def has_unrated_games(league_id: int) -> bool:
    """Return whether games of a league are not rated yet."""
    return League.objects.filter(pk=league_id, stale_from__isnull=False).exists()


def split_batches(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most ``size`` things."""
    iterator = iter(things)
    while batch := list(islice(iterator, size)):
        yield batch


def preview_import(
    league: League, source: BinaryIO, options: ImportOptions, progress: Progress | None = None
) -> dict[str, Any]:
    """Return the report and diff of an import as JSON types; raises what ``import_games`` raises."""
    note = progress or ignore_progress
    games = read_file(league.pk, source, options, note)
    reports: list[ImportReport] = []
    # New games come after all others of their time.
    position = (min(games.sheets["played_at"]), league.last_number + 1) if len(games) else None
    diff = run_dry(
        league.pk, position, lambda: reports.append(_import_for_rollback(league, games, options, note)), progress
    )
    return {**asdict(reports[-1]), "ignored": list(games.ignored), **serialize_diff(diff)}


@dataclass(frozen=True)
class GamesPreview:
    """The report and diff of an import, and each new game's rating changes in seat order."""

    report: ImportReport
    diff: Diff
    changes: Mapping[str, Sequence[float]]
    """external_id -> changes; without games that would be rated later."""


def preview_games(
    league: League,
    parsed_file: ReadFile,
    options: ImportOptions,
    inspect: Callable[[Sequence[Game]], object] = lambda games: None,
) -> GamesPreview:
    """Preview parsed games; raises what an import raises, and WorkerNeeded.

    ``inspect`` is called in the dry run, with the new games, before they are rolled back.
    """
    games = check_games(league.pk, parsed_file)
    reports: list[ImportReport] = []
    changes: dict[str, list[float]] = {}

    def act() -> None:
        last_number = League.objects.values_list("last_number", flat=True).get(pk=league.pk)
        reports.append(_import_for_rollback(league, games, options, ignore_progress))
        changes.clear()
        new = RatingChange.objects.filter(league=league, number__gt=last_number, cause=RatingChange.Cause.GAME)
        for name, change in new.order_by("number", "seat").values_list("game__external_id", "change"):
            changes.setdefault(name or "", []).append(change)
        inspect(list(Game.objects.filter(league=league, number__gt=last_number).order_by("number")))

    position = (min(games.sheets["played_at"]), league.last_number + 1) if len(games) else None
    diff = run_dry(league.pk, position, act)
    return GamesPreview(reports[-1], diff, changes)


def preview_report(
    league: League, source: BinaryIO, options: ImportOptions, progress: Progress = ignore_progress
) -> ImportReport:
    """Return only the report of an import, for commands; raises what ``import_games`` raises."""
    games = read_file(league.pk, source, options, progress)
    return run_and_roll_back([league.pk], lambda leagues: _import_for_rollback(league, games, options, progress))


def _import_for_rollback(
    league: League, games: GameColumns, options: ImportOptions, progress: Progress
) -> ImportReport:
    """Import games in a dry run; many later games are counted, not rated."""
    report = record_games(
        league.pk, games, replace(options, by=DRY_RUN_AUTHOR, rating="later", compiled=False), progress
    )
    updated_league = League.objects.get(pk=league.pk)
    if report.games and updated_league.stale_from is not None:
        return replace(
            report, replayed=find_games_since(league.pk, (updated_league.stale_from, updated_league.stale_key)).count()
        )
    return report
