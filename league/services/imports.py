"""Imports games by the thousand: all of them, or an error with line numbers and nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import BinaryIO, TypeVar

from league.errors import Invalid, NotFound, Refused, RungsError
from league.models import Game, League, Player, Result, Rule
from league.names import key_of, name_problem
from league.selectors.players import players_by_key
from league.selectors.rules import rules_of, system_of
from league.services.books import with_books
from league.services.bulk import insert_rows
from league.services.csv_games import Problems, Progress, ReadFile, ReadGame, read_csv
from league.services.history import Place
from league.services.players import create_unknown
from league.services.replay import replay_from
from league.services.sheets import check_form, check_sheet, check_time, same_content

BATCH = 2000
T = TypeVar("T")


@dataclass(frozen=True)
class Report:
    """What an import did, or would do."""

    games: int
    results: int
    known: int
    """Games that were there already, with the same content."""
    created_players: int
    replayed: int
    ignored: tuple[str, ...]
    """Columns of the file that say nothing about games of this league's system."""


class DryRun(Exception):
    """Undoes the transaction of a dry run."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report


def no_progress(what: str, done: int, total: int) -> None:
    """Say nothing."""


def import_games(
    league_id: int,
    source: BinaryIO,
    *,
    by: str,
    create_players: bool = False,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> Report:
    """Import a CSV file (gzip too) into a league and rate its games; returns what was done.

    Numbers are handed out in file order, so the order inside a day is file order. A game_id that is
    known with the same content is left as it is. A dry run does all of it and undoes it.
    Raises Invalid with a problem per line; then nothing was written.
    """
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        raise NotFound("There is no such league.")
    rules = rules_of(league)
    if not rules:
        raise Refused("The league has no rule yet: it must choose a rating system before games can be imported.")
    # The rules of a league may change parameters, never the system: any of them names the columns.
    read = read_csv(source, system_of(rules[0]), league.time_zone, progress)
    return import_read(league_id, read, by=by, create_players=create_players, dry_run=dry_run, progress=progress)


def import_read(
    league_id: int,
    read: ReadFile,
    *,
    by: str,
    create_players: bool = False,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> Report:
    """Import games that were read already; see ``import_games``."""

    def work(league: League, now: datetime) -> Report:
        report = Importing(league, now, by, progress).run(read, create_players)
        if dry_run:
            raise DryRun(report)
        return report

    try:
        return with_books(league_id, work)
    except DryRun as done:
        return done.report


class Importing:
    """One import under the league's lock."""

    def __init__(self, league: League, now: datetime, by: str, progress: Progress) -> None:
        self.league, self.now, self.by, self.progress = league, now, by, progress
        self.rules: list[Rule] = rules_of(league)
        self.problems = Problems()

    def run(self, read: ReadFile, create_players: bool) -> Report:
        """Check everything, write the facts, and rate from the earliest new game on."""
        players, created = self.find_players(read.games, create_players)
        known = self.known_games([entry.game.external_id or "" for entry in read.games])
        fresh = self.check(read.games, players, known)
        self.problems.raise_any()
        games = self.write(fresh, players)
        return Report(
            games=len(fresh),
            results=sum(len(entry.lines) for entry in fresh),
            known=len(read.games) - len(fresh),
            created_players=created,
            replayed=self.rate(games),
            ignored=read.ignored,
        )

    def find_players(self, games: Sequence[ReadGame], create: bool) -> tuple[dict[str, Player], int]:
        """Return key -> player for every name of the file, and how many were added."""
        names = {key_of(result.player): result.player for entry in games for result in entry.game.results}
        players: dict[str, Player] = {}
        for batch in batches(names.values(), BATCH):
            players.update(players_by_key(batch))
        unknown = {key: name for key, name in names.items() if key not in players}
        self.refuse_names(games, unknown, create)
        if unknown:
            self.progress("adding players", 0, len(unknown))
            players.update(create_unknown(list(unknown.values())))
        return players, len(unknown)

    def refuse_names(self, games: Sequence[ReadGame], unknown: Mapping[str, str], create: bool) -> None:
        """Raise BadFile naming the first line of every unknown player who is not to be, or cannot be, added."""
        refused = {key: name_problem(name) if create else "" for key, name in unknown.items()}
        refused = {key: sentence for key, sentence in refused.items() if sentence is not None}
        for entry in games if refused else ():
            for line, result in zip(entry.lines, entry.game.results, strict=True):
                sentence = refused.pop(key_of(result.player), None)
                if sentence is not None:
                    text = f"there is no player “{shortened(result.player)}”. {sentence}".strip()
                    self.problems.add(line, "unknown_player", text, "/player")
        self.problems.raise_any()

    def known_games(self, names: Sequence[str]) -> dict[str, list[Game]]:
        """Return external_id -> the games of the league that bear it, the newest first."""
        known: dict[str, list[Game]] = {}
        for batch in batches(names, BATCH):
            games = self.league.games.filter(external_id__in=batch).order_by("-number").prefetch_related("results")
            for game in games:
                known.setdefault(game.external_id or "", []).append(game)
        return known

    def check(
        self, games: Sequence[ReadGame], players: Mapping[str, Player], known: Mapping[str, list[Game]]
    ) -> list[ReadGame]:
        """Check every game as ``record_game`` does; return those that are not in the books yet."""
        fresh = []
        for count, entry in enumerate(games, start=1):
            if count % BATCH == 0:
                self.progress("checking", count, len(games))
            seated = [players[key_of(result.player)] for result in entry.game.results]
            there = known.get(entry.game.external_id or "", [])
            if any(same_content(game, entry.game, seated) for game in there):
                continue
            if there:
                sentence = f"game_id “{entry.game.external_id}” stands for game {there[0].number} with other content."
                self.problems.add(entry.lines[0], "conflict", sentence, "/game_id")
                continue
            self.check_one(entry, seated)
            fresh.append(entry)
        return fresh

    def check_one(self, entry: ReadGame, seated: Sequence[Player]) -> None:
        """Note what is wrong with one game, each at its line."""
        try:
            check_form(entry.game)
            assert entry.game.played_at is not None, "read_csv refuses games without a time"
            check_sheet(entry.game, check_time(entry.game.played_at, self.now, self.rules), seated)
        except (Invalid, Refused) as error:
            for problem in error.problems:
                line, where = line_of(entry, problem.pointer)
                self.problems.add(line, problem.code, f"game {entry.game.external_id}: {problem.detail}", where)
            if not error.problems:
                self.note(entry, error)

    def note(self, entry: ReadGame, error: RungsError) -> None:
        """Note an error that concerns the whole game."""
        self.problems.add(entry.lines[0], error.code, f"game {entry.game.external_id}: {error.detail}")

    def write(self, games: Sequence[ReadGame], players: Mapping[str, Player]) -> list[Game]:
        """Write games and results in batches; returns the games."""
        written: list[Game] = []
        for batch in batches(games, BATCH):
            rows = Game.objects.bulk_create(self.rows(batch))
            lines = [
                (game.pk, seat, players[key_of(result.player)].pk, result.score, result.place)
                for game, entry in zip(rows, batch, strict=True)
                for seat, result in enumerate(entry.game.results, start=1)
            ]
            insert_rows(Result, ("game", "seat", "player", "score", "place"), lines)
            written += rows
            self.progress("writing", len(written), len(games))
        self.league.save(update_fields=["last_number"])
        return written

    def rows(self, batch: Sequence[ReadGame]) -> Iterator[Game]:
        """Yield the rows of games, each with the league's next number."""
        for entry in batch:
            assert entry.game.played_at is not None, "read_csv refuses games without a time"
            self.league.last_number += 1
            yield Game(
                league=self.league,
                number=self.league.last_number,
                played_at=entry.game.played_at,
                kind=entry.game.kind,
                external_id=entry.game.external_id,
                details=dict(entry.game.details),
                note=entry.game.note,
                recorded_at=self.now,
                recorded_by=self.by,
            )

    def rate(self, games: Sequence[Game]) -> int:
        """Replay from the earliest new game on, or from where the league was stale already."""
        if not games:
            return 0
        self.progress("rating", 0, len(games))
        place: Place = min((game.played_at, game.number) for game in games)
        if self.league.stale_from is not None:
            place = min(place, (self.league.stale_from, self.league.stale_number))
        replayed = replay_from(self.league, place)
        self.progress("rating", len(games), len(games))
        return replayed


def line_of(entry: ReadGame, pointer: str) -> tuple[int, str]:
    """Translate a pointer into a game to a line of the file and a column."""
    parts = pointer.split("/")[1:]
    if len(parts) == 3 and parts[0] == "results":
        return entry.lines[int(parts[1])], f"/{parts[2]}"
    column = parts[-1] if parts[0] in ("details", "played_at") else ""
    return entry.lines[0], f"/{column}" if column else ""


def shortened(text: str) -> str:
    """Return a name as a sentence can hold it, invisible characters made visible."""
    seen = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return seen if len(seen) <= 60 else f"{seen[:60]}…"


def batches(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most ``size`` things."""
    iterator = iter(things)
    while batch := list(islice(iterator, size)):
        yield batch
