"""The forms of an answer: JSON, CSV, lines of JSON. ``?format=`` chooses one, else the header Accept."""

from typing import Any

from django.http.request import MediaType
from rest_framework.exceptions import NotAcceptable
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.web.api.core.base import Endpoint

NDJSON, CSV = "application/x-ndjson", "text/csv"


class NdjsonRenderer(JSONRenderer):
    """Lets clients ask for NDJSON; what it renders itself are problem documents."""

    media_type = NDJSON
    format = "ndjson"


class CsvRenderer(JSONRenderer):
    """Lets clients ask for CSV; what it renders itself are problem documents."""

    media_type = CSV
    format = "csv"


class FormsEndpoint(Endpoint):
    """Base of the views whose answers have several forms."""

    def forms(self, request: Request) -> list[Any]:
        """Return the renderers of the forms, the default first."""
        return self.get_renderers()

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose the form; a client that names it in the address may accept anything."""
        forms, wanted = self.forms(request), request.GET.get("format")
        for one in forms:
            if one.format == wanted:
                return one, one.media_type
        ranges = [MediaType(text) for text in request.META.get("HTTP_ACCEPT", "*/*").split(",")]
        best = max(forms, key=lambda one: rank_form(one.media_type, ranges))
        if rank_form(best.media_type, ranges)[0] > 0:
            return best, best.media_type
        if force or wanted is not None:
            return forms[0], forms[0].media_type
        raise NotAcceptable(available_renderers=forms)

    @property
    def form(self) -> str:
        """Return the form of the answer: json, csv or ndjson."""
        return str(self.request.accepted_renderer.format)


def rank_form(media_type: str, ranges: list[MediaType]) -> tuple[float, int]:
    """Return the quality (0: refused) that a client gives a media type, and how narrow the range is that names it.

    The narrowest range decides (RFC 9110, 12.5.1): ``text/csv;q=0, */*`` takes everything else.
    """
    kind = MediaType(media_type)
    fitting = [one for one in ranges if one.main_type in ("*", kind.main_type) and one.sub_type in ("*", kind.sub_type)]
    return max(((one.specificity, one.quality) for one in fitting), default=(0, 0.0))[::-1]
