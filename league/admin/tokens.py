"""Tokens: made and shown once, revoked."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import ServiceAdmin, viewer_of
from league.desk.again import ask_again
from league.desk.sessions import just_proved
from league.models import League, Token
from league.selectors.permissions import leagues_for, tokens_of
from league.services.accounts.tokens import make_token, revoke_token


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("What uses it, such as a game server's name."),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Scope"),
        choices=Token.Scope.choices,
        help_text=gettext_lazy("Each includes the ones before it."),
    )
    leagues = forms.ModelMultipleChoiceField(
        League.objects.all(),
        label=gettext_lazy("Leagues"),
        required=False,
        help_text=gettext_lazy("Only these leagues; none: all of yours."),
    )
    expires_at = forms.DateTimeField(
        label=gettext_lazy("Expires at"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text=gettext_lazy("UTC; empty: never."),
    )


@admin.register(Token)
class TokenAdmin(ServiceAdmin):
    """The tokens that somebody made; the site's staff see all."""

    to_view = to_add = to_change = "own"
    league_path = ""
    list_display = ("name", "scope", "maker", "created_at", "expires_at", "revoked_at", "last_used_at")
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the tokens that somebody made."""
        return tokens_of(request.user)

    def extra_urls(self) -> list[URLPattern]:
        """Return the page that revokes."""
        return [self.page("revoke", self.revoke_view, "revoke")]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Make a token and show it once."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.method == "POST" and not just_proved(request.session):
            return ask_again(request)
        form = TokenForm(request.POST or None)
        own: Any = form.fields["leagues"]
        own.queryset = leagues_for(viewer_of(request), "own")
        return self.form_page(request, form, _("Make a token"), lambda data: self.add(request, data))

    def add(self, request: HttpRequest, data: dict[str, Any]) -> str:
        """Carry out the making."""
        token, text = make_token(
            data["name"],
            data["scope"],
            leagues=list(data["leagues"]),
            expires_at=data["expires_at"],
            maker=viewer_of(request),
        )
        told = _("The token of “{name}”; it is shown only now: {token}")
        self.say(request, told.format(name=token.name, token=text))
        return self.url("changelist")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a token, and the button that ends it."""
        token: Token = self.found(request, object_id)
        return self.show(request, "admin/league/token.html", token.name, token=token, leagues=token.leagues.all())

    def revoke_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """End a token."""
        token: Token = self.found(request, pk)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if token.revoked_at is None:
            revoke_token(token.name)
        self.say(request, _("The token “{name}” is revoked.").format(name=token.name))
        return HttpResponseRedirect(self.url("changelist"))
