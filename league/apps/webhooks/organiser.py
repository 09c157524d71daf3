"""The webhooks of a league on its desk: made, looked at with their deliveries, tried, paused, removed. For owners."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy
from django.views.decorators.cache import never_cache

from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.selectors import (
    LOG,
    NOTICES,
    chat_kinds,
    counted_by,
    deliveries_of,
    find_webhook,
    head_of,
    last_deliveries,
    list_of,
    offered_formats,
    webhooks_of,
)
from league.apps.webhooks.services.webhooks import (
    GRACE_HOURS,
    MAX_WEBHOOKS,
    ask_replay,
    ask_test,
    change_webhook,
    delete_webhook,
    make_webhook,
    rotate_secret,
)
from league.core.errors import Conflict, NotFound, RungsError
from league.models import League, LogEntry
from league.web.organiser.form_errors import by, put_errors
from league.web.organiser.page_frame import at_desk, say_refusal, show
from league.web.organiser.submit_once import FormOutcome, given_key, key_for, lately, once, stamped
from ratings.forms import WholeField

#: Maximum number of delivery attempts shown.
MAX_ATTEMPTS = 50
#: What to tell who sends such a form later.
SHOWN_THEN = gettext_noop(
    "This form has already been submitted, and the secret was shown then. If it is lost, create a new one."
)


#: Formats whose names are too long for a select on a phone.
SHORT = {Webhook.Format.STANDARD.value: gettext_lazy("A program: signed JSON")}


def format_choices() -> list[tuple[str, Any]]:
    """Return the formats that this site sends, by short names."""
    return [(form, SHORT.get(form, label)) for form, label in offered_formats()]


class WebhookForm(forms.Form):
    """Where what is sent; a site without messages to chats sends to programs alone."""

    url = forms.CharField(
        max_length=500,
        label="URL",
        widget=forms.URLInput(attrs={"size": 60}),
        help_text=gettext_lazy("https, port 443 or 1024 and above."),
    )
    format = forms.ChoiceField(
        label=pgettext_lazy("what a webhook sends", "Format"),
        choices=format_choices,
        required=False,
        help_text=gettext_lazy("Programs receive every change in the league's log. Chats receive notices in words."),
    )
    notices = forms.MultipleChoiceField(
        label=gettext_lazy("Notices"),
        choices=chat_kinds,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("For chats. If none is chosen: all."),
    )
    kinds = forms.MultipleChoiceField(
        choices=[(kind, kind) for kind in LogEntry.Kind.values],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Changes"),
        help_text=gettext_lazy("For programs. If none is chosen: all changes."),
    )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if not chat_kinds():
            del self.fields["format"], self.fields["notices"]


def sent_to(data: Mapping[str, Any], present: str = Webhook.Format.STANDARD) -> dict[str, Any]:
    """Return what a valid form says of a webhook: of the two lists the one that its format sends."""
    form = data.get("format") or present
    kinds = data.get("kinds" if form == Webhook.Format.STANDARD else "notices")
    return {"url": data["url"], "form": form, "kinds": kinds}


def shown_of(webhook: Webhook) -> dict[str, Any]:
    """Return what the form shows of a webhook."""
    name = "kinds" if webhook.format == Webhook.Format.STANDARD else "notices"
    return {"url": webhook.url, "format": webhook.format, name: webhook.kinds}


class ReplayForm(forms.Form):
    """From where to send again, and of which list that is a position; without one it is the webhook's present one."""

    after = WholeField(min_value=0, max_value=2**53 - 1, label=gettext_lazy("Resend everything after position"))
    listed = forms.ChoiceField(choices=[(LOG, LOG), (NOTICES, NOTICES)], required=False, widget=forms.HiddenInput)


@dataclass(frozen=True)
class WebhookRow:
    """A webhook as a line: where it leads, how far what it sends goes, how much of that waits, and the last attempt."""

    webhook: Webhook
    host: str
    head: int
    waiting: int
    last: Delivery | None


def line_of(league: League, webhook: Webhook, last: Delivery | None) -> WebhookRow:
    """Return a webhook as a line."""
    webhook.league = league
    head = head_of(webhook)
    return WebhookRow(
        webhook, urlsplit(webhook.url).hostname or webhook.url, head, max(head - webhook.position, 0), last
    )


@never_cache
@at_desk("own")
def webhooks(request: HttpRequest, league: League) -> HttpResponse:
    """List the webhooks; make one, and show its secret, this once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            sent = sent_to(form.cleaned_data)
            done = once(request, lambda: kept_of(*make_webhook(league.pk, **sent, by=by(request))))
            one = find_webhook(league, done.answer["webhook"])
        except RungsError as error:
            put_errors(form, error)
        else:
            return page_of(request, league, one, secret=secret_of(request, one, done))
    found = list(webhooks_of(league))
    last = last_deliveries(league)
    return show(
        request,
        league,
        "apps/webhooks/webhooks.html",
        "settings",
        lines=[line_of(league, webhook, last.get(webhook.pk)) for webhook in found],
        form=form,
        most=MAX_WEBHOOKS,
        once=key_for(request),
    )


def kept_of(one: Webhook, secret: str) -> dict[str, Any]:
    """Return what is kept of a form that made a secret: when, and by what that one is told from a later one."""
    return stamped({"webhook": str(one.pk), "secret": digest_of_secret(secret)})


def digest_of_secret(secret: str) -> str:
    """Return what tells a secret from others, and does not say it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def secret_of(request: HttpRequest, one: Webhook, done: FormOutcome) -> str:
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
            change_webhook(one, **sent_to(form.cleaned_data, one.format), by=by(request))
        except RungsError as error:
            put_errors(form, error)
        else:
            messages.success(request, _("The webhook was changed."))
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, one.pk]))
    return page_of(request, league, one, form=form)


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
    deliveries = list(deliveries_of(one)[:MAX_ATTEMPTS])
    return show(
        request,
        league,
        "apps/webhooks/webhook.html",
        "settings",
        one=line_of(league, one, deliveries[0] if deliveries else None),
        form=form or WebhookForm(initial=shown_of(one)),
        replay=replay or ReplayForm(initial={"listed": list_of(one)}),
        listed=list_of(one),
        deliveries=[(delivery, counted_by(delivery), (delivery.position or 1) - 1) for delivery in deliveries],
        secret=secret,
        grace=GRACE_HOURS,
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
            put_errors(form, error)
        else:
            log, notices = (
                _("Everything after entry {number} will be sent again."),
                _("Everything after notice {number} will be sent again."),
            )
            messages.success(request, (log if listed == LOG else notices).format(number=after))
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, one.pk]))
    return page_of(request, league, one, replay=form)


def pressed(request: HttpRequest, league: League, one: Webhook, what: str) -> HttpResponse:
    """Do what a key says."""
    target = reverse("desk:webhook", args=[league.slug, one.pk])
    act, said = KEYS[what]
    try:
        act(one, by(request))
        messages.success(request, _(said))
        if what == "remove":
            target = reverse("desk:webhooks", args=[league.slug])
    except RungsError as error:
        say_refusal(request, error)
    return HttpResponseRedirect(target)


#: What each key does, and what to tell.
KEYS: dict[str, tuple[Callable[[Webhook, str], object], str]] = {
    "test": (
        lambda one, name: ask_test(one),
        gettext_noop("A test is being sent. Its result appears below shortly."),
    ),
    "pause": (
        lambda one, name: change_webhook(one, state=Webhook.State.DISABLED, by=name),
        gettext_noop("The webhook is paused. Changes are kept until it resumes."),
    ),
    "resume": (
        lambda one, name: change_webhook(one, state=Webhook.State.ACTIVE, by=name),
        gettext_noop("The webhook resumes where it stopped."),
    ),
    "skip": (
        lambda one, name: change_webhook(one, state=Webhook.State.ACTIVE, skip=True, by=name),
        gettext_noop("The webhook resumes with changes from now on."),
    ),
    "remove": (
        lambda one, name: delete_webhook(one),
        gettext_noop("The webhook was removed. Nothing more is sent there."),
    ),
}
