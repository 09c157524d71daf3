"""The OpenAPI document as YAML, JSON or a page, and the pages that explain problem codes."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.web.api.core.base import make_choice_parser, parse_query
from league.web.api.core.codes import PROBLEMS, list_faults
from league.web.api.openapi.document import load_document
from league.web.api.openapi.reference import render_reference


def problems(request: HttpRequest) -> HttpResponse:
    """Show all codes."""
    return render(request, "web/api/problems.html", {"problems": PROBLEMS.items(), "faults": list_faults().items()})


def one_problem(request: HttpRequest, code: str) -> HttpResponse:
    """Show a code's meaning and what to do about it."""
    if code in PROBLEMS:
        return render(request, "web/api/problem.html", {"code": code, "problem": PROBLEMS[code]})
    faults = list_faults()
    if code in faults:
        return render(request, "web/api/problem.html", {"code": code, "fault": faults[code]})
    raise Http404


def reference(request: HttpRequest) -> HttpResponse:
    """Show all operations and schemas."""
    return render(request, "web/api/reference.html", {"reference": render_reference()})


FORMATS = ("yaml", "json")
#: Renderer -> the rendered document.
DOCUMENTS: dict[type[Any], bytes] = {}


class Schema(SpectacularAPIView):
    """The document; its format is chosen by ``format`` or else by the Accept header."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the document."""
        parse_query(request, {"format": make_choice_parser(*FORMATS)})
        response: HttpResponse = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]  # of the library
        return response

    def _get_schema_response(self, request: Request) -> Any:
        """Return the rendered document."""
        renderer: Any = request.accepted_renderer
        if type(renderer) not in DOCUMENTS:
            DOCUMENTS[type(renderer)] = renderer.render(load_document(), request.accepted_media_type, {})
        name = self._get_filename(request, self.api_version)  # type: ignore[no-untyped-call]  # of the library
        kind = f"{renderer.media_type}; charset=utf-8"
        return HttpResponse(
            DOCUMENTS[type(renderer)], content_type=kind, headers={"Content-Disposition": f'inline; filename="{name}"'}
        )

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Render problem documents as JSON, whatever the requested format."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code >= 400:
            response.accepted_renderer = JSONRenderer()
        return response

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose the format."""
        if request.GET.get("format") == "json":
            return OpenApiJsonRenderer2(), OpenApiJsonRenderer2.media_type
        if request.GET.get("format") == "yaml":
            renderer = self.get_renderers()[0]
            return renderer, renderer.media_type
        return super().perform_content_negotiation(request, force)
