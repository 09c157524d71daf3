"""Celery tasks that call services. Every task is idempotent and takes ids only."""

from uuid import UUID

from celery import shared_task

from league.core.accounts.services import invitations, passwords, second_factor, sessions
from league.core.capabilities import load_declared
from league.core.dispatch import nightly
from league.core.dispatch import sweep as jobs
from league.core.games.services import idempotency
from league.core.jobs import queue
from league.core.jobs.services import work
from league.core.jobs.signs import record_sign
from league.core.ladders.services import decisions
from league.core.log.services import heads
from league.core.players.services import merges
from league.core.replay.services import current_ratings
from league.core.transfer.services import store_export
from league.models import League

replay = shared_task(name="league.replay")(jobs.run_due_replay)
refresh_current_ratings = shared_task(name="league.standings")(current_ratings.refresh_current_ratings)
gather_strays = shared_task(name="league.merges")(merges.reassign_strays)
mail_link = shared_task(name="league.password")(passwords.send_reset_link)
forget_exports = shared_task(name="league.forget_exports")(store_export.remove_expired_exports)


@shared_task(name="league.job")
def job(job_id: str) -> bool:
    """Run a job of the database, if it is due."""
    return jobs.run_requested_job(UUID(job_id))


@shared_task(name="league.calendar")
def calendar(league_id: int) -> int:
    """Open and close due periods of a league; returns the number of steps."""
    return len(decisions.advance(league_id))


@shared_task(name="league.export")
def export(league_id: int, form: str, aliases: int) -> bool:
    """Store the export of a league as a file; if the task is lost, the next request starts it again."""
    return store_export.store_export(league_id, form, aliases=bool(aliases))


@shared_task(name="league.sweep")
def sweep() -> list[int | str]:
    """Enqueue due work that had no message: replays, jobs, merges, periods, and that of apps."""
    record_sign("sweep")
    enqueued: list[int | str] = [*jobs.enqueue_due(), *work.enqueue_jobs()]
    enqueued += [*queue.enqueue_each("league.merges", merges.find_stray_leagues()), *jobs.enqueue_calendar()]
    for enqueue in load_declared("sweep"):
        enqueued += enqueue()
    return enqueued


@shared_task(name="league.nightly")
def every_night() -> list[int | str]:
    """Delete outdated data, publish log heads, rebuild ratings and verify every league."""
    work.delete_old_jobs()
    idempotency.delete_expired_keys()
    sessions.delete_expired_sessions()
    second_factor.reencrypt_secrets()
    invitations.delete_old_invitations()
    # A pending replay of a league writes its ratings anyway.
    current = League.objects.filter(stale_from=None).order_by("pk").values_list("pk", flat=True)
    enqueued: list[int | str] = [
        *queue.enqueue_each("league.standings", list(current)),
        *nightly.request_verifications(),
    ]
    for enqueue in load_declared("nightly"):
        enqueued += enqueue() or []
    # Last, because an unreadable key raises an error, which must not prevent verification.
    heads.publish_heads()
    return enqueued
