"""``script/bench faults``: causes faults in sites on both databases for minutes, and prints the counts."""

import json
import time
from collections import Counter
from itertools import count
from typing import Any

from tests.faults.harness import FAULTS, Outcome, draw_plan, hurt

#: Faults per trial; each trial has a new site.
A_TRIAL = 30


def faults(minutes: float, seed: int) -> int:
    """Cause faults for a number of minutes; return 1 if anything was lost, doubled or wrong."""
    until, bad = time.monotonic() + 60 * minutes, 0
    outcomes: list[Outcome] = []
    for number in count():
        for database in FAULTS:
            left = until - time.monotonic()
            if left > 0 or not number:
                plan = draw_plan(database, seed + number, A_TRIAL)
                outcomes.append(hurt(database, seed + number, plan, max(left / 2, 30), say=True))
                print(json.dumps(outcomes[-1].figures, indent=1), flush=True)
        if time.monotonic() > until:
            break
    for database in FAULTS:
        found = summed([one for one in outcomes if one.database == database])
        print(json.dumps(found, indent=1))
        bad += sum(found[name] for name in ("lost", "doubled", "wrong", "locks", "strange"))
    return 1 if bad else 0


def summed(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the combined counts of several trials."""
    done: Counter[str] = sum((one.done for one in outcomes), Counter())
    back: dict[str, list[float]] = {}
    for one in outcomes:
        for name, took in one.back.items():
            back.setdefault(name, []).extend(took)
    return {
        "database": outcomes[0].database,
        "trials": len(outcomes),
        "faults": dict(done),
        "games": sum(len(one.told.games) for one in outcomes),
        "corrections": sum(len(one.told.corrections) for one in outcomes),
        "editions": sum(len(one.told.editions) for one in outcomes),
        "rated after": [round(one.rated, 1) for one in outcomes],
        "not done at once": dict(sum((refused(one) for one in outcomes), Counter())),
        **{name: sum(len(getattr(one, name)) for one in outcomes) for name in ("lost", "doubled", "wrong", "locks")},
        "strange": sum(len(one.told.strange) for one in outcomes),
        "back after": {name: [min(took), sorted(took)[len(took) // 2], max(took)] for name, took in back.items()},
    }


def refused(one: Outcome) -> Counter[str]:
    """Return the number of repeated requests by answer; "0" is no answer."""
    return Counter({str(status): times for status, times in one.told.answers.items() if status in (0, 502, 503, 507)})
