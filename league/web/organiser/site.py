"""The admin site, open to users with a role in a league."""

from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy

from league.web.organiser.selectors import own_leagues
from league.web.sign_in import account_views
from league.web.sign_in.csrf_failure import redirect_to_sign_in
from league.web.sign_in.reauthentication import require_password
from league.web.viewer import may_enter, viewer_of

#: Maximum number of leagues on the first page.
MAX_LEAGUES = 50


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
        inner = super().admin_view(view, cacheable)
        protected = require_password(inner)

        @wraps(inner)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            is_logout = request.path == reverse("admin:logout", current_app=self.name)
            if request.method == "POST" and not is_logout and not may_enter(request):
                return redirect_to_sign_in(request)
            # User accounts and permissions also require the password again.
            accounts = request.path.startswith(reverse("admin:app_list", args=["auth"], current_app=self.name))
            response: HttpResponse = (protected if accounts else inner)(request, *args, **kwargs)
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
        context = {"own": own_leagues(viewer, MAX_LEAGUES), "found": viewer.may_found(), "staff": viewer.roles is None}
        context["connectable"] = bool(settings.SOCIALACCOUNT_PROVIDERS)
        return super().index(request, {**context, **(extra_context or {})})
