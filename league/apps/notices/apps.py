"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import Backlog, CapabilityConfig


class NoticesConfig(CapabilityConfig):
    """Notices by mail and to chats."""

    name = "league.apps.notices"
    organiser_urls = "league.apps.notices.urls.ORGANISER"
    site_urls = "league.apps.notices.urls.SITE"
    sweep = ("league.apps.notices.services.mails.enqueue_mails",)
    nightly = {"facts": "league.apps.notices.services.enqueue.delete_old_facts"}
    routes = {"league.notice_mail": "webhooks"}
    #: Looking for news runs several queries per recently active league.
    schedule = {"news": ("league.news", 120.0)}
    chat_source = "league.apps.notices.chat_source.CHAT_SOURCE"
    erasers = ("league.apps.notices.erasers.NoticeEraser",)
    gauges = ("league.apps.notices.gauges.measure_mails",)
    backlogs = {"mails": Backlog(gettext_lazy("Emails"), "league.apps.notices.gauges.count_due_mails")}
