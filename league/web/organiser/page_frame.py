"""What every page of a league's desk is in: who may be here, the league's head, and its tabs."""

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
from league.web.organiser.form_errors import trouble_in
from league.web.viewer import viewer_of

View = Callable[..., HttpResponse]
#: What carries out a form: None leads back.
Act = Callable[..., HttpResponse | None]

#: What a role is called where a user is told theirs.
DOES = {
    Membership.Role.OWNER: gettext_noop("You own this league"),
    Membership.Role.ORGANISER: gettext_noop("You are an organiser of this league"),
    Membership.Role.RECORDER: gettext_noop("You are a recorder of this league"),
}


class Tab(NamedTuple):
    """One of the pages of a desk."""

    name: str
    label: str
    address: str


class Instead(Exception):
    """Ends a view with another page than its own."""

    def __init__(self, page: HttpResponse) -> None:
        super().__init__("another page")
        self.page = page


def tabs_of(league: League, request: HttpRequest) -> list[Tab]:
    """Return the pages that a user may open of a league's desk."""
    tabs = [("home", _("Overview")), ("pad", _("Record")), ("games", _("Games"))]
    if viewer_of(request).may("organise", league):
        tabs += [("people", _("People")), ("ladders", _("Ladders")), ("settings", _("Settings"))]
    return [Tab(name, label, reverse(f"desk:{name}", args=[league.slug])) for name, label in tabs]


def at_desk(action: str) -> Callable[[View], View]:
    """Let a view be asked for a league by its slug, by whoever may do such a thing there; others get 404 or 403."""

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
            except Instead as instead:
                return instead.page

        return admin.site.admin_view(inner)

    return guard


def posted(action: str, leads: str) -> Callable[[Act], View]:
    """Let a form be carried out, and nothing be shown; then, or where it is refused, lead to a page of the desk."""

    def guard(act: Act) -> View:
        @wraps(act)
        def inner(request: HttpRequest, league: League, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return nothing_here(request, league)
            answer: HttpResponse | None = None
            try:
                answer = act(request, league, *args, **kwargs)
            except RungsError as error:
                say_refusal(request, error)
            return answer or HttpResponseRedirect(reverse(f"desk:{leads}", args=[league.slug]))

        return at_desk(action)(inner)

    return guard


def show(request: HttpRequest, league: League, template: str, tab: str, **context: Any) -> HttpResponse:
    """Return a page of a league's desk; 503 or 507 where its form met the database in trouble."""
    roles = viewer_of(request).roles
    role = ROLES[-1] if roles is None else roles.get(league.pk, ROLES[0])
    frame = {"league": league, "tabs": tabs_of(league, request), "tab": tab, "does": _(DOES[Membership.Role(role)])}
    page = render(request, template, {**frame, **context})
    trouble = trouble_in(context.get("form"))
    if trouble is not None:
        page.status_code, page["Retry-After"] = trouble.status, trouble.retry_after
    return page


def nothing_here(request: HttpRequest, league: League) -> HttpResponse:
    """Return the page of an address that only carries out forms, such as after a login or typed by hand."""
    page = show(request, league, "web/organiser/nothing_here.html", "")
    page.status_code, page["Allow"] = 405, "POST"
    return page


def say_refusal(request: HttpRequest, error: RungsError) -> None:
    """Tell on the next page why something was not done."""
    messages.error(request, error.detail)


def to_first_rule(request: HttpRequest, league: League) -> HttpResponse:
    """Lead to the choice of a rating system, without which no game can be recorded."""
    messages.warning(
        request, _("{league} has no rule yet. Choose its rating system first.").format(league=league.title)
    )
    return HttpResponseRedirect(reverse("desk:rules", args=[league.slug]))
