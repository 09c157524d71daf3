"""Error pages; the API gets problem documents instead."""

import logging
import re
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language, gettext_noop, ngettext
from django.utils.translation import gettext as _

from league.core.db.trouble import classify_database_error, release_connections
from league.core.errors import NotFound, RungsError
from league.core.permissions import find_league, find_leagues_for
from league.core.text.names import isolate_direction
from league.core.text.wording import format_with_separators
from league.models import League
from league.web.api.core.responses import build_error_response, build_problem_response
from league.web.sign_in.sessions import viewer_of

#: Maximum number of leagues to whose page for recording an error page leads.
MAX_PADS = 12
#: A path of a league, public or the organiser's.
LEAGUE_PATH = re.compile(r"/(?:admin/)?leagues/([^/+]+)/")
#: Action of ``permissions.ACTIONS`` -> the sentence for users who may not do it in a league that they may see.
NOT_ALLOWED_IN_LEAGUE = {
    "record": gettext_noop("{name} may not record games of {league}."),
    "arbitrate": gettext_noop("{name} may not do this: it is for arbiters of {league}."),
    "organise": gettext_noop("{name} may not change players, ladders or rules of {league}."),
    "own": gettext_noop("{name} may not change the settings or members of {league}."),
}
logger = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponseBase]
PLAIN_PAGE = "<!doctype html><html lang={language}><title>{title}</title><h1>{title}</h1><p>{sentence}</p></html>"


def _database_error_response(request: HttpRequest, exception: BaseException | None) -> HttpResponseBase | None:
    """Return the response to a database error, None for other errors; uses neither database nor session."""
    trouble = None if exception is None else classify_database_error(exception)
    if trouble is None:
        return None
    logger.warning("%s %s: %s (%s)", request.method, request.path, trouble.title, exception)
    release_connections(trouble)
    if hasattr(request, "session"):
        # Saving the session would fail as well.
        request.session.modified = False
    return build_error_response(trouble) if request.path.startswith("/api/") else render_database_error(trouble)


def render_database_error(trouble: RungsError) -> HttpResponse:
    """Return the page of a database error; its message does not repeat the title."""
    title = _(trouble.title)
    text = _render_without_request(title, trouble.detail.removeprefix(title).removeprefix(trouble.title).lstrip())
    return HttpResponse(
        text, status=trouble.status, headers={"Retry-After": trouble.retry_after, "Cache-Control": "no-store"}
    )


def _render_without_request(title: str, message: str) -> str:
    """Return a page that needs neither session nor database; without a template if those fail too."""
    try:
        return str(render_to_string("error.html", {"title": title, "sentence": message}))
    except Exception:  # noqa: BLE001 -- the templates may be on the disk that fails
        return _render_without_template(title, message)


def _render_without_template(title: str, message: str) -> str:
    """Return a page without using a template."""
    return PLAIN_PAGE.format(language=get_language(), title=title, sentence=message)


def _render_error(request: HttpRequest, status: int, title: str, message: str, **context: Any) -> HttpResponseBase:
    """Return an error page, or a problem document for the API."""
    if request.path.startswith("/api/"):
        return build_problem_response(status, message)
    # A league gives the page its colours and its band.
    frame = {"title": title, "sentence": message, "league": context.get("place"), "name": _get_username(request)}
    return render(request, "error.html", {**frame, **context}, status=status)


class ActionNotAllowed(PermissionDenied):
    """The user may not do an action of ``permissions.ACTIONS`` in the league of the page."""

    def __init__(self, action: str) -> None:
        super().__init__(action)
        self.action = action


class UploadTooBig(RequestDataTooBig):
    """The upload is larger than the limit of ``most`` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"More than {most} bytes were sent.")
        self.most = most


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponseBase:
    """Respond to an invalid request, or to one with too much text."""
    if isinstance(exception, UploadTooBig):
        text = _("The file is larger than {most} bytes; send it in parts. Nothing was imported.")
        return _render_error(
            request,
            400,
            _("This text is too long for the form"),
            text.format(most=format_with_separators(exception.most)),
        )
    if isinstance(exception, RequestDataTooBig):
        max_size = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        message = ngettext(
            "More than {count} byte of text was sent. Go back and upload it as a file. Nothing was saved.",
            "More than {count} bytes of text were sent. Go back and upload it as a file. Nothing was saved.",
            max_size,
        )
        return _render_error(
            request,
            400,
            _("This text is too long for the form"),
            message.format(count=format_with_separators(max_size)),
        )
    message = _("The request could not be understood; go back and try again.")
    return _render_error(request, 400, _("Invalid request"), message)


def forbidden(request: HttpRequest, exception: Any = None) -> HttpResponseBase:
    """Respond to a forbidden request, with a link to sign in as another user, or to the page where it can be done."""
    name, match = _get_username(request), request.resolver_match
    if name and match and match.app_name == "admin" and str(match.url_name).endswith("_add"):
        return _point_to_pads(request)
    place = _find_league_of_path(request)
    message = _("Sign in to do this.")
    if name:
        message = _describe_refusal(exception, name, place) + " " + _say_whom_to_ask(place)
    return _render_error(request, 403, _("Not allowed"), message, login=_login_url(request), name=name, place=place)


def _describe_refusal(exception: Any, name: str, place: League | None) -> str:
    """Return the sentence that names what a user may not do, as far as it is known."""
    if isinstance(exception, ActionNotAllowed) and place is not None and exception.action in NOT_ALLOWED_IN_LEAGUE:
        sentence = _(NOT_ALLOWED_IN_LEAGUE[exception.action])
        return sentence.format(name=isolate_direction(name), league=isolate_direction(place.title))
    return _("{name} may not do this.").format(name=name)


def _say_whom_to_ask(place: League | None) -> str:
    """Return the sentence that says what a user without permission can do next."""
    if place is None:
        return _("Ask those who run this site to let you do it, or sign in as another user.")
    league = isolate_direction(place.title)
    return _("Ask an owner of {league} to let you do it, or sign in as another user.").format(league=league)


def _find_league_of_path(request: HttpRequest) -> League | None:
    """Return the league to which a path belongs, None if there is none that the user may see."""
    match = LEAGUE_PATH.match(request.path)
    try:
        return find_league(match[1], viewer_of(request)) if match else None
    except NotFound:
        return None


def _point_to_pads(request: HttpRequest) -> HttpResponseBase:
    """Say that raw records are only viewed, with links to the pages where this user records games."""
    message = _("You can only read here. Record games on the page of their league.")
    pads = find_leagues_for(viewer_of(request), "record").order_by("title", "slug")[:MAX_PADS]
    return _render_error(request, 403, _("Not allowed"), message, pads=pads, name=_get_username(request))


def _get_username(request: HttpRequest) -> str:
    """Return the username, "" if nobody is signed in."""
    user = getattr(request, "user", None)
    return user.get_username() if user is not None and user.is_authenticated else ""


def _login_url(request: HttpRequest) -> str:
    """Return the address of the login, which leads back to this page."""
    back = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("admin:index")
    return f"{reverse('admin:login')}?{urlencode({REDIRECT_FIELD_NAME: back})}"


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponseBase:
    """Respond to an unknown address, with a link to the league, or to sign in, as private leagues are hidden."""
    if request.path.startswith("/api/"):
        return _render_error(request, 404, _("Not found"), _("This page does not exist."))
    if place := _find_league_of_path(request):
        text = _("This page does not exist. Look for it in {league}, whose players and games are all listed.")
        message = text.format(league=isolate_direction(place.title))
        return _render_error(request, 404, _("Not found"), message, place=place)
    if _get_username(request):
        message = _("This page does not exist. Check the address, or look for the league in the list.")
        return _render_error(request, 404, _("Not found"), message)
    message = _("This page does not exist. If it belongs to a private league, sign in.")
    return _render_error(request, 404, _("Not found"), message, login=_login_url(request))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Respond to an unexpected error, without database and template context."""
    # Errors of other middleware are only seen here, while Django handles them.
    if response := _database_error_response(request, sys.exc_info()[1]):
        return response
    message = _("The server failed; nothing was saved halfway. Try again shortly.")
    if request.path.startswith("/api/"):
        return build_problem_response(500, message)
    return HttpResponse(_render_without_request(_("Server error"), message), status=500)
