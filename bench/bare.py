"""A bare Django view in a separate process: the baseline for HTTP benchmarks."""

import os
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.functional import empty

settings._wrapped = empty  # the server has read those of Rungs
settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="bare", MIDDLEWARE=[])
BODY = Path(os.environ["BARE_BODY"]).read_bytes()


def bare(request: HttpRequest) -> HttpResponse:
    """Return the bytes."""
    return HttpResponse(BODY, content_type="application/json")


urlpatterns = [path("", bare)]
application = get_wsgi_application()
