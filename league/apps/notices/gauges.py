"""Metrics of notices waiting to be mailed."""

from datetime import datetime

from django.db.models import Count, Min

from league.apps.notices.models import NoticeMail
from league.core.monitoring.gauges import Figures, measure_waiting


def count_due_mails(now: datetime) -> tuple[int, datetime | None]:
    """Return the number of due mails, and the time since which the oldest is waiting."""
    counts = NoticeMail.objects.due(now).order_by().aggregate(count=Count("pk"), since=Min("next_try_at"))
    return counts["count"], counts["since"]


def measure_mails(now: datetime) -> Figures:
    """Return the metrics of mails."""
    return measure_waiting({"mail": count_due_mails(now)}, now)
