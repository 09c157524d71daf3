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
from league.web.sign_in.secret_link_pages import hidden, opened

TITLE = gettext_noop("Invitation")
#: The invitation by role, and an explanation of the role.
TO_DO = {
    "recorder": (
        gettext_noop("{name} invites you to record games in"),
        gettext_noop("A recorder records games and adds players."),
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
DOES = {
    "recorder": gettext_noop("You can now record games in {league}."),
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
    found = opened(request, INVITATIONS, secret, _(TITLE))
    if isinstance(found, HttpResponse):
        return found
    if request.method == "POST":
        return accepted(request, secret, found)
    other = signed_in_elsewhere(request)
    initial = {"username": other.user.username, "email": other.user.email} if other else {}
    return page(request, found, AccountForm(initial=initial))


def accepted(request: HttpRequest, secret: str, found: Invitation) -> HttpResponse:
    """Accept an invitation with the present account or a new one."""
    if request.POST.get("how") == "present" and request.user.is_authenticated:
        try:
            return welcomed(request, accept(secret, request.user))
        except RungsError as error:
            return refused(request, secret, AccountForm(), error)
    form = AccountForm(request.POST)
    if not form.is_valid():
        return page(request, found, form)
    data, other = form.cleaned_data, signed_in_elsewhere(request)
    try:
        member = join(secret, data["username"], data["password1"], data["email"])
    except RungsError as error:
        return refused(request, secret, form, error)
    perform_login(request, member.user)
    if other is not None:
        connect_account(request, member.user, other)
    return welcomed(request, member)


def signed_in_elsewhere(request: HttpRequest) -> SocialLogin | None:
    """Return the unconnected account of another site with which a person returned to the invitation."""
    try:
        return get_pending_signup(request)
    except SocialApp.DoesNotExist:  # the provider was removed meanwhile
        return None


def connect_account(request: HttpRequest, user: Any, other: SocialLogin) -> None:
    """Connect the account of another site to a new user, unless another user has connected it meanwhile."""
    other.lookup()
    if other.is_existing:
        text = MESSAGES["socialaccount/messages/account_connected_other.txt"]
        messages.error(request, _(text))
    else:
        other.connect(request, user)
    clear_pending_signup(request)


def refused(request: HttpRequest, secret: str, form: AccountForm, error: RungsError) -> HttpResponse:
    """Show an error at its field or above the form, or the page of an ended link."""
    found = opened(request, INVITATIONS, secret, _(TITLE))
    if isinstance(found, HttpResponse):
        return found
    for problem in error.problems if form.is_bound else ():
        form.add_error(problem.pointer[1:], problem.detail)
    return page(request, found, form, why="" if error.problems else error.detail, status=error.status)


def welcomed(request: HttpRequest, member: Membership) -> HttpResponse:
    """Redirect a new member to the organiser's pages."""
    messages.success(request, _(DOES[member.role]).format(league=member.league.title))
    return HttpResponseRedirect(reverse("desk:home", args=[member.league.slug]))


def page(
    request: HttpRequest, found: Invitation, form: AccountForm, *, why: str = "", status: int = 200
) -> HttpResponse:
    """Return the page of an open invitation."""
    invites, means = TO_DO[found.role]
    context = {
        "invitation": found,
        "league": found.league,
        "form": form,
        "invites": _(invites).format(name=found.invited_by.get_username()),
        "means": _(means),
        "why": why,
        "address": request.path,
        "other": signed_in_elsewhere(request),
    }
    return hidden(render(request, "web/sign_in/invitation.html", context, status=status))
