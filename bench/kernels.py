"""Games per second of the kernels against well-known packages, on the same kind of games, interleaved.

Each peer is used as its authors' documentation does it: an object a player, one call a game, nothing kept
but the new ratings. Timed is the whole loop: looking the players up, rating, putting the ratings back. Ours
is timed with its whole history: before, after, change, figure and count of every player and game. The process
keeps what memory it was given, as one does that rates piece after piece; what the first piece costs more, the
system giving its pages, is the column ``in_fresh_memory``.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.leagues import Games, draw_games, scores_of
from ratings.registry import get_system
from ratings.run.replay import Log, Pool, log_fields, log_results, replay

PLAYERS = 2000
#: Few games for the slow ones: what counts is games per second. A peer's take some milliseconds at least.
GAMES = {"ours": 200_000, "peer": 4_000}
#: Turns within a round, so that a busy second of the machine meets all alike.
TURNS = 5


def log_of(games: Games, system: str) -> Log:
    """Return games as the replay reads them."""
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


#: Of glibc's mallopt: what it gives back from the end of the heap, and how many blocks it asks the system for alone.
TRIM_THRESHOLD, MMAP_MAX = -1, -4


def keep_memory() -> Any:
    """Let this process keep the memory that it frees, and take every block from it; returns glibc."""
    glibc = ctypes.CDLL("libc.so.6")
    for option, value in ((MMAP_MAX, 0), (TRIM_THRESHOLD, 2**31 - 1)):
        if not glibc.mallopt(option, value):
            raise OSError("glibc does not let its memory be kept.")
    return glibc


def ours(system: str, games: Games, compiled: bool) -> float:
    """Return our games per second, history included."""
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
    """Elo of riix, two players: all games in one call, which takes them one after the other as ours does."""
    from riix.models.elo import Elo

    model = Elo(competitors=list(range(PLAYERS)))
    outcomes = (games.places[:, 0] == 1).astype(float)

    def run() -> None:
        model.iterative_update(games.players, outcomes)

    return run


FOUR = {"openskill PlackettLuce": peer_openskill, "trueskill": peer_trueskill}
TWO = {"elote Elo": peer_elote, "glicko2": peer_glicko2, "riix Elo": peer_riix, **FOUR}
#: The package of the same system, against which a system of others is wanted 100 times as fast.
OWN = {"rungs weng_lin": "openskill PlackettLuce", "rungs trueskill": "trueskill", "rungs glicko2": "glicko2"}


def measure(rounds: int) -> list[dict[str, Any]]:
    """Measure every kernel and every peer, round after round; medians of games per second."""
    many, few = draw_games(GAMES["ours"], 3, 4, PLAYERS), draw_games(GAMES["peer"], 3, 4, PLAYERS)
    pairs, few_pairs = draw_games(GAMES["ours"], 4, 2, PLAYERS), draw_games(GAMES["peer"], 4, 2, PLAYERS)
    three = draw_games(GAMES["ours"], 5, 3, PLAYERS)
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
    for system, games in sheets:
        ours(system, games, compiled=True)
    found: dict[tuple[str, int], list[float]] = {}
    fresh: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds * TURNS):
        for system, games in sheets:
            key = (f"rungs {system}", games.players.shape[1])
            glibc.malloc_trim(0)
            fresh.setdefault(key, []).append(ours(system, games, True))
            found.setdefault(key, []).append(ours(system, games, True))
        for peers, games in ((FOUR, few), (TWO, few_pairs)):
            for name, peer in peers.items():
                found.setdefault((name, games.players.shape[1]), []).append(speed(peer(games), len(games)))
    return in_ratios(*({key: statistics.median(speeds) for key, speeds in each.items()} for each in (found, fresh)))


def in_ratios(medians: dict[tuple[str, int], float], fresh: dict[tuple[str, int], float]) -> list[dict[str, Any]]:
    """Return a row each with its ratio to a yardstick: the fastest peer of two players, otherwise openskill.

    A system that a package has, too, also with its ratio to that one. ``fresh``: ours in memory that the system gives.
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
    """Return the games per second of a run."""
    start = time.perf_counter()
    run()
    return games / (time.perf_counter() - start)
