"""The translations for scripts of pages, as a separate script, so that pages need no inline scripts."""

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.views.i18n import JavaScriptCatalog

from league.core.text.languages import languages

catalogue = JavaScriptCatalog.as_view(domain="djangojs", packages=["league"])
#: Seconds for which browsers cache it; then they revalidate by ETag.
CACHE_SECONDS = 600


def texts(request: HttpRequest, language: str) -> HttpResponse:
    """Return the translations of a supported language."""
    if language not in dict(languages()):
        raise Http404(f"“{language}” is not a language of this site.")
    with translation.override(language):
        response = cast("HttpResponse", catalogue(request))
    patch_cache_control(response, public=True, max_age=CACHE_SECONDS)
    return response
