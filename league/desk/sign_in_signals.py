"""What follows from django-allauth's events: a line in the log, and other sessions that end."""

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from allauth.usersessions.internal.flows.sessions import end_other_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils.translation import ngettext

from league.desk.security_log import log_event


@receiver(user_logged_in)
def list_session(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Let every session be found by its user, however it began."""
    UserSession.objects.create_from_request(request, user=user)


@receiver(account.user_logged_in)
def log_sign_in(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Log that a user signed in, with all steps."""
    log_event("Signed in", user.get_username(), request)


@receiver(account.password_changed)
def log_password_change(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Log a new password."""
    log_event("New password by the present one", user.get_username(), request)


@receiver(account.password_reset)
def log_password_reset(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Log a new password."""
    log_event("New password by a link", user.get_username(), request)


@receiver(mfa.authentication_failed)
def log_wrong_code(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Log a wrong code."""
    log_event("Refused: wrong code", user.get_username(), request)


@receiver(mfa.authenticator_added)
def switch_on(request: HttpRequest, user: Any, authenticator: Authenticator, **kwargs: Any) -> None:
    """Log that a second step was switched on; sessions of one step end."""
    if authenticator.type == Authenticator.Type.TOTP:
        log_event("Second step switched on", user.get_username(), request)
        end_other_sessions(request, user)


@receiver(mfa.authenticator_removed)
def switch_off(request: HttpRequest, user: Any, authenticator: Authenticator, **kwargs: Any) -> None:
    """Log that a second step was ended."""
    if authenticator.type == Authenticator.Type.TOTP:
        log_event("Second step ended", user.get_username(), request)
        end_other_sessions(request, user)


@receiver(mfa.authenticator_used)
def show_codes_left(request: HttpRequest, authenticator: Authenticator, **kwargs: Any) -> None:
    """Show a user who used a recovery code how many are left."""
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        authenticator.refresh_from_db()
        left = len(authenticator.wrap().get_unused_codes())
        text = ngettext(
            "You used a recovery code; {count} is left.", "You used a recovery code; {count} are left.", left
        )
        messages.warning(request, text.format(count=left))
