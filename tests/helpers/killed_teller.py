"""Tells what is to be told of a league, as a worker does, and is killed while it writes: … killed_teller ID MOMENT."""

import os
import signal
import sys
from datetime import datetime
from typing import Any
from unittest.mock import patch

import django


def main(league_id: str, moment: str) -> None:
    """Write a notice, and die before its mails are written."""
    django.setup()
    from league.services.notices import telling

    def kill(*arguments: Any) -> list[int]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    with patch.object(telling, "to_be_mailed", kill):
        telling.tell(int(league_id), datetime.fromisoformat(moment))
    raise SystemExit("Nothing killed this process; was anything written?")


if __name__ == "__main__":
    main(*sys.argv[1:])
