"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class WebhooksConfig(CapabilityConfig):
    """Changes of a league, sent to other servers."""

    name = "league.apps.webhooks"
    organiser_urls = "league.apps.webhooks.urls.ORGANISER"
    api_urls = "league.apps.webhooks.urls.API"
    sweep = ("league.apps.webhooks.services.deliveries.enqueue_webhooks",)
    nightly = ("league.apps.webhooks.services.deliveries.forget_deliveries",)
    routes = {"league.webhook": "webhooks"}
