"""``rungs let-in``: helps users who cannot sign in."""

from typing import Any

from allauth.core.ratelimit import clear
from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.http import HttpRequest

from league.cli.site_commands import LET_IN
from league.core.accounts.services.members import find_user
from league.core.accounts.services.second_factor import drop_of
from league.core.accounts.services.sessions import end_sessions
from league.core.errors import RungsError
from league.web.sign_in.adapters import build_attempts_key
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Remove a second factor, end sessions, or reset failed attempts."""

    entry = LET_IN

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the requested actions."""
        name, address = options["name"], options["address"]
        if not address and not (name and (options["second_factor"] or options["sign_out"])):
            raise CommandError("Choose an action: NAME --second-factor, NAME --sign-out, or [NAME] --address ADDRESS.")
        try:
            if options["second_factor"]:
                removed = drop_of(name)
                outcome = (
                    "no longer has a second factor; all sessions were ended" if removed else "had no second factor"
                )
                self.stdout.write(f"“{name}” {outcome}.")
            if options["sign_out"]:
                self.stdout.write(f"{end_sessions(find_user(name).pk)} sessions of “{name}” were ended.")
        except RungsError as error:
            raise CommandError(error.detail) from None
        if address:
            # Attempts with this name and with all names, and wrong codes of the account.
            request = HttpRequest()
            request.META["REMOTE_ADDR"] = address
            for action in ("login_failed", "network_failed", "wrong_link", "reset_password"):
                clear(request, action=action, key=build_attempts_key(name, request))
            for user in get_user_model().objects.filter(username=name):
                clear(request, action="login_failed", key=f"mfa-auth-user-{user.pk}")
            self.stdout.write(f"The failed attempts from {address} were reset.")
