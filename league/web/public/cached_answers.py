"""Caching of responses that are requested again and again: boards, players and periods of a public league, embeds.

A response is computed once and cached by the process until the league changes, for at most a minute because boards and
periods also depend on the time. Each language has its own. A request with a current ETag costs two short queries.
"""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language

from league.core.db.bounded_cache import find, store
from league.core.db.statements import execute_query
from league.core.leaderboard.selectors.current_board import load_public_state
from league.core.text.languages import query_without_language
from league.web.absolute_urls import build_absolute_url

View = Callable[..., HttpResponse]
#: Maximum number of seconds for which a response is cached.
MAX_AGE = 60
#: State that affects the responses but not the board: the log (settings, rules, ladders, editions), the title and
#: picture, and whether rankings of periods are up to date.
LEAGUE_STATE = (
    "SELECT log_sha256, log_length, title, picture, touched_from, touched_key FROM league_league WHERE id = %s"
)


def cache_until_change(view: View, *, of_strangers: bool = False) -> View:
    """Cache a view of a league for anonymous users; ``of_strangers``: for everyone, because the view ignores users."""

    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # Signed-in users may see other players.
        is_personal = not of_strangers and request.user.is_authenticated
        tag = "" if is_personal else tag_of(request, kwargs["slug"])
        if not tag:
            response = view(request, *args, **kwargs)
            patch_cache_control(response, private=True, no_cache=True)
            return response
        response = get_conditional_response(request, etag=tag) or cached_response(
            tag, lambda: view(request, *args, **kwargs)
        )
        if response.status_code in (200, 304):
            response["ETag"] = tag
        response["Cache-Control"] = "no-cache"
        return response

    return read


def cached_response(tag: str, compute: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the cached response of a tag, or compute and cache it."""
    cached = find("answer", (tag,))
    if cached is not None:
        return HttpResponse(cached[0], headers=cached[1])
    response = compute()
    if response.status_code == 200:
        store("answer", (tag,), (response.content, dict(response.headers)))
    return response


def tag_of(request: HttpRequest, slug: str) -> str:
    """Return the ETag of a response about a public league; "" for other leagues."""
    state = load_public_state(slug)
    if state is None:
        return ""
    address = build_absolute_url(request, request.path), query_without_language(request)
    return etag(*address, state, *execute_query(LEAGUE_STATE, [state.league]), compute_time_slot(MAX_AGE))


def compute_time_slot(seconds: int) -> int:
    """Return the number of the current time slot of so many seconds, which ends the cache's validity."""
    return int(timezone.now().timestamp()) // seconds


def etag(*parts: Any) -> str:
    """Return an ETag computed from some values and the current language."""
    return f'"{sha256(repr((parts, get_language())).encode()).hexdigest()[:32]}"'
