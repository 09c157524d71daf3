"""What is asked of a webhook: where what is sent, and from where on once more."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.models import LogEntry, Notice, Webhook
from league.selectors.webhooks import LOG, NOTICES, list_of
from ratings.forms import WholeField

#: Formats whose names are too long for a select on a phone.
SHORT = {Webhook.Format.STANDARD.value: gettext_lazy("A program: signed JSON")}


class WebhookForm(forms.Form):
    """Where what is sent."""

    url = forms.CharField(
        max_length=500,
        label="URL",
        widget=forms.URLInput(attrs={"size": 60}),
        help_text=gettext_lazy("https, to port 443 or one from 1024 on."),
    )
    format = forms.ChoiceField(
        label=pgettext_lazy("what a webhook sends", "Format"),
        choices=[(form, SHORT.get(form, label)) for form, label in Webhook.Format.choices],
        required=False,
        help_text=gettext_lazy("Programs get every change of the books as it is. Chats get notices, in words."),
    )
    notices = forms.MultipleChoiceField(
        label=gettext_lazy("Notices"),
        choices=Notice.Kind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("For chats. None: all of them."),
    )
    kinds = forms.MultipleChoiceField(
        choices=[(kind, kind) for kind in LogEntry.Kind.values],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Changes"),
        help_text=gettext_lazy("For programs. None: all kinds of changes."),
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
    """From where to send again, and of which list that is a position; without one it is the webhook's present one."""

    after = WholeField(min_value=0, max_value=2**53 - 1, label=gettext_lazy("Send everything again after position"))
    listed = forms.ChoiceField(choices=[(LOG, LOG), (NOTICES, NOTICES)], required=False, widget=forms.HiddenInput)


def replay_form(webhook: Webhook) -> ReplayForm:
    """Return the form that a webhook is shown with."""
    return ReplayForm(initial={"listed": list_of(webhook)})
