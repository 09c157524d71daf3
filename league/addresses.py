"""Whole addresses, for what is read elsewhere."""

from django.conf import settings
from django.http import HttpRequest


def absolute(request: HttpRequest, path: str) -> str:
    """Return the whole address of a path of the site: where the site says it is found, else where it was asked."""
    origin: str = settings.RUNGS_ORIGIN
    return origin + path if origin else request.build_absolute_uri(path)
