"""The admin site: open to whoever has a role in a league, and its first page shows the leagues of theirs."""

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
from league.web.sign_in.csrf_failure import to_login
from league.web.sign_in.reauthentication import require_password
from league.web.viewer import may_enter, viewer_of

#: Maximum number of leagues on the first page.
MAX_LEAGUES = 50


class Desk(AdminSite):
    """Where organisers record, correct and set up."""

    site_header = site_title = "Rungs"
    index_title = gettext_lazy("Organise")
    index_template = "admin/league/index.html"
    logout_template = "web/organiser/logged_out.html"
    site_url = "/"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register the lists of records, but those of sign-in: some hold secrets."""
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable
        shown = [model for model in models if not model.__module__.startswith("allauth.")]
        super().register(shown, admin_class, **options)

    def get_urls(self) -> list[Any]:
        """Return the pages, without Django's way from a row to its page on the site: no row has one."""
        return [one for one in super().get_urls() if getattr(one, "name", None) != "view_on_site"]

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether a user may come in: with a role in a league, or as staff."""
        return may_enter(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Return a view for who may come in; others who send a form are led to the login, and back."""
        inner = super().admin_view(view, cacheable)
        far = require_password(inner)

        @wraps(inner)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            leaves = request.path == reverse("admin:logout", current_app=self.name)
            if request.method == "POST" and not leaves and not may_enter(request):
                return to_login(request)
            # Accounts: who may what, and by which password.
            accounts = request.path.startswith(reverse("admin:app_list", args=["auth"], current_app=self.name))
            answer: HttpResponse = (far if accounts else inner)(request, *args, **kwargs)
            return answer

        return guarded

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Sign a user in."""
        if request.method == "GET" and self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index", current_app=self.name))
        return account_views.login(request)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the leagues of whoever is signed in, before what can be looked at."""
        viewer = viewer_of(request)
        more = {"own": own_leagues(viewer, MAX_LEAGUES), "found": viewer.may_found(), "staff": viewer.roles is None}
        more["connectable"] = bool(settings.SOCIALACCOUNT_PROVIDERS)
        return super().index(request, {**more, **(extra_context or {})})
