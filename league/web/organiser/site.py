"""The organiser's site (Django's admin): its users, permission checks of its pages, and their heading and tabs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.capabilities import load_declared
from league.core.errors import NotFound, RungsError
from league.core.permissions import ROLES, find_league
from league.models import League, Membership
from league.web.error_pages import ActionNotAllowed
from league.web.organiser.forms import find_database_error
from league.web.organiser.panels import OrganiserTab
from league.web.organiser.selectors import load_own_leagues
from league.web.sign_in import account_views
from league.web.sign_in.csrf_failure import redirect_to_sign_in
from league.web.sign_in.reauthentication import require_password
from league.web.sign_in.sessions import may_enter, viewer_of

#: Maximum number of leagues on the first page.
MAX_LEAGUES = 50
View = Callable[..., HttpResponse]
#: A view for POST; None redirects to the page it belongs to.
PostView = Callable[..., HttpResponse | None]
#: The user's role, as shown in the heading.
ROLE_SENTENCES = {
    Membership.Role.OWNER: gettext_noop("You own this league"),
    Membership.Role.ORGANISER: gettext_noop("You are an organiser of this league"),
    Membership.Role.ARBITER: gettext_noop("You are an arbiter of this league"),
    Membership.Role.RECORDER: gettext_noop("You are a recorder of this league"),
}


class OrganiserSite(AdminSite):
    """Django's admin site with the organiser's pages."""

    site_header = site_title = "Rungs"
    index_title = gettext_lazy("Organise")
    index_template = "admin/league/index.html"
    logout_template = "web/organiser/logged_out.html"
    site_url = "/"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register models, except those of allauth, as some hold secrets."""
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable
        allowed = [model for model in models if not model.__module__.startswith("allauth.")]
        super().register(allowed, admin_class, **options)

    def get_urls(self) -> list[Any]:
        """Return the URL patterns without ``view_on_site``, which no row supports."""
        return [pattern for pattern in super().get_urls() if getattr(pattern, "name", None) != "view_on_site"]

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether a user has a role in a league, or is staff."""
        return may_enter(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Guard a view; a POST without permission redirects to the login and back."""
        base_view = super().admin_view(view, cacheable)
        protected = require_password(base_view)

        @wraps(base_view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            is_logout = request.path == reverse("admin:logout", current_app=self.name)
            if request.method == "POST" and not is_logout and not may_enter(request):
                return redirect_to_sign_in(request)
            # User accounts and permissions also require the password again.
            accounts = request.path.startswith(reverse("admin:app_list", args=["auth"], current_app=self.name))
            response: HttpResponse = (protected if accounts else base_view)(request, *args, **kwargs)
            return response

        return guarded

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the login page, or redirect a user who is signed in."""
        if request.method == "GET" and self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index", current_app=self.name))
        return account_views.login(request)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the user's leagues above the raw records."""
        viewer = viewer_of(request)
        context = {
            "own": load_own_leagues(viewer, MAX_LEAGUES),
            "found": viewer.may_found(),
            "staff": viewer.roles is None,
        }
        context["connectable"] = bool(settings.SOCIALACCOUNT_PROVIDERS)
        return super().index(request, {**context, **(extra_context or {})})


class OtherResponse(Exception):
    """Ends a view with another response."""

    def __init__(self, page: HttpResponse) -> None:
        super().__init__("another page")
        self.page = page


def _build_tabs(league: League, request: HttpRequest) -> list[OrganiserTab]:
    def build(*names: tuple[str, str]) -> list[OrganiserTab]:
        return [OrganiserTab(name, label, reverse(f"desk:{name}", args=[league.slug])) for name, label in names]

    tabs = build(("home", _("Overview")), ("pad", _("Record")), ("games", _("Games")))
    added = [build_tab(league, viewer_of(request)) for build_tab in load_declared(lambda app: app.pages.organiser_tab)]
    tabs += [tab for tab in added if tab is not None]
    if viewer_of(request).may("organise", league):
        tabs += build(("people", _("People")), ("ladders", _("Ladders")), ("settings", _("Settings")))
    return tabs


def organiser_page(action: str) -> Callable[[View], View]:
    """Decorate a view of a league; users without permission for ``action`` get 403, or 404 if the league is hidden."""

    def guard(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                league = find_league(slug, viewer_of(request))
                if not viewer_of(request).may(action, league):
                    raise ActionNotAllowed(action)
                return view(request, league, *args, **kwargs)
            except NotFound as error:
                raise Http404(error.detail) from None
            except OtherResponse as instead:
                return instead.page

        return admin.site.admin_view(inner)

    return guard


def post_action(action: str, leads: str) -> Callable[[PostView], View]:
    """Decorate a view that only accepts POST and then redirects to the page ``leads``; errors become messages."""

    def guard(view: PostView) -> View:
        @wraps(view)
        def inner(request: HttpRequest, league: League, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return _render_post_only(request, league)
            response: HttpResponse | None = None
            try:
                response = view(request, league, *args, **kwargs)
            except RungsError as error:
                add_error_message(request, error)
            return response or HttpResponseRedirect(reverse(f"desk:{leads}", args=[league.slug]))

        return organiser_page(action)(inner)

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
        "failed": any(message.level_tag == "error" for message in messages.get_messages(request)),
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


def add_error_message(request: HttpRequest, error: RungsError) -> None:
    """Show an error on the next page."""
    messages.error(request, error.detail)


def redirect_to_first_rule(request: HttpRequest, league: League) -> HttpResponse:
    """Redirect to the choice of a rating system, which is needed before games can be recorded."""
    messages.warning(
        request, _("{league} has no rule yet. Choose its rating system first.").format(league=league.title)
    )
    return HttpResponseRedirect(reverse("desk:rules", args=[league.slug]))
