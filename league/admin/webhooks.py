"""Webhooks of a league: made, looked at with their deliveries, tested, disabled, enabled, on pages of the league."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from league.admin.base import ServiceAdmin, by
from league.errors import RungsError
from league.models import League, LogEntry, Notice, Webhook
from league.selectors.webhooks import deliveries_of, find_webhook, head_of, webhooks_of
from league.services.webhooks.webhooks import (
    GRACE,
    ask_replay,
    ask_test,
    change_webhook,
    delete_webhook,
    make_webhook,
    rotate_secret,
)
from ratings.forms import WholeField

#: So many attempts are shown.
SHOWN = 50


#: Formats whose names are too long for a select on a phone.
SHORT = {Webhook.Format.STANDARD.value: "A program: signed JSON"}


class WebhookForm(forms.Form):
    """Where what is sent."""

    url = forms.CharField(
        max_length=500,
        label="URL",
        widget=forms.URLInput(attrs={"size": 60}),
        help_text="https, to port 443 or one from 1024 on.",
    )
    format = forms.ChoiceField(
        choices=[(form, SHORT.get(form, label)) for form, label in Webhook.Format.choices],
        required=False,
        help_text="Programs get every change of the books as it is. Chats get notices, in words.",
    )
    notices = forms.MultipleChoiceField(
        choices=Notice.Kind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="For chats. None: all of them.",
    )
    kinds = forms.MultipleChoiceField(
        choices=[(kind, kind) for kind in LogEntry.Kind.values],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Changes",
        help_text="For programs. None: all kinds of changes.",
    )


def sent_to(data: Mapping[str, Any], present: str = Webhook.Format.STANDARD) -> dict[str, Any]:
    """Return what a valid form says of a webhook: of the two lists the one that its format sends."""
    form = data["format"] or present
    return {"url": data["url"], "form": form, "kinds": data["kinds" if form == Webhook.Format.STANDARD else "notices"]}


def shown_of(webhook: Webhook) -> dict[str, Any]:
    """Return what the form shows of a webhook."""
    name = "kinds" if webhook.format == Webhook.Format.STANDARD else "notices"
    return {"url": webhook.url, "format": webhook.format, name: webhook.kinds}


class ReplayForm(forms.Form):
    """From where to send again."""

    after = WholeField(min_value=0, max_value=2**53 - 1, label="Send everything again after position")


class WebhookPages(ServiceAdmin):
    """A league with the pages of its webhooks; for owners."""

    def webhooks_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """List the webhooks; make one."""
        league: League = self.found(request, pk)
        self.demand(request, "own", league)
        form = WebhookForm(request.POST or None)
        return self.form_page(
            request,
            form,
            f"Webhooks of {league.title}",
            lambda data: self.make(request, league, data),
            intro="Every change of the league's books, or its notices, are sent to these addresses, signed. "
            "Make another one:",
            save="Make a webhook",
            beside="admin/league/webhooks_beside.html",
            league=league,
            webhooks=webhooks_of(league),
        )

    def make(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out the making."""
        webhook, secret = make_webhook(league.pk, **sent_to(data), by=by(request))
        self.say(request, f"The secret of the webhook; it is shown only now: {secret}")
        return self.url("webhook", league.pk, webhook.pk)

    def webhook_view(self, request: HttpRequest, pk: int, webhook: UUID) -> HttpResponse:
        """Show a webhook with its last deliveries; change it, or press one of its buttons."""
        league: League = self.found(request, pk)
        self.demand(request, "own", league)
        try:
            found = find_webhook(league, str(webhook))
        except RungsError as error:
            messages.error(request, error.detail)
            return HttpResponseRedirect(self.url("webhooks", league.pk))
        pressed = next((name for name in self.buttons() if name in request.POST), None)
        replay = ReplayForm(request.POST if pressed == "_replay" else None)
        if pressed is not None and (target := self.press(request, found, pressed, replay)):
            return HttpResponseRedirect(target)
        own = request.POST if request.method == "POST" and pressed is None else None
        return self.form_page(
            request,
            WebhookForm(own, initial=shown_of(found)),
            f"A webhook of {league.title}",
            lambda data: self.change_webhook(request, found, data),
            beside="admin/league/webhook_beside.html",
            league=league,
            webhook=found,
            waiting=max(head_of(found) - found.position, 0),
            deliveries=deliveries_of(found)[:SHOWN],
            replay=replay,
        )

    def change_webhook(self, request: HttpRequest, webhook: Webhook, data: dict[str, Any]) -> str:
        """Carry out a change of where what is sent."""
        change_webhook(webhook, **sent_to(data, webhook.format), by=by(request))
        self.say(request, "The webhook was changed.")
        return self.url("webhook", webhook.league_id, webhook.pk)

    def press(self, request: HttpRequest, webhook: Webhook, name: str, replay: ReplayForm) -> str | None:
        """Carry out a button; returns where to go next, None to show why it was refused."""
        if name == "_replay":
            return self.carry_out(request, replay, lambda data: self.replay(request, webhook, data["after"]))
        self.say(request, self.buttons()[name](webhook, by(request)))
        page = ("webhooks", webhook.league_id) if name == "_delete" else ("webhook", webhook.league_id, webhook.pk)
        return self.url(*page)

    def replay(self, request: HttpRequest, webhook: Webhook, after: int) -> str:
        """Carry out a replay."""
        ask_replay(webhook, after)
        self.say(request, f"Everything after position {after} is sent again.")
        return self.url("webhook", webhook.league_id, webhook.pk)

    @staticmethod
    def buttons() -> Mapping[str, Any]:
        """Return what each button does; it returns what to tell."""
        return {
            "_test": test,
            "_disable": disable,
            "_enable": enable,
            "_enable_now": enable_now,
            "_rotate": rotate,
            "_delete": delete,
            "_replay": None,
        }


def test(webhook: Webhook, name: str) -> str:
    """Have a test sent."""
    ask_test(webhook)
    return "A test is on its way; load this page again to see what came of it."


def disable(webhook: Webhook, name: str) -> str:
    """Disable it."""
    change_webhook(webhook, state=Webhook.State.DISABLED, by=name)
    return "The webhook is disabled; what happens meanwhile is kept for it."


def enable(webhook: Webhook, name: str) -> str:
    """Enable it, or try again at once."""
    change_webhook(webhook, state=Webhook.State.ACTIVE, by=name)
    return "The webhook goes on where it stopped."


def enable_now(webhook: Webhook, name: str) -> str:
    """Enable it and leave out what was not sent."""
    change_webhook(webhook, state=Webhook.State.ACTIVE, skip=True, by=name)
    return "The webhook goes on with what happens from now on."


def rotate(webhook: Webhook, name: str) -> str:
    """Make a new secret."""
    _, secret = rotate_secret(webhook)
    return f"The new secret; it is shown only now, and the old one goes on for {GRACE} hours: {secret}"


def delete(webhook: Webhook, name: str) -> str:
    """Delete it."""
    delete_webhook(webhook)
    return "The webhook was deleted."
