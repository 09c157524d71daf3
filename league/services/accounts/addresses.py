"""The e-mail address of somebody's account, given or changed by themselves; their password says that it is they."""

from typing import Any

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from league.errors import Forbidden, NotFound, Problem
from league.services.locking import in_transaction


def set_address(user_pk: Any, email: str, password: str) -> None:
    """Give an account an address, to which links to a new password go, too; the address must be well-formed.

    Raises Forbidden where the password is wrong, and NotFound where the account is gone.
    """

    def work() -> None:
        user = get_user_model().objects.select_for_update().filter(pk=user_pk, is_active=True).first()
        if user is None:
            raise NotFound(_("This account is gone."))
        if not user.check_password(password):
            sentence = _("This is not your password. The address stays as it was.")
            raise Forbidden(sentence, [Problem("/password", "wrong", sentence)])
        user.email = email
        user.save(update_fields=["email"])

    in_transaction(work)
