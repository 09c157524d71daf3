"""The second step of a sign-in: whether a user has set it up, and how its secrets are stored (django-allauth)."""

import base64
import logging
from functools import partial
from typing import Any

from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from league.core.accounts.services.members import find_user
from league.core.accounts.services.sessions import end_sessions
from league.core.locking import run_in_transaction
from league.core.text.names import shorten_name

logger = logging.getLogger(__name__)
PURPOSE = "league.second_factor"
#: Encrypted fields of TOTP apps and recovery codes.
ENCRYPTED = {"secret", "seed"}


def is_set_up(user: Any) -> bool:
    """Return whether a user has set up a second step."""
    return bool(Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.TOTP).exists())


def drop_of(name: str) -> bool:
    """Remove a user's second step and end their sessions; return whether there was one.

    Raises NotFound.
    """
    user = find_user(name)
    deleted = Authenticator.objects.filter(user=user).delete()[0]
    if deleted:
        end_sessions(user.pk)
    return bool(deleted)


def encrypt(text: str) -> str:
    """Encrypt a secret with the site's key."""
    return _build_fernet().encrypt(text.encode()).decode()


def decrypt(text: str) -> str:
    """Decrypt a secret with the site's current key or a fallback.

    Raises InvalidToken if neither fits.
    """
    return _build_fernet().decrypt(text.encode()).decode()


def reencrypt_secrets() -> None:
    """Re-encrypt all secrets with the site's current key, while fallback keys are configured."""
    if settings.SECRET_KEY_FALLBACKS:
        for pk in list(Authenticator.objects.values_list("pk", flat=True)):
            run_in_transaction(partial(_reencrypt, pk))


def _reencrypt(pk: int) -> None:
    # Locked, as using a recovery code also writes this row.
    row = Authenticator.objects.select_for_update().filter(pk=pk).first()
    if row is None:
        return
    for name in ENCRYPTED & row.data.keys():
        try:
            row.data[name] = _build_fernet().rotate(row.data[name].encode()).decode()
        except InvalidToken:
            name_of_user = shorten_name(row.user.get_username())
            logger.error("The second step of “%s” cannot be read: the site's secret of then is gone.", name_of_user)
    row.save(update_fields=["data"])


def _build_fernet() -> MultiFernet:
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    keys = [salted_hmac(PURPOSE, "", secret=secret, algorithm="sha256").digest() for secret in secrets]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
