"""Celery tasks that call services. Every task is idempotent and takes ids only."""

from uuid import UUID

from celery import shared_task

from league.core.accounts.services import passwords
from league.core.capabilities import load_declared
from league.core.dispatch import night
from league.core.dispatch import sweep as jobs
from league.core.jobs import queue
from league.core.jobs.services import work
from league.core.jobs.signs import record_sign
from league.core.ladders.services import decisions
from league.core.players.services import merges
from league.core.replay.services import current_ratings
from league.core.transfer.services import store_export

replay = shared_task(name="league.replay")(jobs.run_due_replay)
refresh_current_ratings = shared_task(name="league.standings")(current_ratings.refresh_current_ratings)
gather_strays = shared_task(name="league.merges")(merges.reassign_strays)
mail_link = shared_task(name="league.password")(passwords.send_reset_link)
every_night = shared_task(name="league.nightly")(night.do_due_parts)
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
    for enqueue in load_declared(lambda app: app.work.sweep):
        enqueued += enqueue()
    return enqueued
