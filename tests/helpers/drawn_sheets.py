"""Sheets that are drawn by chance."""

from collections.abc import Mapping
from itertools import count
from random import Random
from typing import Any

from hypothesis import strategies as st

from league.core.games.services.game_input import NewGame
from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import replay_from
from league.models import League
from tests.helpers.builders import sheet

FIVE_PLAYERS = ("anna", "ben", "cleo", "dan", "eva")


def draw_sheet(dice: Random, system: str, minute: int) -> Any:
    """Return a game at a moment that it may share with others, with scores or places or a friendly without either."""
    people = dice.sample(FIVE_PLAYERS, 3 if system == "preferans" else dice.choice((2, 3, 4)))
    kind = dice.choice(("played", "played", "played", "friendly"))
    if system == "preferans":
        first, second = dice.choice(((-100, 50), (30, 30), (0, 0)))
        scores = (first, second, -first - second)
        return sheet(people, scores, minutes=minute // 3, details={"bula": 30}, kind=kind)
    if dice.random() < 0.4:
        return sheet(people, places=[dice.choice((1, index + 1)) for index in range(len(people))], minutes=minute // 3)
    return sheet(people, [dice.choice((1, 2, 3)) for _ in people], minutes=minute // 3, kind=kind)


SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
#: Each world: system, parameters, players at a table, how a sheet is made of a permutation and scores.
WORLDS: dict[str, tuple[str, Mapping[str, Any], int]] = {
    "elo": ("elo", {"provisional_games": 3}, 2),
    "elo of five": ("elo", {}, 5),
    "barbu": ("barbu", {}, 4),
    "barbu, everybody pays": ("barbu", {"zero_sum": "league"}, 4),
    "durak": ("durak", {}, 4),
    "serpentine": ("serpentine", {}, 3),
    "preferans": ("preferans", {}, 3),
    "dropped_weng_lin": ("dropped_weng_lin", {"tau": 0.1}, 4),
}


def make_sheet(system: str, size: int, seats: list[str], scores: list[int], minutes: int) -> NewGame:
    """Return a sheet that the system accepts, made of drawn players and scores."""
    players = seats[:size]
    if system in ("durak", "dropped_weng_lin"):
        return sheet(players, places=list(range(1, size + 1)), minutes=minutes)
    details = {"bula": 20 + scores[0] % 20} if system == "preferans" else {}
    return sheet(players, scores[:size], minutes=minutes, details=details)


#: What to do, the minute (few of them, so that games share one), who, what scores, and which game.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["record", "record", "record", "void", "correct"]),
        st.integers(0, 6),
        st.permutations(SIX),
        st.lists(st.integers(0, 300), min_size=5, max_size=5),
        st.integers(1, 12),
    ),
    min_size=1,
    max_size=14,
)


def replay_from_nothing(league: League, *, compiled: bool = False) -> None:
    """Replay the whole league under its lock."""
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None, compiled=compiled))


SLUGS = (f"club-{number}" for number in count())
