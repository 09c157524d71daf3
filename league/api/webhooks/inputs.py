"""The bodies about webhooks that the API takes."""

from rest_framework import serializers

from league.api.core.inputs import Strict, Text, Whole, Words
from league.models import Webhook
from league.services.webhooks.webhooks import GRACE, LONGEST_GRACE

MOST_KINDS = 50
URL = "https, port 443 or one from 1024 on; no user, no fragment."
KINDS = "Kinds of changes, such as game.recorded, or of notices, such as notice.evening; none: all."
FORMAT = "standard: the log, as it is (default); discord, slack, matrix: notices, in words for that chat."
RESUME = "With state active: position (default) sends what came meanwhile, now begins with what comes from now on."


class WebhookInput(Strict):
    """A new webhook."""

    url = Text(max_length=500, help_text=URL)
    format = serializers.ChoiceField(
        choices=Webhook.Format.choices, required=False, default=Webhook.Format.STANDARD.value, help_text=FORMAT
    )
    kinds = Words(most=MOST_KINDS, required=False, default=list, help_text=KINDS)


class WebhookChange(Strict):
    """What changes of a webhook."""

    url = Text(max_length=500, required=False, help_text=URL)
    format = serializers.ChoiceField(choices=Webhook.Format.choices, required=False, help_text=FORMAT)
    kinds = Words(most=MOST_KINDS, required=False, help_text=KINDS)
    state = serializers.ChoiceField(choices=Webhook.State.choices, required=False)
    resume = serializers.ChoiceField(choices=["position", "now"], required=False, help_text=RESUME)


class ReplayInput(Strict):
    """From where to send again."""

    after = Whole(
        min_value=0,
        max_value=2**53 - 1,
        help_text="Entries after this position of the log, or notices after this number, are sent.",
    )


class RotationInput(Strict):
    """How long the old secret goes on."""

    grace_hours = Whole(
        min_value=0,
        max_value=LONGEST_GRACE,
        required=False,
        default=GRACE,
        help_text="Hours for which deliveries bear the old secret's signature, too; 0: not at all.",
    )
