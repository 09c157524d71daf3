"""The texts of the pages' scripts in a language, as a script of our own host: nothing is written into pages."""

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.views.i18n import JavaScriptCatalog

from league.core.text.languages import languages

catalogue = JavaScriptCatalog.as_view(domain="djangojs", packages=["league"])
#: Seconds in which a browser does not ask again; then an ETag spares it the text.
CACHE_SECONDS = 600


def texts(request: HttpRequest, language: str) -> HttpResponse:
    """Answer the texts of a language that is known here."""
    if language not in dict(languages()):
        raise Http404(f"“{language}” is no language of this site.")
    with translation.override(language):
        answer = cast("HttpResponse", catalogue(request))
    patch_cache_control(answer, public=True, max_age=CACHE_SECONDS)
    return answer
