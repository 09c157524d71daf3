"""Benchmark of recording with ladders, and of a dry run of a void, in the demo leagues.

A game of very active players is recorded and rolled back, in turns with the league's ladders and without them.
"""

import os
import random
import statistics
import time
from typing import Any
from unittest.mock import patch

from django.core.management import call_command
from django.db import transaction

from league.core.dry_runs.services.diff import serialize_diff
from league.core.dry_runs.services.run import preview_void
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.jobs.services.progress import ignore_progress
from league.models import Ladder, League, Rating
from league.models.recorded import RESERVED

#: Games are drawn among this number of most active players.
MOST = 8


class Back(Exception):
    """Raised to roll a recorded game back."""


def measure(rounds: int) -> dict[str, Any]:
    """Load the demo and measure, in CPU time of Python unless stated otherwise."""
    call_command("demo", verbosity=0)
    leagues = League.objects.filter(pk__in=Ladder.objects.values("league")).order_by("slug")
    recorded = {league.slug: with_and_without(league, 10 * rounds) for league in leagues}
    return {"recording": recorded, "void": void_first(rounds), "load": os.getloadavg()[0]}


def with_and_without(league: League, times: int) -> dict[str, float]:
    """Return the median durations of recording with a league's ladders and without them."""
    chance = random.Random(1)
    players = list(Rating.objects.filter(league=league).order_by("-games").values_list("player__handle", flat=True))
    last = league.games.filter(kind="played", voided_at=None).order_by("-played_at", "-order_key")[0]
    said = [(line.score, line.place) for line in last.results.order_by("seat")]
    own = {key: value for key, value in last.details.items() if key not in RESERVED}
    seen: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
    for _ in range(times):
        seats = chance.sample(players[:MOST], len(said))
        new = NewGame([NewResult(who, *line) for who, line in zip(seats, said, strict=True)], details=own)
        seen["with"].append(recorded_and_back(league, new))
        with patch("league.core.games.services.rate_game.update_ladders"):
            seen["without"].append(recorded_and_back(league, new))
    cpu = {name: 1000 * statistics.median(spent for spent, _ in found) for name, found in seen.items()}
    clock = {name: statistics.median(spent for _, spent in found) for name, found in seen.items()}
    return {
        "ladders": league.ladders.count(), "games": league.last_number,
        "with_ms": cpu["with"], "without_ms": cpu["without"],
        "with/without": cpu["with"] / cpu["without"], "by the clock": clock["with"] / clock["without"],
    }  # fmt: skip


def recorded_and_back(league: League, new: NewGame) -> tuple[float, float]:
    """Record a game and roll back; return the CPU seconds of Python and the elapsed seconds of recording."""
    spent = (0.0, 0.0)
    try:
        with transaction.atomic():
            cpu, clock = time.process_time(), time.perf_counter()
            record_game(league.pk, new, by="bench")
            spent = (time.process_time() - cpu, time.perf_counter() - clock)
            raise Back
    except Back:
        return spent


def void_first(rounds: int) -> dict[str, float]:
    """Return the duration of a dry run of voiding the first football match, with the answer's serialization."""
    league = League.objects.get(slug="football")
    first = league.games.filter(voided_at=None).order_by("played_at", "order_key").values_list("number", flat=True)[0]
    seen, cpu = [], []
    for _ in range(max(rounds, 3) + 1):
        clock, own = time.perf_counter(), time.process_time()
        document = serialize_diff(preview_void(league, first, "misread", progress=ignore_progress))
        seen.append(time.perf_counter() - clock)
        cpu.append(time.process_time() - own)
    return {
        "games_replayed": document["games_replayed"],
        "first_s": seen[0], "first_python_s": cpu[0],
        "again_s": statistics.median(seen[1:]), "again_least_s": min(seen[1:]),
        "again_python_s": statistics.median(cpu[1:]),
    }  # fmt: skip
