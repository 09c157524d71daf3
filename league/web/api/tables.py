"""Lists as CSV: what a spreadsheet opens. Numbers keep every digit; cells that it would run as formulas are quoted."""

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
FORMAT = parameter("format", str, "csv: a table; its next page is named by the header Link.", enum=FORMATS)
READ_FORMAT = one_of(*FORMATS)


def described_table(shape: type[Shape]) -> dict[tuple[int, str], OpenApiResponse]:
    """Return how the OpenAPI document describes a table whose lines have a shape."""
    text = "One line an entry, below a header. What is an object in JSON has a column for each member: `state.rating`."
    return {(200, CSV): OpenApiResponse(shape, description=text)}


class TableEndpoint(FormsEndpoint):
    """Base of the views whose lists are to be had as CSV, too.

    Their answers need no ``Vary: Accept``: caches ask again each time, and each form has a tag of its own.
    """

    def forms(self, request: Request) -> list[Any]:
        """Return JSON, and CSV where something is read."""
        return [*super().forms(request), *([CsvRenderer()] if request.method in ("GET", "HEAD") else [])]


def table(rows: Sequence[Mapping[str, Any]], shape: type[Shape], following: str | None) -> HttpResponse:
    """Return rows as CSV; if there is none, the header alone says which columns there would be."""
    headers = {} if following is None else {"Link": f'<{following}>; rel="next"'}
    return HttpResponse(csv_of(rows, list(shape().fields)), content_type="text/csv; charset=utf-8", headers=headers)
