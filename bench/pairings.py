"""Benchmark of the pairings of large competitions, 70 % draws, by seconds of the processor; no database.

``script/bench pairings`` pairs Swiss rounds 1 to 11 of 300 and 1 to 9 of 1,000, a first round of 1,000 and of 2,000
that has no time, and a first round of tables of 400.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from ratings.contract.competition import CompetitionData, RoundData, build_game
from ratings.contract.pairing_format import PairingFormat, PairingRequest
from ratings.pairing_formats.swiss import Swiss
from ratings.pairing_formats.tables import Tables
from tests.ratings.pairing_formats.drawn_rounds import build_entries

DRAWS = 0.7
#: Entries, rounds, and the most seconds that a round should take.
SIZES = ((300, 11, 1.0), (1000, 9, 10.0))
#: Entries, and the most seconds that a round without time should take.
LATE = ((1000, 3.0), (2000, 8.0))


def pair_rounds(entries: int, rounds: int) -> Iterator[tuple[int, float]]:
    """Yield the number of each round of a drawn Swiss, and the seconds that its pairing took."""
    random = Random(entries)
    competition = CompetitionData(build_entries(entries), (), planned_rounds=rounds)
    for number in range(1, rounds + 1):
        start = time.process_time()
        proposal = Swiss().pair(PairingRequest(competition, number, seed=entries))
        yield number, time.process_time() - start
        played = [
            build_game(
                fixture.seats[0].entry,
                fixture.seats[1].entry,
                "draw" if random.random() < DRAWS else random.choice(["win", "loss"]),
            )
            if len(fixture.seats) > 1
            else fixture
            for fixture in proposal.fixtures
        ]
        competition = replace(competition, rounds=(*competition.rounds, RoundData(number, tuple(played))))


def measure(
    sizes: tuple[tuple[int, int, float], ...] = SIZES,
    at_tables: int = 400,
    late: tuple[tuple[int, float], ...] = LATE,
) -> Iterator[dict[str, Any]]:
    """Measure every round."""
    for entries, rounds, wanted in sizes:
        for number, seconds in pair_rounds(entries, rounds):
            yield {"case": f"Swiss round {number} of {entries}", "seconds": round(seconds, 2), "wanted": wanted}
    for entries, wanted in late:
        request = PairingRequest(CompetitionData(build_entries(entries), ()), 1, is_late=lambda: True)
        yield {"case": f"Swiss round 1 of {entries} without time", **_time(Swiss(), request), "wanted": wanted}
    request = PairingRequest(CompetitionData(build_entries(at_tables), ()), 1)
    yield {"case": f"tables of four, round 1 of {at_tables}", **_time(Tables(), request), "wanted": 2.0}


def _time(pairing_format: PairingFormat, request: PairingRequest) -> dict[str, float]:
    start = time.process_time()
    pairing_format.pair(request)
    return {"seconds": round(time.process_time() - start, 2)}


if __name__ == "__main__":
    found = []
    sizes = [int(word) for word in sys.argv[1:]]
    for row in measure(((sizes[0], sizes[1], 0.0),), sizes[0]) if len(sizes) > 1 else measure():
        print(row, file=sys.stderr, flush=True)
        found.append(row)
    print(json.dumps(found))
