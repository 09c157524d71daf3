"""Middleware of all requests, for headers, methods, language, errors, packing, long answers, users and uploads."""

from collections.abc import Callable
from typing import Any, TypeGuard

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject

from league.core.accounts.services import second_factor
from league.core.errors import TooMany, TooManyLongRequests
from league.core.games.services.game_files import MAX_STREAM_BYTES
from league.core.locking import request_budget
from league.core.monitoring.requests import METHODS
from league.core.permissions import needs_second_factor
from league.core.text.languages import API, ASKED, WORDLESS, detect_language, find_supported_language, remember
from league.web.api.core.limits import RequestTurn
from league.web.api.core.responses import (
    build_error_response,
    build_problem_response,
    link_documents_to_request,
)
from league.web.error_pages import GetResponse, UploadTooBig, _database_error_response, render_database_error
from league.web.response_headers import POLICY, PRIVATE


class LanguageMiddleware:
    """Activates the reader's language for each request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request; a language in the URL is stored in a cookie."""
        if request.path.startswith(WORDLESS):
            return self.get_response(request)
        if request.path.startswith(API):
            with translation.override(settings.LANGUAGE_CODE):
                return self.get_response(request)
        requested_language = find_supported_language(request.GET.get(ASKED, ""))
        code = settings.LANGUAGE_CODE if is_for_programs(request) else requested_language or detect_language(request)
        with translation.override(code):
            response = self.get_response(request)
        if is_the_same_for_all(response):
            return response
        response.setdefault("Content-Language", code)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        if requested_language and is_page(response):
            remember(response, requested_language)
        return response


def is_for_programs(request: HttpRequest) -> bool:
    """Return whether data are requested (the API, or a page's table as a file), which are always in English."""
    return request.path.startswith(API) or {"table", "format"} <= set(request.GET)


def is_the_same_for_all(response: HttpResponseBase) -> bool:
    """Return whether an answer does not depend on language: an immutable picture, or a table for programs."""
    lasting = "immutable" in response.get("Cache-Control", "")
    return lasting or response.get("Content-Type", "").startswith("text/csv")


def is_page(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    """Return whether an answer is a page of this site: not a picture, a feed or a frame on another site."""
    is_html = response.get("Content-Type", "").startswith("text/html") and response.status_code < 400
    framed = getattr(response, "xframe_options_exempt", False)
    return isinstance(response, HttpResponse) and is_html and not framed


#: Methods that would echo the request's headers, or that are for proxies.
REFUSED_METHODS = ("TRACE", "TRACK", "CONNECT")


class MethodMiddleware:
    """Refuses TRACE and similar methods with 405 at every address."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Process a request."""
        if request.method not in REFUSED_METHODS:
            return self.get_response(request)
        message = f"This site does not answer {request.method} requests."
        if request.path_info.startswith("/api/"):
            with link_documents_to_request(request):
                response: HttpResponse = build_problem_response(405, message)
        else:
            response = HttpResponse(f"{message}\n", status=405, content_type="text/plain; charset=utf-8")
        response["Allow"] = ", ".join(METHODS)
        response["Cache-Control"] = PRIVATE
        response["Content-Length"] = str(len(response.content))
        return response


class LongAnswersMiddleware:
    """Measures what responses cost, and limits expensive ones of clients without a token or session.

    Cached pages take their turn only when they are computed (``cached_answers``).
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Process a request, and end its turn."""
        response = self.get_response(request)
        turn: RequestTurn | None = getattr(request, "long_turn", None)
        return response if turn is None else turn.end_with(response)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponseBase | None:
        """Start a request's turn, or refuse it for now."""
        if getattr(view, "takes_turns", False):
            return None
        try:
            request.long_turn = RequestTurn(request)  # type: ignore[attr-defined]
        except (TooMany, TooManyLongRequests) as error:
            return self.process_exception(request, error)
        return None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """Respond to a cached page that may not be computed now; None for other errors."""
        if not isinstance(exception, TooMany | TooManyLongRequests):
            return None
        if request.path_info.startswith("/api/"):
            return build_error_response(exception)
        return render_database_error(exception)


class TroubleMiddleware:
    """Converts database errors to 503 or 507, and limits the time that a request waits for the database.

    The API handles errors of its own views; this is for pages, the admin site and other middleware.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Process a request."""
        with request_budget():
            return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """Respond to a database error of a view; None for other errors."""
        return _database_error_response(request, exception)


#: Addresses of private pages and secret links.
PRIVATE_PATHS = settings.RUNGS_PRIVATE_PATHS
#: The service worker of the score pad contains no personal data.
SCRIPT_TYPE = "text/javascript"


class HeadersMiddleware:
    """Adds the headers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Process a request."""
        response = self.get_response(request)
        response.setdefault("Permissions-Policy", POLICY)
        cache_control = response.get("Cache-Control", "")
        if _is_private(request, response, cache_control):
            response["Cache-Control"] = PRIVATE
        elif not cache_control:
            response["Cache-Control"] = "no-cache"
        return response


def _is_private(request: HttpRequest, response: HttpResponseBase, cache_control: str) -> bool:
    """Return whether a response is private: for a signed-in user, or behind a secret link."""
    if response.get("Content-Type", "").startswith(SCRIPT_TYPE) or "immutable" in cache_control:
        return False
    if request.path.startswith(PRIVATE_PATHS) or ("private" in cache_control and "no-store" not in cache_control):
        return True
    # If the user was never loaded, the response does not depend on it.
    user = getattr(request, "_cached_user", None)
    return user is not None and user.is_authenticated and "public" not in cache_control


class PagesGZipMiddleware(GZipMiddleware):
    """Compresses static files, and pages without a CSRF token: compressed lengths would reveal the token (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a page if it is safe; the API compresses its own responses, but not its reference."""
        kind = response.get("Content-Type", "")
        is_compressed = kind.startswith(("image/png", "font/")) or response.status_code == 206
        if "CSRF_COOKIE" in request.META or is_compressed:
            return response
        if request.path_info.startswith("/api/") and not kind.startswith("text/html"):
            return response
        return super().process_response(request, response)


def _load_user(request: Any) -> Any:
    """Return the user of a request; anonymous on most pages, if a required second factor is missing."""
    if not hasattr(request, "_cached_user"):
        user = get_user(request)
        # The pages for setting up a second factor.
        open_pages = reverse("mfa_activate_totp"), reverse("account_reauthenticate")
        if needs_second_factor(user) and request.path not in open_pages:
            user = user if second_factor.is_set_up(user) else AnonymousUser()
        request._cached_user = user
    return request._cached_user


class SignedInMiddleware(AuthenticationMiddleware):
    """Django's middleware with a check of the second factor; the user is loaded lazily."""

    def process_request(self, request: HttpRequest) -> None:
        """Set ``request.user``."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _load_user(request))  # type: ignore[assignment]  # as Django's own


#: Bytes in a form besides the file: fields and separators.
AROUND = 1_000_000


class QuotaHandler(FileUploadHandler):
    """Refuses an upload by its Content-Length, before any of it is read."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 -- Django's
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        """Check the length; other handlers read the upload."""
        user = getattr(self.request, "user", None)
        has_account = user is not None and user.is_authenticated
        limit = MAX_STREAM_BYTES + AROUND if has_account else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if content_length > limit:
            raise UploadTooBig(limit)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass on the data."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave files to the other handlers."""
