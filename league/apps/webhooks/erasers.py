"""Personal data in webhooks: URLs may contain names. Bodies are not stored."""

from typing import Any

from league.apps.webhooks.models import Webhook
from league.core.players.erasers import Eraser
from league.core.players.name_redaction import NameWords


class WebhookEraser(Eraser):
    """URLs of webhooks."""

    @staticmethod
    def describe_site(words: NameWords) -> dict[str, Any]:
        """Return the URLs that contain a name; owners of the league can change them."""
        urls = [webhook.url for webhook in Webhook.objects.order_by("pk")]
        return {"urls_of_webhooks": [url for url in urls if words.written.name_in(url)]}
