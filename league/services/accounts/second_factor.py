"""The second step of signing in: who must have it, who has it, and how its secrets are stored (django-allauth)."""

import base64
from typing import Any

from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from league.services.accounts.members import find_user
from league.services.accounts.sessions import end_sessions

PURPOSE = "league.second_factor"


def is_required(user: Any) -> bool:
    """Return whether a user may come in with a second step only."""
    return bool(settings.RUNGS_STAFF_SECOND_FACTOR and (user.is_staff or user.is_superuser))


def is_set_up(user: Any) -> bool:
    """Return whether a user has a second step."""
    return bool(Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.TOTP).exists())


def drop_of(name: str) -> bool:
    """End the second step of a user who lost theirs, and their sessions; returns whether there was one.

    Raises NotFound.
    """
    user = find_user(name)
    deleted = Authenticator.objects.filter(user=user).delete()[0]
    if deleted:
        end_sessions(user.pk)
    return bool(deleted)


def encrypt(text: str) -> str:
    """Return a secret encrypted under the site's secret."""
    return _fernet().encrypt(text.encode()).decode()


def decrypt(text: str) -> str:
    """Return a secret that was encrypted under the site's secret, the present one or an earlier one."""
    return _fernet().decrypt(text.encode()).decode()


def _fernet() -> MultiFernet:
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    keys = [salted_hmac(PURPOSE, "", secret=secret, algorithm="sha256").digest() for secret in secrets]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
