"""The owner's pages of webhooks: create, show deliveries, test, pause and remove."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy
from django.views.decorators.cache import never_cache

from league.apps.webhooks.models import LOG, MAX_URL_LENGTH, NOTICES, Webhook
from league.apps.webhooks.selectors import (
    find_webhook,
    list_chat_kinds,
    list_deliveries,
    list_formats,
    list_webhooks,
    load_last_deliveries,
    stream_of_delivery,
)
from league.apps.webhooks.services.webhooks import (
    GRACE_HOURS,
    MAX_WEBHOOKS,
    change_webhook,
    delete_webhook,
    make_webhook,
    request_replay,
    request_test,
    rotate_secret,
)
from league.core.errors import Conflict, NotFound, RungsError
from league.core.log.kinds import list_kinds
from league.models import League
from league.web.organiser.forms import (
    FormOutcome,
    add_errors,
    add_timestamp,
    get_form_key,
    get_request_username,
    get_submitted_key,
    is_recent,
    run_once,
)
from league.web.organiser.site import add_error_message, organiser_page, show
from ratings.forms import WholeField

#: Maximum number of delivery attempts shown.
MAX_ATTEMPTS = 50
#: Message if the form is sent again later.
SHOWN_BEFORE_MESSAGE = gettext_noop(
    "This form has already been submitted, and the secret was shown then. If it is lost, create a new one."
)


#: Short labels of formats for selects on phones.
SHORT_LABELS = {Webhook.Format.STANDARD.value: gettext_lazy("A program: signed JSON")}


def list_kind_choices() -> list[tuple[str, str]]:
    """Return the kinds of log entries as choices."""
    return [(kind, kind) for kind in list_kinds()]


def list_format_choices() -> list[tuple[str, Any]]:
    """Return the formats of this site with short labels."""
    return [(form, SHORT_LABELS.get(form, label)) for form, label in list_formats()]


class WebhookForm(forms.Form):
    """URL, format and kinds of a webhook; without messages to chats there is only one format."""

    url = forms.CharField(
        max_length=MAX_URL_LENGTH,
        label="URL",
        widget=forms.URLInput(attrs={"size": 60}),
        help_text=gettext_lazy("https, port 443 or 1024 and above."),
    )
    format = forms.ChoiceField(
        label=pgettext_lazy("what a webhook sends", "Format"),
        choices=list_format_choices,
        required=False,
        help_text=gettext_lazy("Programs receive every change in the league's log. Chats receive notices in words."),
    )
    notices = forms.MultipleChoiceField(
        label=gettext_lazy("Notices"),
        choices=list_chat_kinds,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("For chats. If none is chosen: all."),
    )
    kinds = forms.MultipleChoiceField(
        choices=list_kind_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Changes"),
        help_text=gettext_lazy("For programs. If none is chosen: all changes."),
    )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if not list_chat_kinds():
            del self.fields["format"], self.fields["notices"]


def _read_form(data: Mapping[str, Any], default_format: str = Webhook.Format.STANDARD) -> dict[str, Any]:
    form = data.get("format") or default_format
    kinds = data.get("kinds" if form == Webhook.Format.STANDARD else "notices")
    return {"url": data["url"], "form": form, "kinds": kinds}


def _build_initial_values(webhook: Webhook) -> dict[str, Any]:
    name = "kinds" if webhook.stream == LOG else "notices"
    return {"url": webhook.url, "format": webhook.format, name: webhook.kinds}


class ReplayForm(forms.Form):
    """A position to send from, and its stream (omitted: the webhook's current one)."""

    after = WholeField(min_value=0, max_value=2**53 - 1, label=gettext_lazy("Resend everything after position"))
    listed = forms.ChoiceField(choices=[(LOG, LOG), (NOTICES, NOTICES)], required=False, widget=forms.HiddenInput)


@never_cache
@organiser_page("own")
def manage_webhooks(request: HttpRequest, league: League) -> HttpResponse:
    """List the webhooks; create one and show its secret once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            values = _read_form(form.cleaned_data)
            submission = run_once(
                request,
                lambda: _build_outcome(*make_webhook(league.pk, **values, username=get_request_username(request))),
            )
            new_webhook = find_webhook(league, submission.answer["webhook"])
        except RungsError as error:
            add_errors(form, error)
        else:
            return _render_page(request, league, new_webhook, secret=_find_new_secret(request, new_webhook, submission))
    last_deliveries = load_last_deliveries(league)
    return show(
        request,
        league,
        "apps/webhooks/webhooks.html",
        "settings",
        lines=[(webhook, last_deliveries.get(webhook.pk)) for webhook in list_webhooks(league)],
        form=form,
        most=MAX_WEBHOOKS,
        once=get_form_key(request),
    )


def _build_outcome(webhook: Webhook, secret: str) -> dict[str, Any]:
    return add_timestamp({"webhook": str(webhook.pk), "secret": _hash_secret(secret)})


def _hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _find_new_secret(request: HttpRequest, webhook: Webhook, submission: FormOutcome) -> str:
    if _hash_secret(webhook.secret) == submission.answer.get("secret") and is_recent(submission):
        return webhook.secret
    messages.info(request, _(SHOWN_BEFORE_MESSAGE))
    return ""


@never_cache
@organiser_page("own")
def edit_webhook(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show a webhook with its last deliveries, change it, or run an action on it."""
    try:
        webhook = find_webhook(league, str(pk))
    except NotFound as error:
        if request.method != "POST":
            raise Http404(error.detail) from None
        add_error_message(request, error)
        return HttpResponseRedirect(reverse("desk:webhooks", args=[league.slug]))
    action = request.POST.get("_do", "") if request.method == "POST" else ""
    if action == "rotate":
        return _rotate_secret(request, league, webhook)
    if action == "replay":
        return _replay(request, league, webhook)
    if action in ACTIONS:
        return _run_action(request, league, webhook, action)
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=_build_initial_values(webhook))
    if form.is_bound and form.is_valid():
        try:
            change_webhook(
                webhook, **_read_form(form.cleaned_data, webhook.format), username=get_request_username(request)
            )
        except RungsError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("The webhook was changed."))
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, webhook.pk]))
    return _render_page(request, league, webhook, form=form)


def _render_page(
    request: HttpRequest,
    league: League,
    webhook: Webhook,
    *,
    form: forms.Form | None = None,
    replay: forms.Form | None = None,
    secret: str = "",
) -> HttpResponse:
    return show(
        request,
        league,
        "apps/webhooks/webhook.html",
        "settings",
        webhook=webhook,
        form=form or WebhookForm(initial=_build_initial_values(webhook)),
        replay=replay or ReplayForm(initial={"listed": webhook.stream}),
        deliveries=[
            (delivery, stream_of_delivery(delivery), (delivery.position or 1) - 1)
            for delivery in list_deliveries(webhook)[:MAX_ATTEMPTS]
        ],
        secret=secret,
        grace=GRACE_HOURS,
        once=get_form_key(request, new=bool(get_submitted_key(request))),
    )


def _rotate_secret(request: HttpRequest, league: League, webhook: Webhook) -> HttpResponse:
    try:
        submission = run_once(request, lambda: _build_outcome(*rotate_secret(webhook)))
        webhook = find_webhook(league, str(webhook.pk))
    except RungsError as error:
        add_error_message(request, error)
        return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, webhook.pk]))
    return _render_page(request, league, webhook, secret=_find_new_secret(request, webhook, submission))


def _replay(request: HttpRequest, league: League, webhook: Webhook) -> HttpResponse:
    form = ReplayForm(request.POST)
    if form.is_valid():
        try:
            after_position = form.cleaned_data["after"]
            stream = request_replay(webhook, after_position, expected_stream=form.cleaned_data["listed"]).stream
        except Conflict as error:  # the webhook now sends the other stream
            add_error_message(request, error)
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, webhook.pk]))
        except RungsError as error:
            add_errors(form, error)
        else:
            log, notices = (
                _("Everything after entry {number} will be sent again."),
                _("Everything after notice {number} will be sent again."),
            )
            messages.success(request, (log if stream == LOG else notices).format(number=after_position))
            return HttpResponseRedirect(reverse("desk:webhook", args=[league.slug, webhook.pk]))
    return _render_page(request, league, webhook, replay=form)


def _run_action(request: HttpRequest, league: League, webhook: Webhook, action: str) -> HttpResponse:
    target = reverse("desk:webhook", args=[league.slug, webhook.pk])
    run, message = ACTIONS[action]
    try:
        run(webhook, get_request_username(request))
        messages.success(request, _(message))
        if action == "remove":
            target = reverse("desk:webhooks", args=[league.slug])
    except RungsError as error:
        add_error_message(request, error)
    return HttpResponseRedirect(target)


#: Actions of the page's buttons, with their messages.
ACTIONS: dict[str, tuple[Callable[[Webhook, str], object], str]] = {
    "test": (
        lambda webhook, name: request_test(webhook),
        gettext_noop("A test is being sent. Its result appears below shortly."),
    ),
    "pause": (
        lambda webhook, name: change_webhook(webhook, state=Webhook.State.DISABLED, username=name),
        gettext_noop("The webhook is paused. Changes are kept until it resumes."),
    ),
    "resume": (
        lambda webhook, name: change_webhook(webhook, state=Webhook.State.ACTIVE, username=name),
        gettext_noop("The webhook resumes where it stopped."),
    ),
    "skip": (
        lambda webhook, name: change_webhook(webhook, state=Webhook.State.ACTIVE, skip=True, username=name),
        gettext_noop("The webhook resumes with changes from now on."),
    ),
    "remove": (
        lambda webhook, name: delete_webhook(webhook),
        gettext_noop("The webhook was removed. Nothing more is sent there."),
    ),
}
