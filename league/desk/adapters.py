"""What Rungs decides where django-allauth asks: addresses, limits, texts, and who may sign in how."""

from ipaddress import IPv6Address, ip_address
from typing import Any, ClassVar

import segno
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import get_ip
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.usersessions.internal.flows.sessions import end_other_sessions
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY, get_user_model
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from league.asker import address_of
from league.desk.links import sentence
from league.desk.security_log import log_event
from league.desk.sessions import began_lately
from league.queue import enqueue
from league.services.accounts import second_factor
from league.services.accounts.passwords import OVER

#: Texts of allauth's messages that users see; its other messages would only repeat what the page shows.
MESSAGES = {
    "account/messages/password_changed.txt": gettext_noop("The password is changed."),
    "mfa/messages/totp_deactivated.txt": gettext_noop("You sign in by your password alone now."),
    "usersessions/messages/sessions_logged_out.txt": gettext_noop("The other browsers are signed out."),
    "socialaccount/messages/account_connected.txt": gettext_noop("The account is connected: you can sign in with it."),
    "socialaccount/messages/account_connected_other.txt": gettext_noop("Another user has connected this account."),
    "socialaccount/messages/account_disconnected.txt": gettext_noop("The account is disconnected."),
}
#: What allauth would mail users about, as lines of the security log.
EVENTS = {
    "account/email/password_changed": "New password by the present one",
    "account/email/password_reset": "New password by a link",
    "mfa/email/totp_activated": "Second step switched on",
    "mfa/email/totp_deactivated": "Second step ended",
}
BOTH_STEPS = gettext_lazy("Whoever reaches every league of this site signs in with two steps.")
TOO_MANY = gettext_lazy("Too many wrong tries. Try again in an hour.")


def attempts_key(username: str, request: HttpRequest) -> str:
    """Return under what key attempts are counted: with the network, so that guessing elsewhere locks nobody out."""
    return f"{username.strip().casefold()}\0{get_ip(request)}"


class AccountAdapter(DefaultAccountAdapter):
    """Sign-in by username and password, for accounts that invitations make."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy(
            "Please enter a correct username and password. Note that both fields may be case-sensitive."
        ),
        "too_many_login_attempts": TOO_MANY,
        "rate_limited": TOO_MANY,
        "incorrect_password": gettext_lazy("This is not your password."),
        "enter_current_password": gettext_lazy("This is not your password."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: accounts are by invitation."""
        return False

    def is_ajax(self, request: HttpRequest) -> bool:
        """Return False: the pages answer as pages, whatever the client takes; programs have the API."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of the client, as the last trusted proxy saw it; of a Unix socket the unspecified one."""
        try:
            address = ip_address(address_of(request))
        except ValueError:
            return "::"
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return str(mapped or address)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return attempts_key(credentials.get("username", ""), request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt, before any password is hashed; raises ValidationError after too many."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            log_event("Refused: too many wrong passwords", credentials.get("username", ""), request)
            raise

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Log a wrong password."""
        log_event("Refused: wrong password", credentials.get("username", ""), request)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return whether the password must be given again: signing in counts for RUNGS_PROOF_MINUTES."""
        return not began_lately(self.request.session)

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign a user in; the session of a user who was signed in already begins anew, under another key."""
        if SESSION_KEY in request.session:
            request.session.cycle_key()
        super().login(request, user)

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        """Log that a user signed in, with all steps; one who must have a second step is led to its page."""
        log_event("Signed in", user.get_username(), request)
        answer: HttpResponse = super().post_login(request, user, **kwargs)
        if not second_factor.is_required(user) or second_factor.is_set_up(user):
            return answer
        messages.warning(request, BOTH_STEPS)
        return HttpResponseRedirect(reverse("mfa_activate_totp"))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return the page after a change of password."""
        return reverse("admin:index")

    def set_password(self, user: Any, password: str) -> None:
        """Store a new password, unless it was changed since the request began: of two at once one counts."""
        hashed = make_password(password)
        unchanged = get_user_model().objects.filter(pk=user.pk, password=user.password)
        if not unchanged.update(password=hashed):
            raise ImmediateHttpResponse(sentence(self.request, _("New password"), _(OVER), 409))
        user.password = hashed

    def send_notification_mail(self, template_prefix: str, user: Any, *args: Any, **kwargs: Any) -> None:
        """Log what happened, and mail nothing. With another second step the other sessions of the user end."""
        if event := EVENTS.get(template_prefix):
            log_event(event, user.get_username(), self.request)
        if template_prefix.startswith("mfa/email/totp_"):
            end_other_sessions(self.request, user)

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        """Have a worker send the link: the page takes the same time whether there is an account."""
        # If the site has a known origin, no host that a client named gets into a mail.
        origin = settings.RUNGS_ORIGIN or f"{self.request.scheme}://{self.request.get_host()}"
        enqueue("league.password", user.pk, origin, get_language() or "")

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """Show one of our texts in the place of allauth's."""
        text = kwargs.get("message") or _(MESSAGES.get(message_template or "", ""))
        if text:
            messages.add_message(request, level, text)

    def respond_user_inactive(self, request: HttpRequest, user: Any) -> HttpResponse:
        """Return the page for a user whose account is switched off."""
        return render(request, "account/signup_closed.html", status=403)


class SecondFactorAdapter(DefaultMFAAdapter):
    """The second step: codes of an app, and recovery codes; their secrets are encrypted in the database."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy(
            "This code is not right, or was used before. Wait for the next one of your app."
        ),
        "cannot_delete_authenticator": BOTH_STEPS,
    }

    def encrypt(self, text: str) -> str:
        """Return a secret as it is stored."""
        return second_factor.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return a secret that is stored."""
        return second_factor.decrypt(encrypted_text)

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Return whether a user may end their second step."""
        return not second_factor.is_required(authenticator.user)

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code as a picture."""
        return str(segno.make(url, error="q").svg_inline(omitsize=True, svgclass="qr", lineclass=None, light="#fff"))


class SocialAdapter(DefaultSocialAccountAdapter):
    """Sign-in by another site, for accounts that exist here."""

    def list_providers(self, request: HttpRequest) -> list[Any]:
        """Return the providers that the operator switched on; without any the database is not read."""
        return list(super().list_providers(request)) if settings.SOCIALACCOUNT_PROVIDERS else []

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Connect an account that has the verified address; staff connect theirs themselves, signed in."""
        verified = [address.email for address in sociallogin.email_addresses if address.verified]
        if sociallogin.is_existing or request.user.is_authenticated or not verified:
            return
        # As for a link to a new password: the mailbox proves who it is.
        users = list(PasswordResetForm().get_users(verified[0]))
        if len(users) == 1 and not (users[0].is_staff or users[0].is_superuser):
            sociallogin.connect(request, users[0])
