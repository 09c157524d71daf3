"""Signs of life of processes other than the web processes, and what was last done when.

The machine's clock may be set forwards or back by any amount, so that a sign may be of the future.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.utils import timezone

from league.models import Sign

#: Prefix of the signs of verifications, followed by the outcome.
VERIFIED = "verify."


def record_sign(name: str) -> None:
    """Record a sign of life now."""
    Sign.objects.bulk_create(
        [Sign(name=name, at=timezone.now())], update_conflicts=True, unique_fields=["name"], update_fields=["at"]
    )


def list_done_for_day(names: Collection[str], now: datetime, due_after_midnight: timedelta) -> set[str]:
    """Return which of the signs were given since the time of day (UTC) was last reached.

    A sign of the next 24 hours counts, so that nothing is done twice when the clock is set back a little. One further
    ahead does not: nothing waits until the clock gets there.
    """
    due_at = (now - due_after_midnight).replace(hour=0, minute=0, second=0, microsecond=0) + due_after_midnight
    given = Sign.objects.filter(name__in=names, at__gte=due_at, at__lt=now + timedelta(days=1))
    return set(given.values_list("name", flat=True))


def claim_sign(name: str, now: datetime, lease: timedelta) -> bool:
    """Give a sign, unless it was given within the time of a lease; only one of several processes gets it."""
    created = Sign.objects.get_or_create(name=name, defaults={"at": now})[1]
    free = Sign.objects.filter(name=name).exclude(at__gt=now - lease, at__lt=now + lease)
    return created or bool(free.update(at=now))
