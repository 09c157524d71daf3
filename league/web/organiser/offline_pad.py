"""The times of sheets that were typed offline, before they were sent."""

from datetime import UTC, datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone

from league.web.organiser.forms import parse_whole_number

#: The maximum time between typing and sending a sheet; older times are cut off.
MAX_SHEET_AGE = timedelta(days=14)
#: The maximum duration of a request; if a browser's clock is further off, it was reset.
MAX_REQUEST_TIME = timedelta(seconds=60)
#: Distances that keep a sheet before or after another one of the same browser, with room for sheets in between.
DISTANCE_BEFORE, DISTANCE_AFTER = timedelta(microseconds=1), timedelta(milliseconds=1)


def parse_typed_at(request: HttpRequest) -> datetime | None:
    """Return when a sheet that waited in a browser was typed; None if it was sent at once.

    Form fields: ``ago`` is the milliseconds between typing and sending, as the browser's clock is not trusted.
    ``clock`` is the server's time when it was sent, as estimated by the browser; it compensates for the duration of
    the request. ``previous_at`` and ``next_at`` are the recorded times of the previous and next sheet of the same
    browser, so that sheets keep their order whatever the clocks show.
    """
    now, ago = timezone.now(), _parse_milliseconds(request, "ago")
    if ago is None:
        return None
    sent = _estimate_sent_at(request, now)
    typed = sent - min(ago, MAX_SHEET_AGE)
    previous_at, next_at = _parse_time(request, "after"), _parse_time(request, "before")
    typed = max(typed, min(previous_at, now) + DISTANCE_AFTER) if previous_at is not None else typed
    typed = min(typed, max(next_at, now - MAX_SHEET_AGE) - DISTANCE_BEFORE) if next_at is not None else typed
    return min(typed, now)


def _estimate_sent_at(request: HttpRequest, now: datetime) -> datetime:
    reckoned = _parse_milliseconds(request, "clock")
    if reckoned is None:
        return now
    sent = datetime.fromtimestamp(0, UTC) + reckoned
    return sent if now - MAX_REQUEST_TIME <= sent <= now else now


def _parse_milliseconds(request: HttpRequest, name: str) -> timedelta | None:
    number = parse_whole_number(request.POST.get(name, ""), 13)
    return None if number is None else timedelta(milliseconds=number)


def _parse_time(request: HttpRequest, name: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(request.POST.get(name, ""))
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
