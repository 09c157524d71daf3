"""Benchmark of the sums of seasons: proposals, the table of a series, and moves; no database."""

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from ratings.seasons.borders import FinalDivision, FinalPlace
from ratings.seasons.divisions import Applicant, propose_divisions
from ratings.seasons.rules import DivisionRule, SeriesRule
from ratings.seasons.series import EventLine, SeriesEvent, tabulate_series


def measure(rounds: int) -> list[dict[str, Any]]:
    """Measure every case; the median counts."""
    rule = DivisionRule(target_size=12, up={"number": 2})
    divisions = [
        FinalDivision(level, "", tuple(FinalPlace(f"p{level}-{at}", at + 1, Fraction(12 - at), 11) for at in range(12)))
        for level in range(1, 42)
    ]
    applicants = [Applicant(place.player, 1500.0) for division in divisions for place in division.places][:500]
    random = Random(40)
    people = [f"p{number}" for number in range(300)]
    events = [
        SeriesEvent(number, tuple(EventLine(player, at) for at, player in enumerate(random.sample(people, 300), 1)))
        for number in range(1, 41)
    ]
    series = SeriesRule(best=30, of=40)
    cases: list[tuple[str, float, Callable[[], object]]] = [
        ("proposal for 500 players in 40 divisions", 1000, lambda: propose_divisions(rule, divisions, applicants, "")),
        ("table of a series, 300 players × 40 events", 150, lambda: tabulate_series(series, events, people)),
    ]
    return [
        {"case": name, "milliseconds": 1000 * statistics.median(_time(run) for _ in range(rounds)), "wanted": limit}
        for name, limit, run in cases
    ]


def _time(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began
