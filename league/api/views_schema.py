"""The OpenAPI document, as YAML or as JSON."""

from typing import Any

from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.base import one_of, query

FORMATS = ("yaml", "json")


class Schema(SpectacularAPIView):
    """The document; ``format`` says which form is wanted, else the header Accept."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Answer the document."""
        query(request, {"format": one_of(*FORMATS)})
        answer: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]  # of the library
        return answer

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Render problem documents as JSON, whatever form the document was asked for in."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code >= 400:
            response.accepted_renderer = JSONRenderer()
        return response

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose the form."""
        if request.GET.get("format") == "json":
            return OpenApiJsonRenderer2(), OpenApiJsonRenderer2.media_type
        if request.GET.get("format") == "yaml":
            renderer = self.get_renderers()[0]
            return renderer, renderer.media_type
        return super().perform_content_negotiation(request, force)
