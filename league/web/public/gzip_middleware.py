"""Packing pages: only those that hold no secret of a form, and nothing that is packed already."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class PagesGZipMiddleware(GZipMiddleware):
    """Packs pages without a CSRF token: the length of a packed page would tell of it, letter by letter (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Pack a page where it may be packed; the API packs its own answers."""
        if request.path_info.startswith("/api/") or "CSRF_COOKIE" in request.META:
            return response
        if response.get("Content-Type", "").startswith("image/png"):
            return response
        return super().process_response(request, response)
