"""Creates, changes and deletes webhooks; asks for tests and replays.

All of it holds the league's lock, so that a new webhook begins exactly after the last entry of the log. Sending
(``apps/webhooks/services/deliveries.py``) takes no lock.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from league.apps.webhooks.models import DISABLED, Webhook
from league.apps.webhooks.selectors import LOG, NOTICES, OF_LOG, chat_kinds, head_of, list_of
from league.apps.webhooks.services.addresses import Unreachable, target_of
from league.apps.webhooks.services.deliveries import TASK
from league.apps.webhooks.services.signatures import new_secret
from league.core.chats import chat_source
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.jobs import queue
from league.core.locking import locked
from league.core.text.wording import with_thousands_separator
from league.models import League, LogEntry

MAX_WEBHOOKS = settings.RUNGS_LIMITS["webhooks"]
#: Default and maximum number of hours for which deliveries are also signed with the old secret.
GRACE_HOURS, MAX_GRACE_HOURS = 24, 168
#: The fields of a webhook that may change.
CHANGED = ("url", "format", "kinds", "state", "disabled_reason", "failures", "next_try_at", "position")
UNKNOWN = gettext_noop("There is no kind “{kind}”; the kinds are: {kinds}.")
SENT_TO_CHATS = gettext_noop("“{kind}” is not available in this format; choose from: {kinds}.")
#: What a webhook sends now -> the refusal for a request that expected something else.
SENDS = {
    LOG: gettext_noop(
        "The webhook now sends log entries, but the position is that of a notice. Nothing is sent again."
    ),
    NOTICES: gettext_noop(
        "The webhook now sends notices, but the position is that of a log entry. Nothing is sent again."
    ),
}
P = ParamSpec("P")
T = TypeVar("T")


def _locked_webhook(
    work: Callable[Concatenate[Webhook, League, datetime, P], T],
) -> Callable[Concatenate[Webhook, P], T]:
    """Let a function of a webhook, its league and a moment be called with a webhook, which is read again and locked.

    The league is locked first, then the row of the webhook: a worker notes deliveries without the league's lock.
    Raises NotFound if the webhook is gone.
    """

    @locked
    def work_locked(league: League, now: datetime, pk: UUID, /, *args: P.args, **kwargs: P.kwargs) -> T:
        webhook = Webhook.objects.select_for_update(of=("self",)).filter(pk=pk).first()
        if webhook is None:
            raise NotFound(_("The webhook {webhook} was deleted meanwhile.").format(webhook=UUID(str(pk))))
        webhook.league = league
        return work(webhook, league, now, *args, **kwargs)

    @wraps(work)
    def call(webhook: Webhook, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return work_locked(webhook.league_id, webhook.pk, *args, **kwargs)

    return call


def make_webhook(
    league_id: int, url: str, kinds: Sequence[str] = (), *, form: str = Webhook.Format.STANDARD, by: str = ""
) -> tuple[Webhook, str]:
    """Create a webhook for what happens from now on; returns it with its secret, which is not shown again.

    ``form`` is its format: in those of chats it sends notices. Raises Refused for a URL to which nothing is sent, a
    kind that is unknown or not sent in that format, or the eleventh webhook of a league.
    """
    check_url(url)
    webhook = _add_webhook(league_id, url, form, checked_kinds(kinds, form), by)
    return webhook, webhook.secret


@locked
def _add_webhook(league: League, now: datetime, url: str, form: str, kinds: list[str], by: str) -> Webhook:
    """Add a webhook that begins after the last entry, or notice; raises Conflict for the eleventh."""
    if league.webhooks.count() >= MAX_WEBHOOKS:
        sentence = _("A league can have at most {most} webhooks; delete one first.").format(most=MAX_WEBHOOKS)
        raise Conflict.of([Problem("", "too_many", sentence)])
    webhook = Webhook(
        league=league, url=url, format=form, kinds=kinds, secret=new_secret(), created_at=now, created_by=by
    )
    webhook.position = head_of(webhook)
    webhook.save()
    note_webhooks(league)
    return webhook


@_locked_webhook
def change_webhook(
    webhook: Webhook,
    league: League,
    now: datetime,
    *,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    form: str | None = None,
    state: str | None = None,
    skip: bool = False,
    by: str = "",
) -> Webhook:
    """Change what is given of a webhook.

    Enabling it goes on where it stopped, at once; with ``skip`` it goes on with what happens from now on, and so it
    does where the log is to be sent instead of notices, or these instead of the log.
    Raises Refused as ``make_webhook`` does, and NotFound if the webhook is gone.
    """
    if url is not None:
        check_url(url)
        webhook.url = url
    if form is not None:
        change_format(webhook, form)
    if kinds is not None:
        webhook.kinds = checked_kinds(kinds, webhook.format)
    if state == Webhook.State.DISABLED and webhook.state != state:
        webhook.state, webhook.next_try_at = state, None
        webhook.disabled_reason = DISABLED.format(by=by or "the site")[:300]
    if state == Webhook.State.ACTIVE:
        webhook.state, webhook.disabled_reason, webhook.failures, webhook.next_try_at = state, "", 0, None
        webhook.position = head_of(webhook) if skip else webhook.position
    webhook.save(update_fields=list(CHANGED))
    note_webhooks(league)
    enqueue(league)
    return webhook


def change_format(webhook: Webhook, form: str) -> None:
    """Set the format of a webhook; if it sends another list then, it sends all kinds, from now on."""
    log = {Webhook.Format.STANDARD}
    changed = (webhook.format in log) != (form in log)
    webhook.format = form
    if changed:
        webhook.kinds, webhook.position = [], head_of(webhook)
        webhook.failures, webhook.next_try_at = 0, None


def note_webhooks(league: League) -> None:
    """Store whether a webhook sends the log, so that recording a game needs no query; the league must be locked."""
    has = league.webhooks.filter(OF_LOG).exists()
    if has != league.has_webhooks:
        league.has_webhooks = has
        league.save(update_fields=["has_webhooks"])


@_locked_webhook
def rotate_secret(
    webhook: Webhook, league: League, now: datetime, *, grace_hours: int = GRACE_HOURS
) -> tuple[Webhook, str]:
    """Give a webhook a new secret; for some hours (0: none) deliveries are signed with the old one, too."""
    if not 0 <= grace_hours <= MAX_GRACE_HOURS:
        sentence = _("The old secret can stay valid for 0 to {most} hours.").format(most=MAX_GRACE_HOURS)
        raise Refused.of([Problem("/grace_hours", "out_of_bounds", sentence)])
    webhook.old_secret = webhook.secret if grace_hours else ""
    webhook.old_secret_until = now + timedelta(hours=grace_hours) if grace_hours else None
    webhook.secret = new_secret()
    webhook.save(update_fields=["secret", "old_secret", "old_secret_until"])
    return webhook, webhook.secret


@_locked_webhook
def ask_test(webhook: Webhook, league: League, now: datetime) -> Webhook:
    """Have a worker send a test, also if the webhook is disabled; its result is shown with the deliveries.

    Raises Conflict for a chat if the site has no messages to chats.
    """
    if list_of(webhook) == NOTICES and chat_source() is None:
        raise Conflict(_("This site sends nothing to chats."))
    webhook.test_asked_at = now
    webhook.save(update_fields=["test_asked_at"])
    enqueue(league)
    return webhook


@_locked_webhook
def ask_replay(webhook: Webhook, league: League, now: datetime, after: int, *, listed: str = "") -> Webhook:
    """Have everything after a position sent, again or at last; raises Refused beyond the last entry, or notice.

    ``listed`` says what the position counts where someone has read it ("": what the webhook sends now); raises
    Conflict if it sends something else by now. A webhook that is disabled sends it when it is enabled.
    """
    if listed and listed != list_of(webhook):
        raise Conflict(_(SENDS[list_of(webhook)]))
    head = head_of(webhook)
    if not 0 <= after <= head:
        raise Refused.of([Problem("/after", "out_of_bounds", how_far(webhook, league, head))])
    webhook.position, webhook.failures, webhook.next_try_at = after, 0, None
    webhook.save(update_fields=["position", "failures", "next_try_at"])
    enqueue(league)
    return webhook


def how_far(webhook: Webhook, league: League, head: int) -> str:
    """Return the refusal that names the positions from which a webhook may send again."""
    if list_of(webhook) == NOTICES:
        sentence = ngettext(
            "{league} has {count} notice; after must be 0 to {head}.",
            "{league} has {count} notices; after must be 0 to {head}.",
            head,
        )
    else:
        sentence = ngettext(
            "The log of {league} has {count} entry; after must be 0 to {head}.",
            "The log of {league} has {count} entries; after must be 0 to {head}.",
            head,
        )
    return sentence.format(league=league.title, count=with_thousands_separator(head), head=head)


@_locked_webhook
def delete_webhook(webhook: Webhook, league: League, now: datetime) -> None:
    """Delete a webhook and its deliveries."""
    webhook.delete()
    note_webhooks(league)


def enqueue(league: League) -> None:
    """Have a worker look at the webhooks of a league after the commit."""
    queue.enqueue(TASK, league.pk)


def check_url(url: str) -> None:
    """Raise Refused if nothing is sent to such a URL; its name is resolved only when something is sent."""
    try:
        target_of(url)
    except Unreachable as error:
        raise Refused.of([Problem("/url", "url", str(error))]) from None


def checked_kinds(kinds: Sequence[str], form: str) -> list[str]:
    """Return kinds once each, sorted; raises Refused for one that is not sent in a format."""
    known = LogEntry.Kind.values if form == Webhook.Format.STANDARD else [kind for kind, _label in chat_kinds()]
    sentence = _(UNKNOWN if form == Webhook.Format.STANDARD else SENT_TO_CHATS)
    problems = [
        Problem(f"/kinds/{index}", "unknown", sentence.format(kind=kind[:40], kinds=", ".join(known)))
        for index, kind in enumerate(kinds)
        if kind not in known
    ]
    if problems:
        raise Refused.of(problems)
    return sorted(set(kinds))
