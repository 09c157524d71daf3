"""Does what a worker does, and is killed on the way: python -m tests.helpers.killed replay ID PHASE, tell …."""

import os
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any
from unittest.mock import patch
from uuid import UUID

import django


def kill(*arguments: Any, **more: Any) -> Any:
    """End this process as nothing can forestall."""
    os.kill(os.getpid(), signal.SIGKILL)


def replay(league_id: str, phase: str) -> None:
    """Replay what is due in a league, and die in a phase.

    It is one that the replay tells, “committing” (all is written, not committed) or “ending” (committed, and the job
    does not know it yet).
    """
    from league.core.dispatch import sweep
    from league.core.jobs.services import work
    from league.core.replay.services import background

    told = work.Heartbeat.__call__

    def tell(progress: work.Heartbeat, now: str, done: int, total: int) -> None:
        told(progress, now, done, total)
        if now == phase:
            kill()

    work.Heartbeat.__call__ = tell  # type: ignore[method-assign, assignment]
    if phase == "committing":
        finish = background.finish_replay
        background.finish_replay = lambda league: (finish(league), kill())[0]
    if phase == "ending":
        work.finish_job = kill
    sweep.run_due_replay(int(league_id))


def tell(league_id: str, moment: str) -> None:
    """Write a notice, and die before its mails are written."""
    from league.apps.notices.services import enqueue as telling

    with patch.object(telling, "find_mail_recipients", kill):
        telling.write_notices(int(league_id), datetime.fromisoformat(moment))


def change_competition(league_id: str, act: str) -> None:
    """Make or publish a round of the competition ``cup``, or import one, and die when all is written, before commit."""
    from league.apps.competitions.services import importing, rounds
    from league.apps.competitions.services.import_people import ImportRequest
    from league.apps.competitions.services.read_files import read_report
    from tests.apps.competitions.files.trf_texts import FIVE

    acts: dict[str, Callable[[], object]] = {
        "make": lambda: rounds.make_round(int(league_id), "cup", by="killed"),
        "publish": lambda: rounds.publish_round(int(league_id), "cup", 1, by="killed"),
        "import": lambda: importing.import_competition(
            int(league_id), read_report(FIVE.encode(), "UTC"), ImportRequest("killed", create_players=True)
        ),
    }
    module = importing if act == "import" else rounds
    written = module.append_change

    def write_and_die(league: Any, now: Any, by: Any, kind: Any, *arguments: Any, **more: Any) -> None:
        written(league, now, by, kind, *arguments, **more)
        if kind in ("round.made", "round.published"):
            kill()

    with patch.object(module, "append_change", write_and_die):
        acts[act]()


def send(webhook_id: str) -> None:
    """Send what a webhook waits for, and die before it is noted."""
    from league.apps.webhooks.services import deliveries

    with patch.object(deliveries, "_record_outcome", kill):
        deliveries.deliver(UUID(webhook_id))


if __name__ == "__main__":
    django.setup()
    acts: dict[str, Callable[..., None]] = {"replay": replay, "tell": tell, "send": send, "compete": change_competition}
    acts[sys.argv[1]](*sys.argv[2:])
    raise SystemExit("Nothing killed this process; was what it waits for ever reached?")
