"""API tokens: list, create and revoke them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from league.core.accounts.services.tokens import make_token, revoke_token
from league.core.errors import RungsError
from league.core.permissions import find_leagues_for, find_tokens
from league.models import League, Token
from league.web.organiser.forms import add_errors, build_form_field
from league.web.organiser.site import organiser_page, post_action, show
from league.web.sign_in.reauthentication import require_password
from league.web.sign_in.sessions import viewer_of


class TokenForm(forms.Form):
    """A new token."""

    name = build_form_field(
        Token.name.field,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("The program that uses it, e.g. a game server."),
    )
    scope = build_form_field(
        Token.scope.field,
        label=gettext_lazy("Scope"),
        help_text=gettext_lazy("Each scope includes those before it."),
    )
    leagues = forms.ModelMultipleChoiceField(
        League.objects.none(),
        label=gettext_lazy("Leagues"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Only these leagues. If none is chosen: all of yours."),
    )
    expires_at = forms.DateTimeField(
        label=gettext_lazy("Expires at"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text=gettext_lazy("UTC; empty: never."),
    )

    def __init__(self, request: HttpRequest, league: League, data: Any = None) -> None:
        super().__init__(data)
        leagues_field: Any = self.fields["leagues"]
        leagues_field.queryset, leagues_field.initial = find_leagues_for(viewer_of(request), "own"), [league.pk]


@never_cache
@organiser_page("own")
@require_password
def tokens(request: HttpRequest, league: League) -> HttpResponse:
    """List the user's tokens (staff see all); create one, which is shown only once."""
    form = TokenForm(request, league, request.POST if request.method == "POST" else None)
    created: tuple[Token, str] | None = None
    if form.is_bound and form.is_valid():
        try:
            created = make_token(**form.cleaned_data, maker=viewer_of(request))
            form = TokenForm(request, league)
        except RungsError as error:
            add_errors(form, error)
    context = {"form": form, "made": created, "tokens": list(find_tokens(request.user))}
    return show(request, league, "web/organiser/tokens.html", "settings", **context)


@post_action("own", "tokens")
def revoke(request: HttpRequest, league: League, pk: int) -> None:
    """Revoke a token."""
    token = find_tokens(request.user).filter(pk=pk).first()
    if token is None:
        raise Http404
    if token.revoked_at is None:
        revoke_token(token.name)
    messages.success(request, _("The token “{name}” was revoked.").format(name=token.name))
