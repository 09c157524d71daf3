"""Sends what a webhook waits for, as a worker does, and is killed between sending and noting: … killed_sender ID."""

import os
import signal
import sys
from typing import Any
from uuid import UUID

import django


def main(webhook_id: str) -> None:
    """Send one message, and die before it is noted."""
    django.setup()
    from league.services.webhooks import deliveries

    def kill(*arguments: Any) -> bool:
        os.kill(os.getpid(), signal.SIGKILL)
        return False

    deliveries.note = kill  # type: ignore[assignment]  # it takes whatever note takes
    deliveries.deliver(UUID(webhook_id))
    raise SystemExit("Nothing killed this process; was anything sent?")


if __name__ == "__main__":
    main(sys.argv[1])
