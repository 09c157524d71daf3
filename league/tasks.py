"""Celery in front of the services, nothing more. Every task is idempotent and takes ids only."""

from uuid import UUID

from celery import shared_task

from league.apps.laboratory.services import second_board
from league.apps.notices.services import enqueue, mails
from league.apps.reports.services import lapsing
from league.apps.webhooks.services import deliveries
from league.core.accounts.services import invitations, passwords, second_factor, sessions
from league.core.dispatch import nightly
from league.core.dispatch import sweep as jobs
from league.core.games.services import idempotency
from league.core.jobs import queue
from league.core.jobs.services import work
from league.core.ladders.services import decisions
from league.core.log.services import heads
from league.core.players.services import merges
from league.core.replay.services import current_ratings
from league.core.transfer.services import store_export
from league.models import League

replay = shared_task(name="league.replay")(jobs.replay_due)
refresh_current_ratings = shared_task(name="league.standings")(current_ratings.refresh_current_ratings)
gather_strays = shared_task(name="league.merges")(merges.gather_strays)
let_reports_lapse = shared_task(name="league.reports")(lapsing.lapse_due)
mail_link = shared_task(name="league.password")(passwords.mail_link)
enqueue_webhooks = shared_task(name="league.webhooks")(deliveries.enqueue_webhooks)
tell = shared_task(name="league.notices")(enqueue.write_notices)
find_news = shared_task(name="league.news")(enqueue.enqueue_notices)
mail_notice = shared_task(name="league.notice_mail")(mails.send)
forget_exports = shared_task(name="league.forget_exports")(store_export.forget_exports)
back_up = shared_task(name="league.backup")(nightly.back_up_if_due)


@shared_task(name="league.job")
def job(job_id: str) -> bool:
    """Do a job that is in the database, if it is due."""
    return jobs.do_job(UUID(job_id))


@shared_task(name="league.calendar")
def calendar(league_id: int) -> int:
    """Open and close the periods of a league that are due; returns how many steps that took."""
    return len(decisions.advance(league_id))


@shared_task(name="league.webhook")
def deliver(webhook_id: str) -> int:
    """Send what a webhook waits for."""
    return deliveries.deliver(UUID(webhook_id))


@shared_task(name="league.export")
def export(league_id: int, form: str, aliases: int) -> bool:
    """Store the export of a league as a file; lost, it is asked for again by the next request."""
    return store_export.store_export(league_id, form, aliases=bool(aliases))


@shared_task(name="league.sweep")
def sweep() -> list[int | str]:
    """Find what is due without a message having come: replays, jobs, merges, periods, reports; then messages."""
    nightly.hear("sweep")
    due: list[int | str] = [*jobs.enqueue_due(), *work.enqueue_jobs()]
    due += [*queue.enqueue_each("league.merges", merges.stray_leagues()), *jobs.enqueue_calendar()]
    due += [*queue.enqueue_each("league.reports", lapsing.leagues_due()), *nightly.enqueue_backup()]
    due += second_board.ask_second_boards()
    return [*due, *deliveries.enqueue_webhooks(), *mails.enqueue_mails()]


@shared_task(name="league.nightly")
def every_night() -> list[int | str]:
    """Publish how far logs go, have ratings rebuilt and all books verified, so that nothing can drift unseen."""
    work.forget_old()
    idempotency.forget_keys()
    sessions.forget_ended()
    second_factor.encrypt_anew()
    invitations.forget_invitations()
    deliveries.forget_deliveries()
    enqueue.forget_notices()
    # Where a league waits for a replay, that writes its ratings.
    current = League.objects.filter(stale_from=None).order_by("pk").values_list("pk", flat=True)
    asked: list[int | str] = [*queue.enqueue_each("league.standings", list(current)), *nightly.ask_verifications()]
    asked += second_board.ask_all_second_boards()
    # Last: a key that cannot be read is an error, and must not keep books from being verified.
    heads.publish_heads()
    return asked
