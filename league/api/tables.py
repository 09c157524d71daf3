"""Lists as CSV: what a spreadsheet opens. Numbers keep every digit; cells that it would run as formulas are quoted."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from io import StringIO
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request

from league.api.core.base import Endpoint
from league.api.core.schemas import Shape
from league.api.openapi.examples import parameter
from league.chain import instant
from league.spreadsheets import cell

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
    flat = [dict(cells(row)) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row)) or list(shape().fields)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row.get(name, "") for name in columns] for row in flat)
    headers = {} if following is None else {"Link": f'<{following}>; rel="next"'}
    return HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


def cells(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield name and cell of everything in a row; what stands inside something else is named with a point."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from cells(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", written(value)


def written(value: Any) -> Any:
    """Return a value as a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return instant(value)
    return cell(value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False))
