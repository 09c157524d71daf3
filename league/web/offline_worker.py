"""The service worker that opens score pads and pages behind private links without network: one script for both."""

import hashlib
import json
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import find
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_GET

from league.core.text.languages import find_supported_language

#: The template of the script.
WORKER = "web/offline-worker.js"
#: Static files of score pads and of pages behind private links.
STATIC_FILES = (
    "rungs/look.css",
    "rungs/desk.css",
    "rungs/pad.css",
    "rungs/words.js",
    "rungs/pad-machine.js",
    "rungs/pad.js",
    "rungs/report.js",
    "rungs/result-keys.js",
    "rungs/fair-sides.js",
    "rungs/pad-queue.js",
    "rungs/icon.svg",
)


@require_GET
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker; each score pad, and each page behind a private link, is a scope of its own.

    The parameter ``texts`` is the language of the page, whose texts the worker caches.
    """
    language = find_supported_language(request.GET.get("texts", "")) or settings.LANGUAGE_CODE
    addresses = [*map(static, STATIC_FILES), reverse("texts", args=[language])]
    context = {"parts": json.dumps(addresses), "version": _compute_worker_version(language)}
    script = render_to_string(WORKER, context)
    # Private links are not below the address of the script, which browsers know of the pads that they have installed.
    headers = {"Cache-Control": "no-cache", "Service-Worker-Allowed": reverse("pages:home")}
    return HttpResponse(script, content_type="text/javascript; charset=utf-8", headers=headers)


def _compute_worker_version(language: str) -> str:
    digest = hashlib.sha256(language.encode())
    # Includes the translations for the scripts.
    for catalogue in sorted((settings.BASE_DIR / "league" / "locale" / language).rglob("djangojs.mo")):
        digest.update(catalogue.read_bytes())
    digest.update(render_to_string(WORKER, {"parts": "", "version": ""}).encode())
    for file_name in STATIC_FILES:
        path = find(file_name)
        assert isinstance(path, str), f"{file_name} is among the static files"
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:16]
