"""``manage.py token NAME --scope organise``: prints a token, once, as the last word of its output."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.utils import timezone

from league.core.accounts.services.tokens import make_token, revoke_token
from league.management.operator import OperatorCommand, find
from league.models import Token


class Command(OperatorCommand):
    """Make or revoke a token for the API."""

    help = "Makes a token for the API and prints it, once, as the last word; or revokes one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the name and what the token may do."""
        parser.add_argument("name", help="what uses the token, such as a game server's name")
        parser.add_argument("--scope", choices=Token.Scope.values, default=Token.Scope.RECORD)
        parser.add_argument("--league", action="append", default=[], help="only this league (slug); may be repeated")
        parser.add_argument("--expires", type=int, metavar="DAYS", help="the token ends after so many days")
        parser.add_argument("--revoke", action="store_true", help="end the token of that name")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        if options["revoke"]:
            revoke_token(options["name"])
            self.stdout.write(f"The token “{options['name']}” is revoked.")
            return
        leagues = [find(slug) for slug in options["league"]]
        days = options["expires"]
        expires = None if days is None else timezone.now() + timedelta(days=days)
        token, text = make_token(options["name"], options["scope"], leagues=leagues, expires_at=expires)
        self.stdout.write(f"Token “{token.name}” with scope {token.scope}; it is shown only now: {text}")
