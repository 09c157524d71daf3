"""``manage.py heads``: publishes how far the logs of public leagues go, as the nightly round does."""

from typing import Any

from league.cli.site_commands import HEADS
from league.core.log.services.heads import publish_heads
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Publish the heads that are due."""

    entry = HEADS

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish, and say what; each line ends with an anchor for ``verify``."""
        heads = publish_heads()
        for head in heads:
            self.stdout.write(f"{head.league.slug} {head.position}:{head.sha256}")
        if not heads:
            self.stdout.write("No head is due.")
