"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import Backlog, CapabilityConfig, Data, Messages, Monitoring, Urls, Work


class NoticesConfig(CapabilityConfig):
    """Notices by mail and to chats."""

    name = "league.apps.notices"
    urls = Urls(organiser="league.apps.notices.urls.ORGANISER", site="league.apps.notices.urls.SITE")
    data = Data(eraser="league.apps.notices.erasers.NoticeEraser")
    messages = Messages(chat_source="league.apps.notices.chat_source.CHAT_SOURCE")
    work = Work(
        sweep="league.apps.notices.services.mails.enqueue_mails",
        nightly={"facts": "league.apps.notices.services.enqueue.delete_old_facts"},
        routes={"league.notice_mail": "webhooks"},
        # Looking for news runs several queries per recently active league.
        schedule={"news": ("league.news", 120.0)},
    )
    monitoring = Monitoring(
        gauges="league.apps.notices.gauges.measure_mails",
        backlogs={"mails": Backlog(gettext_lazy("Emails"), "league.apps.notices.gauges.count_due_mails")},
    )
