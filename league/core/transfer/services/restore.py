"""Restores a league from its export, completely and replayed, or raises an error with the line."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, BinaryIO

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.db.bulk import insert_rows
from league.core.errors import Invalid, RungsError
from league.core.fields.services.fields import check_field
from league.core.fields.services.values import rebuild_values
from league.core.games.services.game_input import NewGame, NewResult, check_form, check_sheet
from league.core.games.services.write_games import insert_results
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.leagues.services.leagues import apply_settings
from league.core.log.selectors.log import load_edition_positions
from league.core.log.services import entries
from league.core.players.services.merges import check_pair, reassign_to_survivor
from league.core.players.services.players import add_player, check_initial_rating
from league.core.replay.services.inline import replay_from
from league.core.rules.selectors.rules import find_rule_at, load_rules
from league.core.transfer.export_parts import ExportPart, load_export_parts
from league.core.transfer.services.entries import EntryRestore
from league.core.transfer.services.facts import (
    build_row,
    refuse_different_player,
    save_row,
    write_adjustment,
    write_ladder,
    write_rule,
)
from league.core.transfer.services.reading import ExportLine, build_line_error, build_rejected_lines_error, read_lines
from league.core.verify.editions import find_edition_problems
from league.core.verify.findings import find_export_line
from league.core.verify.log import LogComparison
from league.models import Edition, Game, Inactive, Ladder, League, LogEntry, Merge, Player, Rule
from league.models.contexts import CONTEXT_LOG, CONTEXT_RECORD
from league.models.derived import PERIOD_RECORD
from league.models.facts import (
    ADJUSTMENT_LOG,
    GAME_RECORD,
    RESULT,
    RESULT_RECORD,
    RULE_LOG,
    SHEET,
    START_LOG,
    START_RECORD,
)
from league.models.fields import FIELD_LOG, FIELD_RECORD, PLAYER_FIELDS_LOG, PLAYER_FIELDS_RECORD
from league.models.ladders import LADDER_LOG
from league.models.leagues import SETTINGS
from league.models.record import DECISION_LOG, DECISION_RECORD, EDITION_LOG, EDITION_RECORD

BATCH = 2000
#: Type of lines -> the table of the log with their rows.
LOG_TABLES = {
    "rule": RULE_LOG,
    "field": FIELD_LOG,
    "context": CONTEXT_LOG,
    "initial_rating": START_LOG,
    "player_fields": PLAYER_FIELDS_LOG,
    "adjustment": ADJUSTMENT_LOG,
    "ladder": LADDER_LOG,
    "edition": EDITION_LOG,
    "decision": DECISION_LOG,
}
Values = dict[str, Any]


@dataclass(frozen=True)
class RestoreResult:
    """The restored league, and the numbers of its objects."""

    league: League
    games: int
    editions: int
    entries: int
    parts: Mapping[str, int]
    """Type of lines of a capability -> number of restored lines."""


def restore_league(
    source: BinaryIO,
    *,
    slug: str | None = None,
    known_players: bool = False,
    by: str,
    progress: Progress = ignore_progress,
) -> RestoreResult:
    """Restore a league from an export in NDJSON, which may be gzipped, under its own slug or another one.

    A player whose handle is known here must have the same name, unless ``known_players`` states that equal handles are
    the same people. Raises Invalid with the line at fault; then nothing has been written.
    """
    with transaction.atomic():
        run = RestoreRun(slug, known_players, progress)
        for line in read_lines(source):
            run.restore_line(line)
        return run.finish(by)


class RestoreRun:
    """A running restore. It needs no lock, as the league is not committed yet."""

    league: League

    def __init__(self, slug: str | None, known_players: bool, progress: Progress) -> None:
        self.slug, self.known_players, self.progress = slug, known_players, progress
        self.players: dict[str, Player] = {}
        self.ladders: dict[str, Ladder] = {}
        self.rules: list[Rule] = []
        self.waiting: list[ExportLine] = []
        self.declared: Values = {}
        self.line = 0
        self.published: list[tuple[int, Edition]] = []
        self.parts: dict[str, type[ExportPart]] = {part.kind: part for part in load_export_parts()}
        self.part_rows: list[tuple[ExportLine, Any]] = []
        self.entries = EntryRestore(self.players)
        self.end, self.gaps = "", dict[str, bool]()
        self.known: set[str] = set()
        """Handles of players who existed before."""
        self.lines: dict[tuple[str, Any], int] = {}
        """The numbers of the first line of each type, and of each fact that is compared with the log."""

    def restore_line(self, line: ExportLine) -> None:
        """Restore a line; raises Invalid."""
        if self.waiting and (self.waiting[0].kind != line.kind or len(self.waiting) == BATCH):
            self.flush()
        self.line = line.number
        self.lines.setdefault((line.kind, None), line.number)
        if line.kind in LOG_TABLES:
            table = LOG_TABLES[line.kind]
            self.lines[table.title, table.make_line_key(line.values)] = line.number
        if line.kind in ("game", "entry"):
            self.waiting.append(line)
            return
        if line.kind in self.parts:
            self.run_on_lines(lambda: self.restore_part(line), line.number)
            return
        self.run_on_lines(lambda: getattr(self, f"restore_{line.kind}")(line.values), line.number)

    def flush(self) -> None:
        """Write the collected games or entries."""
        lines, self.waiting = self.waiting, []
        write = self.write_games if lines[0].kind == "game" else self.write_entries
        self.run_on_lines(lambda: write(lines), lines[0].number, lines[-1].number)
        label = "games" if lines[0].kind == "game" else "the log"
        self.progress(f"restoring {label}", lines[-1].number, 0)

    def run_on_lines(self, operation: Callable[[], None], first: int, last: int | None = None) -> None:
        """Run ``operation`` on a line or range of lines, and add their numbers to its errors."""
        try:
            operation()
        except DatabaseError as error:
            raise build_rejected_lines_error(first, last, str(error).splitlines()[0]) from error
        except RungsError as error:
            raise build_line_error(self.line, error.detail, error.code) from None

    def restore_header(self, values: Values) -> None:
        """Note whether the file is a public export, whose log has gaps."""
        self.gaps = {"public": True} if values["public"] else {}

    def restore_league(self, values: Values) -> None:
        """Create the league."""
        self.declared = values
        league = League(slug=self.slug or values["slug"])
        apply_settings(league, {name: values[name] for name in SETTINGS})
        if League.objects.filter(slug=league.slug).exists():
            message = _("there is already a league “{league}”; choose another slug (--slug).")
            raise Invalid(message.format(league=league.slug))
        league.created_at = values["created_at"]
        save_row(league)
        self.league = league

    def restore_rule(self, values: Values) -> None:
        """Write a rule."""
        write_rule(self.league, values)
        self.rules = load_rules(self.league)

    def restore_field(self, values: Values) -> None:
        """Write a declared field."""
        declared = build_row(FIELD_RECORD, self.league, values)
        check_field(declared)
        save_row(declared)
        self.league.has_fields = True
        self.league.save(update_fields=["has_fields"])

    def restore_context(self, values: Values) -> None:
        """Write a context; its ratings are computed with those of the league."""
        save_row(build_row(CONTEXT_RECORD, self.league, values))
        self.league.has_contexts = True
        self.league.save(update_fields=["has_contexts"])

    def restore_player(self, values: Values) -> None:
        """Add a player, or use the known one with the handle."""
        handle, created_at, merge = values["handle"], values.pop("created_at"), values.pop("merge")
        erased_at = values.pop("erased_at")
        self.lines["players", handle] = self.line
        player = Player.objects.filter(handle=handle).select_related("merged_into").first()
        if player is not None:
            self.known.add(handle)
            refuse_different_player(player, values["name"], merge, same_people=self.known_players)
        else:
            player = add_player(**values, added_in=self.league)
            Player.objects.filter(pk=player.pk).update(created_at=created_at, erased_at=erased_at)
            if merge is not None:
                survivor = self.find_player(merge.pop("into"))
                check_pair(player, survivor)
                reassign_to_survivor(player, survivor)
                Merge.objects.create(player=player, into=survivor, **merge)
        if not values["active"]:
            Inactive.objects.create(league=self.league, player=player)
        self.players[handle] = player

    def find_player(self, handle: str) -> Player:
        """Return a player of the file."""
        if handle not in self.players:
            raise Invalid(_("the player “{player}” is not defined above.").format(player=handle))
        return self.players[handle]

    def find_original(self, values: Values) -> Player | None:
        """Return the original player of a line, if merged."""
        if values["recorded_as"] is None:
            return None
        original = self.find_player(values["recorded_as"])
        if original.merged_into_id != self.find_player(values["player"]).pk:
            message = _("the player “{player}” was not merged into “{into}”.")
            raise Invalid(message.format(player=original.handle, into=values["player"]))
        return original

    def restore_initial_rating(self, values: Values) -> None:
        """Write an initial rating."""
        player, original, rating = self.find_player(values["player"]), self.find_original(values), values["rating"]
        check_initial_rating(self.league, rating)
        save_row(build_row(START_RECORD, self.league, values, player=player, recorded_as=original))

    def restore_player_fields(self, values: Values) -> None:
        """Write the values of a player's fields."""
        save_row(build_row(PLAYER_FIELDS_RECORD, self.league, values, player=self.find_player(values["player"])))

    def restore_adjustment(self, values: Values) -> None:
        """Write an adjustment."""
        write_adjustment(self.league, values, self.find_player(values["player"]), self.find_original(values))

    def restore_ladder(self, values: Values) -> None:
        """Write a ladder and its rules."""
        ladder = write_ladder(self.league, values)
        self.ladders[ladder.slug] = ladder

    def find_ladder(self, values: Values) -> Ladder:
        """Return a line's ladder."""
        slug = values["ladder"]
        if slug not in self.ladders:
            raise Invalid(_("the ladder “{ladder}” is not defined above.").format(ladder=slug))
        return self.ladders[slug]

    def restore_period(self, values: Values) -> None:
        """Write a period with its original times."""
        ladder, day = self.find_ladder(values), values["rule"]
        rule = ladder.rules.filter(from_date=day).first()
        if rule is None:
            raise Invalid(_("the ladder {ladder} has no rule from {day}.").format(ladder=ladder.slug, day=day))
        save_row(build_row(PERIOD_RECORD, self.league, values, ladder=ladder, rule=rule))

    def restore_edition(self, values: Values) -> None:
        """Check an edition; it is written after the log, which has its position."""
        edition = build_row(EDITION_RECORD, self.league, values, ladder=self.find_ladder(values))
        for problem in find_edition_problems(edition):
            raise Invalid(problem.shown())
        self.published.append((self.line, edition))

    def write_editions(self) -> None:
        """Write the editions exactly as published."""
        positions = load_edition_positions(self.league)
        for line, edition in self.published:
            position = positions.get((edition.ladder.slug, edition.key, edition.number))
            if edition.log_position != position:
                raise build_line_error(line, _("the log has this edition at another position, or not at all."))
            self.run_on_lines(partial(edition.save, force_insert=True), line)

    def restore_decision(self, values: Values) -> None:
        """Write a decision."""
        save_row(build_row(DECISION_RECORD, self.league, values, ladder=self.find_ladder(values)))

    def restore_part(self, line: ExportLine) -> None:
        """Check a line of a capability; its row is written after the log."""
        self.part_rows.append((line, self.parts[line.kind].read_line(self.league, line.values, self.find_player)))

    def restore_end(self, values: Values) -> None:
        """Compare the league with the numbers declared in its line."""
        self.end = values["sha256"]
        for name in ("last_number", "log_length"):
            if getattr(self.league, name) != self.declared[name]:
                message = _("{name} is {value}; the league's line declares {declared}.")
                values = {"value": getattr(self.league, name), "declared": self.declared[name]}
                raise Invalid(message.format(name=name, **values))

    def write_games(self, lines: Sequence[ExportLine]) -> None:
        """Write games and their results."""
        games = [self.build_game(line) for line in lines]
        numbers = [game.replaces.number for game in games if game.replaces is not None]
        earlier_games = {game.number: game for game in self.league.games.filter(number__in=numbers)}
        chunk = {game.number: game for game in games}
        # A replaced game must be written first, even in the same batch.
        for game, line in zip(games, lines, strict=True):
            if game.replaces is not None:
                game.replaces = earlier_games.get(game.replaces.number) or chunk[game.replaces.number]
                if game.order_key != game.replaces.order_key:
                    self.line = line.number
                    raise Invalid(_("a game that replaces another one must have the same order_key."))
        Game.objects.bulk_create([game for game in games if game.replaces is None])
        for game in games:
            if game.replaces is not None:
                game.replaces_id = game.replaces.pk
                game.save(force_insert=True)
        people = {"player": self.players, "recorded_as": self.players}
        results = (
            build_row(RESULT_RECORD, self.league, line, people, game=game)
            for game, game_line in zip(games, lines, strict=True)
            for line in game_line.values["results"]
        )
        insert_results(list(results))

    def build_game(self, line: ExportLine) -> Game:
        """Return a game's unsaved row after the checks of recording; ``replaces`` has only a number."""
        self.line, values = line.number, line.values
        self.league.last_number += 1
        if values["number"] != self.league.last_number:
            message = _("numbers must have no gaps: this must be game {number}.")
            raise Invalid(message.format(number=self.league.last_number))
        if [result["seat"] for result in values["results"]] != list(range(1, len(values["results"]) + 1)):
            raise Invalid(_("seats must be numbered from 1 without gaps."))
        if values["replaces"] is not None and not 1 <= values["replaces"] < values["number"]:
            raise Invalid(_("a game can only replace an earlier one."))
        self.check_game(values)
        replaces = values["replaces"] and Game(number=values["replaces"])
        game: Game = build_row(GAME_RECORD, self.league, values, replaces=replaces)
        return game

    def check_game(self, values: Values) -> None:
        """Raise the errors of recording a game; void games need only be well-formed."""
        results = [NewResult(line["player"], **{name: line[name] for name in RESULT}) for line in values["results"]]
        new = NewGame(results, **{name: values[name] for name in SHEET})
        check_form(new)
        players = [self.find_player(result.player) for result in results]
        for line in values["results"]:
            self.find_original(line)
        # Later rules did not judge games that were recorded before them.
        rule = find_rule_at(self.rules, values["played_at"])
        if values["voided_at"] is None:
            if rule is None:
                raise Invalid(_("no rule was in force when the game was played."))
            check_sheet(new, [rule], players)

    def write_entries(self, lines: Sequence[ExportLine]) -> None:
        """Write log entries."""
        rows = []
        for line in lines:
            self.line = line.number
            rows.append(self.entries.build_row(self.league, line.values["entry"]))
        insert_rows(LogEntry, entries.COLUMNS, rows)
        self.entries.write_texts(self.league)

    def compare_with_log(self) -> None:
        """Raise Invalid if the file's facts contradict its log."""
        self.progress("comparing games with the log", 0, self.league.last_number)
        self.league.refresh_from_db()
        comparison = LogComparison(self.league, restored=self.known)
        comparison.run()
        last = self.league.last_number
        lines = [
            (find_export_line(finding, self.lines, last), finding.message) for finding in comparison.first_findings()
        ]
        if lines:
            line, message = min(lines)
            raise build_line_error(
                line, _("the log of this file disagrees. {sentence}").format(sentence=message.shown())
            )

    def finish(self, by: str) -> RestoreResult:
        """Log the restore, and replay the league."""
        self.entries.assign_opaque_handles(self.known)
        self.write_editions()
        length = self.league.log_length
        now: datetime = timezone.now()
        payload = {"slug": self.league.slug, "entries": length, "sha256": self.end, **self.gaps}
        entries.append(self.league, now, by, LogEntry.Kind.LEAGUE_RESTORED, payload)
        for line, row in self.part_rows:
            self.run_on_lines(partial(self.parts[line.kind].write_row, self.league, row, now, by), line.number)
        self.compare_with_log()
        if self.league.has_fields:
            rebuild_values(self.league)
        self.progress("rating", 0, self.league.last_number)
        replay_from(self.league, None)
        self.progress("rating", self.league.last_number, self.league.last_number)
        part_counts = Counter(line.kind for line, _ in self.part_rows)
        return RestoreResult(self.league, self.league.last_number, len(self.published), length, part_counts)
