"""Many games at once under one lock: each recorded or refused on its own, in the order sent; or all voided."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from league.errors import Conflict, Invalid, NotFound, Refused
from league.models import Game, League, LogEntry
from league.services.locking import with_league_lock
from league.services.log import entries, write
from league.services.recording.game_input import NewGame, check_form
from league.services.recording.games import Expectation, Recorded, checked_reason, mark_void, record_in
from league.services.replay.inline import catch_up

MOST = 1000
#: What is said of one game and leaves the others alone; trouble of the database ends the whole batch.
Refusal = Invalid | Refused | Conflict


def record_batch(league_id: int, games: Sequence[NewGame], *, by: str) -> list[Recorded | Refusal]:
    """Record games one after another in one transaction; returns what became of each.

    Raises Busy or what else is the database's; then nothing was written.
    """

    def work(league: League, now: datetime) -> list[Recorded | Refusal]:
        return [recorded_or_refused(league, now, new, by) for new in games]

    return with_league_lock(league_id, work)


def recorded_or_refused(league: League, now: datetime, new: NewGame, by: str) -> Recorded | Refusal:
    """Record a game as if it were alone; what a refused one has written is taken back, also in memory."""
    before = dict(vars(league))
    try:
        check_form(new)
        with transaction.atomic():
            return record_in(league, now, new, by)
    except (Invalid, Refused, Conflict) as error:
        vars(league).clear()
        vars(league).update(before)
        return error


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
