"""What Celery does when it is rung, and what the sweep finds due without a ring. All idempotent."""

import logging
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from league import queue
from league.errors import UnknownZone
from league.models import League
from league.services.books import with_books
from league.services.closing import is_due
from league.services.replay import mark_stale, replay_from
from league.services.work import Work, carry_out

logger = logging.getLogger(__name__)

#: What is done for each kind of job.
WORKS: Mapping[str, Work] = {}


def replay_due(league_id: int) -> int:
    """Replay what is marked stale in a league; returns the games replayed, 0 where nothing is due."""

    def work(league: League, now: datetime) -> int:
        if league.stale_from is None:
            return 0
        return replay_from(league, (league.stale_from, league.stale_number), compiled=True)

    return with_books(league_id, work)


def replay_everything(league_id: int) -> int:
    """Replay a whole league from nothing; returns the games replayed."""

    def work(league: League, now: datetime) -> int:
        return replay_from(league, None, compiled=True)

    return with_books(league_id, work)


def ring_due() -> list[int]:
    """Ring the replay of every league that waits for one; returns their ids."""
    due = list(League.objects.filter(stale_from__isnull=False).order_by("pk").values_list("pk", flat=True))
    for league_id in due:
        queue.ring("league.replay", league_id)
    return due


def ring_standings() -> list[int]:
    """Ring the rebuilding of the current ratings of every league; returns their ids."""
    leagues = list(League.objects.order_by("pk").values_list("pk", flat=True))
    for league_id in leagues:
        queue.ring("league.standings", league_id)
    return leagues


def ring_calendar(now: datetime | None = None) -> list[int]:
    """Ring the calendar of every league in which a period is due to open or close; returns their ids."""
    due = []
    for league in League.objects.filter(ladders__isnull=False).distinct().order_by("pk"):
        try:
            wanted = is_due(league, now or timezone.now())
        except UnknownZone as error:
            logger.error("The periods of the league %s stand still: %s", league.slug, error.detail)
            continue
        if wanted:
            queue.ring("league.calendar", league.pk)
            due.append(league.pk)
    return due


def request_replay(league_id: int) -> None:
    """Ask for a replay of a whole league: mark it stale from its first game and ring Celery."""

    def work(league: League, now: datetime) -> None:
        first = league.games.order_by("played_at", "number").values_list("played_at", "number").first()
        if first is not None:
            mark_stale(league, first)
            queue.ring("league.replay", league.pk)

    with_books(league_id, work)


def do_job(job_id: UUID) -> bool:
    """Do a job if it is due; returns whether it was there to be done."""
    return carry_out(job_id, WORKS)
