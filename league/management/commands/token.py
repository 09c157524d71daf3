"""``rungs token``: creates or revokes an API token; a new token is the last word of the output."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from league.cli.site_commands import TOKEN
from league.core.accounts.services.tokens import make_token, revoke_token
from league.web.terminal.operator import OperatorCommand, get_league
from league.web.terminal.output import format_json


class Command(OperatorCommand):
    """Create or revoke an API token."""

    entry = TOKEN

    def handle(self, *args: Any, **options: Any) -> None:
        """Create or revoke the token."""
        if options["revoke"]:
            revoke_token(options["name"])
            self.stdout.write(f"The token “{options['name']}” was revoked.")
            return
        leagues = [get_league(slug) for slug in options["league"]]
        days = options["expires"]
        expires = None if days is None else timezone.now() + timedelta(days=days)
        token, text = make_token(options["name"], options["scope"], leagues=leagues, expires_at=expires)
        if options["json"]:
            scope = {"scope": token.scope, "leagues": options["league"], "expires_at": expires}
            self.stdout.write(format_json({"name": token.name, **scope, "token": text}))
            return
        self.stdout.write(f"Token “{token.name}” with scope {token.scope}; it is shown only now: {text}")
