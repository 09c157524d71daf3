"""The mark of a browser that wrote: how far a replica must be to show its people what they did."""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: No replica is ever so far: the database was away when it was asked.
UNKNOWN = 1 << 64


def cookie() -> str:
    """Return the mark's name; in production one that no other host can set."""
    return settings.SESSION_COOKIE_NAME.replace("sessionid", "rungs_wrote")


def holds() -> int:
    """Return for how many seconds a mark is looked at: no replica that is read is so far behind."""
    return int(settings.RUNGS_REPLICA_LAG) + 60


def signer() -> signing.TimestampSigner:
    """Return what marks are signed by."""
    return signing.TimestampSigner(salt="rungs.wrote")


def mark(response: HttpResponseBase, position: int) -> None:
    """Let a browser remember that it wrote, until every replica that is read must know it."""
    if hasattr(response, "set_cookie"):
        response.set_cookie(
            cookie(),
            signer().sign(f"{position:x}"),
            max_age=holds(),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def marked(request: HttpRequest) -> int:
    """Return how far a replica must be for a browser; 0 for one that wrote nothing lately."""
    given = request.COOKIES.get(cookie(), "")
    if not given:
        return 0
    try:
        return int(signer().unsign(given, max_age=holds()), 16)
    except (signing.BadSignature, ValueError):
        return 0
