"""Voiding many games by one act."""

from datetime import datetime

from django.utils.translation import gettext as _

from league.errors import NotFound
from league.models import Game, League, LogEntry
from league.services.locking import with_league_lock
from league.services.log import entries, write
from league.services.recording.games import Expectation, checked_reason, mark_void
from league.services.replay.inline import catch_up


def void_batch(league_id: int, numbers: range, *, reason: str, by: str, expect: Expectation) -> int:
    """Void all games that count and have one of these numbers, in one transaction; returns how many.

    ``expect`` sees each of them under the lock, before anything is written, and may raise. Raises NotFound where
    there is none.
    """
    reason = checked_reason(reason)

    def work(league: League, now: datetime) -> int:
        found = league.games.filter(number__gte=numbers.start, number__lt=numbers.stop, voided_at__isnull=True)
        games = list(found.order_by("number"))
        if not games:
            raise NotFound(_("No game of this batch counts any more."))
        for game in games:
            expect(league, game)
        for game in games:
            mark_void(game, now, reason, by)
            write.append(league, now, by, LogEntry.Kind.GAME_VOIDED, entries.of_void(game))
        played = [game.position for game in games if game.kind == Game.Kind.PLAYED]
        if played:
            catch_up(league, min(played))
        return len(games)

    return with_league_lock(league_id, work)
