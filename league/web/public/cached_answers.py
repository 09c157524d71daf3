"""Caching of responses that are requested again and again: the first page, pages of a public league, frames.

A response is computed once and cached by the process until a league on it changes, for at most a minute because boards
and periods also depend on the time. Each language has its own. A request with a current ETag costs two short queries.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from hashlib import sha256
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language

from league.core.accounts.services.first_account import has_account
from league.core.db.bounded_cache import find, store
from league.core.db.statements import execute_query, fetch_first_rows
from league.core.leaderboard.selectors.current_board import load_public_state
from league.core.text.languages import ASKED, query_without_language
from league.models import League
from league.web.absolute_urls import build_absolute_url
from league.web.api.core.limits import compute_in_turn

View = Callable[..., HttpResponse]
#: Parameters of every page: its tables as files, and its language.
EVERYWHERE = ("table", "format", ASKED)
#: Seconds that a request waits for another one that computes the same response.
MAX_WAIT = 5.0
#: Maximum number of seconds for which a response is cached.
MAX_AGE = 60
#: State that affects the responses but not the board: the log (settings, rules, ladders, editions), the title and
#: picture, and whether rankings of periods are up to date.
LEAGUE_STATE = (
    "SELECT log_sha256, log_length, title, picture, touched_from, touched_key FROM league_league WHERE id = %s"
)

#: The state of the first page, a row for each public league. The first rows of boards change with ratings and players.
LEAGUES_STATE = """
SELECT id, log_sha256, log_length, last_number, replays, stale_from, stale_key, title, picture,
       (SELECT e.count FROM league_edits e WHERE e.name = 'players')
  FROM league_league WHERE visibility = %s ORDER BY id LIMIT %s
"""
#: Up to this number of leagues the first page is cached, which reads the state of each, and sorted by last games, which
#: looks up one game of each; above it, it is sorted by title.
MAX_LEAGUES = 1000


def cache_until_change(*names: str, of_strangers: bool = False) -> Callable[[View], View]:
    """Cache a view of a league for anonymous users; ``of_strangers``: for everyone, because the view ignores users.

    ``names``: the parameters of the query that the view reads; it does not see others.
    """

    def decorate(view: View) -> View:
        return _cache_view(view, names, of_strangers=of_strangers)

    return decorate


def _cache_view(view: View, names: Sequence[str], *, of_strangers: bool) -> View:
    @takes_turns
    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        keep_parameters(request, names)
        # Signed-in users may see other players.
        is_personal = not of_strangers and request.user.is_authenticated
        tag = "" if is_personal else tag_of(request, kwargs["slug"])
        if not tag:
            response = compute_in_turn(request, lambda: view(request, *args, **kwargs))
            patch_cache_control(response, private=True, no_cache=True)
            return response
        response = get_conditional_response(request, etag=tag) or cached_response(
            request, tag, lambda: view(request, *args, **kwargs)
        )
        if response.status_code in (200, 304):
            response["ETag"] = tag
        response["Cache-Control"] = "no-cache"
        return response

    return read


def takes_turns(view: View) -> View:
    """Mark a view as one that takes a long response's turn itself, because what is cached needs none."""
    view.takes_turns = True  # type: ignore[attr-defined]
    return view


def keep_parameters(request: HttpRequest, names: Sequence[str]) -> None:
    """Keep those parameters of a query that a view reads, so that others make no new entries of the cache."""
    query = request.GET.copy()
    for name in query.keys() - {*names, *EVERYWHERE}:
        del query[name]
    request.GET = query  # type: ignore[assignment]
    request.META["QUERY_STRING"] = query.urlencode()


class _Computation:
    """A response that is being computed; a lock alone cannot be in a dictionary of weak references."""

    def __init__(self) -> None:
        self.lock = Lock()


#: Tags of the responses that this process is computing -> a lock for those who wait for one.
_COMPUTED_NOW: WeakValueDictionary[str, _Computation] = WeakValueDictionary()
_GUARD = Lock()


def cached_response(request: HttpRequest, tag: str, compute: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the cached response of a tag, or compute and cache it; many who ask at once wait for one computation.

    Raises TooMany or TooManyLongRequests.
    """
    if (response := _find_response(tag)) is not None:
        return response
    with _GUARD:
        computation = _COMPUTED_NOW.setdefault(tag, _Computation())
    # Who has waited in vain computes it, too: nobody waits for a request that hangs.
    is_first = computation.lock.acquire(timeout=MAX_WAIT)
    try:
        if (response := _find_response(tag)) is not None:
            return response
        response = compute_in_turn(request, compute)
        if response.status_code == 200:
            store("answer", (tag,), (response.content, dict(response.headers)))
        return response
    finally:
        if is_first:
            computation.lock.release()


def _find_response(tag: str) -> HttpResponse | None:
    cached = find("answer", (tag,))
    return None if cached is None else HttpResponse(cached[0], headers=cached[1])


def tag_of(request: HttpRequest, slug: str) -> str:
    """Return the ETag of a response about a public league; "" for other leagues."""
    state = load_public_state(slug)
    if state is None:
        return ""
    address = build_absolute_url(request, request.path), query_without_language(request)
    return etag(*address, state, *execute_query(LEAGUE_STATE, [state.league]), compute_time_slot(MAX_AGE))


def knows_account(request: HttpRequest) -> bool:
    """Return whether the site has an account; the database is asked once for a request."""
    if "rungs.has_account" not in request.META:
        request.META["rungs.has_account"] = has_account()
    return bool(request.META["rungs.has_account"])


def tag_of_leagues(request: HttpRequest) -> str:
    """Return the ETag of the page of all public leagues; "" on a site with very many, and without a database."""
    try:
        rows = fetch_first_rows(LEAGUES_STATE, [League.Visibility.PUBLIC, MAX_LEAGUES + 1])
        has_user = knows_account(request)
    except (DatabaseError, InterfaceError):
        return ""
    address = build_absolute_url(request, request.path), query_without_language(request)
    return "" if len(rows) > MAX_LEAGUES else etag(*address, rows, has_user, compute_time_slot(MAX_AGE))


def compute_time_slot(seconds: int) -> int:
    """Return the number of the current time slot of so many seconds, which ends the cache's validity."""
    return int(timezone.now().timestamp()) // seconds


def etag(*parts: Any) -> str:
    """Return an ETag computed from some values, the current language, and the version of static files a page links."""
    return f'"{sha256(repr((parts, get_language(), settings.STATIC_URL)).encode()).hexdigest()[:32]}"'
