"""Benchmark of kernels: games per second against well-known packages, on the same kind of games, in turns.

Each package is used as in its documentation: an object per player, a call per game, only the new ratings are stored.
The measured loop looks players up, rates, and stores the ratings. Ours also stores the history of every player and
game. The process keeps its memory; the column ``in_fresh_memory`` includes the cost of new memory pages.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.leagues import Games, draw_games, scores_of
from ratings.registry import get_system
from ratings.run.replay import Log, Pool, log_fields, log_results, replay

PLAYERS = 2000
#: Fewer games for slow packages, but enough for some milliseconds.
GAMES, GAMES_OF_PEERS = 200_000, 4_000
#: Turns within a round, so that other load on the machine affects all alike.
TURNS = 5


def log_of(games: Games, system: str) -> Log:
    """Return games in the form of the replay."""
    count, seats = games.players.shape
    spec = get_system(system)
    results = np.column_stack([scores_of(games, system).ravel(), games.places.ravel().astype(float)])
    if spec.place == "unused":
        results[:, 1] = np.nan
    rules, offsets = spec.from_json({}), np.arange(0, count * seats + 1, seats, dtype=np.int64)
    return Log(
        offsets,
        games.players.ravel().astype(np.int64),
        log_results(rules, results, offsets),
        log_fields(rules, np.full((count, len(spec.game_fields)), 30.0), np.zeros(count)),
    )


#: Parameters of glibc's mallopt: the trim threshold, and the maximum number of mmap blocks.
TRIM_THRESHOLD, MMAP_MAX = -1, -4


def keep_memory() -> Any:
    """Make this process keep freed memory and reuse it; return glibc."""
    glibc = ctypes.CDLL("libc.so.6")
    for option, value in ((MMAP_MAX, 0), (TRIM_THRESHOLD, 2**31 - 1)):
        if not glibc.mallopt(option, value):
            raise OSError("glibc does not let its memory be kept.")
    return glibc


def ours(system: str, games: Games, compiled: bool) -> float:
    """Return our games per second, with history."""
    rules = get_system(system).from_json({})
    log = log_of(games, system)
    pool = Pool(np.tile(np.array(rules.start()), (PLAYERS, 1)), np.zeros(PLAYERS), np.zeros(PLAYERS))
    start = time.perf_counter()
    replay(rules, log, pool, compiled=compiled)
    return len(games) / (time.perf_counter() - start)


def peer_openskill(games: Games) -> Callable[[], None]:
    """Plackett–Luce of openskill.py over whole games."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(PLAYERS)]

    def run() -> None:
        for players, places in zip(games.players.tolist(), games.places.tolist(), strict=True):
            teams = [[ratings[player]] for player in players]
            for player, team in zip(players, model.rate(teams, ranks=places), strict=True):
                ratings[player] = team[0]

    return run


def peer_trueskill(games: Games) -> Callable[[], None]:
    """TrueSkill over whole games."""
    import trueskill

    environment = trueskill.TrueSkill(draw_probability=0.0)
    ratings = [environment.create_rating() for _ in range(PLAYERS)]

    def run() -> None:
        for players, places in zip(games.players.tolist(), games.places.tolist(), strict=True):
            groups = environment.rate([(ratings[player],) for player in players], ranks=places)
            for player, group in zip(players, groups, strict=True):
                ratings[player] = group[0]

    return run


def peer_glicko2(games: Games) -> Callable[[], None]:
    """Glicko-2 game by game, two players."""
    import glicko2

    players_ = [glicko2.Player() for _ in range(PLAYERS)]

    def run() -> None:
        for (one, two), (first, _) in zip(games.players.tolist(), games.places.tolist(), strict=True):
            won = 1.0 if first == 1 else 0.0
            a, b = players_[one], players_[two]
            old = (a.rating, a.rd)
            a.update_player([b.rating], [b.rd], [won])
            b.update_player([old[0]], [old[1]], [1.0 - won])

    return run


def peer_elote(games: Games) -> Callable[[], None]:
    """Elo of elote, two players."""
    from elote import EloCompetitor

    players_ = [EloCompetitor(initial_rating=1500) for _ in range(PLAYERS)]

    def run() -> None:
        for (one, two), (first, _) in zip(games.players.tolist(), games.places.tolist(), strict=True):
            winner, loser = (one, two) if first == 1 else (two, one)
            players_[winner].beat(players_[loser])

    return run


def peer_riix(games: Games) -> Callable[[], None]:
    """Elo of riix, two players: all games in one sequential call, like ours."""
    from riix.models.elo import Elo

    model = Elo(competitors=list(range(PLAYERS)))
    outcomes = (games.places[:, 0] == 1).astype(float)

    def run() -> None:
        model.iterative_update(games.players, outcomes)

    return run


FOUR = {"openskill PlackettLuce": peer_openskill, "trueskill": peer_trueskill}
TWO = {"elote Elo": peer_elote, "glicko2": peer_glicko2, "riix Elo": peer_riix, **FOUR}
#: Packages with the same system; the goal is 100 times their speed.
OWN = {"rungs weng_lin": "openskill PlackettLuce", "rungs trueskill": "trueskill", "rungs glicko2": "glicko2"}


def measure(rounds: int, games: int = GAMES, games_of_peers: int = GAMES_OF_PEERS) -> list[dict[str, Any]]:
    """Measure every kernel and every other package in several rounds; return the median games per second."""
    many, few = draw_games(games, 3, 4, PLAYERS), draw_games(games_of_peers, 3, 4, PLAYERS)
    pairs, few_pairs = draw_games(games, 4, 2, PLAYERS), draw_games(games_of_peers, 4, 2, PLAYERS)
    three = draw_games(games, 5, 3, PLAYERS)
    glibc = keep_memory()
    sheets = [
        ("barbu", many),
        ("durak", many),
        ("serpentine", many),
        ("preferans", three),
        ("elo", pairs),
        ("elo", many),
    ]
    sheets += [(system, games) for system in ("weng_lin", "trueskill") for games in (pairs, many)]
    sheets.append(("glicko2", pairs))
    for system, drawn in sheets:
        ours(system, drawn, compiled=True)
    found: dict[tuple[str, int], list[float]] = {}
    fresh: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds * TURNS):
        for system, drawn in sheets:
            key = (f"rungs {system}", drawn.players.shape[1])
            glibc.malloc_trim(0)
            fresh.setdefault(key, []).append(ours(system, drawn, True))
            found.setdefault(key, []).append(ours(system, drawn, True))
        for peers, drawn in ((FOUR, few), (TWO, few_pairs)):
            for name, peer in peers.items():
                # Tests run without the packages that script/bench installs.
                if find_spec(name.split()[0]):
                    found.setdefault((name, drawn.players.shape[1]), []).append(speed(peer(drawn), len(drawn)))
    return in_ratios(*({key: statistics.median(speeds) for key, speeds in each.items()} for each in (found, fresh)))


def in_ratios(medians: dict[tuple[str, int], float], fresh: dict[tuple[str, int], float]) -> list[dict[str, Any]]:
    """Return the rows with the ratio to the fastest other package for two players, otherwise to openskill.

    If a package has the same system, the row also has the ratio to that one. ``fresh``: our results in fresh memory.
    """
    fastest = max(speed for (name, players), speed in medians.items() if players == 2 and not name.startswith("rungs"))
    yardsticks = {2: fastest}
    return [
        {
            "name": name,
            "players": players,
            "games_per_second": speed,
            "times_the_yardstick": speed / yardsticks.get(players, medians["openskill PlackettLuce", 4]),
            **({"times_its_package": speed / medians[OWN[name], players]} if name in OWN else {}),
            **({"in_fresh_memory": fresh[name, players]} if (name, players) in fresh else {}),
        }
        for (name, players), speed in medians.items()
    ]


def speed(run: Callable[[], None], games: int) -> float:
    """Return the games per second of a call."""
    start = time.perf_counter()
    run()
    return games / (time.perf_counter() - start)
