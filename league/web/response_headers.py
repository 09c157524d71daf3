"""Response headers: Permissions-Policy and Cache-Control."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

#: Browser features that no page needs; clipboard and full screen are used.
UNUSED_FEATURES = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid",
    "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
POLICY = ", ".join(f"{power}=()" for power in UNUSED_FEATURES)
#: Not stored anywhere, not even by the browser.
PRIVATE = "private, no-store"
#: Addresses of private pages and secret links.
PRIVATE_PATHS = ("/admin/", "/accounts/", "/invitations/", "/report/")
#: The service worker of the score pad contains no personal data.
SCRIPT_TYPE = "text/javascript"


class HeadersMiddleware:
    """Adds the headers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Process a request."""
        response = self.get_response(request)
        response.setdefault("Permissions-Policy", POLICY)
        cache_control = response.get("Cache-Control", "")
        if _is_private(request, response, cache_control):
            response["Cache-Control"] = PRIVATE
        elif not cache_control:
            response["Cache-Control"] = "no-cache"
        return response


def _is_private(request: HttpRequest, response: HttpResponseBase, cache_control: str) -> bool:
    """Return whether a response is private: for a signed-in user, or behind a secret link."""
    if response.get("Content-Type", "").startswith(SCRIPT_TYPE) or "immutable" in cache_control:
        return False
    if request.path.startswith(PRIVATE_PATHS) or ("private" in cache_control and "no-store" not in cache_control):
        return True
    # If the user was never loaded, the response does not depend on it.
    user = getattr(request, "_cached_user", None)
    return user is not None and user.is_authenticated and "public" not in cache_control
