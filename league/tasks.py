"""Celery in front of the services, nothing more. Every task is idempotent and takes ids only."""

from uuid import UUID

from celery import shared_task

from league.services.accounts import invitations, logins, passwords, sessions
from league.services.dispatch import backups, nightly
from league.services.dispatch import sweep as jobs
from league.services.jobs import work
from league.services.laboratory import second_board
from league.services.ladders import decisions
from league.services.log import heads
from league.services.notices import mails, telling
from league.services.players import merges
from league.services.recording import idempotency
from league.services.replay import current_ratings
from league.services.reports import lapsing
from league.services.transfer import store_export
from league.services.webhooks import deliveries


@shared_task(name="league.replay")
def replay(league_id: int) -> int:
    """Replay what is due in a league."""
    return jobs.replay_due(league_id)


@shared_task(name="league.job")
def job(job_id: str) -> bool:
    """Do a job that stands in the database, if it is due."""
    return jobs.do_job(UUID(job_id))


@shared_task(name="league.standings")
def refresh_current_ratings(league_id: int) -> int:
    """Rebuild a league's current ratings from its history."""
    return current_ratings.refresh_current_ratings(league_id)


@shared_task(name="league.calendar")
def calendar(league_id: int) -> int:
    """Open and close the periods of a league that are due; returns how many steps that took."""
    return len(decisions.advance(league_id))


@shared_task(name="league.merges")
def gather_strays(league_id: int) -> int:
    """Let games that were on their way while players were merged count for the survivors."""
    return merges.gather_strays(league_id)


@shared_task(name="league.reports")
def let_reports_lapse(league_id: int) -> int:
    """Let the reports of a league lapse that nobody confirmed in time."""
    return lapsing.lapse_due(league_id)


@shared_task(name="league.password")
def mail_link(user_pk: int, origin: str, language: str = "") -> bool:
    """Send somebody a link to a new password; lost, it is asked for again."""
    return passwords.mail_link(user_pk, origin, language)


@shared_task(name="league.webhooks")
def enqueue_webhooks(league_id: int) -> list[str]:
    """Enqueue every webhook of a league that has something to send."""
    return deliveries.enqueue_webhooks(league_id)


@shared_task(name="league.webhook")
def deliver(webhook_id: str) -> int:
    """Send what a webhook waits for."""
    return deliveries.deliver(UUID(webhook_id))


@shared_task(name="league.notices")
def tell(league_id: int) -> int:
    """Write down what is to be told of a league, and have it sent."""
    return telling.tell(league_id)


@shared_task(name="league.news")
def find_news() -> list[int]:
    """Enqueue every league of which there is something to tell."""
    return telling.enqueue_notices()


@shared_task(name="league.notice_mail")
def mail_notice(mail_id: int) -> bool:
    """Send a notice by mail, if that is due."""
    return mails.send(mail_id)


@shared_task(name="league.export")
def export(league_id: int, form: str, aliases: int) -> bool:
    """Store the export of a league as a file; lost, it is asked for again by the next request."""
    return store_export.store_export(league_id, form, aliases=bool(aliases))


@shared_task(name="league.forget_exports")
def forget_exports() -> int:
    """Remove the exports that may not be sent any more, and old ones."""
    return store_export.forget_exports()


@shared_task(name="league.backup")
def back_up() -> bool:
    """Make and prove the night's backup if it is due."""
    return backups.back_up_if_due()


@shared_task(name="league.sweep")
def sweep() -> list[int | str]:
    """Find what is due without a message having come: replays, jobs, merges, periods, reports; then messages."""
    nightly.hear("sweep")
    due: list[int | str] = [*jobs.enqueue_due(), *work.enqueue_jobs(), *jobs.enqueue_merges(), *jobs.enqueue_calendar()]
    due += [*jobs.enqueue_reports(), *backups.enqueue_backup(), *second_board.ask_second_boards()]
    return [*due, *deliveries.enqueue_webhooks(), *mails.enqueue_mails()]


@shared_task(name="league.nightly")
def every_night() -> list[int | str]:
    """Publish how far logs go, have ratings rebuilt and all books verified, so that nothing can drift unseen."""
    work.forget_old()
    idempotency.forget_keys()
    logins.forget_tries()
    sessions.forget_ended()
    invitations.forget_invitations()
    deliveries.forget_deliveries()
    telling.forget_notices()
    asked: list[int | str] = [*jobs.enqueue_current_ratings(), *nightly.ask_verifications()]
    asked += second_board.ask_all_second_boards()
    # Last: a key that cannot be read is an error, and must not keep books from being verified.
    heads.publish_heads()
    return asked
