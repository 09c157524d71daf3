"""What every answer tells the browser: what pages may not use, and who may keep the answer."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: Powers of browsers that no page here needs; the desk copies links, and walls go full screen.
UNUSED = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid",
    "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
POLICY = ", ".join(f"{power}=()" for power in UNUSED)
#: Nobody keeps it, the browser included.
PRIVATE = "private, no-store"
#: Whatever is there is someone's own, or a secret.
OWN = ("/admin/", "/accounts/", "/invitations/", "/report/")
#: The script by which the score pad goes on without a network holds no word of anyone.
SCRIPT = "text/javascript"


class HeadersMiddleware:
    """Adds what every answer tells the browser."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        response = self.get_response(request)
        response.setdefault("Permissions-Policy", POLICY)
        kept = response.get("Cache-Control", "")
        if is_own(request, response, kept):
            response["Cache-Control"] = PRIVATE
        elif not kept:
            response["Cache-Control"] = "no-cache"
        return response


def is_own(request: HttpRequest, response: HttpResponseBase, kept: str) -> bool:
    """Return whether an answer is for no one but who asked: whoever is signed in, or holds a secret address."""
    if response.get("Content-Type", "").startswith(SCRIPT) or "immutable" in kept:
        return False
    if request.path.startswith(OWN) or ("private" in kept and "no-store" not in kept):
        return True
    # Where no one looked who asks, the answer is everyone's.
    user = getattr(request, "_cached_user", None)
    return user is not None and user.is_authenticated and "public" not in kept
