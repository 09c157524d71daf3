"""Content negotiation between JSON, CSV and NDJSON, by ``?format=`` or else the Accept header."""

from typing import Any

from django.http.request import MediaType
from rest_framework.exceptions import NotAcceptable
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.web.api.core.base import Endpoint

NDJSON, CSV = "application/x-ndjson", "text/csv"


class NdjsonRenderer(JSONRenderer):
    """Lets clients request NDJSON; it renders only problem documents itself."""

    media_type = NDJSON
    format = "ndjson"


class CsvRenderer(JSONRenderer):
    """Lets clients request CSV; it renders only problem documents itself."""

    media_type = CSV
    format = "csv"


class FormsEndpoint(Endpoint):
    """Base of the views that respond in several formats."""

    def forms(self, request: Request) -> list[Any]:
        """Return the renderers, the default first."""
        return self.get_renderers()

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose the format; ``?format=`` takes precedence over the Accept header."""
        forms, wanted = self.forms(request), request.GET.get("format")
        for renderer in forms:
            if renderer.format == wanted:
                return renderer, renderer.media_type
        ranges = [MediaType(text) for text in request.META.get("HTTP_ACCEPT", "*/*").split(",")]
        best = max(forms, key=lambda renderer: rank_form(renderer.media_type, ranges))
        if rank_form(best.media_type, ranges)[0] > 0:
            return best, best.media_type
        if force or wanted is not None:
            return forms[0], forms[0].media_type
        raise NotAcceptable(available_renderers=forms)

    @property
    def form(self) -> str:
        """Return the format of the response: json, csv or ndjson."""
        return str(self.request.accepted_renderer.format)


def rank_form(media_type: str, ranges: list[MediaType]) -> tuple[float, int]:
    """Return a media type's quality (0: refused) and the specificity of the range that matches it.

    The most specific range decides (RFC 9110, 12.5.1): ``text/csv;q=0, */*`` accepts anything but CSV.
    """
    kind = MediaType(media_type)
    matching = [
        entry for entry in ranges if entry.main_type in ("*", kind.main_type) and entry.sub_type in ("*", kind.sub_type)
    ]
    return max(((entry.specificity, entry.quality) for entry in matching), default=(0, 0.0))[::-1]
