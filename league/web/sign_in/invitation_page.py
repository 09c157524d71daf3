"""The page of an invitation: accept it with a new account, or with the present one."""

from typing import TYPE_CHECKING, Any

from allauth.account.utils import perform_login
from allauth.socialaccount.internal.flows.signup import clear_pending_signup, get_pending_signup
from allauth.socialaccount.models import SocialApp, SocialLogin
from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import UserCreationForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from league.core.accounts.services.invitations import INVITATIONS, accept, join
from league.core.errors import RungsError
from league.models import Invitation, Membership
from league.web.sign_in.adapters import MESSAGES
from league.web.sign_in.secret_link_pages import hide_page, open_link

TITLE = gettext_noop("Invitation")
#: The invitation by role, and an explanation of the role.
INVITATION_TEXTS = {
    "recorder": (
        gettext_noop("{name} invites you to record games in"),
        gettext_noop("A recorder records games and adds players."),
    ),
    "arbiter": (
        gettext_noop("{name} invites you to run competitions in"),
        gettext_noop("An arbiter records games, adds players and runs competitions."),
    ),
    "organiser": (
        gettext_noop("{name} invites you to organise"),
        gettext_noop("An organiser records games, sets rules and ladders, and invites others."),
    ),
    "owner": (
        gettext_noop("{name} invites you to own"),
        gettext_noop("An owner can do everything an organiser can, and manages settings, members and tokens."),
    ),
}
WELCOME_MESSAGES = {
    "recorder": gettext_noop("You can now record games in {league}."),
    "arbiter": gettext_noop("You are now an arbiter of {league}."),
    "organiser": gettext_noop("You are now an organiser of {league}."),
    "owner": gettext_noop("You are now an owner of {league}."),
}


if TYPE_CHECKING:
    CreationForm = UserCreationForm[Any]
else:
    CreationForm = UserCreationForm


class AccountForm(CreationForm):
    """A new account: username, optional email address and password."""

    email = forms.EmailField(
        required=False,
        label=gettext_lazy("E-mail"),
        help_text=gettext_lazy("For a forgotten password and for the notices you choose. Not shown to anyone."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    class Meta:
        model = get_user_model()
        fields = ("username", "email")

    field_order = ("username", "password1", "password2", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        helps = {
            "username": (_("Username"), _("Shown next to what you record. Letters, digits, @ . + - _")),
            "password1": (_("Password"), _("At least 8 characters, and not a common password.")),
            "password2": (_("Password again"), ""),
        }
        for name, (label, text) in helps.items():
            self.fields[name].label, self.fields[name].help_text = label, text
        self.fields["username"].widget.attrs.pop("autofocus", None)


@sensitive_post_parameters()
@never_cache
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation, or accept it."""
    opened_invitation = open_link(request, INVITATIONS, secret, _(TITLE))
    if isinstance(opened_invitation, HttpResponse):
        return opened_invitation
    if request.method == "POST":
        return _accept_invitation(request, secret, opened_invitation)
    social_login = _find_pending_social_login(request)
    initial = {"username": social_login.user.username, "email": social_login.user.email} if social_login else {}
    return _render_invitation(request, opened_invitation, AccountForm(initial=initial))


def _accept_invitation(request: HttpRequest, secret: str, invitation: Invitation) -> HttpResponse:
    """Accept an invitation with the present account or a new one."""
    if request.POST.get("how") == "present" and request.user.is_authenticated:
        try:
            return _redirect_to_league(request, accept(secret, request.user))
        except RungsError as error:
            return _render_refusal(request, secret, AccountForm(), error)
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _render_invitation(request, invitation, form)
    data, social_login = form.cleaned_data, _find_pending_social_login(request)
    try:
        member = join(secret, data["username"], data["password1"], data["email"])
    except RungsError as error:
        return _render_refusal(request, secret, form, error)
    perform_login(request, member.user)
    if social_login is not None:
        _connect_account(request, member.user, social_login)
    return _redirect_to_league(request, member)


def _find_pending_social_login(request: HttpRequest) -> SocialLogin | None:
    """Return the unconnected account of another site with which a person returned to the invitation."""
    try:
        return get_pending_signup(request)
    except SocialApp.DoesNotExist:  # the provider was removed meanwhile
        return None


def _connect_account(request: HttpRequest, user: Any, social_login: SocialLogin) -> None:
    """Connect the account of another site to a new user, unless another user has connected it meanwhile."""
    social_login.lookup()
    if social_login.is_existing:
        text = MESSAGES["socialaccount/messages/account_connected_other.txt"]
        messages.error(request, _(text))
    else:
        social_login.connect(request, user)
    clear_pending_signup(request)


def _render_refusal(request: HttpRequest, secret: str, form: AccountForm, error: RungsError) -> HttpResponse:
    """Show an error at its field or above the form, or the page of an ended link."""
    opened_invitation = open_link(request, INVITATIONS, secret, _(TITLE))
    if isinstance(opened_invitation, HttpResponse):
        return opened_invitation
    for problem in error.problems if form.is_bound else ():
        form.add_error(problem.pointer[1:], problem.detail)
    return _render_invitation(
        request, opened_invitation, form, reason="" if error.problems else error.detail, status=error.status
    )


def _redirect_to_league(request: HttpRequest, member: Membership) -> HttpResponse:
    """Redirect a new member to the organiser's pages."""
    messages.success(request, _(WELCOME_MESSAGES[member.role]).format(league=member.league.title))
    return HttpResponseRedirect(reverse("desk:home", args=[member.league.slug]))


def _render_invitation(
    request: HttpRequest, invitation: Invitation, form: AccountForm, *, reason: str = "", status: int = 200
) -> HttpResponse:
    """Return the page of an open invitation."""
    invites, means = INVITATION_TEXTS[invitation.role]
    context = {
        "invitation": invitation,
        "league": invitation.league,
        "form": form,
        "invites": _(invites).format(name=invitation.invited_by.get_username()),
        "means": _(means),
        "why": reason,
        "address": request.path,
        "other": _find_pending_social_login(request),
    }
    return hide_page(render(request, "web/sign_in/invitation.html", context, status=status))
