"""Metrics of webhooks; the number of queries is constant."""

from datetime import datetime

from django.db.models import Count, Min, OuterRef, Q, Subquery

from league.apps.webhooks.models import Webhook
from league.apps.webhooks.selectors import list_due_webhooks
from league.core.chats import find_chat_source
from league.core.monitoring.gauges import Figures, measure_waiting
from league.models import LogEntry

#: Maximum number of due webhooks examined, and of due chats.
MAX_WEBHOOKS = 5000


def measure_webhooks(now: datetime) -> Figures:
    """Return the metrics of webhooks."""
    return {"rungs_webhooks": _count_webhooks(), **measure_waiting({"webhook": count_due_webhooks(now)}, now)}


def _count_webhooks() -> dict[tuple[str, ...], float]:
    active = Q(state=Webhook.State.ACTIVE)
    totals = Webhook.objects.aggregate(
        active=Count("pk", filter=active), failing=Count("pk", filter=active & Q(failures__gt=0)), all=Count("pk")
    )
    counts = {"active": totals["active"], "failing": totals["failing"], "disabled": totals["all"] - totals["active"]}
    return {(state,): float(count) for state, count in counts.items()}


def count_due_webhooks(now: datetime) -> tuple[int, datetime | None]:
    """Return the number of due webhooks, and since when the first of them is waiting."""
    entry_times = LogEntry.objects.filter(league=OuterRef("league"), position=OuterRef("position") + 1).values("at")[:1]
    querysets = [list_due_webhooks(now).of_log().annotate(came=Subquery(entry_times))]
    if source := find_chat_source():
        querysets.append(list_due_webhooks(now).of_notices().annotate(came=Subquery(source.next_times())))
    rows = [
        row
        for queryset in querysets
        for row in queryset.values_list("next_try_at", "came", "test_asked_at")[:MAX_WEBHOOKS]
    ]
    due_times = [next(time for time in row if time is not None) for row in rows if any(row)]
    return len(rows), min(due_times, default=None)


def count_waiting_webhooks(now: datetime) -> tuple[int, datetime | None]:
    """Return the number of due webhooks, and the earliest time of their next attempts."""
    counts = list_due_webhooks(now).order_by().aggregate(count=Count("pk"), since=Min("next_try_at"))
    return counts["count"], counts["since"]
