"""Access to the pages of a private link, which are not cached, not indexed and send no referrer to other sites."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache

from league.apps.reports.services.links import LINKS
from league.web.sign_in.secret_link_pages import hide_page, open_link

PAGE_TITLE = gettext_noop("Report a game")
View = Callable[..., HttpResponse]


def require_link(view: View) -> View:
    """Decorate a view so that it gets the valid link of the secret; other requests get an error page."""

    @never_cache
    @wraps(view)
    def inner(request: HttpRequest, secret: str, *args: Any, **kwargs: Any) -> HttpResponse:
        link = open_link(request, LINKS, secret, _(PAGE_TITLE))
        return link if isinstance(link, HttpResponse) else hide_page(view(request, secret, link, *args, **kwargs))

    return inner
