"""What of notices waits for a worker."""

from datetime import datetime

from django.db.models import Count, Min

from league.apps.notices.models import NoticeMail
from league.core.monitoring.gauges import Figures, measure_waiting


def mails_due(now: datetime) -> tuple[int, datetime | None]:
    """Return the number of mails that are to be sent, and since when the first of them waits."""
    waiting = NoticeMail.objects.filter(state=NoticeMail.State.WAITING, next_try_at__lte=now).order_by()
    found = waiting.aggregate(count=Count("pk"), since=Min("next_try_at"))
    return found["count"], found["since"]


def measure_mails(now: datetime) -> Figures:
    """Return the metrics of mails."""
    return measure_waiting({"mail": mails_due(now)}, now)
