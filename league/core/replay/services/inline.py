"""Replays: recompute derived data from the facts.

The history before a position stays; everything from there is recomputed from the states stored
at that position. The result is bit-identical to a full replay.
"""

import time
from collections.abc import Iterable
from typing import Any

from django.conf import settings

from league.core.contexts.scopes import load_scopes
from league.core.jobs import queue
from league.core.ladders.selectors.ladders import load_ladders
from league.core.ladders.selectors.tallies import RatedLines
from league.core.ladders.services.periods import refresh_ladders
from league.core.monitoring.telemetry import METERS
from league.core.replay.services.between_games import start_of_replay
from league.core.replay.services.compute import (
    Replay,
    build_rated_lines,
    load_earlier_lines,
)
from league.core.replay.services.contexts import mark_contexts_pending, replay_contexts
from league.core.replay.services.history import (
    ComputedLines,
    Position,
    build_at_or_after_condition,
    write_history,
)
from league.core.replay.services.ratings import put_ratings
from league.core.rules.selectors.rules import load_rules
from league.models import Game, League, Period
from league.models.contexts import changes_of, ratings_of
from league.models.facts import RESULT
from league.models.recorded import DECLARED

#: The league's fields for a pending replay, and for changes while one is running.
MARKS = ("stale_from", "stale_key", "touched_from", "touched_key")


def replay_from(league: League, position: Position | None, *, compiled: bool = False) -> int:
    """Replay from a position in the order, inclusive (None: from the start). The league must be locked.

    Returns the number of games replayed. Nothing before the position changes; if an earlier
    replay is pending, it begins there.
    """
    if position is not None and league.stale_from is not None:
        position = min(position, (league.stale_from, league.stale_key))
    rules = load_rules(league)
    position = start_of_replay(league, position, rules)
    games = recompute(Replay.read(league, position, rules), compiled=compiled) if rules else 0
    mark_fresh(league)
    replay_contexts(league, position, compiled=compiled)
    return games


def recompute(replay: Replay, *, compiled: bool) -> int:
    """Recompute history, ratings and standings of a replay; return its number of games."""
    computed = replay.lines(compiled=compiled)
    affected = write_history(replay.league, replay.position, replay.known.stored, computed.lines)
    put_ratings(replay, computed, affected)
    refresh_ladder_standings(replay, computed.lines)
    return len(replay.known.log.games)


def refresh_ladder_standings(replay: Replay, lines: ComputedLines) -> None:
    """Update the ladders from the replay's lines and the stored lines before its position."""
    league, position, log = replay.league, replay.position, replay.known.log
    if not load_ladders(league):
        return
    if position is None:
        refresh_ladders(league, None, lines=build_rated_lines(lines, log))
        return
    periods = list(Period.objects.filter(league=league, ends_at__gt=position[0]).select_related("rule"))
    all_lines = RatedLines.joined([load_earlier_lines(league, position, periods), build_rated_lines(lines, log)])
    refresh_ladders(league, position[0], lines=all_lines)


def catch_up(league: League, position: Position | None, new_count: int = 1) -> None:
    """Replay from a position (None: from the first game): now if few games follow, else in a worker.

    ``new_count``: the number of new games; all but one of them do not count as following. The task is enqueued after
    the commit; until it has run, the games from the position are pending.
    """
    if league.eventful:
        position = start_of_replay(league, position, load_rules(league))
    if not has_many_following_games(league, position, new_count):
        start = time.perf_counter()
        games = replay_from(league, position)
        METERS.observe("rungs_replay_seconds", time.perf_counter() - start, "inline")
        METERS.count("rungs_replayed_games_total", "inline", by=games)
        return
    mark_stale(league, position or find_first_position(league))
    queue.enqueue("league.replay", league.pk)


def has_many_following_games(league: League, position: Position | None, new_count: int = 1) -> bool:
    """Return whether a replay from a position (None: the start) needs a worker; ``new_count`` as in ``catch_up``."""
    max_games = settings.RUNGS_INLINE_GAMES + new_count - 1
    return league.stale_from is not None or count_games_from(league, position, max_games + 1) > max_games


def take_over(league: League, old: Game | None, game: Game) -> None:
    """Rate a game that takes the place of another, now void one, if there is one.

    If both have the same rated facts, the history only refers to the new game.
    """
    if old is not None and _collect_rated_facts(old) == _collect_rated_facts(game):
        rename_lines(league, old, game)
        return
    rate_again(league, [version for version in (old, game) if version is not None])


def rate_again(league: League, games: Iterable[Game]) -> None:
    """Replay from the first rated one of some games, if any."""
    positions = [game.position for game in games if game.kind == Game.Kind.PLAYED]
    if positions:
        catch_up(league, min(positions))


def _collect_rated_facts(game: Game) -> tuple[Any, ...] | None:
    """Return all data of a game that affects ratings, including its position; None for unrated games."""
    if game.kind != Game.Kind.PLAYED:
        return None
    lines = game.results.order_by("seat").values_list("player", *RESULT)
    # Contexts choose games by declared fields.
    return game.position, game.fields, game.details.get(DECLARED), game.weight, list(lines)


def rename_lines(league: League, old: Game, game: Game) -> None:
    """Change the history's references from one game to another; the league must be locked."""
    if game.kind != Game.Kind.PLAYED:
        return
    if league.stale_from is not None and old.position >= (league.stale_from, league.stale_key):
        # A running replay may have read the old game.
        catch_up(league, old.position)
        return
    for scope in (league, *load_scopes(league)):
        lines = changes_of(scope).filter(at=old.played_at, order_key=old.order_key, number=old.number)
        players = list(lines.values_list("player", flat=True))
        lines.update(game=game, number=game.number)
        ratings_of(scope).filter(player__in=players, last_number=old.number).update(last_number=game.number)


def find_first_position(league: League) -> Position:
    """Return the position of the first game of a league; the league must have one."""
    first = league.games.order_by("played_at", "order_key").values_list("played_at", "order_key").first()
    assert first is not None, "there are games to be replayed"
    return first


def mark_stale(league: League, position: Position) -> None:
    """Mark the history from a position for a replay; the league must be locked.

    A running background replay finds changes since it read the facts in ``touched_from``.
    """
    if league.eventful:
        position = start_of_replay(league, position, load_rules(league)) or find_first_position(league)
    if league.stale_from is None or position < (league.stale_from, league.stale_key):
        league.stale_from, league.stale_key = position
    if league.touched_from is None or position < (league.touched_from, league.touched_key):
        league.touched_from, league.touched_key = position
    league.save(update_fields=list(MARKS))
    mark_contexts_pending(league)


def mark_fresh(league: League) -> None:
    """Mark the history as up to date; the league must be locked."""
    league.stale_from, league.stale_key, league.touched_from, league.touched_key = None, 0, None, 0
    league.replays += 1
    league.save(update_fields=[*MARKS, "replays"])


def count_games_from(league: League, position: Position | None, limit: int) -> int:
    """Return the number of games at or after a position (None: all), at most ``limit``."""
    games = Game.objects.filter(build_at_or_after_condition(position, "played_at"), league=league)
    return games[:limit].count()
