"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import Api, Backlog, CapabilityConfig, Data, LogPart, Messages, Monitoring, Urls, Work


class WebhooksConfig(CapabilityConfig):
    """Sends changes of a league to other servers."""

    name = "league.apps.webhooks"
    urls = Urls(organiser="league.apps.webhooks.urls.ORGANISER", api="league.apps.webhooks.urls.API")
    data = Data(eraser="league.apps.webhooks.erasers.WebhookEraser")
    log = LogPart(listener="league.apps.webhooks.services.webhooks.enqueue")
    messages = Messages(chat_sender="league.apps.webhooks.chat_sender.CHAT_SENDER")
    work = Work(
        sweep="league.apps.webhooks.services.deliveries.enqueue_webhooks",
        nightly={"deliveries": "league.apps.webhooks.services.deliveries.delete_old_deliveries"},
        routes={"league.webhook": "webhooks"},
    )
    monitoring = Monitoring(
        gauges="league.apps.webhooks.gauges.measure_webhooks",
        backlogs={"webhooks": Backlog(gettext_lazy("Webhooks"), "league.apps.webhooks.gauges.count_waiting_webhooks")},
    )
    api = Api(
        document="league.apps.webhooks.openapi.add_webhooks",
        descriptions="league.apps.webhooks.openapi.DESCRIPTIONS",
        faults="league.apps.webhooks.openapi.FAULTS",
    )
