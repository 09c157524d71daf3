"""Voids or rewrites many games in one action with few statements.

The effect is the same as voiding or correcting each game by hand. The league must be locked; five hundred games take
less than a second, apart from the replay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from league.core.db.bulk import insert_few, insert_rows
from league.core.errors import Conflict, NotFound, Problem
from league.core.games.services.game_input import check_sheet, check_time, stored_as_input
from league.core.games.services.record import GAME_COLUMNS, RESULT_COLUMNS, Expectation, checked_reason, game_row
from league.core.leagues.selectors.rules import rules_of, rules_rating
from league.core.locking import locked
from league.core.log.services import entries
from league.core.replay.services.inline import rate_again
from league.models import Game, League, LogEntry, Player, Result
from league.models.facts import RESULT, SHEET

#: Games per statement.
AT_ONCE = 200


@dataclass(frozen=True)
class GameRewrite:
    """A game to rewrite: the game it replaces, its lines in seat order, and the game to void for it."""

    old: Game
    lines: Sequence[Result]
    voids: Game


def copy_lines(games: Sequence[Game]) -> dict[int, list[Result]]:
    """Return game id -> unsaved copies of its lines, with merged players replaced by their survivors.

    They do not belong to a game yet.
    """
    found: dict[int, list[Result]] = {game.pk: [] for game in games}
    lines = Result.objects.filter(league__in={game.league_id for game in games}, game__in=found)
    for line in lines.select_related("player__merged_into", "recorded_as").order_by("game", "seat"):
        survivor = line.player.merged_into
        named = line.recorded_as or (line.player if survivor is not None else None)
        found[line.game_id].append(seat_of(line, survivor or line.player, named))
    return found


def seat_of(line: Result, player: Player, recorded_as: Player | None = None) -> Result:
    """Return an unsaved copy of a line with another player; ``recorded_as``: the player named originally."""
    said = {name: getattr(line, name) for name in RESULT}
    return Result(seat=line.seat, player=player, recorded_as=recorded_as, **said)


def rewrite_games(
    league: League, now: datetime, found: Sequence[GameRewrite], *, reason: str, by: str, restored: bool
) -> list[Game]:
    """Void games and write others in their places, with one reason; return the new ones in the same order.

    ``restored``: whether older games are restored. Raises Refused if the league's rules refuse a
    sheet, and Conflict if another game has its external_id; the caller must then roll back.
    """
    rules = rules_of(league)
    for one in found:
        check_time(one.old.played_at, now, rules)
        check_sheet(
            stored_as_input(one.old, one.lines),
            rules_rating(rules, one.old.played_at),
            [line.player for line in one.lines],
        )
    void_all([one.voids for one in found], now, reason, by)
    refuse_borne([one.old for one in found], league)
    games = write_replacements([one.old for one in found], league, now, by)
    rows = []
    for one, game in zip(found, games, strict=True):
        for line in one.lines:
            line.league_id, line.game = game.league_id, game
            rows.append([getattr(line, name) for name in RESULT_COLUMNS])
    insert_rows(Result, RESULT_COLUMNS, rows)
    kind = LogEntry.Kind.GAME_RESTORED if restored else LogEntry.Kind.GAME_CORRECTED
    told = [payload_of(one, game, reason, restored=restored) for one, game in zip(found, games, strict=True)]
    entries.append_many(league, now, by, kind, told)
    league.save(update_fields=["last_number", *entries.HEAD])
    return games


def void_batch(league_id: int, numbers: range, *, reason: str, by: str, expect: Expectation) -> int:
    """Void all games that count in a range of numbers, in one transaction, and return how many.

    ``expect`` sees each of them under the lock, before anything is written, and may raise. Raises NotFound if
    there is none.
    """
    reason = checked_reason(reason)
    return _void_batch(league_id, numbers, reason, by, expect)


@locked
def _void_batch(league: League, now: datetime, numbers: range, reason: str, by: str, expect: Expectation) -> int:
    found = league.games.filter(number__gte=numbers.start, number__lt=numbers.stop, voided_at__isnull=True)
    games = list(found.order_by("number"))
    if not games:
        raise NotFound(_("No game of this batch counts any more."))
    for game in games:
        expect(league, game)
    void_all(games, now, reason, by)
    entries.append_many(league, now, by, LogEntry.Kind.GAME_VOIDED, map(entries.of_void, games))
    league.save(update_fields=entries.HEAD)
    rate_again(league, games)
    return len(games)


def void_all(games: Sequence[Game], now: datetime, reason: str, by: str) -> None:
    """Mark games as void; all their other fields stay as recorded."""
    marks = {"voided_at": now, "void_reason": reason, "voided_by": by}
    Game.objects.filter(pk__in=[game.pk for game in games]).update(**marks)
    for game in games:
        game.voided_at, game.void_reason, game.voided_by = now, reason, by


def refuse_borne(games: Sequence[Game], league: League) -> None:
    """Raise Conflict if a game that counts has the external_id of one of these void games."""
    names = [game.external_id for game in games if game.external_id is not None]
    other = league.games.filter(external_id__in=names, voided_at__isnull=True).order_by("number").first()
    if other is not None:
        sentence = _("external_id “{external_id}” belongs to game {number}. Nothing was saved.")
        said = sentence.format(external_id=other.external_id, number=other.number)
        raise Conflict.of([Problem("/external_id", "conflict", said)])


def write_replacements(old_ones: Sequence[Game], league: League, now: datetime, by: str) -> list[Game]:
    """Write games in the places of others, with the next numbers; return them in the same order, without lines."""
    games = []
    for old in old_ones:
        league.last_number += 1
        said = {name: getattr(old, name) for name in SHEET}
        own = {"number": league.last_number, "order_key": old.order_key, "replaces": old}
        games.append(Game(league=league, recorded_at=now, recorded_by=by, **own, **said))
    keys: Mapping[int, int] = {}
    for start in range(0, len(games), AT_ONCE):
        rows = [game_row(game) for game in games[start : start + AT_ONCE]]
        keys = {**keys, **dict(insert_few(Game, GAME_COLUMNS, rows, returning="number, id"))}
    for game in games:
        game.pk, game._state.adding = keys[game.number], False
    return games


def payload_of(one: GameRewrite, game: Game, reason: str, *, restored: bool) -> dict[str, object]:
    """Return the log payload of a rewritten game."""
    lines = entries.lines_of(one.lines)
    if not restored:
        return entries.of_correction(one.old, game, lines)
    voided = None if one.voids.pk == one.old.pk else one.voids.number
    return entries.of_restoration(one.old, reason, voided, game, lines)
