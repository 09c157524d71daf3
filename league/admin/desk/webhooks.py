"""The webhooks of a league on its desk: made, looked at with their deliveries, tried, paused, removed. For owners."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache

from league.admin.base import by, last_part, put_errors
from league.admin.desk.frame import at_desk, say_refusal, show
from league.admin.desk.webhook_forms import ReplayForm, WebhookForm, replay_form, sent_to, shown_of
from league.admin.once import KEPT, Done, given_key, key_for, lately, once, stamped
from league.errors import Conflict, KeyReused, NotFound, RungsError
from league.models import Delivery, League, Webhook
from league.selectors.webhooks import (
    LOG,
    counted_by,
    deliveries_of,
    find_webhook,
    head_of,
    last_deliveries,
    list_of,
    webhooks_of,
)
from league.services.webhooks.webhooks import (
    GRACE,
    MOST,
    ask_replay,
    ask_test,
    change_webhook,
    delete_webhook,
    make_webhook,
    rotate_secret,
)

#: So many attempts are shown.
SHOWN = 50
#: What to tell who sends such a form later.
SHOWN_THEN = gettext_noop(
    "This form was carried out before, and the secret was shown then. Where it was lost, make a new one."
)


@dataclass(frozen=True)
class Line:
    """A webhook as a line: where it leads, how far what it sends goes, how much of that waits, and the last attempt."""

    webhook: Webhook
    host: str
    head: int
    waiting: int
    last: Delivery | None


def line_of(league: League, webhook: Webhook, last: Delivery | None) -> Line:
    """Return a webhook as a line."""
    webhook.league = league
    head = head_of(webhook)
    return Line(webhook, urlsplit(webhook.url).hostname or webhook.url, head, max(head - webhook.position, 0), last)


@never_cache
@at_desk("own")
def webhooks(request: HttpRequest, league: League) -> HttpResponse:
    """List the webhooks; make one, and show its secret, this once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            done = once(request, lambda: made(request, league, form.cleaned_data))
            one = find_webhook(league, done.answer["webhook"])
        except RungsError as error:
            put_errors(form, KEPT if isinstance(error, KeyReused) else error, last_part)
        else:
            return page_of(request, league, one, secret=secret_of(request, one, done))
    found = list(webhooks_of(league))
    last = last_deliveries(league)
    return show(
        request,
        league,
        "desk/webhooks.html",
        "settings",
        lines=[line_of(league, webhook, last.get(webhook.pk)) for webhook in found],
        form=form,
        most=MOST,
        once=key_for(request),
    )


def made(request: HttpRequest, league: League, data: dict[str, Any]) -> dict[str, Any]:
    """Carry out the making; what is kept of it does not hold the secret."""
    return kept_of(*make_webhook(league.pk, **sent_to(data), by=by(request)))


def kept_of(one: Webhook, secret: str) -> dict[str, Any]:
    """Return what is kept of a form that made a secret: when, and by what that one is told from a later one."""
    return stamped({"webhook": str(one.pk), "secret": digest_of_secret(secret)})


def digest_of_secret(secret: str) -> str:
    """Return what tells a secret from others, and does not say it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def secret_of(request: HttpRequest, one: Webhook, done: Done) -> str:
    """Return the secret that a form made; "" with a word where another one is in force, or that was a while ago."""
    if digest_of_secret(one.secret) == done.answer.get("secret") and lately(done):
        return one.secret
    messages.info(request, _(SHOWN_THEN))
    return ""


@never_cache
@at_desk("own")
def webhook(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show a webhook with its last deliveries; change it, or do what one of its keys says."""
    try:
        one = find_webhook(league, str(pk))
    except NotFound as error:
        if request.method != "POST":
            raise Http404(error.detail) from None
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:webhooks", args=[league.slug]))
    what = request.POST.get("_do", "") if request.method == "POST" else ""
    if what == "rotate":
        return rotated(request, league, one)
    if what == "replay":
        return replayed(request, league, one)
    if what in KEYS:
        return pressed(request, league, one, what)
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=shown_of(one))
    if form.is_bound and form.is_valid():
        try:
            changed(request, one, form.cleaned_data)
        except RungsError as error:
            put_errors(form, error, last_part)
        else:
            messages.success(request, _("The webhook was changed."))
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, one.pk]))
    return page_of(request, league, one, form=form)


def changed(request: HttpRequest, one: Webhook, data: dict[str, Any]) -> None:
    """Carry out a change of where what is sent; raises what refuses it."""
    change_webhook(one, **sent_to(data, one.format), by=by(request))


def page_of(
    request: HttpRequest,
    league: League,
    one: Webhook,
    *,
    form: forms.Form | None = None,
    replay: forms.Form | None = None,
    secret: str = "",
) -> HttpResponse:
    """Return the page of a webhook; with its secret where that has just been made."""
    deliveries = list(deliveries_of(one)[:SHOWN])
    return show(
        request,
        league,
        "desk/webhook.html",
        "settings",
        one=line_of(league, one, deliveries[0] if deliveries else None),
        form=form or WebhookForm(initial=shown_of(one)),
        replay=replay or replay_form(one),
        listed=list_of(one),
        deliveries=[(delivery, counted_by(delivery), (delivery.position or 1) - 1) for delivery in deliveries],
        secret=secret,
        grace=GRACE,
        once=key_for(request, new=bool(given_key(request))),
    )


def rotated(request: HttpRequest, league: League, one: Webhook) -> HttpResponse:
    """Make a new secret, once, and show it, this once."""
    try:
        done = once(request, lambda: kept_of(*rotate_secret(one)))
        one = find_webhook(league, str(one.pk))
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, one.pk]))
    return page_of(request, league, one, secret=secret_of(request, one, done))


def replayed(request: HttpRequest, league: League, one: Webhook) -> HttpResponse:
    """Have entries of the log, or notices, sent again."""
    form = ReplayForm(request.POST)
    if form.is_valid():
        try:
            after = form.cleaned_data["after"]
            listed = list_of(ask_replay(one, after, listed=form.cleaned_data["listed"]))
        except Conflict as error:  # it counts something else by now
            say_refusal(request, error)
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, one.pk]))
        except RungsError as error:
            put_errors(form, error, last_part)
        else:
            log, notices = (
                _("Everything after entry {number} is sent again."),
                _("Everything after notice {number} is sent again."),
            )
            messages.success(request, (log if listed == LOG else notices).format(number=after))
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, one.pk]))
    return page_of(request, league, one, replay=form)


def pressed(request: HttpRequest, league: League, one: Webhook, what: str) -> HttpResponse:
    """Do what a key says."""
    target = reverse("desk:webhook", args=[league.slug, one.pk])
    try:
        messages.success(request, KEYS[what](one, by(request)))
        if what == "remove":
            target = reverse("desk:webhooks", args=[league.slug])
    except RungsError as error:
        say_refusal(request, error)
    return HttpResponseRedirect(target)


def test(one: Webhook, name: str) -> str:
    """Have a test sent."""
    ask_test(one)
    return _("A test is on its way. What came of it stands below in a moment.")


def pause(one: Webhook, name: str) -> str:
    """Send nothing for now."""
    change_webhook(one, state=Webhook.State.DISABLED, by=name)
    return _("The webhook is paused. What happens meanwhile is kept for it.")


def resume(one: Webhook, name: str) -> str:
    """Go on, or try again at once."""
    change_webhook(one, state=Webhook.State.ACTIVE, by=name)
    return _("The webhook goes on where it stopped.")


def skip(one: Webhook, name: str) -> str:
    """Go on and leave out what was not sent."""
    change_webhook(one, state=Webhook.State.ACTIVE, skip=True, by=name)
    return _("The webhook goes on with what happens from now on.")


def remove(one: Webhook, name: str) -> str:
    """Remove it."""
    delete_webhook(one)
    return _("The webhook is removed. Nothing more is sent there.")


#: What each key does; it returns what to tell.
KEYS: dict[str, Callable[[Webhook, str], str]] = {
    "test": test,
    "pause": pause,
    "resume": resume,
    "skip": skip,
    "remove": remove,
}
