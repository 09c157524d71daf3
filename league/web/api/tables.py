"""Lists as CSV for spreadsheets, with unrounded numbers; cells that could be formulas are quoted."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse

from league.core.text.csv_rows import render_csv
from league.web.api.core.base import CSV, make_choice_parser
from league.web.api.core.schemas import Shape
from league.web.api.openapi.examples import build_query_parameter

FORMATS = ("json", "csv")
FORMAT = build_query_parameter("format", str, "csv: a table; the Link header has the next page.", enum=FORMATS)
READ_FORMAT = make_choice_parser(*FORMATS)


def build_csv_responses(shape: type[Shape]) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the OpenAPI response of a table with rows of a shape."""
    text = "One row per item, below a header. A JSON object becomes a column for each member: `state.rating`."
    return {(200, CSV): OpenApiResponse(shape, description=text)}


def render_csv_response(rows: Sequence[Mapping[str, Any]], shape: type[Shape], following: str | None) -> HttpResponse:
    """Return rows as CSV; without rows, only the header."""
    headers = {} if following is None else {"Link": f'<{following}>; rel="next"'}
    return HttpResponse(render_csv(rows, list(shape().fields)), content_type="text/csv; charset=utf-8", headers=headers)
