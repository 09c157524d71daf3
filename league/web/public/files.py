"""Tables of pages as files: ``?table=NAME&format=csv`` (or ``json``) returns all rows of a table as data.

A page passes a function for the rows of each table; the template tag ``files`` adds the links, which keep the page's
filters. Columns and values do not depend on the language, and numbers are unrounded.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header

from league.core.text.csv_rows import render_csv, render_json

#: Returns the rows of a table.
Rows = Callable[[], Iterable[Mapping[str, Any]]]
KINDS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def answer(request: HttpRequest, template: str, context: Mapping[str, Any], tables: Mapping[str, Rows]) -> HttpResponse:
    """Render a page, or return the requested table."""
    name, kind = request.GET.get("table", ""), request.GET.get("format", "")
    if name not in tables or kind not in KINDS:
        return render(request, template, {**context})
    league = context.get("league")
    return render_file(list(tables[name]()), kind, name if league is None else f"{league.slug}-{name}")


def render_file(rows: list[Mapping[str, Any]], kind: str, name: str, columns: Iterable[str] = ()) -> HttpResponse:
    """Return rows as a file that search engines do not index."""
    body = render_csv(rows, list(columns)) if kind == "csv" else render_json(rows)
    headers = {"X-Robots-Tag": "noindex"}
    if kind == "csv":
        headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"{name}.csv") or ""
    return HttpResponse(body, content_type=KINDS[kind], headers=headers)
