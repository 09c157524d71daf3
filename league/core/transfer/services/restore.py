"""Makes a league again of its export: all of it, replayed, or an error with the line and nothing."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, BinaryIO

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.db.bulk import insert_rows
from league.core.errors import Invalid, RungsError
from league.core.games.services.game_input import NewGame, NewResult, check_form, check_sheet
from league.core.jobs.services.progress import Progress, silent
from league.core.leagues.selectors.rules import rules_of, rules_rating
from league.core.leagues.services.leagues import apply_settings
from league.core.log.selectors.log import edition_positions
from league.core.log.services import entries
from league.core.players.services.merges import check_pair, hand_over
from league.core.players.services.players import add_player, check_initial
from league.core.replay.services.inline import replay_from
from league.core.transfer.export_parts import ExportPart
from league.core.transfer.services.entries import EntryRestore
from league.core.transfer.services.facts import refuse_other, write_adjustment, write_ladder, write_rule
from league.core.transfer.services.reading import ExportLine, bad_line, read_lines, refused_lines
from league.core.verify.editions import edition_problems
from league.core.verify.facts import decision_key
from league.core.verify.findings import line_of
from league.core.verify.log import LogComparison
from league.models import (
    Decision,
    Edition,
    Game,
    Inactive,
    InitialRating,
    Ladder,
    League,
    LogEntry,
    Merge,
    Period,
    Player,
    Result,
    Rule,
)
from league.models.declared import RESULT, SETTINGS, SHEET

BATCH = 2000
Values = dict[str, Any]


@dataclass(frozen=True)
class RestoreResult:
    """What was restored."""

    league: League
    games: int
    editions: int
    entries: int
    parts: Mapping[str, int]
    """Type of lines that a capability reads -> how many were restored."""


def restore_league(
    source: BinaryIO,
    *,
    slug: str | None = None,
    known_players: bool = False,
    by: str,
    progress: Progress = silent,
) -> RestoreResult:
    """Make a league of an export in NDJSON (gzip too), under its own slug or another one.

    A player whose handle is known here must have the same name, or ``known_players`` says that equal
    handles are the same people. Raises Invalid with the line that is wrong; then nothing was written.
    """
    with transaction.atomic():
        restoring = RestoreRun(slug, known_players, progress)
        for line in read_lines(source):
            restoring.take(line)
        return restoring.finish(by)


class RestoreRun:
    """One restore; a league that is not committed needs no lock, for no one sees it."""

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
        self.parts: dict[str, type[ExportPart]] = {part.kind: part for part in load_declared("export_parts")}
        self.part_rows: list[tuple[ExportLine, Any]] = []
        self.entries = EntryRestore(self.players)
        self.end = ""
        self.known: set[str] = set()
        """Handles of players who were here before."""
        self.lines: dict[tuple[str, Any], int] = {}
        """Where the first line of a kind stands, and where something does that the log may say otherwise."""

    def take(self, line: ExportLine) -> None:
        """Write what a line says; raises Invalid."""
        if self.waiting and (self.waiting[0].kind != line.kind or len(self.waiting) == BATCH):
            self.flush()
        self.line = line.number
        self.lines.setdefault((line.kind, None), line.number)
        if line.kind in ("game", "entry"):
            self.waiting.append(line)
            return
        if line.kind in self.parts:
            self.guarded(lambda: self.take_part(line), line.number)
            return
        self.guarded(lambda: getattr(self, f"take_{line.kind}")(line.values), line.number)

    def flush(self) -> None:
        """Write the games or entries that wait."""
        lines, self.waiting = self.waiting, []
        write = self.write_games if lines[0].kind == "game" else self.write_entries
        self.guarded(lambda: write(lines), lines[0].number, lines[-1].number)
        what = "games" if lines[0].kind == "game" else "the log"
        self.progress(f"restoring {what}", lines[-1].number, 0)

    def guarded(self, work: Callable[[], None], first: int, last: int | None = None) -> None:
        """Do something with a line, or with all from the first to the last; a refusal becomes a sentence with them."""
        try:
            work()
        except DatabaseError as error:
            raise refused_lines(first, last, str(error).splitlines()[0]) from error
        except RungsError as error:
            raise bad_line(self.line, error.detail, error.code) from None

    def note(self, what: str, which: Any) -> None:
        """Note the line on which something stands."""
        self.lines[what, which] = self.line

    def take_header(self, values: Values) -> None:
        """Take what was checked while it was read."""

    def take_league(self, values: Values) -> None:
        """Make the league."""
        self.declared = values
        league = League(slug=self.slug or values["slug"])
        apply_settings(league, {name: values[name] for name in SETTINGS})
        if League.objects.filter(slug=league.slug).exists():
            sentence = _("there is already a league “{league}”; choose another slug (--slug).")
            raise Invalid(sentence.format(league=league.slug))
        league.save()
        League.objects.filter(pk=league.pk).update(created_at=values["created_at"])
        self.league = league

    def take_rule(self, values: Values) -> None:
        """Write a rule."""
        self.note("rules", values["from_date"].isoformat())
        write_rule(self.league, values)
        self.rules = rules_of(self.league)

    def take_player(self, values: Values) -> None:
        """Add a player, or find who bears the handle already."""
        handle, made, merge = values["handle"], values.pop("created_at"), values.pop("merge")
        erased_at = values.pop("erased_at")
        self.note("players", handle)
        player = Player.objects.filter(handle=handle).select_related("merged_into").first()
        if player is not None:
            self.known.add(handle)
            refuse_other(player, values["name"], merge, same_people=self.known_players)
        else:
            player = add_player(**values)
            Player.objects.filter(pk=player.pk).update(created_at=made, erased_at=erased_at)
            if merge is not None:
                into = self.player(merge.pop("into"))
                check_pair(player, into)
                hand_over(player, into)
                Merge.objects.create(player=player, into=into, **merge)
        if not values["active"]:
            Inactive.objects.create(league=self.league, player=player)
        self.players[handle] = player

    def player(self, handle: str) -> Player:
        """Return a player of the file."""
        if handle not in self.players:
            raise Invalid(_("the player “{player}” is not defined above.").format(player=handle))
        return self.players[handle]

    def original(self, values: Values) -> Player | None:
        """Return whom a line named where that one was merged into the player for whom it counts."""
        if values["recorded_as"] is None:
            return None
        found = self.player(values["recorded_as"])
        if found.merged_into_id != self.player(values["player"]).pk:
            sentence = _("the player “{player}” was not merged into “{into}”.")
            raise Invalid(sentence.format(player=found.handle, into=values["player"]))
        return found

    def take_initial_rating(self, values: Values) -> None:
        """Write where a player starts."""
        self.note("starts", values["recorded_as"] or values["player"])
        player, original, rating = self.player(values["player"]), self.original(values), values["rating"]
        check_initial(self.league, rating)
        InitialRating.objects.create(league=self.league, player=player, recorded_as=original, rating=rating)

    def take_adjustment(self, values: Values) -> None:
        """Write points that a player was given or lost beside the games."""
        self.note("adjustments", values["number"])
        write_adjustment(self.league, values, self.player(values["player"]), self.original(values))

    def take_ladder(self, values: Values) -> None:
        """Write a ladder and its rules."""
        self.note("ladders", values["slug"])
        ladder = write_ladder(self.league, values)
        self.ladders[ladder.slug] = ladder

    def ladder(self, values: Values) -> Ladder:
        """Return the ladder that a line names, and take its name out."""
        slug = values.pop("ladder")
        if slug not in self.ladders:
            raise Invalid(_("the ladder “{ladder}” is not defined above.").format(ladder=slug))
        return self.ladders[slug]

    def take_period(self, values: Values) -> None:
        """Write a period with the instants that were resolved when it opened."""
        ladder, day = self.ladder(values), values.pop("rule")
        rule = ladder.rules.filter(from_date=day).first()
        if rule is None:
            raise Invalid(_("the ladder {ladder} has no rule from {day}.").format(ladder=ladder.slug, day=day))
        Period.objects.create(league=self.league, ladder=ladder, rule=rule, **values)

    def take_edition(self, values: Values) -> None:
        """Check an edition; it waits for the log, which says where in it the edition stands, for nothing changes it."""
        edition = Edition(league=self.league, ladder=self.ladder(values), **values)
        for problem in edition_problems(edition):
            raise Invalid(problem.shown())
        self.published.append((self.line, edition))

    def write_editions(self) -> None:
        """Write the editions to the byte as they were published."""
        positions = edition_positions(self.league)
        for line, edition in self.published:
            position = positions.get((edition.ladder.slug, edition.key, edition.number))
            if edition.log_position != position:
                raise bad_line(line, _("the log has this edition at another position, or not at all."))
            self.lines["editions", (edition.ladder.slug, edition.key, edition.number)] = line
            self.guarded(partial(edition.save, force_insert=True), line)

    def take_decision(self, values: Values) -> None:
        """Write a decision."""
        decision = Decision.objects.create(league=self.league, ladder=self.ladder(values), **values)
        self.note("decisions", decision_key(decision))

    def take_part(self, line: ExportLine) -> None:
        """Check a line of a capability; its row is written after the log, and appends to it."""
        self.part_rows.append((line, self.parts[line.kind].read_line(self.league, line.values, self.player)))

    def take_end(self, values: Values) -> None:
        """Compare with what the league's line declared."""
        self.end = values["sha256"]
        for name in ("last_number", "log_length"):
            if getattr(self.league, name) != self.declared[name]:
                sentence = _("{name} is {value}; the league's line declares {declared}.")
                values = {"value": getattr(self.league, name), "declared": self.declared[name]}
                raise Invalid(sentence.format(name=name, **values))

    def write_games(self, lines: Sequence[ExportLine]) -> None:
        """Write games and their results."""
        games = [self.game(line) for line in lines]
        numbers = [game.replaces.number for game in games if game.replaces is not None]
        there = {game.number: game for game in self.league.games.filter(number__in=numbers)}
        chunk = {game.number: game for game in games}
        # What a game replaces must be written before it, even in the same batch.
        for game, line in zip(games, lines, strict=True):
            if game.replaces is not None:
                game.replaces = there.get(game.replaces.number) or chunk[game.replaces.number]
                if game.order_key != game.replaces.order_key:
                    self.line = line.number
                    raise Invalid(_("a game that replaces another one must have the same order_key."))
        Game.objects.bulk_create([game for game in games if game.replaces is None])
        for game in games:
            if game.replaces is not None:
                game.replaces_id = game.replaces.pk
                game.save(force_insert=True)
        rows = [
            (
                self.league.pk,
                game.pk,
                line["seat"],
                self.players[line["player"]].pk,
                None if line["recorded_as"] is None else self.players[line["recorded_as"]].pk,
                *(line[name] for name in RESULT),
            )
            for game, read in zip(games, lines, strict=True)
            for line in read.values["results"]
        ]
        insert_rows(Result, ("league", "game", "seat", "player", "recorded_as", *RESULT), rows)

    def game(self, line: ExportLine) -> Game:
        """Return a game's row, checked as it was when it was recorded; ``replaces`` bears a number only."""
        self.line, values = line.number, line.values
        self.league.last_number += 1
        if values["number"] != self.league.last_number:
            sentence = _("numbers must have no gaps: this must be game {number}.")
            raise Invalid(sentence.format(number=self.league.last_number))
        if [result["seat"] for result in values["results"]] != list(range(1, len(values["results"]) + 1)):
            raise Invalid(_("seats must be numbered from 1 without gaps."))
        if values["replaces"] is not None and not 1 <= values["replaces"] < values["number"]:
            raise Invalid(_("a game can only replace an earlier one."))
        self.check(values)
        fields = {name: value for name, value in values.items() if name not in ("results", "replaces")}
        replaces = values["replaces"] and Game(number=values["replaces"])
        return Game(league=self.league, replaces=replaces, **fields)

    def check(self, values: Values) -> None:
        """Raise where the league's rules refuse a game that is rated; void ones stand as they were."""
        results = [NewResult(line["player"], **{name: line[name] for name in RESULT}) for line in values["results"]]
        new = NewGame(results, **{name: values[name] for name in SHEET})
        check_form(new)
        players = [self.player(result.player) for result in results]
        for line in values["results"]:
            self.original(line)
        rules = rules_rating(self.rules, values["played_at"])
        if values["voided_at"] is None:
            if not rules:
                raise Invalid(_("no rule was in force when the game was played."))
            check_sheet(new, rules, players)

    def write_entries(self, lines: Sequence[ExportLine]) -> None:
        """Write entries of the log, each chained to the one before."""
        rows = []
        for line in lines:
            self.line = line.number
            rows.append(self.entries.row(self.league, line.values["entry"]))
        insert_rows(LogEntry, entries.COLUMNS, rows)
        self.entries.write_texts(self.league)

    def hold_to_log(self) -> None:
        """Raise Invalid if what the file says of the league's data is not what its own log says of them."""
        self.progress("comparing games with the log", 0, self.league.last_number)
        self.league.refresh_from_db()
        comparison = LogComparison(self.league, restored=self.known)
        comparison.run()
        last = self.league.last_number
        lines = [(line_of(finding, self.lines, last), finding.sentence) for finding in comparison.found()]
        if lines:
            line, sentence = min(lines)
            why = _("the log of this file disagrees. {sentence}").format(sentence=sentence.shown())
            raise bad_line(line, why)

    def finish(self, by: str) -> RestoreResult:
        """Say in the log that the league was restored, and replay."""
        self.entries.name_people(self.known)
        self.write_editions()
        length = self.league.log_length
        now: datetime = timezone.now()
        payload = {"slug": self.league.slug, "entries": length, "sha256": self.end}
        entries.append(self.league, now, by, LogEntry.Kind.LEAGUE_RESTORED, payload)
        for line, row in self.part_rows:
            self.guarded(partial(self.parts[line.kind].write_row, self.league, row, now, by), line.number)
        self.hold_to_log()
        self.progress("rating", 0, self.league.last_number)
        replay_from(self.league, None)
        self.progress("rating", self.league.last_number, self.league.last_number)
        parts = Counter(line.kind for line, _ in self.part_rows)
        return RestoreResult(self.league, self.league.last_number, len(self.published), length, parts)
