"""The forms of an answer: JSON, CSV, lines of JSON. ``?format=`` chooses one, else the header Accept."""

from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.api.core.base import Endpoint

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
        try:
            return self.get_content_negotiator().select_renderer(request, forms)
        except NotAcceptable:
            if force or wanted is not None:
                return forms[0], forms[0].media_type
            raise

    @property
    def form(self) -> str:
        """Return the form of the answer: json, csv or ndjson."""
        return str(self.request.accepted_renderer.format)
