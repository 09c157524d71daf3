"""Benchmark of contexts: a replay, and recording a game, in one and in three contexts.

The modes of games share them out; each of the whole contexts has every game.
"""

import statistics
from functools import partial
from typing import Any

import numpy as np
from django.db import connection, transaction

from bench.database import fill, forget, timed
from bench.leagues import Games, moment_of
from league.core.db.bulk import write_columns
from league.core.db.columns import is_postgres
from league.core.dispatch.sweep import replay_league
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.leagues.services.contexts import NewContext, create_context, remove_context
from league.core.replay.services.contexts import replay_pending_contexts
from league.models import Context, ContextChange, Game, GameValue, League

MODES = ("arena", "blitz", "duel")
#: What is measured -> the contexts of the league.
SETTINGS = {
    "none": [],
    "one": [NewContext("all", "All")],
    "three": [
        NewContext("all", "All"),
        NewContext("four", "Four", {"sides": 4}),
        NewContext("one", "One", {"sizes": 1}),
    ],
    "three modes": [NewContext(mode, mode, {"field.mode": [mode]}) for mode in MODES],
}
#: Games recorded in each setting and round; the first ones are not counted.
RECORDED, SKIPPED = 40, 10


def measure(system: str, games: Games, rounds: int) -> dict[str, Any]:
    """Measure one league: medians of interleaved rounds, as ratios to one context with every game."""
    league = fill("contexts", system, games)
    give_modes(league, len(games))
    replay_league(league.pk)
    record_some(league, games, "first")
    replays: dict[str, list[float]] = {name: [] for name in SETTINGS}
    records: dict[str, list[float]] = {name: [] for name in SETTINGS}
    for turn in range(rounds):
        for name, contexts in SETTINGS.items():
            choose_contexts(league, contexts)
            records[name].append(record_some(league, games, f"{name}/{turn}"))
            empty(league)
            replays[name].append(timed(partial(replay_league, league.pk)))
            lines = ContextChange.objects.filter(league=league, step=1).values("number").distinct().count()
            assert lines == (Game.objects.filter(league=league).count() if contexts else 0), (name, lines)
    replay, record = ({name: statistics.median(found) for name, found in one.items()} for one in (replays, records))
    return {
        "system": system,
        "games": len(games),
        "replay_s": replay["one"],
        "record_ms": 1000 * record["one"],
        **{f"replay, {name} / one": seconds / replay["one"] for name, seconds in replay.items() if name != "one"},
        **{f"record, {name} / one": seconds / record["one"] for name, seconds in record.items() if name != "one"},
    }


def give_modes(league: League, count: int) -> None:
    """Declare the mode of games, and give each game one."""
    field = declare_field(league.pk, NewField("mode", "Mode", "game", "choice", list(MODES)), username="bench")
    keys = np.array(Game.objects.filter(league=league).order_by("number").values_list("pk", flat=True))
    columns: dict[str, Any] = {
        "league": ("key", np.full(count, league.pk)),
        "field": ("key", np.full(count, field.pk)),
        "game": ("key", keys),
        "seat": ("small", np.zeros(count, dtype=np.int64)),
        "value": ("text", np.random.default_rng(1).integers(0, len(MODES), count)),
    }
    with transaction.atomic():
        write_columns(GameValue, columns, {"value": MODES})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def choose_contexts(league: League, contexts: list[NewContext]) -> None:
    """Give a league exactly these contexts, computed."""
    for slug in Context.objects.filter(league=league).values_list("slug", flat=True):
        remove_context(league.pk, slug, username="bench")
    for context in contexts:
        create_context(league.pk, context, username="bench")
    replay_pending_contexts(league.pk)


def empty(league: League) -> None:
    """Empty the derived tables of a league and its contexts."""
    forget(league)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM league_contextrating")
        cursor.execute("TRUNCATE league_contextchange" if is_postgres() else "DELETE FROM league_contextchange")


def record_some(league: League, games: Games, name: str) -> float:
    """Return the median seconds of recording a game with a mode at the end of a league."""
    seats = games.players.shape[1]
    seconds = []
    for number in range(RECORDED):
        results = [NewResult(f"{league.slug}-p{seat:05}", float(10 * (2 * seat + 1 - seats))) for seat in range(seats)]
        at = moment_of(len(games) + RECORDED)
        mode = {"mode": MODES[number % len(MODES)]}
        new = NewGame(results=results, played_at=at, fields=mode, external_id=f"{name}/{number}")
        seconds.append(timed(partial(record_game, league.pk, new, by="bench")))
    return statistics.median(seconds[SKIPPED:])
