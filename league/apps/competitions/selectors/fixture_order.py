"""The order of fixtures in their round."""

from datetime import datetime

LAST = float("inf")


def get_start(round_number: int | None, starts_at: datetime | None, table: int | None) -> float:
    """Return when a fixture begins in its round: at a table with it, unless it has a time of its own; else last."""
    if round_number is not None and starts_at is not None:
        return starts_at.timestamp()
    return 0.0 if table else LAST
