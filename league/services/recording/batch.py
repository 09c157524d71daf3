"""Many games at once, each recorded or refused on its own, in the order sent, under one lock."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from league.errors import Conflict, Invalid, Refused
from league.models import League
from league.services.locking import with_league_lock
from league.services.recording.game_input import NewGame, check_form
from league.services.recording.games import Recorded, record_in

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
