"""Creates, changes and deletes webhooks, and requests tests and replays.

The league's lock is held, so that a new webhook starts exactly after the last log entry. Sending (``deliveries.py``)
takes no lock.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from league.apps.webhooks.models import DISABLED_MESSAGE, LOG, NOTICES, Webhook
from league.apps.webhooks.selectors import list_chat_kinds
from league.apps.webhooks.services.addresses import Unreachable, parse_url
from league.apps.webhooks.services.deliveries import WEBHOOKS_TASK
from league.apps.webhooks.services.signatures import generate_secret
from league.core.chats import find_chat_source
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.jobs import queue
from league.core.locking import locked
from league.core.log.kinds import list_kinds
from league.core.text.wording import format_with_separators
from league.models import League

MAX_WEBHOOKS = settings.RUNGS_LIMITS["webhooks"]
#: Default and maximum number of hours for which deliveries are also signed with the old secret.
GRACE_HOURS, MAX_GRACE_HOURS = 24, 168
#: Fields of a webhook that can change.
CHANGEABLE_FIELDS = ("url", "format", "kinds", "state", "disabled_reason", "failures", "next_try_at", "position")
UNKNOWN_KIND_MESSAGE = gettext_noop("There is no kind “{kind}”; the kinds are: {kinds}.")
UNAVAILABLE_KIND_MESSAGE = gettext_noop("“{kind}” is not available in this format; choose from: {kinds}.")
#: Refusals of a replay whose position belongs to the other stream, by the webhook's current stream.
WRONG_POSITION_MESSAGES = {
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
    function: Callable[Concatenate[Webhook, League, datetime, P], T],
) -> Callable[Concatenate[Webhook, P], T]:
    """Decorate a function so that it is called with a webhook, which is reloaded and locked.

    The league is locked first, then the webhook's row, as workers record deliveries without the league's lock. Raises
    NotFound if the webhook was deleted.
    """

    @locked
    def work_locked(league: League, now: datetime, pk: UUID, /, *args: P.args, **kwargs: P.kwargs) -> T:
        webhook = Webhook.objects.select_for_update(of=("self",)).filter(pk=pk).first()
        if webhook is None:
            raise NotFound(_("The webhook {webhook} was deleted meanwhile.").format(webhook=UUID(str(pk))))
        webhook.league = league
        return function(webhook, league, now, *args, **kwargs)

    @wraps(function)
    def call(webhook: Webhook, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return work_locked(webhook.league_id, webhook.pk, *args, **kwargs)

    return call


def make_webhook(
    league_id: int, url: str, kinds: Sequence[str] = (), *, form: str = Webhook.Format.STANDARD, username: str = ""
) -> tuple[Webhook, str]:
    """Create a webhook for new messages; returns it with its secret, which is not shown again.

    In the formats of chats (``form``) it sends notices. Raises Refused for a URL that is not allowed or a kind that the
    format does not send, and Conflict if the league has too many webhooks.
    """
    _check_url(url)
    webhook = _add_webhook(league_id, url, form, _check_kinds(kinds, form), username)
    return webhook, webhook.secret


@locked
def _add_webhook(league: League, now: datetime, url: str, form: str, kinds: list[str], username: str) -> Webhook:
    if league.webhooks.count() >= MAX_WEBHOOKS:
        message = _("A league can have at most {most} webhooks; delete one first.").format(most=MAX_WEBHOOKS)
        raise Conflict.of([Problem("", "too_many", message)])
    webhook = Webhook(
        league=league, url=url, format=form, kinds=kinds, secret=generate_secret(), created_at=now, created_by=username
    )
    webhook.position = webhook.head
    webhook.save()
    _update_has_listeners(league)
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
    username: str = "",
) -> Webhook:
    """Change the given settings of a webhook.

    Enabling it resumes at its position, or with ``skip`` at new messages; a change between log and notices also starts
    at new messages. Raises Refused as ``make_webhook`` does, and NotFound if the webhook was deleted.
    """
    if url is not None:
        _check_url(url)
        webhook.url = url
    if form is not None:
        _change_format(webhook, form)
    if kinds is not None:
        webhook.kinds = _check_kinds(kinds, webhook.format)
    if state == Webhook.State.DISABLED and webhook.state != state:
        webhook.state, webhook.next_try_at = state, None
        webhook.disabled_reason = DISABLED_MESSAGE.format(by=username or "the site")[:300]
    if state == Webhook.State.ACTIVE:
        webhook.state, webhook.disabled_reason, webhook.failures, webhook.next_try_at = state, "", 0, None
        webhook.position = webhook.head if skip else webhook.position
    webhook.save(update_fields=list(CHANGEABLE_FIELDS))
    _update_has_listeners(league)
    enqueue(league)
    return webhook


def _change_format(webhook: Webhook, form: str) -> None:
    old_stream, webhook.format = webhook.stream, form
    if webhook.stream != old_stream:
        webhook.kinds, webhook.position = [], webhook.head
        webhook.failures, webhook.next_try_at = 0, None


def _update_has_listeners(league: League) -> None:
    sends_log = league.webhooks.of_log().exists()
    if sends_log != league.has_listeners:
        league.has_listeners = sends_log
        league.save(update_fields=["has_listeners"])


@_locked_webhook
def rotate_secret(
    webhook: Webhook, league: League, now: datetime, *, grace_hours: int = GRACE_HOURS
) -> tuple[Webhook, str]:
    """Replace the secret of a webhook; for ``grace_hours`` deliveries are also signed with the old one."""
    if not 0 <= grace_hours <= MAX_GRACE_HOURS:
        message = _("The old secret can stay valid for 0 to {most} hours.").format(most=MAX_GRACE_HOURS)
        raise Refused.of([Problem("/grace_hours", "out_of_bounds", message)])
    webhook.old_secret = webhook.secret if grace_hours else ""
    webhook.old_secret_until = now + timedelta(hours=grace_hours) if grace_hours else None
    webhook.secret = generate_secret()
    webhook.save(update_fields=["secret", "old_secret", "old_secret_until"])
    return webhook, webhook.secret


@_locked_webhook
def request_test(webhook: Webhook, league: League, now: datetime) -> Webhook:
    """Request a test message, also for a disabled webhook; its result is listed with the deliveries.

    Raises Conflict for a chat if the site sends no messages to chats.
    """
    if webhook.stream == NOTICES and find_chat_source() is None:
        raise Conflict(_("This site sends nothing to chats."))
    webhook.test_asked_at = now
    webhook.save(update_fields=["test_asked_at"])
    enqueue(league)
    return webhook


@_locked_webhook
def request_replay(
    webhook: Webhook, league: League, now: datetime, after_position: int, *, expected_stream: str = ""
) -> Webhook:
    """Send everything after a position again; raises Refused if the position is beyond the end.

    ``expected_stream`` is the stream that the position belongs to ("": the current one); raises Conflict if the webhook
    now sends the other one. A disabled webhook sends when it is enabled.
    """
    if expected_stream and expected_stream != webhook.stream:
        raise Conflict(_(WRONG_POSITION_MESSAGES[webhook.stream]))
    if not 0 <= after_position <= webhook.head:
        raise Refused.of([Problem("/after", "out_of_bounds", _describe_positions(webhook))])
    webhook.position, webhook.failures, webhook.next_try_at = after_position, 0, None
    webhook.save(update_fields=["position", "failures", "next_try_at"])
    enqueue(league)
    return webhook


def _describe_positions(webhook: Webhook) -> str:
    head = webhook.head
    if webhook.stream == NOTICES:
        message = ngettext(
            "{league} has {count} notice; after must be 0 to {head}.",
            "{league} has {count} notices; after must be 0 to {head}.",
            head,
        )
    else:
        message = ngettext(
            "The log of {league} has {count} entry; after must be 0 to {head}.",
            "The log of {league} has {count} entries; after must be 0 to {head}.",
            head,
        )
    return message.format(league=webhook.league.title, count=format_with_separators(head), head=head)


@_locked_webhook
def delete_webhook(webhook: Webhook, league: League, now: datetime) -> None:
    """Delete a webhook and its deliveries."""
    webhook.delete()
    _update_has_listeners(league)


def enqueue(league: League) -> None:
    """Enqueue the webhooks of a league after the commit."""
    queue.enqueue(WEBHOOKS_TASK, league.pk)


def _check_url(url: str) -> None:
    try:
        parse_url(url)
    except Unreachable as error:
        raise Refused.of([Problem("/url", "url", str(error))]) from None


def _check_kinds(kinds: Sequence[str], form: str) -> list[str]:
    known_kinds = list_kinds() if form == Webhook.Format.STANDARD else [kind for kind, _label in list_chat_kinds()]
    message = _(UNKNOWN_KIND_MESSAGE if form == Webhook.Format.STANDARD else UNAVAILABLE_KIND_MESSAGE)
    problems = [
        Problem(f"/kinds/{index}", "unknown", message.format(kind=kind[:40], kinds=", ".join(known_kinds)))
        for index, kind in enumerate(kinds)
        if kind not in known_kinds
    ]
    if problems:
        raise Refused.of(problems)
    return sorted(set(kinds))
