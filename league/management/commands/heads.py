"""``rungs heads``: signs and publishes the log heads of public leagues, as happens every night."""

from typing import Any

from league.cli.site_commands import HEADS
from league.core.log.services.heads import publish_heads
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Publish the due log heads."""

    entry = HEADS

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish and print them; each line ends with an anchor for ``verify``."""
        heads = publish_heads()
        for head in heads:
            self.stdout.write(f"{head.league.slug} {head.position}:{head.sha256}")
        if not heads:
            self.stdout.write("No log head is due.")
