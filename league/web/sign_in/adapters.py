"""Adapters for django-allauth: client addresses, rate limits, messages, and permission to sign in."""

import time
from ipaddress import IPv6Address, ip_address
from typing import Any, ClassVar

import segno
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_login_redirect_url
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import apply_rate, consume, get_cache_key, get_ip, get_rates
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.internal.flows.signup import redirect_to_signup
from allauth.socialaccount.models import SocialLogin
from allauth.usersessions.internal.flows.sessions import end_other_sessions
from allauth.usersessions.models import UserSession
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY, get_user_model
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from league.core.accounts.services import second_factor
from league.core.accounts.services.passwords import OVER
from league.core.db.trouble import BUSY
from league.core.errors import Busy
from league.core.jobs.queue import enqueue
from league.core.permissions import needs_second_factor
from league.web.client_address import get_client_address
from league.web.sign_in.secret_link_pages import render_message_page
from league.web.sign_in.security_log import log_event
from league.web.sign_in.sessions import has_signed_in_recently

#: Texts of allauth's messages that users see; its other messages would only repeat what the page shows.
MESSAGES = {
    "account/messages/password_changed.txt": gettext_noop("The password was changed."),
    "mfa/messages/totp_deactivated.txt": gettext_noop("You now sign in with your password only."),
    "usersessions/messages/sessions_logged_out.txt": gettext_noop("The other browsers were signed out."),
    "socialaccount/messages/account_connected.txt": gettext_noop("The account is connected: you can sign in with it."),
    "socialaccount/messages/account_connected_other.txt": gettext_noop("Another user has connected this account."),
    "socialaccount/messages/account_disconnected.txt": gettext_noop("The account was disconnected."),
}
#: Allauth's email notifications -> events of the security log.
LOGGED_EVENTS = {
    "account/email/password_changed": "New password by the present one",
    "account/email/password_reset": "New password by a link",
    "mfa/email/totp_activated": "Second step switched on",
    "mfa/email/totp_deactivated": "Second step ended",
}
#: Session key for the digest of the entered password, until the second factor is given.
PENDING_HASH = "rungs_pending_hash"
SECOND_FACTOR_REQUIRED = gettext_lazy("Users with access to every league of this site must use two-step sign-in.")
UNREADABLE = gettext_noop(
    "Your two-step sign-in cannot be read, because this site's secret has changed. Ask "
    "the site's operator to run “rungs let-in NAME --second-factor”; then sign in and "
    "set it up again."
)
TOO_MANY_ATTEMPTS = gettext_lazy("Too many wrong attempts. Try again in an hour.")


def build_attempts_key(username: str, request: HttpRequest) -> str:
    """Return the key for counting attempts; it includes the network, so that guessing elsewhere locks nobody out."""
    return f"{username.strip().casefold()}\0{get_ip(request)}"


def _has_no_attempts_left(username: str, request: HttpRequest) -> bool:
    """Return whether no attempt is left; allauth also refuses one that waits too long to be counted."""
    for action in ("login_failed", "network_failed"):
        for rate in get_rates(app="allauth.account", action=action):
            key = build_attempts_key(username, request)
            timestamps = cache.get(get_cache_key(request, app="allauth.account", action=action, rate=rate, key=key), [])
            if not apply_rate(timestamps, time.time(), rate, dry_run=True)[0]:
                return True
    return False


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Sign-in by username and password, for accounts created by invitation."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy(
            "Please enter a correct username and password. Note that both fields may be case-sensitive."
        ),
        "too_many_login_attempts": TOO_MANY_ATTEMPTS,
        "rate_limited": TOO_MANY_ATTEMPTS,
        "incorrect_password": gettext_lazy("This is not your password."),
        "enter_current_password": gettext_lazy("This is not your password."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False, as accounts are by invitation."""
        return False

    def is_ajax(self, request: HttpRequest) -> bool:
        """Return False, as these pages always send HTML; programs use the API."""
        return False

    def is_safe_url(self, url: str | None) -> bool:
        """Return whether a URL has the host of the request; allauth would allow other hosts of the site."""
        request = context.request
        return url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address from the last trusted proxy, or :: for a Unix socket."""
        try:
            address = ip_address(get_client_address(request))
        except ValueError:
            return "::"
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return str(mapped or address)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return build_attempts_key(credentials.get("username", ""), request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt before any password is hashed; raises ValidationError after too many.

        Raises Busy if too many attempts are made at once to count this one.
        """
        try:
            super().pre_authenticate(request, **credentials)
            network_usage = consume(request, app="allauth.account", action="network_failed")
            if not network_usage:
                raise self.validation_error("too_many_login_attempts")
            # A correct password removes both counts.
            self._login_failed_rl_usage.usage += network_usage.usage
        except ValidationError:
            username = credentials.get("username", "")
            if not _has_no_attempts_left(username, request):
                self._rollback_login_failed_rl_usage()
                raise Busy(_(BUSY)) from None
            log_event("Refused: too many wrong passwords", username, request)
            raise

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Log a wrong password."""
        log_event("Refused: wrong password", credentials.get("username", ""), request)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return whether the password must be entered again, RUNGS_PROOF_MINUTES after signing in."""
        return not has_signed_in_recently(self.request.session)

    def pre_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse | None:
        """Store a digest of the password in the session, for the second factor."""
        refused: HttpResponse | None = super().pre_login(request, user, **kwargs)
        if not refused:
            request.session[PENDING_HASH] = user.get_session_auth_hash()
        return refused

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign a user in; an existing session gets a new key."""
        request.session.pop(PENDING_HASH, None)
        if SESSION_KEY in request.session:
            request.session.cycle_key()
        super().login(request, user)

    def post_login(
        self, request: HttpRequest, user: Any, *, redirect_url: str | None = None, **kwargs: Any
    ) -> HttpResponse:
        """Log the login, and redirect a user who still needs a second factor to its page.

        Allauth's implementation would read all other sessions of the user one by one.
        """
        log_event("Signed in", user.get_username(), request)
        UserSession.objects.create_from_request(request)
        if not needs_second_factor(user) or second_factor.is_set_up(user):
            return HttpResponseRedirect(get_login_redirect_url(request, redirect_url))
        messages.warning(request, SECOND_FACTOR_REQUIRED)
        return HttpResponseRedirect(reverse("mfa_activate_totp"))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return the URL after a password change."""
        return reverse("admin:index")

    def set_password(self, user: Any, password: str) -> None:
        """Store a new password, unless another request has changed it meanwhile."""
        hashed = make_password(password)
        unchanged = get_user_model().objects.filter(pk=user.pk, password=user.password)
        if not unchanged.update(password=hashed):
            raise ImmediateHttpResponse(render_message_page(self.request, _("New password"), _(OVER), 409))
        user.password = hashed

    def send_notification_mail(self, template_prefix: str, user: Any, *args: Any, **kwargs: Any) -> None:
        """Log the event instead of sending an email; a change of the second factor ends the user's other sessions."""
        if event := LOGGED_EVENTS.get(template_prefix):
            log_event(event, user.get_username(), self.request)
        if template_prefix.startswith("mfa/email/totp_"):
            end_other_sessions(self.request, user)

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        """Send the link from a worker, so that the response time does not reveal whether an account exists."""
        # With a configured origin, the email never contains a host sent by the client.
        origin = settings.RUNGS_ORIGIN or f"{self.request.scheme}://{self.request.get_host()}"
        enqueue("league.password", user.pk, origin, get_language() or "")

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """Show our text instead of allauth's."""
        text = kwargs.get("message") or _(MESSAGES.get(message_template or "", ""))
        if text:
            messages.add_message(request, level, text)

    def respond_user_inactive(self, request: HttpRequest, user: Any) -> HttpResponse:
        """Return the page for a user whose account is inactive."""
        return render(request, "account/signup_closed.html", status=403)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """The second factor: codes of an app and recovery codes, with secrets encrypted in the database."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This code is wrong or was already used. Wait for the next one in your app."),
        "cannot_delete_authenticator": SECOND_FACTOR_REQUIRED,
    }

    def encrypt(self, text: str) -> str:
        """Encrypt a secret for storage."""
        return second_factor.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a stored secret; shows a help page if the site's secret has changed since."""
        try:
            return second_factor.decrypt(encrypted_text)
        except InvalidToken:
            response = render_message_page(context.request, _("Second step"), _(UNREADABLE), 409)
            raise ImmediateHttpResponse(response) from None

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Return whether a user may remove their second factor."""
        return not needs_second_factor(authenticator.user)

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code as SVG."""
        return str(segno.make(url, error="q").svg_inline(omitsize=True, svgclass="qr", lineclass=None, light="#fff"))


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Sign-in with an account of another site, for users who have connected it.

    Equal email addresses do not connect accounts, because addresses on this site are not verified.
    """

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Raise ValueError for a profile whose id is null, which allauth would read as the text "None"."""
        if sociallogin.account.uid == str(None):
            raise ValueError("the id is null")

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return False; a person with an invitation returns to it, and connects the account by joining."""
        address = sociallogin.get_redirect_url(request) or ""
        try:
            invited = resolve(address).url_name == "invitation"
        except Resolver404:
            invited = False
        if invited:
            # Only the identity is needed later, not the token.
            sociallogin.token = None
            redirect_to_signup(request, sociallogin)
            raise ImmediateHttpResponse(HttpResponseRedirect(address))
        return False

    def list_providers(self, request: HttpRequest) -> list[Any]:
        """Return the configured providers; without any, the database is not read."""
        return list(super().list_providers(request)) if settings.SOCIALACCOUNT_PROVIDERS else []
