"""What webhooks store of people: addresses that may hold a name. Bodies are written when they are sent."""

from typing import Any

from league.apps.webhooks.models import Webhook
from league.core.players.erasers import Eraser
from league.core.players.name_redaction import NameWords


class WebhookEraser(Eraser):
    """The addresses of webhooks."""

    @staticmethod
    def describe_site(words: NameWords) -> dict[str, Any]:
        """Return the addresses that hold a name; an owner of the league changes them."""
        urls = [one.url for one in Webhook.objects.order_by("pk")]
        return {"urls_of_webhooks": [url for url in urls if words.written.name_in(url)]}
