"""The admin site: open to whoever has a role in a league, and its first page shows the leagues of theirs."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from league.desk.login import LoginForm, answered
from league.desk.viewer import viewer_of
from league.selectors.access import leagues_for

#: So many leagues stand on the first page.
SHOWN = 50


class Desk(AdminSite):
    """Where organisers record, correct and set up."""

    site_header = site_title = "Rungs"
    index_title = "Organise"
    index_template = "admin/league/index.html"
    login_form = LoginForm
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether somebody may come in: with a role in a league, or as staff."""
        user = request.user
        if not user.is_active:
            return False
        viewer = viewer_of(request)
        return bool(getattr(user, "is_staff", False) or viewer.roles is None or viewer.roles or viewer.may_found())

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Sign somebody in."""
        return answered(request, super().login(request, extra_context))

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the leagues of whoever is signed in, before what can be looked at."""
        viewer = viewer_of(request)
        leagues = leagues_for(viewer, "record").order_by("title")[:SHOWN]
        more = {"leagues": leagues, "found": viewer.may_found()}
        return super().index(request, {**more, **(extra_context or {})})
