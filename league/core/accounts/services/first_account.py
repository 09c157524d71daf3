"""Creates the first account of a site through a secret link, which is valid until an account exists."""

import base64
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.errors import NotFound
from league.core.locking import transactional
from league.core.text.names import is_storable

PURPOSE = "league.first_account"
UNKNOWN = gettext_noop("This link is not valid. The link for the first account works only until an account exists.")


def has_account() -> bool:
    """Return whether the site has a user account."""
    return bool(get_user_model().objects.exists())


def compute_first_secret() -> str:
    """Return the secret of the link: 256 bits that only this site can compute, equal in all processes."""
    digest = salted_hmac(PURPOSE, "", algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def is_open(secret: str) -> bool:
    """Return whether a link with this secret is valid now."""
    return is_storable(secret) and constant_time_compare(secret, compute_first_secret()) and not has_account()


def create_first_account(secret: str, username: str, password: str, email: str = "") -> Any:
    """Create the first account, a superuser; of several browsers that try at once, one succeeds.

    Username, address and password must have been checked by Django's form. Raises NotFound if the link is not valid.
    """
    hashed = make_password(password)  # before the lock, as hashing is slow by design
    return _create_first_account(secret, username, email, hashed)


@transactional
def _create_first_account(secret: str, username: str, email: str, hashed: str) -> Any:
    # A row that every migrated database has: the next browser waits here until the account is committed.
    list(ContentType.objects.select_for_update().filter(app_label="auth", model="user"))
    if not is_open(secret):
        raise NotFound(_(UNKNOWN))
    return get_user_model().objects.create(
        username=username, email=email, password=hashed, is_staff=True, is_superuser=True
    )
