"""The score pad offline: its service worker, and the times of sheets that were typed before they were sent."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import find
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from league.core.text.languages import find_supported_language
from league.web.organiser.forms import parse_whole_number

#: Static files of the pad.
STATIC_FILES = (
    "rungs/look.css",
    "rungs/desk.css",
    "rungs/pad.css",
    "rungs/words.js",
    "rungs/pad-machine.js",
    "rungs/pad.js",
    "rungs/pad-queue.js",
    "rungs/icon.svg",
)
#: The maximum time between typing and sending a sheet; older times are cut off.
MAX_SHEET_AGE = timedelta(days=14)
#: The maximum duration of a request; if a browser's clock is further off, it was reset.
MAX_REQUEST_TIME = timedelta(seconds=60)
#: Distances that keep a sheet before or after another one of the same browser, with room for sheets in between.
DISTANCE_BEFORE, DISTANCE_AFTER = timedelta(microseconds=1), timedelta(milliseconds=1)


@require_GET
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker of score pads; its address is above all pads, so that each can be its scope.

    The parameter ``texts`` is the language of the pad, whose texts the worker caches.
    """
    language = find_supported_language(request.GET.get("texts", "")) or settings.LANGUAGE_CODE
    addresses = [*map(static, STATIC_FILES), reverse("texts", args=[language])]
    context = {"parts": json.dumps(addresses), "version": _compute_worker_version(language)}
    script = render_to_string("web/organiser/pad-worker.js", context)
    return HttpResponse(script, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"})


def _compute_worker_version(language: str) -> str:
    digest = hashlib.sha256(language.encode())
    # Includes the translations for the scripts.
    for catalogue in sorted((settings.BASE_DIR / "league" / "locale" / language).rglob("djangojs.mo")):
        digest.update(catalogue.read_bytes())
    for file_name in STATIC_FILES:
        path = find(file_name)
        assert isinstance(path, str), f"{file_name} is among the static files"
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:16]


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
