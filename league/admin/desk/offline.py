"""The score pad without network: the worker that shows it, and what a sheet says that was typed before it was sent."""

import hashlib
import json
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.staticfiles.finders import find
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone
from django.views.decorators.http import require_GET

#: What the pad is made of beside its page.
PARTS = ("rungs/look.css", "rungs/pad.js", "rungs/pad-queue.js", "rungs/icon.svg")
#: How long a sheet may have waited; one that is said to be older was typed then.
LONGEST = timedelta(days=14)


@require_GET
def worker(request: HttpRequest) -> HttpResponse:
    """Answer the service worker of score pads. It stands above all pads, so each of them may be its scope."""
    script = render_to_string(
        "desk/pad-worker.js", {"parts": json.dumps([static(part) for part in PARTS]), "version": version()}
    )
    return HttpResponse(script, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"})


def version() -> str:
    """Return what changes with the parts of a pad: a browser takes up a worker that differs from its own."""
    digest = hashlib.sha256()
    for part in PARTS:
        found = find(part)
        assert isinstance(found, str), f"{part} is among the static files"
        digest.update(Path(found).read_bytes())
    return digest.hexdigest()[:16]


def typed_at(request: HttpRequest) -> datetime | None:
    """Return when a sheet was typed that waited in a browser; None where it was sent at once.

    Browsers say how many milliseconds ago: what their clocks show is not trusted.
    """
    ago = request.POST.get("ago", "")
    if not (ago.isascii() and ago.isdigit() and len(ago) < 12):
        return None
    return timezone.now() - min(timedelta(milliseconds=int(ago)), LONGEST)
