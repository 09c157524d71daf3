"""Signs of life of processes other than the web processes."""

from django.utils import timezone

from league.models import Sign

#: Prefix of the signs of verifications, followed by the outcome.
VERIFIED = "verify."


def record_sign(name: str) -> None:
    """Record a sign of life now."""
    Sign.objects.bulk_create(
        [Sign(name=name, at=timezone.now())], update_conflicts=True, unique_fields=["name"], update_fields=["at"]
    )
