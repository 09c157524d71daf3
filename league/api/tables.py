"""Lists as CSV: what a spreadsheet opens. Numbers keep every digit; cells that it would run as formulas are quoted."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request

from league.api.core.base import Endpoint
from league.api.core.schemas import Shape
from league.api.openapi.examples import parameter
from league.tabular import csv_of

FORMATS = ("json", "csv")
FORMAT = parameter("format", str, "csv: a table; its next page is named by the header Link.", enum=FORMATS)
TABLE = {(200, "text/csv"): OpenApiResponse(OpenApiTypes.BINARY, description="One line an entry, below a header.")}


class TableEndpoint(Endpoint):
    """Base of the views whose lists are to be had as CSV, too."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Let who asks for a table accept nothing else; the parameter alone decides, as caches look at addresses."""
        return super().perform_content_negotiation(request, force=force or request.GET.get("format") == "csv")


def wants_table(given: Mapping[str, Any]) -> bool:
    """Tell whether CSV is wanted."""
    return given.get("format") == "csv"


def table(rows: Sequence[Mapping[str, Any]], shape: type[Shape], following: str | None) -> HttpResponse:
    """Return rows as CSV; where there is none, the header alone says which columns there would be."""
    headers = {} if following is None else {"Link": f'<{following}>; rel="next"'}
    return HttpResponse(csv_of(rows, list(shape().fields)), content_type="text/csv; charset=utf-8", headers=headers)
