"""The score pad without network: the worker that shows it, and what a sheet says that was typed before it was sent."""

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

from league.core.text.languages import supported_language
from league.web.organiser.form_errors import whole_in

#: What the pad is made of beside its page.
PARTS = ("rungs/look.css", "rungs/words.js", "rungs/pad.js", "rungs/pad-queue.js", "rungs/icon.svg")
#: How long a sheet may have waited; one that is said to be older was typed then.
MAX_SHEET_AGE = timedelta(days=14)
#: How long a request may have been on its way. A browser whose clock seems to be further off has set it meanwhile.
ON_ITS_WAY = timedelta(seconds=60)
#: What keeps a sheet before another one of the same browser, and what after: others fit between, even afterwards.
INSTANT, MOMENT = timedelta(microseconds=1), timedelta(milliseconds=1)


@require_GET
def worker(request: HttpRequest) -> HttpResponse:
    """Answer the service worker of score pads. It is above all pads, so each of them may be its scope.

    ``texts`` is the language of the pad that asks: the words of its scripts are kept in that one.
    """
    language = supported_language(request.GET.get("texts", "")) or settings.LANGUAGE_CODE
    parts = [*map(static, PARTS), reverse("texts", args=[language])]
    said = {"parts": json.dumps(parts), "version": version(language)}
    script = render_to_string("web/organiser/pad-worker.js", said)
    return HttpResponse(script, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"})


def version(language: str) -> str:
    """Return what changes with the parts of a pad: a browser takes up a worker that differs from its own."""
    digest = hashlib.sha256(language.encode())
    # The words of its scripts are a part of it.
    for catalogue in sorted((settings.BASE_DIR / "league" / "locale" / language).rglob("djangojs.mo")):
        digest.update(catalogue.read_bytes())
    for part in PARTS:
        found = find(part)
        assert isinstance(found, str), f"{part} is among the static files"
        digest.update(Path(found).read_bytes())
    return digest.hexdigest()[:16]


def typed_at(request: HttpRequest) -> datetime | None:
    """Return when a sheet was typed that waited in a browser; None if it was sent at once.

    ``ago``: how many milliseconds before it was sent; what a browser's clock shows is not trusted. ``clock``: the time
    here when it was sent, as the browser reckons by the answers it had. It takes out how long the request was on its
    way, and no more than that. ``after`` and ``before`` are the times that the sheets got which the same browser has
    sent, and which were typed next before and next after this one, by its own count: whatever the clocks, sheets keep
    the order in which they were typed.
    """
    now, ago = timezone.now(), thousandths(request, "ago")
    if ago is None:
        return None
    sent = sent_at(request, now)
    typed = sent - min(ago, MAX_SHEET_AGE)
    after, before = moment_in(request, "after"), moment_in(request, "before")
    typed = max(typed, min(after, now) + MOMENT) if after is not None else typed
    typed = min(typed, max(before, now - MAX_SHEET_AGE) - INSTANT) if before is not None else typed
    return min(typed, now)


def sent_at(request: HttpRequest, now: datetime) -> datetime:
    """Return when a request was sent, by the clock here: as the browser reckons, else when it came."""
    reckoned = thousandths(request, "clock")
    if reckoned is None:
        return now
    sent = datetime.fromtimestamp(0, UTC) + reckoned
    return sent if now - ON_ITS_WAY <= sent <= now else now


def thousandths(request: HttpRequest, name: str) -> timedelta | None:
    """Return a field of milliseconds, None if it holds none."""
    number = whole_in(request.POST.get(name, ""), 13)
    return None if number is None else timedelta(milliseconds=number)


def moment_in(request: HttpRequest, name: str) -> datetime | None:
    """Return a field with a moment as the pad was told it, None if it holds none."""
    try:
        moment = datetime.fromisoformat(request.POST.get(name, ""))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
