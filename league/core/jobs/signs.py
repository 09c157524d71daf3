"""Signs of life: when something that runs beside the web processes was heard last."""

from django.utils import timezone

from league.models import Sign

#: The sign of a verification is called so, with how it ended.
VERIFIED = "verify."


def hear(name: str) -> None:
    """Note that something was heard now."""
    Sign.objects.bulk_create(
        [Sign(name=name, at=timezone.now())], update_conflicts=True, unique_fields=["name"], update_fields=["at"]
    )
