"""Lists as CSV for spreadsheets, with unrounded numbers; cells that could be formulas are quoted."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request

from league.core.text.csv_rows import csv_of
from league.web.api.core.base import one_of
from league.web.api.core.forms import CSV, CsvRenderer, FormsEndpoint
from league.web.api.core.schemas import Shape
from league.web.api.openapi.examples import parameter

FORMATS = ("json", "csv")
FORMAT = parameter("format", str, "csv: a table; the Link header has the next page.", enum=FORMATS)
READ_FORMAT = one_of(*FORMATS)


def csv_responses(shape: type[Shape]) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the OpenAPI response of a table with rows of a shape."""
    text = "One row per item, below a header. A JSON object becomes a column for each member: `state.rating`."
    return {(200, CSV): OpenApiResponse(shape, description=text)}


class TableEndpoint(FormsEndpoint):
    """Base of the views of lists that are also available as CSV.

    They need no ``Vary: Accept``: caches revalidate each time, and each format has its own ETag.
    """

    def forms(self, request: Request) -> list[Any]:
        """Return JSON, and CSV for reading requests."""
        return [*super().forms(request), *([CsvRenderer()] if request.method in ("GET", "HEAD") else [])]


def csv_response(rows: Sequence[Mapping[str, Any]], shape: type[Shape], following: str | None) -> HttpResponse:
    """Return rows as CSV; without rows, only the header."""
    headers = {} if following is None else {"Link": f'<{following}>; rel="next"'}
    return HttpResponse(csv_of(rows, list(shape().fields)), content_type="text/csv; charset=utf-8", headers=headers)
