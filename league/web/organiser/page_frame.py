"""The frame of the organiser's pages: permission checks, heading and tabs."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.errors import NotFound, RungsError
from league.core.permissions import ROLES, find_league
from league.models import League, Membership
from league.web.organiser.forms import find_database_error
from league.web.viewer import viewer_of

View = Callable[..., HttpResponse]
#: A view for POST; None redirects to the page it belongs to.
PostView = Callable[..., HttpResponse | None]

#: The user's role, as shown in the heading.
ROLE_SENTENCES = {
    Membership.Role.OWNER: gettext_noop("You own this league"),
    Membership.Role.ORGANISER: gettext_noop("You are an organiser of this league"),
    Membership.Role.RECORDER: gettext_noop("You are a recorder of this league"),
}


class Tab(NamedTuple):
    """A tab of the organiser's pages."""

    name: str
    label: str
    address: str


class OtherResponse(Exception):
    """Ends a view with another response."""

    def __init__(self, page: HttpResponse) -> None:
        super().__init__("another page")
        self.page = page


def _build_tabs(league: League, request: HttpRequest) -> list[Tab]:
    tabs = [("home", _("Overview")), ("pad", _("Record")), ("games", _("Games"))]
    if viewer_of(request).may("organise", league):
        tabs += [("people", _("People")), ("ladders", _("Ladders")), ("settings", _("Settings"))]
    return [Tab(name, label, reverse(f"desk:{name}", args=[league.slug])) for name, label in tabs]


def at_desk(action: str) -> Callable[[View], View]:
    """Decorate a view of a league; users without permission for ``action`` get 403, or 404 if the league is hidden."""

    def guard(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                league = find_league(slug, viewer_of(request))
                if not viewer_of(request).may(action, league):
                    raise PermissionDenied
                return view(request, league, *args, **kwargs)
            except NotFound as error:
                raise Http404(error.detail) from None
            except OtherResponse as instead:
                return instead.page

        return admin.site.admin_view(inner)

    return guard


def posted(action: str, leads: str) -> Callable[[PostView], View]:
    """Decorate a view that only accepts POST and then redirects to the page ``leads``; errors become messages."""

    def guard(act: PostView) -> View:
        @wraps(act)
        def inner(request: HttpRequest, league: League, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return _render_post_only(request, league)
            response: HttpResponse | None = None
            try:
                response = act(request, league, *args, **kwargs)
            except RungsError as error:
                say_refusal(request, error)
            return response or HttpResponseRedirect(reverse(f"desk:{leads}", args=[league.slug]))

        return at_desk(action)(inner)

    return guard


def show(request: HttpRequest, league: League, template: str, tab: str, **context: Any) -> HttpResponse:
    """Render an organiser's page; with status 503 or 507 if its form has a database error."""
    roles = viewer_of(request).roles
    role = ROLES[-1] if roles is None else roles.get(league.pk, ROLES[0])
    frame = {
        "league": league,
        "tabs": _build_tabs(league, request),
        "tab": tab,
        "does": _(ROLE_SENTENCES[Membership.Role(role)]),
    }
    page = render(request, template, {**frame, **context})
    trouble = find_database_error(context.get("form"))
    if trouble is not None:
        page.status_code, page["Retry-After"] = trouble.status, trouble.retry_after
    return page


def _render_post_only(request: HttpRequest, league: League) -> HttpResponse:
    page = show(request, league, "web/organiser/post_only.html", "")
    page.status_code, page["Allow"] = 405, "POST"
    return page


def say_refusal(request: HttpRequest, error: RungsError) -> None:
    """Show an error on the next page."""
    messages.error(request, error.detail)


def to_first_rule(request: HttpRequest, league: League) -> HttpResponse:
    """Redirect to the choice of a rating system, which is needed before games can be recorded."""
    messages.warning(
        request, _("{league} has no rule yet. Choose its rating system first.").format(league=league.title)
    )
    return HttpResponseRedirect(reverse("desk:rules", args=[league.slug]))
