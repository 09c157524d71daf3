"""Replays what is due in a league, as a worker does, and is killed on the way: python -m tests.helpers.killed ID PHASE.

PHASE is one that the replay tells, “committing” (all is written, not committed) or “ending” (committed,
and the job does not know it yet).
"""

import os
import signal
import sys
from typing import Any

import django


def kill(*arguments: Any, **more: Any) -> None:
    """End this process as nothing can forestall."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(league_id: int, phase: str) -> None:
    """Replay, and die in the phase."""
    django.setup()
    from league.services.dispatch import sweep
    from league.services.jobs import work
    from league.services.replay import background

    told = work.Heartbeat.__call__

    def tell(progress: work.Heartbeat, now: str, done: int, total: int) -> None:
        told(progress, now, done, total)
        if now == phase:
            kill()

    work.Heartbeat.__call__ = tell  # type: ignore[method-assign, assignment]
    if phase == "committing":
        finish = background.finish
        background.finish = lambda league: (finish(league), kill())[0]  # type: ignore[func-returns-value]
    if phase == "ending":
        work.end = kill
    sweep.replay_due(league_id)
    raise SystemExit(f"Nothing killed this process; was {phase} ever reached?")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
