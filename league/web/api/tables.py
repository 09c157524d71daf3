"""Lists as CSV for spreadsheets, with unrounded numbers; cells that could be formulas are quoted."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse

from league.core.text.csv_rows import csv_of
from league.web.api.core.base import CSV, one_of
from league.web.api.core.schemas import Shape
from league.web.api.openapi.examples import parameter

FORMATS = ("json", "csv")
FORMAT = parameter("format", str, "csv: a table; the Link header has the next page.", enum=FORMATS)
READ_FORMAT = one_of(*FORMATS)


def csv_responses(shape: type[Shape]) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the OpenAPI response of a table with rows of a shape."""
    text = "One row per item, below a header. A JSON object becomes a column for each member: `state.rating`."
    return {(200, CSV): OpenApiResponse(shape, description=text)}


def csv_response(rows: Sequence[Mapping[str, Any]], shape: type[Shape], following: str | None) -> HttpResponse:
    """Return rows as CSV; without rows, only the header."""
    headers = {} if following is None else {"Link": f'<{following}>; rel="next"'}
    return HttpResponse(csv_of(rows, list(shape().fields)), content_type="text/csv; charset=utf-8", headers=headers)
