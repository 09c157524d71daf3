"""The admin site: open to whoever has a role in a league, and its first page shows the leagues of theirs."""

from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.desk.again import changed, proved
from league.desk.csrf import to_login
from league.desk.login import LoginForm, answered
from league.desk.second import SignIn
from league.desk.sessions import BEGUN
from league.desk.viewer import may_enter, viewer_of
from league.selectors.desk import own_leagues

#: So many leagues stand on the first page.
SHOWN = 50


class Desk(AdminSite):
    """Where organisers record, correct and set up."""

    site_header = site_title = "Rungs"
    index_title = gettext_lazy("Organise")
    index_template = "admin/league/index.html"
    login_form = LoginForm
    login_template, logout_template = "look/login.html", "look/logged_out.html"
    site_url = "/"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Take in the lists of what may be looked at: secrets of second steps are none of it."""
        if getattr(model_or_iterable, "__module__", "").startswith("django_otp."):
            return
        super().register(model_or_iterable, admin_class, **options)

    def get_urls(self) -> list[Any]:
        """Return the pages, without Django's way from a row to its page on the site: no row has one."""
        return [one for one in super().get_urls() if getattr(one, "name", None) != "view_on_site"]

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether somebody may come in: with a role in a league, or as staff."""
        return may_enter(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Return a view for who may come in; others who send a form are led to the login, and back."""
        inner = super().admin_view(view, cacheable)
        far = proved(inner)

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
        """Sign somebody in."""
        if request.method == "GET" and self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index", current_app=self.name))
        context = {
            **self.each_context(request),
            "title": _("Sign in"),
            "app_path": request.get_full_path(),
            "username": request.user.get_username(),
            **(extra_context or {}),
        }
        if REDIRECT_FIELD_NAME not in request.GET and REDIRECT_FIELD_NAME not in request.POST:
            context[REDIRECT_FIELD_NAME] = reverse("admin:index", current_app=self.name)
        request.current_app = self.name
        view: Any = SignIn.as_view(
            extra_context=context, authentication_form=self.login_form, template_name=self.login_template
        )
        answer = answered(request, view(request))
        if request.method == "POST" and answer.status_code == 302 and BEGUN in request.session:
            # Who was signed in already and signs in again begins anew, too.
            request.session.cycle_key()
        return answer

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Let somebody change their own password; who guesses the present one is slowed down as at the login."""
        return changed(request, lambda: super(Desk, self).password_change(request, extra_context))

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the leagues of whoever is signed in, before what can be looked at."""
        viewer = viewer_of(request)
        more = {"own": own_leagues(viewer, SHOWN), "found": viewer.may_found(), "staff": viewer.roles is None}
        return super().index(request, {**more, **(extra_context or {})})
