"""How many webhooks there are, and what of them waits for a worker. Always as many queries."""

from datetime import datetime

from django.db.models import Count, Min, OuterRef, Q, Subquery

from league.apps.webhooks.models import Webhook
from league.apps.webhooks.selectors import OF_LOG, due
from league.core.chats import chat_source
from league.core.monitoring.gauges import Figures, measure_waiting
from league.models import LogEntry

#: Maximum number of due webhooks looked at, and as many again of chats.
MAX_WEBHOOKS = 5000


def measure_webhooks(now: datetime) -> Figures:
    """Return the metrics of webhooks."""
    return {"rungs_webhooks": webhook_counts(), **measure_waiting({"webhook": webhooks_due(now)}, now)}


def webhook_counts() -> dict[tuple[str, ...], float]:
    """Return how many webhooks are active, how many of these fail, and how many are disabled."""
    active = Q(state=Webhook.State.ACTIVE)
    told = Webhook.objects.aggregate(
        active=Count("pk", filter=active), failing=Count("pk", filter=active & Q(failures__gt=0)), all=Count("pk")
    )
    found = {"active": told["active"], "failing": told["failing"], "disabled": told["all"] - told["active"]}
    return {(state,): float(count) for state, count in found.items()}


def webhooks_due(now: datetime) -> tuple[int, datetime | None]:
    """Return how many webhooks have something to send, and since when the first of it waits."""
    entry = LogEntry.objects.filter(league=OuterRef("league"), position=OuterRef("position") + 1).values("at")[:1]
    ways = [due(now).filter(OF_LOG).annotate(came=Subquery(entry))]
    if source := chat_source():
        ways.append(due(now).exclude(OF_LOG).annotate(came=Subquery(source.next_times())))
    found = [row for way in ways for row in way.values_list("next_try_at", "came", "test_asked_at")[:MAX_WEBHOOKS]]
    since = [next(at for at in row if at is not None) for row in found if any(row)]
    return len(found), min(since, default=None)


def webhooks_waiting(now: datetime) -> tuple[int, datetime | None]:
    """Return how many webhooks have something to send, and since when the first of them may be tried again."""
    found = due(now).order_by().aggregate(count=Count("pk"), since=Min("next_try_at"))
    return found["count"], found["since"]
