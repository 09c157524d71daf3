"""Records, voids, corrects and restores games. All changes of games use this module.

The steps of recording (numbered in the code):
1 check the form; 2 lock the league and fix the current time; 3 for a known external_id return the existing
game; 4 check the sheet against the league's system; 5 take the next number; 6 write the facts and the log; 7 rate it
in the same transaction, or replay from its position.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.utils.translation import gettext as _

from league.core.db.bulk import insert_few
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.games.selectors.games import (
    Lines,
    ShownGame,
    ShownResult,
    counting_game,
    find_by_external_ids,
    partners_of,
    played_alike,
)
from league.core.games.services.game_input import (
    NewGame,
    check_form,
    check_sheet,
    check_time,
    matched_to_stored,
    problem_at,
    refuse_worksheet_in_details,
    same_content,
    stored_as_input,
    with_worksheet_scores,
    without_negative_zero,
)
from league.core.games.services.rate_game import rate_newest
from league.core.games.services.resolve_players import SeatPlayer, SheetTable, refuse_unnameable, seen_table, table_of
from league.core.leagues.selectors.rules import rules_of, rules_rating
from league.core.locking import locked, with_league_lock
from league.core.log.services import entries
from league.core.players.services.players import create_unknown_players
from league.core.replay.services.between_games import events_intervene
from league.core.replay.services.inline import catch_up, rate_again, take_over
from league.core.text.names import key_of, shortened
from league.models import Game, League, LogEntry, Player, Result, Rule
from league.models.facts import RESULT

REASON_LENGTH = 500
GAME_COLUMNS = (
    "league_id", "number", "order_key", "played_at", "kind", "external_id", "details", "note", "recorded_at",
    "recorded_by", "voided_by", "void_reason", "replaces_id", "weight", "metadata",
)  # fmt: skip
RESULT_COLUMNS = ("league_id", "game_id", "seat", "player_id", *RESULT, "recorded_as_id")
#: Time within which two sheets may be of one game.
WITHIN = timedelta(minutes=30)
#: Fewest players for comparing a user's own sheets: at a table of two the same result often occurs again.
TELLING = 3
#: Checks a game under the lock and raises if it has changed since it was read.
Expectation = Callable[[League, Game], None]


class SimilarGame(Conflict):
    """A game with the same players, partners and scores was recorded just before."""

    def __init__(self, game: Game) -> None:
        super().__init__(_("Game {number} has the same players and scores.").format(number=game.number))
        self.game = game


@dataclass(frozen=True)
class RecordedGame:
    """A recorded game; ``created`` is False if it existed already."""

    game: Game
    created: bool
    shown: ShownGame | None = None
    """The game as it was at the end of the transaction, if known without another query."""


@dataclass(frozen=True)
class Replacement:
    """The game that a new game replaces. For a restoration: the reason, and the game that was voided for it."""

    game: Game
    restored: str = ""
    voided: int | None = None


@dataclass(frozen=True)
class WrittenGame:
    """A newly written game, its lines in seat order, and the league's rules."""

    game: Game
    lines: list[Result]
    rules: list[Rule]


def record_game(league_id: int, new: NewGame, *, by: str) -> RecordedGame:
    """Record and rate one game in one transaction.

    Raises Invalid (malformed), Refused (by the league's rules, with seat or field), Conflict (the
    external_id belongs to another game) or Busy; nothing is written then.
    """
    check_form(new)  # 1
    return with_league_lock(league_id, lambda league, now: record_in(league, now, new, by))  # 2


def record_in(league: League, now: datetime, new: NewGame, by: str) -> RecordedGame:
    """Record a well-formed game in a locked league; raises like ``record_game``."""
    refuse_worksheet_in_details(new)
    seats = find_seats(league, new)
    known = known_game(league, new, seats.players)  # 3
    if known is not None:
        return RecordedGame(known, created=False)
    whole = with_worksheet_scores(league, new, now)
    written = write_game(league, whole, seats, now, by)  # 4, 5, 6
    game, rules, newest = written.game, written.rules, seats.table.newest
    shown = None
    if game.kind == Game.Kind.PLAYED:  # 7
        last = league.stale_from is None and (newest is None or newest < game.position)
        if last and not events_intervene(league, rules, newest, game.played_at):
            changes = rate_newest(league, rules, game, written.lines, seats.table)
            results = [ShownResult(line, changes[line.player_id]) for line in written.lines]
            shown = ShownGame(game=game, status="rated", results=results, replaces=None, replaced_by=None)
        else:
            catch_up(league, game.position)
    return RecordedGame(game, created=True, shown=shown)


def record_unless_alike(league_id: int, new: NewGame, *, by: str, asked: int | None) -> RecordedGame:
    """Record one game like ``record_game``; raises SimilarGame if it looks like a recent one.

    ``asked``: the number of the similar game that the user has confirmed to be a different one.
    """
    check_form(new)
    return _record_unless_alike(league_id, new, by, asked)


@locked
def _record_unless_alike(league: League, now: datetime, new: NewGame, by: str, asked: int | None) -> RecordedGame:
    game = find_similar_game(league, new, now, by)
    if game is not None and game.number != asked:
        raise SimilarGame(game)
    return record_in(league, now, new, by)


def void_game(league_id: int, number: int, *, reason: str, by: str, expect: Expectation | None = None) -> Game:
    """Void a game: it stays readable but is no longer rated. Raises NotFound, Conflict or Invalid.

    ``expect`` sees the game under the lock, before anything is written, and may raise.
    """
    reason = checked_reason(reason)
    return _void_game(league_id, number, reason, by, expect)


@locked
def _void_game(league: League, now: datetime, number: int, reason: str, by: str, expect: Expectation | None) -> Game:
    game = find_live_game(league, number, expect)
    mark_void(game, now, reason, by)
    entries.append(league, now, by, LogEntry.Kind.GAME_VOIDED, entries.of_void(game))
    rate_again(league, [game])
    return game


def correct_game(
    league_id: int, number: int, new: NewGame, *, reason: str, by: str, expect: Expectation | None = None
) -> RecordedGame:
    """Replace a game by a corrected one: void the old, record the new in its place, replay from the earlier one.

    The new game keeps the old one's place among games of the same time. If nothing that affects ratings changes,
    nothing is replayed. Omitted time, external_id and metadata are taken from the old game.
    ``expect`` sees the old game under the lock, before anything is written, and may raise.
    """
    check_form(new)
    reason = checked_reason(reason)
    return _correct_game(league_id, number, new, reason, by, expect)


@locked
def _correct_game(
    league: League, now: datetime, number: int, new: NewGame, reason: str, by: str, expect: Expectation | None
) -> RecordedGame:
    old = find_live_game(league, number, expect)
    corrected = replace(
        new,
        played_at=new.played_at or old.played_at,
        external_id=new.external_id or old.external_id,
        metadata=old.metadata if new.metadata is None else new.metadata,
    )
    corrected = with_worksheet_scores(league, corrected, now)
    seats = find_seats(league, corrected).as_in(old)
    refuse_borne(league, old, corrected.external_id)
    mark_void(old, now, reason, by)
    game = write_game(league, corrected, seats, now, by, Replacement(old)).game
    take_over(league, old, game)
    return RecordedGame(game, created=True)


def restore_game(
    league_id: int, number: int, *, reason: str, by: str, expect: Expectation | None = None
) -> RecordedGame:
    """Restore a void or replaced game as a new game in its place; the game that counted there is voided.

    Raises Conflict if the game is not void, and whatever recording it again would raise.
    ``expect`` sees the old game under the lock, before anything is written, and may raise.
    """
    reason = checked_reason(reason)
    return _restore_game(league_id, number, reason, by, expect)


@locked
def _restore_game(
    league: League, now: datetime, number: int, reason: str, by: str, expect: Expectation | None
) -> RecordedGame:
    old = find_expected_game(league, number, expect)
    if old.voided_at is None:
        raise Conflict(_("Game {number} is not void.").format(number=number))
    instead = counting_game(league, old.order_key)
    if instead is not None:
        mark_void(instead, now, reason, by)
    new = stored_as_input(old, old.results.select_related("player").order_by("seat"))
    refuse_borne(league, old, new.external_id)
    seats = find_seats(league, new).as_in(old)
    replacing = Replacement(old, reason, None if instead is None else instead.number)
    game = write_game(league, new, seats, now, by, replacing).game
    take_over(league, instead, game)
    return RecordedGame(game, created=True)


def checked_reason(reason: str) -> str:
    """Return the stripped reason; raises Invalid if it is empty or too long."""
    reason = reason.strip()
    if not reason:
        sentence = _("Give a reason; it is kept with the game.")
        raise Invalid.of([Problem("/reason", "missing", sentence)])
    if len(reason) > REASON_LENGTH or "\0" in reason:
        sentence = _("A reason has at most {limit} characters.").format(limit=REASON_LENGTH)
        raise Invalid.of([Problem("/reason", "too_long", sentence)])
    return reason


@dataclass(frozen=True)
class SeatedPlayers:
    """The players of a game in seat order."""

    players: list[Player]
    named: Mapping[int, Player]
    """Player id -> the player named on the sheet, if merged into this player."""
    added: Sequence[str]
    """The names in logs of players who were added to the site for this game."""
    table: SheetTable
    """Their current states in the league."""

    def as_in(self, game: Game) -> "SeatedPlayers":
        """Return the same with merged players named as in ``game``, so that correcting a score changes no names."""
        lines = game.results.filter(recorded_as__isnull=False).select_related("recorded_as")
        there = {line.player_id: line.recorded_as for line in lines if line.recorded_as is not None}
        return replace(self, named={**there, **self.named})


def find_seats(league: League, new: NewGame) -> SeatedPlayers:
    """Find or add the players of a sheet; raises Refused naming each unknown one."""
    table, names = seen_table(league, [result.player for result in new.results], new.viewer)
    unknown = [seat for seat, name in enumerate(names) if key_of(name) not in table.seats]
    added: list[str] = []
    if unknown and not new.create_players:
        sentence = _("Seat {seat}: no player is called “{name}”.")
        raise Refused.of(
            [problem_at(seat, "player", "unknown_player", sentence, name=shortened(names[seat])) for seat in unknown]
        )
    if unknown:
        refuse_unnameable(names, unknown)
        words = [names[seat] for seat in unknown]
        made = create_unknown_players(words, added, names=new.names, beside=names, viewer=new.viewer)
        names = [made[key_of(name)].handle if key_of(name) in made else name for name in names]
        table = table_of(league, names)
    return seats_of_players([table.seats[key_of(name)] for name in names], table, added)


def seats_of_players(seats: Sequence[SeatPlayer], table: SheetTable, added: Sequence[str] = ()) -> SeatedPlayers:
    """Return the players of a game, given its seats in order."""
    named = {seat.player.pk: seat.recorded_as for seat in seats if seat.recorded_as is not None}
    return SeatedPlayers([seat.player for seat in seats], named, added, table)


def check_game(league: League, now: datetime, new: NewGame) -> list[Player]:
    """Return the players in seat order; raises Invalid or Refused like ``record_game``.

    The league must be locked. No players are added: callers do not pass sheets with ``create_players``.
    """
    check_form(new)
    refuse_worksheet_in_details(new)
    players = find_seats(league, new).players
    whole = with_worksheet_scores(league, new, now)
    played_at, rules = new.played_at or now, rules_of(league)
    check_time(played_at, now, rules)
    check_sheet(whole, rules_rating(rules, played_at), players)
    return players


def known_game(league: League, new: NewGame, players: Sequence[Player]) -> Game | None:
    """Return the existing game with this external_id; raises Conflict if it differs."""
    if new.external_id is None:
        return None
    games = find_by_external_ids(league, [new.external_id])
    for game in games:
        if same_content(game, matched_to_stored(game, new, league), players):
            return game
    if games:
        sentence = _("external_id “{external_id}” belongs to game {number}, which has other content.")
        said = sentence.format(external_id=new.external_id, number=games[0].number)
        raise Conflict.of([Problem("/external_id", "conflict", said)])
    return None


def refuse_borne(league: League, old: Game, external_id: str | None) -> None:
    """Raise Conflict if a game other than the one to be replaced has this external_id."""
    if external_id is None:
        return
    other = league.games.filter(external_id=external_id, voided_at__isnull=True).exclude(pk=old.pk).first()
    if other is not None:
        sentence = _("external_id “{external_id}” belongs to game {number}; leave it out to keep the game's own.")
        said = sentence.format(external_id=external_id, number=other.number)
        raise Conflict.of([Problem("/external_id", "conflict", said)])


def find_live_game(league: League, number: int, expect: Expectation | None) -> Game:
    """Return a game that counts and meets the expectation; raises NotFound or Conflict."""
    game = find_expected_game(league, number, expect)
    if game.voided_at is None:
        return game
    instead = counting_game(league, game.order_key)
    if instead is None:
        raise Conflict(_("Game {number} is already void.").format(number=game.number))
    # Clients should change the game that counts in its place.
    sentence = _("Game {number} is already void; game {other} replaced it.")
    said = sentence.format(number=game.number, other=instead.number)
    raise Conflict(said, members={"replaced_by": instead.number})


def find_expected_game(league: League, number: int, expect: Expectation | None) -> Game:
    """Return a game that meets the expectation; raises NotFound, or what the expectation raises."""
    game = league.games.filter(number=number).first()
    if game is None:
        raise NotFound(_("The league has no game {number}.").format(number=number))
    if expect is not None:
        expect(league, game)
    return game


def mark_void(game: Game, now: datetime, reason: str, by: str) -> None:
    """Mark a game as void; all its other fields stay as recorded."""
    game.voided_at, game.void_reason, game.voided_by = now, reason, by
    game.save(update_fields=["voided_at", "void_reason", "voided_by"])


def write_game(
    league: League, new: NewGame, seats: SeatedPlayers, now: datetime, by: str, replacing: Replacement | None = None
) -> WrittenGame:
    """Check the sheet against the rule in force, and write facts and log; the league must be locked.

    ``replacing``: the game whose place in the order it takes; by default it comes after all others of its time. The
    league's ``last_number`` is written with the log entry.
    """
    played_at = (new.played_at or now).astimezone(UTC)
    rules = rules_of(league)
    check_time(played_at, now, rules)
    check_sheet(new, rules_rating(rules, played_at), seats.players)
    league.last_number += 1
    game = Game(
        league=league,
        number=league.last_number,
        order_key=replacing.game.order_key if replacing else league.last_number,
        played_at=played_at,
        kind=new.kind,
        external_id=new.external_id,
        details={key: without_negative_zero(value) for key, value in new.details.items()},
        note=new.note,
        weight=without_negative_zero(float(new.weight)),
        metadata=dict(new.metadata or {}),
        recorded_at=now,
        recorded_by=by,
        replaces=None if replacing is None else replacing.game,
    )
    ((game.pk, details),) = insert_few(Game, GAME_COLUMNS, [game_row(game)], returning="id, details")
    # As read from the database, which may store a number differently.
    game.details = json.loads(details)
    game._state.adding, game._state.db = False, connection.alias
    lines = write_results(game, new, seats)
    log_game(league, game, lines, seats.added, replacing)
    return WrittenGame(game, lines, rules)


def game_row(game: Game) -> list[object]:
    """Return the row of a game in the order of GAME_COLUMNS."""
    row = [getattr(game, name) for name in GAME_COLUMNS]
    for name in ("details", "metadata"):
        row[GAME_COLUMNS.index(name)] = json.dumps(getattr(game, name))
    return row


def write_results(game: Game, new: NewGame, seats: SeatedPlayers) -> list[Result]:
    """Write the lines of a game in seat order; return them without their keys."""
    lines = [
        Result(
            league_id=game.league_id,
            game=game,
            seat=seat,
            player=player,
            score=None if result.score is None else without_negative_zero(float(result.score)),
            place=result.place,
            side=result.side,
            recorded_as=seats.named.get(player.pk),
        )
        for seat, (player, result) in enumerate(zip(seats.players, new.results, strict=True), start=1)
    ]
    insert_few(Result, RESULT_COLUMNS, [[getattr(line, name) for name in RESULT_COLUMNS] for line in lines])
    return lines


def log_game(
    league: League, game: Game, lines: Sequence[Result], added: Sequence[str], replacing: Replacement | None
) -> None:
    """Log a recorded or replacing game, preceded by the players added for it."""
    at, by = game.recorded_at, game.recorded_by
    log_added_players(league, at, by, added)
    payloads = entries.lines_of(lines)
    if replacing is None:
        entries.append(league, at, by, LogEntry.Kind.GAME_RECORDED, entries.of_game(game, payloads))
    elif not replacing.restored:
        entries.append(
            league, at, by, LogEntry.Kind.GAME_CORRECTED, entries.of_correction(replacing.game, game, payloads)
        )
    else:
        payload = entries.of_restoration(replacing.game, replacing.restored, replacing.voided, game, payloads)
        entries.append(league, at, by, LogEntry.Kind.GAME_RESTORED, payload)


def log_added_players(league: League, now: datetime, by: str, added: Sequence[str]) -> None:
    """Log the players who were added to the site for a game."""
    for player in added:
        entries.append(league, now, by, LogEntry.Kind.PLAYER_CREATED, {"player": player})


def find_similar_game(league: League, new: NewGame, now: datetime, by: str) -> Game | None:
    """Return a game with similar time, and the same players, partners and scores; None if there is none."""
    table, names = seen_table(league, [result.player for result in new.results], new.viewer)
    keys = [key_of(name) for name in names]
    if not all(key in table.seats for key in keys):
        return None
    whole = with_worksheet_scores(league, new, now)
    seats = [(table.seats[key].player.pk, one) for key, one in zip(keys, whole.results, strict=True)]
    lines: Lines = frozenset(
        (player, None if one.score is None else without_negative_zero(float(one.score)), one.place)
        for player, one in seats
    )
    partners = partners_of((player, one.side) for player, one in seats)
    game = played_alike(league, lines, partners, whole.played_at or now, WITHIN)
    return None if game is None or (game.recorded_by == by and len(lines) < TELLING) else game
