"""The forms of django-allauth with our texts and with Django's field names."""

import unicodedata
from typing import Any, ClassVar

from allauth.account import forms as account
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.contrib import messages
from django.contrib.auth.forms import PasswordResetForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from league.web.sign_in.security_log import log_event

#: Allauth's field name -> Django's, which password managers and clients know.
HTML_NAMES = {
    "login": "username",
    "oldpassword": "old_password",
    "password1": "new_password1",
    "password2": "new_password2",
}
NEW_PASSWORD: dict[str, tuple[Any, Any]] = {
    "password1": (_("New password"), _("At least 8 characters, and not a common password.")),
    "password2": (_("New password again"), ""),
}


class TextsMixin:
    """Sets labels and help texts, and drops the placeholders that would repeat them."""

    fields: dict[str, Any]
    texts: ClassVar[dict[str, tuple[Any, Any]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (label, help_text) in self.texts.items():
            field = self.fields[name]
            field.label, field.help_text = label, help_text
            field.widget.attrs.pop("placeholder", None)
        next(iter(self.fields.values())).widget.attrs["autofocus"] = True

    def add_prefix(self, field_name: str) -> str:
        """Return the name of a field in HTML."""
        return HTML_NAMES.get(field_name, field_name)


class LoginForm(TextsMixin, account.LoginForm):  # type: ignore[misc]  # allauth has no types
    """A username and a password."""

    texts = {"login": (_("Username"), ""), "password": (_("Password"), "")}

    def clean_login(self) -> str:
        """Normalise a username as Django does, because devices may send composed or decomposed letters."""
        return unicodedata.normalize("NFKC", super().clean_login())


class ReauthenticateForm(TextsMixin, account.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The password of the user who is signed in."""

    texts = {"password": (_("Your password"), "")}


class ChangePasswordForm(TextsMixin, account.ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    """The present password, and a new one twice."""

    texts = {"oldpassword": (_("Your password"), ""), **NEW_PASSWORD}

    def clean_oldpassword(self) -> str:
        """Check the present password; failed attempts count like failed logins."""
        password: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        # Django may have upgraded the stored hash.
        self.user.refresh_from_db(fields=["password"])
        return password


class NewPasswordForm(TextsMixin, account.ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    """A new password, twice."""

    texts = NEW_PASSWORD


class ForgottenForm(TextsMixin, account.ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """The address of an account; the response does not reveal whether one exists."""

    texts = {"email": (_("E-mail"), "")}

    def clean_email(self) -> str:
        """Find accounts as Django does, ignoring case."""
        email: str = super().clean_email()
        self.users = list(PasswordResetForm().get_users(email))
        return email


class CodeForm(TextsMixin, AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """A code of six digits, or a recovery code."""

    texts = {"code": (_("Code"), "")}

    def clean_code(self) -> str:
        """Check the code; log wrong and throttled ones."""
        try:
            code: str = super().clean_code()
        except ValidationError as error:
            event = "Refused: wrong code" if error.code == "incorrect_code" else "Refused: too many wrong codes"
            log_event(event, self.user.get_username(), context.request)
            raise
        return code

    def save(self) -> None:
        """Sign the user in; after a recovery code, show how many are left."""
        super().save()
        if self.authenticator.type != Authenticator.Type.RECOVERY_CODES:
            return
        self.authenticator.refresh_from_db()
        remaining = len(self.authenticator.wrap().get_unused_codes())
        text = ngettext(
            "You used a recovery code; {count} is left.", "You used a recovery code; {count} are left.", remaining
        )
        messages.warning(context.request, text.format(count=remaining))


class ActivateForm(TextsMixin, ActivateTOTPForm):  # type: ignore[misc]  # allauth has no types
    """The first code from an authenticator app."""

    texts = {"code": (_("Code"), "")}
