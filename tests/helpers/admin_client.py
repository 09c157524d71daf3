"""An organiser's browser on the admin site: who looks at the difference and says yes."""

from typing import Any

from django.test import Client


def agreed(page: Any) -> dict[str, str]:
    """Return what the button that says yes sends from the page of a difference."""
    return {**dict(page.context["fields"]), "seen": page.context["seen"], "_commit": "yes"}


def confirm(client: Client, address: str, data: dict[str, Any], *, follow: bool = False) -> Any:
    """Send a correction or a void, look at the difference, say yes; returns the first answer where it was refused."""
    page = client.post(address, data)
    return client.post(address, agreed(page), follow=follow) if "diff" in (page.context or {}) else page
