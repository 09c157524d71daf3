"""The e-mail address of an account, given or changed by its user."""

from typing import Any

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from league.errors import NotFound
from league.services.locking import in_transaction


def set_address(user_pk: Any, email: str) -> None:
    """Give an account an address, to which links to a new password go, too; the address must be well-formed.

    Raises NotFound if the account is gone. The caller has checked the password.
    """

    def work() -> None:
        user = get_user_model().objects.select_for_update().filter(pk=user_pk, is_active=True).first()
        if user is None:
            raise NotFound(_("This account is gone."))
        user.email = email
        user.save(update_fields=["email"])

    in_transaction(work)
