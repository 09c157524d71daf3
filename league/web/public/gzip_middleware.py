"""Compression of pages that contain no secrets and are not compressed already."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class PagesGZipMiddleware(GZipMiddleware):
    """Compresses pages without a CSRF token: compressed lengths would reveal the token (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a page if it is safe; the API compresses its own responses."""
        if request.path_info.startswith("/api/") or "CSRF_COOKIE" in request.META:
            return response
        if response.get("Content-Type", "").startswith("image/png"):
            return response
        return super().process_response(request, response)
