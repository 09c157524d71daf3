"""The status page, and the same as JSON for monitoring."""

import logging
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from league.apps.operations.selectors.backups import load_backup_state
from league.core.db.isolation import postgresql_snapshot
from league.core.errors import DatabaseUnavailable
from league.core.monitoring.requests import DESK, LATELY, PAGES, READ, TIMES, WRITTEN
from league.core.text.languages import query_without_language
from league.models import Head
from league.web.absolute_urls import build_absolute_url
from league.web.public import files
from league.web.public.cached_answers import cached_response, compute_time_slot, etag
from league.web.public.selectors.status import LeagueStatus, Status, load_site_status
from league.web.public.views.base import parse_digits

#: Seconds for which the page is cached.
CACHE_SECONDS = 10

logger = logging.getLogger(__name__)


def load_status(request: HttpRequest) -> Status | None:
    """Return the site's status, None if the database does not respond."""
    page = parse_digits(request.GET.get("page", ""), 5) or 1
    try:
        with postgresql_snapshot():
            return load_site_status(timezone.now(), page)
    except DatabaseError as error:
        logger.error("The status page could not read the database: %s", error)
        return None


def status(request: HttpRequest) -> HttpResponse:
    """Show the status: cached for anonymous visitors, current for others."""
    if settings.SESSION_COOKIE_NAME in request.COOKIES or "format" in request.GET:
        return set_cache_control(render_status(request), "private, no-store")
    tag = etag(
        build_absolute_url(request, request.path), query_without_language(request), compute_time_slot(CACHE_SECONDS)
    )
    response = get_conditional_response(request, etag=tag) or cached_response(
        request, tag, lambda: render_status(request)
    )
    if response.status_code >= 400:
        return set_cache_control(response, "no-cache")
    response["ETag"] = tag
    return set_cache_control(response, f"public, max-age={CACHE_SECONDS}")


def set_cache_control(response: HttpResponse, control: str) -> HttpResponse:
    """Set the Cache-Control header of a response."""
    response["Cache-Control"] = control
    return response


def render_status(request: HttpRequest) -> HttpResponse:
    """Render the current status; 503 if the database does not respond."""
    current_status = load_status(request)
    names = {
        PAGES: _("Pages"),
        DESK: _("The organiser's pages"),
        READ: _("Reading through the API"),
        WRITTEN: _("Writing through the API"),
    }
    context = {
        "status": current_status,
        "well": current_status is not None and current_status.well,
        "waiting": [work for work in current_status.backlog.values() if work.count] if current_status else [],
        "unchecked": current_status is not None
        and current_status.next_page is None
        and "page" not in request.GET
        and not any(books.verified or books.pending or books.head for books in current_status.books),
        "paces": [(names[kind], pace) for kind, pace in TIMES.lately().items()],
        "minutes": int(LATELY // 60),
        **_build_backups_context(request, current_status),
    }
    tables = {"pace": lambda: [{"asked": kind, **asdict(pace)} for kind, pace in TIMES.lately().items()]}
    response = files.answer(request, "apps/operations/status.html", context, tables)
    if current_status is None:
        response.status_code = 503
        response["Retry-After"] = DatabaseUnavailable.retry_after
    return response


def _build_backups_context(request: HttpRequest, current_status: Status | None) -> dict[str, Any]:
    """Return the state of the backups, which staff alone see."""
    if current_status is None or not getattr(getattr(request, "user", None), "is_staff", False):
        return {}
    return {"backups": load_backup_state()}


def status_json(request: HttpRequest) -> JsonResponse:
    """Return the status as JSON."""
    current_status = load_status(request)
    if current_status is None:
        return JsonResponse(
            {"database": False, "celery": None, "leagues": None},
            status=503,
            headers={"Retry-After": DatabaseUnavailable.retry_after},
        )
    payload = {
        "at": current_status.at,
        "database": True,
        "celery": {"heard": current_status.heard, "heard_at": current_status.heard_at},
        "backlog": {
            name: {"count": backlog.count, "since": backlog.since} for name, backlog in current_status.backlog.items()
        },
        "responses": {kind: asdict(pace) for kind, pace in TIMES.lately().items()},
        "leagues": [serialize_league(request, books) for books in current_status.books],
        "next": request.build_absolute_uri(f"{request.path}?page={current_status.next_page}")
        if current_status.next_page
        else None,
    }
    return JsonResponse(payload, headers={"Cache-Control": "no-cache"})


def serialize_league(request: HttpRequest, books: LeagueStatus) -> dict[str, Any]:
    """Return the status of a league's data."""
    verified, verdict = books.verified, books.verdict
    return {
        "league": books.league.slug,
        "title": books.league.title,
        "url": request.build_absolute_uri(reverse("pages:league", args=[books.league.slug])),
        "last_recorded_at": books.recorded_at,
        "verified": None
        if verified is None
        else {
            "at": verified.ended_at,
            "state": verified.state,
            "games": verdict["games"] if verdict else None,
            "differences": verdict["found"] if verdict else None,
        },
        "pending": books.pending,
        "progress": books.progress if books.pending else None,
        **({} if books.head is None else {"head": serialize_head(books.head)}),
    }


def serialize_head(head: Head) -> dict[str, Any]:
    """Return the last published head of a league's log."""
    return {"position": head.position, "sha256": head.sha256, "at": head.at}
