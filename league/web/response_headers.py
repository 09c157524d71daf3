"""Response headers: Permissions-Policy and Cache-Control."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: Browser features that no page needs; clipboard and full screen are used.
UNUSED = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid",
    "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
POLICY = ", ".join(f"{power}=()" for power in UNUSED)
#: Not stored anywhere, not even by the browser.
PRIVATE = "private, no-store"
#: Addresses of private pages and secret links.
OWN = ("/admin/", "/accounts/", "/invitations/", "/report/")
#: The service worker of the score pad contains no personal data.
SCRIPT = "text/javascript"


class HeadersMiddleware:
    """Adds the headers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Process a request."""
        response = self.get_response(request)
        response.setdefault("Permissions-Policy", POLICY)
        kept = response.get("Cache-Control", "")
        if is_own(request, response, kept):
            response["Cache-Control"] = PRIVATE
        elif not kept:
            response["Cache-Control"] = "no-cache"
        return response


def is_own(request: HttpRequest, response: HttpResponseBase, kept: str) -> bool:
    """Return whether a response is private: for a signed-in user, or behind a secret link."""
    if response.get("Content-Type", "").startswith(SCRIPT) or "immutable" in kept:
        return False
    if request.path.startswith(OWN) or ("private" in kept and "no-store" not in kept):
        return True
    # If the user was never loaded, the response does not depend on it.
    user = getattr(request, "_cached_user", None)
    return user is not None and user.is_authenticated and "public" not in kept
