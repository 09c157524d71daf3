"""Times as logs, exports and answers write them."""

from datetime import UTC, datetime


def format_instant(time: datetime) -> str:
    """Format a time in UTC, always in the same format."""
    utc_time = time if time.tzinfo is UTC else time.astimezone(UTC)
    return utc_time.isoformat(timespec="microseconds").replace("+00:00", "Z")
