"""Celery in front of the services, nothing more. Every task is idempotent and takes ids only."""

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

replay = shared_task(name="league.replay")(jobs.replay_due)
refresh_current_ratings = shared_task(name="league.standings")(current_ratings.refresh_current_ratings)
gather_strays = shared_task(name="league.merges")(merges.gather_strays)
mail_link = shared_task(name="league.password")(passwords.mail_link)
forget_exports = shared_task(name="league.forget_exports")(store_export.forget_exports)


@shared_task(name="league.job")
def job(job_id: str) -> bool:
    """Do a job that is in the database, if it is due."""
    return jobs.do_job(UUID(job_id))


@shared_task(name="league.calendar")
def calendar(league_id: int) -> int:
    """Open and close the periods of a league that are due; returns how many steps that took."""
    return len(decisions.advance(league_id))


@shared_task(name="league.export")
def export(league_id: int, form: str, aliases: int) -> bool:
    """Store the export of a league as a file; lost, it is asked for again by the next request."""
    return store_export.store_export(league_id, form, aliases=bool(aliases))


@shared_task(name="league.sweep")
def sweep() -> list[int | str]:
    """Find what is due without a message having come: replays, jobs, merges, periods, and what capabilities declare."""
    record_sign("sweep")
    due: list[int | str] = [*jobs.enqueue_due(), *work.enqueue_jobs()]
    due += [*queue.enqueue_each("league.merges", merges.stray_leagues()), *jobs.enqueue_calendar()]
    for enqueue in load_declared("sweep"):
        due += enqueue()
    return due


@shared_task(name="league.nightly")
def every_night() -> list[int | str]:
    """Delete what is outdated, publish log heads, rebuild ratings and verify every league."""
    work.forget_old()
    idempotency.forget_keys()
    sessions.forget_ended()
    second_factor.encrypt_anew()
    invitations.forget_invitations()
    # Where a league waits for a replay, that writes its ratings.
    current = League.objects.filter(stale_from=None).order_by("pk").values_list("pk", flat=True)
    asked: list[int | str] = [*queue.enqueue_each("league.standings", list(current)), *nightly.ask_verifications()]
    for act in load_declared("nightly"):
        asked += act() or []
    # Last: a key that cannot be read is an error, and must not keep leagues from being verified.
    heads.publish_heads()
    return asked
