"""Voids or rewrites many games in one action with few statements.

The effect is the same as voiding or correcting each game by hand. The league must be locked; five hundred games take
less than a second, apart from the replay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from league.core.errors import Conflict, NotFound, Problem
from league.core.games.services.attaching import follow_attached, refuse_fixed_games
from league.core.games.services.game_input import check_sheet, check_time, rebuild_input
from league.core.games.services.record import Expectation
from league.core.games.services.write_games import (
    Replacement,
    UnwrittenGame,
    build_row,
    normalize_sheet,
    void_games,
    write_games,
)
from league.core.locking import locked
from league.core.log.services import entries
from league.core.reasons import require_reason
from league.core.replay.services.inline import rate_again
from league.core.rules.selectors.rules import find_rules_rating, load_rules
from league.models import Game, League, LogEntry, Player, Result
from league.models.facts import GAME_VOID_LOG, RESULT


@dataclass(frozen=True)
class GameRewrite:
    """A game to rewrite: the game it replaces, its lines in seat order, and the game to void for it."""

    old: Game
    lines: Sequence[Result]
    voids: Game

    def build_replacement(self, restored: str) -> Replacement:
        """Return what the new game replaces; ``restored``: the reason of a restoration."""
        is_other = bool(restored) and self.voids.pk != self.old.pk
        return Replacement(self.old, restored, self.voids.number if is_other else None)


def copy_lines(games: Sequence[Game]) -> dict[int, list[Result]]:
    """Return game id -> unsaved copies of its lines, with merged players replaced by their survivors.

    They do not belong to a game yet.
    """
    lines_by_game: dict[int, list[Result]] = {game.pk: [] for game in games}
    lines = Result.objects.filter(league__in={game.league_id for game in games}, game__in=lines_by_game)
    for line in lines.select_related("player__merged_into", "recorded_as").order_by("game", "seat"):
        survivor = line.player.merged_into
        recorded_as = line.recorded_as or (line.player if survivor is not None else None)
        lines_by_game[line.game_id].append(seat_of(line, survivor or line.player, recorded_as))
    return lines_by_game


def seat_of(line: Result, player: Player, recorded_as: Player | None = None) -> Result:
    """Return an unsaved copy of a line with another player; ``recorded_as``: the player named originally."""
    values = {name: getattr(line, name) for name in RESULT}
    return Result(seat=line.seat, player=player, recorded_as=recorded_as, **values)


def rewrite_games(
    league: League, now: datetime, rewrites: Sequence[GameRewrite], *, reason: str, username: str, restored: bool
) -> list[Game]:
    """Void games and write others in their places, with one reason; return the new ones in the same order.

    ``restored``: whether older games are restored. Raises Refused if the league's rules refuse a
    sheet, and Conflict if another game has its external_id; the caller must then roll back.
    """
    rules = load_rules(league)
    unwritten = []
    for rewrite in rewrites:
        check_time(rewrite.old.played_at, now, rules)
        new = rebuild_input(rewrite.old, rewrite.lines)
        players = [line.player for line in rewrite.lines]
        check_sheet(new, find_rules_rating(rules, rewrite.old.played_at), players)
        row = build_row(league, normalize_sheet(new), now, username, rewrite.old)
        replacing = rewrite.build_replacement(reason if restored else "")
        unwritten.append(UnwrittenGame(row, rewrite.lines, replacing))
    void_games([rewrite.voids for rewrite in rewrites], now, reason, username)
    refuse_borne([rewrite.old for rewrite in rewrites], league)
    games = write_games(league, now, username, unwritten)
    follow_attached(league, now, username, games)
    return games


def void_batch(league_id: int, numbers: range, *, reason: str, username: str, precondition: Expectation) -> int:
    """Void all games that count in a range of numbers, in one transaction, and return how many.

    ``precondition`` sees each of them under the lock, before anything is written, and may raise. Raises NotFound if
    there is none.
    """
    reason = require_reason(reason)
    return _void_batch(league_id, numbers, reason, username, precondition)


@locked
def _void_batch(
    league: League, now: datetime, numbers: range, reason: str, username: str, precondition: Expectation
) -> int:
    live_games = league.games.counting().filter(number__gte=numbers.start, number__lt=numbers.stop)
    games = list(live_games.order_by("number"))
    if not games:
        raise NotFound(_("No game of this batch counts any more."))
    for game in games:
        precondition(league, game)
    refuse_fixed_games(league, games)
    void_games(games, now, reason, username)
    entries.append_many(league, now, username, LogEntry.Kind.GAME_VOIDED, map(GAME_VOID_LOG.build_payload, games))
    follow_attached(league, now, username, games)
    league.save(update_fields=entries.HEAD)
    rate_again(league, games)
    return len(games)


def refuse_borne(games: Sequence[Game], league: League) -> None:
    """Raise Conflict if a game that counts has the external_id of one of these void games."""
    names = [game.external_id for game in games if game.external_id is not None]
    other = league.games.counting().filter(external_id__in=names).order_by("number").first()
    if other is not None:
        template = _("external_id “{external_id}” belongs to game {number}. Nothing was saved.")
        message = template.format(external_id=other.external_id, number=other.number)
        raise Conflict.of([Problem("/external_id", "conflict", message)])
