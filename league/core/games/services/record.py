"""Records, voids, corrects and restores games. All changes of games use this module.

The steps of recording (numbered in the code):
1 check the form; 2 lock the league and fix the current time; 3 for a known external_id return the existing
game; 4 check the sheet against the league's system; 5 take the next number; 6 write the facts and the log; 7 rate it
in the same transaction, or replay from its position.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from league.core.errors import Conflict, NotFound, Problem
from league.core.games.selectors.games import (
    ShownGame,
    ShownResult,
    find_by_external_ids,
    find_counting_game,
)
from league.core.games.services.attaching import (
    GameAttacher,
    attach_games,
    build_attacher,
    find_attachment,
    follow_attached,
    keep_unrated_kind,
    may_attach,
    refuse_fixed_games,
)
from league.core.games.services.computed_results import (
    compute_results,
    match_stored_results,
    refuse_computed_details,
)
from league.core.games.services.declared_values import keep_values, store_values
from league.core.games.services.game_input import (
    NewGame,
    check_form,
    check_sheet,
    check_time,
    has_same_content,
    rebuild_input,
)
from league.core.games.services.rate_contexts import rate_in_contexts
from league.core.games.services.rate_game import rate_newest
from league.core.games.services.resolve_players import (
    SeatPlayer,
    SheetTable,
    find_sheet_players,
    refuse_unresolved,
)
from league.core.games.services.write_games import (
    Replacement,
    UnwrittenGame,
    build_results,
    build_row,
    normalize_sheet,
    void_games,
    write_games,
)
from league.core.locking import locked, run_with_league_lock
from league.core.log.services import entries
from league.core.players.services.add_players import log_added_players
from league.core.players.services.players import create_unknown_players
from league.core.reasons import require_reason
from league.core.replay.services.between_games import has_intervening_events
from league.core.replay.services.inline import catch_up, rate_again, take_over
from league.core.rules.selectors.rules import find_rules_rating, load_rules
from league.models import Game, League, LogEntry, Player, Result, Rule
from league.models.facts import GAME_VOID_LOG

#: Checks a game under the lock and raises if it has changed since it was read.
Expectation = Callable[[League, Game], None]


@dataclass(frozen=True)
class RecordedGame:
    """A recorded game; ``created`` is False if it existed already."""

    game: Game
    created: bool
    shown: ShownGame | None = None
    """The game as it was at the end of the transaction, if known without another query."""
    fixture: int | None = None
    """The number of what the game was recorded for (``attaching``)."""


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
    return run_with_league_lock(league_id, lambda league, now: record_in(league, now, new, by))  # 2


def record_in(
    league: League,
    now: datetime,
    new: NewGame,
    username: str,
    attacher: GameAttacher | None = None,
    *,
    settles: bool = True,
    is_agreed: bool = False,
) -> RecordedGame:
    """Record a well-formed game in a locked league; raises like ``record_game``.

    ``attacher``: None for what the installed capability declares, if the game may be for something. ``settles``: False
    if the caller lets apps follow the result (``follow_results``). ``is_agreed``: two people have entered it.
    """
    seats, known, stored = _find_known(league, now, new)
    if known is not None:
        return RecordedGame(known, created=False)
    scored = compute_results(league, stored, now)
    if attacher is None and may_attach(league, scored):
        attacher = build_attacher(league, now, username, is_agreed=is_agreed)
    attachment = find_attachment(attacher, league, scored, seats.players)
    if attachment is not None:
        scored = replace(scored, kind=attachment.kind)
    written_game = write_game(league, scored, seats, now, username)  # 4, 5, 6
    game, rules, last_position = written_game.game, written_game.rules, seats.table.newest
    if attacher is not None and attachment is not None:
        attach_games(attacher, {game.number: attachment}, league, now, username, settles=settles)
    view = None
    if game.kind == Game.Kind.PLAYED:  # 7
        last = league.stale_from is None and (last_position is None or last_position < game.position)
        if last and not has_intervening_events(league, rules, last_position, game.played_at):
            changes = rate_newest(league, rules, game, written_game.lines, seats.table)
            if league.has_contexts:
                rate_in_contexts(league, rules, game, written_game.lines, changes, seats.table)
            results = [ShownResult(line, changes[line.player_id]) for line in written_game.lines]
            view = ShownGame(game=game, status="rated", results=results, replaces=None, replaced_by=None)
        else:
            catch_up(league, game.position)
    return RecordedGame(game, created=True, shown=view, fixture=None if attachment is None else attachment.number)


def _find_known(league: League, now: datetime, new: NewGame) -> tuple["SeatedPlayers", Game | None, NewGame]:
    """Return the players of a sheet, the game that has its external_id, and the sheet with its values as stored."""
    refuse_computed_details(new)
    stored = store_values(league, new, now)
    seats = find_seats(league, stored)
    return seats, find_known_game(league, stored, seats.players), stored  # 3


def check_attached(league: League, now: datetime, new: NewGame, attacher: GameAttacher) -> Game | None:
    """Check a game that is for something as if it were recorded, raising the same; return what has its external_id."""
    seats, known, stored = _find_known(league, now, new)
    if known is None:
        _check_stored(league, now, stored, seats.players, attacher)
    return known


def _check_stored(
    league: League, now: datetime, stored: NewGame, players: Sequence[Player], attacher: GameAttacher | None
) -> None:
    """Check a sheet with its values as stored, and what it is for, as if it were recorded."""
    scored = compute_results(league, stored, now)
    attachment = find_attachment(attacher, league, scored, players)
    _check_rules(league, now, scored if attachment is None else replace(scored, kind=attachment.kind), players)


def compute_recorded(league: League, now: datetime, new: NewGame) -> NewGame:
    """Return a sheet as it would be recorded: with its values as stored, and with computed results."""
    refuse_computed_details(new)
    return compute_results(league, store_values(league, new, now), now)


def void_game(
    league_id: int, number: int, *, reason: str, username: str, precondition: Expectation | None = None
) -> Game:
    """Void a game: it stays readable but is no longer rated. Raises NotFound, Conflict or Invalid.

    ``precondition`` sees the game under the lock, before anything is written, and may raise.
    """
    reason = require_reason(reason)
    return _void_game(league_id, number, reason, username, precondition)


@locked
def _void_game(
    league: League, now: datetime, number: int, reason: str, username: str, precondition: Expectation | None
) -> Game:
    game = find_live_game(league, number, precondition)
    refuse_fixed_games(league, [game])
    void_games([game], now, reason, username)
    entries.append(league, now, username, LogEntry.Kind.GAME_VOIDED, GAME_VOID_LOG.build_payload(game))
    follow_attached(league, now, username, [game])
    rate_again(league, [game])
    return game


def correct_game(
    league_id: int, number: int, new: NewGame, *, reason: str, username: str, precondition: Expectation | None = None
) -> RecordedGame:
    """Replace a game by a corrected one: void the old, record the new in its place, replay from the earlier one.

    The new game keeps the old one's place among games of the same time. If nothing that affects ratings changes,
    nothing is replayed. Omitted time, external_id and metadata are taken from the old game.
    ``precondition`` sees the old game under the lock, before anything is written, and may raise.
    """
    check_form(new)
    reason = require_reason(reason)
    return _correct_game(league_id, number, new, reason, username, precondition)


@locked
def _correct_game(
    league: League,
    now: datetime,
    number: int,
    new: NewGame,
    reason: str,
    username: str,
    precondition: Expectation | None,
) -> RecordedGame:
    old = find_live_game(league, number, precondition)
    refuse_fixed_games(league, [old])
    refuse_computed_details(new)
    corrected = replace(
        new,
        played_at=new.played_at or old.played_at,
        external_id=new.external_id or old.external_id,
        metadata=old.metadata if new.metadata is None else new.metadata,
    )
    corrected = keep_unrated_kind(league, old, corrected)
    corrected = compute_results(league, corrected, now)
    seats = find_seats(league, corrected).as_in(old)
    corrected = keep_values(league, old, corrected, seats.players, now)
    refuse_borne(league, old, corrected.external_id)
    void_games([old], now, reason, username)
    # What has a result keeps one, whatever the correction names.
    asks = may_attach(league, corrected) or corrected.lacks_result
    attacher = build_attacher(league, now, username) if asks else None
    attachment = attacher.find_for_correction(old, corrected, seats.players) if attacher is not None else None
    if attachment is not None:
        corrected = replace(corrected, kind=attachment.kind)
    game = write_game(league, corrected, seats, now, username, Replacement(old)).game
    if attacher is not None and attachment is not None:
        attach_games(attacher, {game.number: attachment}, league, now, username, settles=False)
    follow_attached(league, now, username, [game])
    take_over(league, old, game)
    return RecordedGame(game, created=True)


def restore_game(
    league_id: int, number: int, *, reason: str, username: str, precondition: Expectation | None = None
) -> RecordedGame:
    """Restore a void or replaced game as a new game in its place; the game that counted there is voided.

    Raises Conflict if the game is not void, and whatever recording it again would raise.
    ``precondition`` sees the old game under the lock, before anything is written, and may raise.
    """
    reason = require_reason(reason)
    return _restore_game(league_id, number, reason, username, precondition)


@locked
def _restore_game(
    league: League, now: datetime, number: int, reason: str, username: str, precondition: Expectation | None
) -> RecordedGame:
    old = find_expected_game(league, number, precondition)
    if old.voided_at is None:
        raise Conflict(_("Game {number} is not void.").format(number=number))
    refuse_fixed_games(league, [old])
    instead = find_counting_game(league, old.order_key)
    if instead is not None:
        void_games([instead], now, reason, username)
    new = rebuild_input(old, old.results.select_related("player").order_by("seat"))
    refuse_borne(league, old, new.external_id)
    seats = find_seats(league, new).as_in(old)
    replacing = Replacement(old, reason, None if instead is None else instead.number)
    game = write_game(league, new, seats, now, username, replacing).game
    follow_attached(league, now, username, [game])
    take_over(league, instead, game)
    return RecordedGame(game, created=True)


@dataclass(frozen=True)
class SeatedPlayers:
    """The players of a game in seat order."""

    players: list[Player]
    named: Mapping[int, Player]
    """Player id -> the player named on the sheet, if merged into this player."""
    added: Sequence[str]
    """The names in logs of players who were added to the site for this game."""
    table: SheetTable

    def as_in(self, game: Game) -> "SeatedPlayers":
        """Return the same with merged players named as in ``game``, so that correcting a score changes no names."""
        lines = game.results.filter(recorded_as__isnull=False).select_related("recorded_as")
        recorded_as = {line.player_id: line.recorded_as for line in lines if line.recorded_as is not None}
        return replace(self, named={**recorded_as, **self.named})


def find_seats(league: League, new: NewGame) -> SeatedPlayers:
    """Find or add the players of a sheet; raises Refused naming each unknown one."""
    texts = [result.player for result in new.results]
    table = find_sheet_players(league, texts, new.viewer)
    refuse_unresolved(league, table, texts, new.viewer, create_players=new.create_players)
    added: list[str] = []
    unknown = [text for text in texts if text not in table.seats]
    if unknown:
        created = create_unknown_players(
            unknown, added, league=league, names=new.names, other_texts=texts, viewer=new.viewer
        )
        handles = [created[text].handle if text in created else table.seats[text].original.handle for text in texts]
        table, texts = find_sheet_players(league, handles, None), handles
    return list_seated_players([table.seats[text] for text in texts], table, added)


def list_seated_players(seats: Sequence[SeatPlayer], table: SheetTable, added: Sequence[str] = ()) -> SeatedPlayers:
    """Return the players of a game, given its seats in order."""
    recorded_as = {seat.player.pk: seat.recorded_as for seat in seats if seat.recorded_as is not None}
    return SeatedPlayers([seat.player for seat in seats], recorded_as, added, table)


def check_game(league: League, now: datetime, new: NewGame, by: str) -> list[Player]:
    """Return the players in seat order; raises Invalid, Refused or Conflict like ``record_game``.

    The league must be locked. No players are added: callers do not pass sheets with ``create_players``. What the game
    names that it is for is checked as if two people had entered it.
    """
    check_form(new)
    refuse_computed_details(new)
    new = store_values(league, new, now)
    players = find_seats(league, new).players
    attacher = None if new.fixture is None else build_attacher(league, now, by, is_agreed=True)
    _check_stored(league, now, new, players, attacher)
    return players


def _check_rules(league: League, now: datetime, new: NewGame, players: Sequence[Player]) -> list[Rule]:
    """Return the rules of a league; raises Refused if one that rates the game, or its time, refuses it."""
    played_at, rules = new.played_at or now, load_rules(league)
    check_time(played_at, now, rules)
    check_sheet(new, find_rules_rating(rules, played_at), players)
    return rules


def find_known_game(league: League, new: NewGame, players: Sequence[Player]) -> Game | None:
    """Return the existing game with this external_id; raises Conflict if it differs."""
    if new.external_id is None:
        return None
    games = find_by_external_ids(league, [new.external_id])
    for game in games:
        sent = keep_unrated_kind(league, game, match_stored_results(game, new, league))
        if has_same_content(game, sent, players):
            return game
    if games:
        template = _("external_id “{external_id}” belongs to game {number}, which has other content.")
        message = template.format(external_id=new.external_id, number=games[0].number)
        raise Conflict.of([Problem("/external_id", "conflict", message)])
    return None


def refuse_borne(league: League, old: Game, external_id: str | None) -> None:
    """Raise Conflict if a game other than the one to be replaced has this external_id."""
    if external_id is None:
        return
    other = league.games.counting().filter(external_id=external_id).exclude(pk=old.pk).first()
    if other is not None:
        template = _("external_id “{external_id}” belongs to game {number}; leave it out to keep the game's own.")
        message = template.format(external_id=external_id, number=other.number)
        raise Conflict.of([Problem("/external_id", "conflict", message)])


def find_live_game(league: League, number: int, precondition: Expectation | None) -> Game:
    """Return a game that counts and meets the expectation; raises NotFound or Conflict."""
    game = find_expected_game(league, number, precondition)
    if game.voided_at is None:
        return game
    instead = find_counting_game(league, game.order_key)
    if instead is None:
        raise Conflict(_("Game {number} is already void.").format(number=game.number))
    # Clients should change the game that counts in its place.
    template = _("Game {number} is already void; game {other} replaced it.")
    message = template.format(number=game.number, other=instead.number)
    raise Conflict(message, members={"replaced_by": instead.number})


def find_expected_game(league: League, number: int, precondition: Expectation | None) -> Game:
    """Return a game that meets the expectation; raises NotFound, or what the expectation raises."""
    game = league.games.filter(number=number).first()
    if game is None:
        raise NotFound(_("The league has no game {number}.").format(number=number))
    if precondition is not None:
        precondition(league, game)
    return game


def write_game(
    league: League,
    new: NewGame,
    seats: SeatedPlayers,
    now: datetime,
    username: str,
    replacing: Replacement | None = None,
) -> WrittenGame:
    """Check the sheet against the rule in force, and write facts and log; the league must be locked.

    ``replacing``: the game whose place in the order it takes; by default it comes after all others of its time. The
    league's ``last_number`` is written with the log entry.
    """
    played_at = (new.played_at or now).astimezone(UTC)
    rules = _check_rules(league, now, replace(new, played_at=played_at), seats.players)
    sheet = normalize_sheet(replace(new, played_at=played_at))
    row = build_row(league, sheet, now, username, None if replacing is None else replacing.game)
    results = build_results(new, seats.players, seats.named)
    log_added_players(league, now, username, seats.added)
    (game,) = write_games(league, now, username, [UnwrittenGame(row, results, replacing)])
    return WrittenGame(game, results, rules)
