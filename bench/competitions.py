"""Benchmark of competitions: tie-breaks, standings, possible ranks and pairings of drawn competitions, no database.

Each case runs several times; the median counts. The first round's time of a Swiss includes loading the package gacrux.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from ratings.contract.competition import CompetitionData, RoundData, build_fixture, build_game
from ratings.contract.pairing_format import PairingProposal, PairingRequest
from ratings.contract.result_table import tabulate_results
from ratings.pairing_formats.round_robin import RoundRobin
from ratings.pairing_formats.swiss import Swiss
from ratings.pairing_formats.tables import Tables
from ratings.standings.possible_ranks import possible_ranks
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import MODIFIERS, all_tie_breaks, parse_codes
from tests.ratings.pairing_formats.drawn_rounds import build_entries, play
from tests.ratings.tie_breaks.drawn_tournaments import draw_swiss

USUAL = ("DE", "BH/C1", "BH", "SB", "ARO")


def measure(rounds: int) -> list[dict[str, Any]]:
    """Measure every case."""
    large, every = draw_large(), list(all_tie_breaks())
    modified = [code + MODIFIERS[letter][0] for code, one in all_tie_breaks().items() for letter in one.modifiers]
    *_, robin = play(RoundRobin(), 16, 15, Random(16))
    cases: list[tuple[str, float, Callable[[], object]]] = [
        (f"all {len(every)} tie-breaks, 300 × 11", 100, lambda: tally_all(large, every)),
        (f"the same and {len(modified)} with modifiers", 0, lambda: tally_all(large, every + modified)),
        ("standings by five tie-breaks, 300 × 11", 50, lambda: rank_standings(large, USUAL)),
        ("possible ranks, round robin of 16, last round open", 0, lambda: possible_ranks(with_open(*robin, 8), USUAL)),
        ("the same, four games open: every outcome", 0, lambda: possible_ranks(with_open(*robin, 4), USUAL)),
        ("possible ranks, division of 14, ten games open", 300, lambda: possible_ranks(draw_division(10), USUAL)),
        ("the same, 36 games open: branch and bound", 0, lambda: possible_ranks(draw_division(36), USUAL)),
    ]
    for entries, limit in ((300, 1000), (24, 300)):
        for request in list_requests(entries):
            cases.append((f"Swiss round {request.number} of {entries}", limit, partial(Swiss().pair, request)))
    tables = PairingRequest(CompetitionData(build_entries(40), ()), 1)
    cases.append(("tables of four, first round of 40", 0, lambda: Tables().pair(tables)))
    return [
        {"case": name, "milliseconds": 1000 * statistics.median(time_of(run) for _ in range(rounds)), "wanted": limit}
        for name, limit, run in cases
    ]


def draw_large() -> CompetitionData:
    """Return a Swiss of 300 entries and 11 rounds with byes, forfeits and withdrawals."""
    drawn = (draw_swiss(Random(seed), (300, 300), 11) for seed in range(1000))
    return next(competition for competition in drawn if len(competition.rounds) == 11)


def tally_all(competition: CompetitionData, codes: list[str]) -> None:
    """Compute every value of every entry from the fixtures."""
    table = tabulate_results(competition)
    for choice in parse_codes(codes):
        for entry in table.results:
            _ = choice.tally(table, entry).value


def with_open(request: PairingRequest, proposal: PairingProposal, games: int) -> CompetitionData:
    """Return a competition with its last round, of which some games are still to be played; the others are draws."""
    drawn = [
        build_game(fixture.seats[0].entry, fixture.seats[1].entry, "draw") for fixture in proposal.fixtures[games:]
    ]
    last = RoundData(request.number, (*proposal.fixtures[:games], *drawn))
    return replace(request.competition, rounds=(*request.competition.rounds, last))


def draw_division(open_games: int) -> CompetitionData:
    """Return a round robin of 14 with so many open games anywhere in it; the others are drawn results."""
    random, numbers = Random(14), range(1, 15)
    pairs = [(one, other) for one in numbers for other in numbers if one < other]
    random.shuffle(pairs)
    games = [build_game(one, other, random.choice(("win", "draw", "loss"))) for one, other in pairs[open_games:]]
    fixtures = (*games, *(build_fixture(*pair) for pair in pairs[:open_games]))
    return CompetitionData(build_entries(14), (RoundData(0, fixtures),), predetermined=True)


def list_requests(entries: int) -> list[PairingRequest]:
    """Return the requests of the first, a middle and the last of nine rounds."""
    requests = [request for request, _proposal in play(Swiss(), entries, 9, Random(entries), irregular=True)]
    return [requests[0], requests[4], requests[-1]]


def time_of(run: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
