"""Replays of contexts: by the same functions as a league's own replay, on the league as it is read in each context."""

from collections.abc import Sequence
from contextlib import suppress

from django.db import transaction
from django.utils.translation import gettext as _

from league.core.contexts.scopes import load_contexts, load_scopes, scope_league
from league.core.db.isolation import lift_timeouts, long_snapshot
from league.core.errors import Busy
from league.core.locking import lock
from league.core.replay.services.between_games import start_of_replay
from league.core.replay.services.compute import ComputedHistory, Replay
from league.core.replay.services.context_games import read_shared_log
from league.core.replay.services.history import GameLog, Position, write_history
from league.core.replay.services.ratings import put_ratings
from league.core.rules.selectors.rules import load_rules
from league.models import Context, League

#: How often contexts are computed without the lock, before they are computed under it.
TRIES = 3


def replay_contexts(league: League, position: Position | None, *, compiled: bool = False) -> None:
    """Replay the contexts of a locked league from a position, after the league itself."""
    scopes = load_scopes(league)
    log = read_shared_log(scopes, position)
    for scope in scopes:
        replay_scope(scope, position, compiled=compiled, log=log)


def replay_scope(
    scope: League, position: Position | None, *, compiled: bool = False, log: GameLog | None = None
) -> None:
    """Replay a league that is read in a context from a position (None: from the start).

    ``log``: all games of the league from the position, if they are known.
    """
    rules = load_rules(scope)
    if rules:
        start = start_of_replay(scope, position, rules)
        replay = Replay.read(scope, start, rules, log if start == position else None)
        write_scope(replay, replay.lines(compiled=compiled))


def write_scope(replay: Replay, computed: ComputedHistory) -> None:
    """Write the computed history and ratings of a context."""
    put_ratings(replay, computed, write_history(replay.league, replay.position, replay.known.stored, computed.lines))


def mark_contexts_pending(league: League) -> None:
    """Mark all contexts of a league as about to be computed, because its own replay waits for a worker."""
    if league.has_contexts:
        league.contexts.update(pending=True)


def replay_pending_contexts(league_id: int) -> int:
    """Compute the pending contexts of a league, which must not be locked, and return their number.

    They are computed without the lock, and written if nothing was logged meanwhile. While the league's own replay
    waits, nothing is done: it is followed by this.
    """
    for attempt in range(TRIES + 1):
        with long_snapshot():
            league = League.objects.filter(pk=league_id, stale_from=None).first()
            contexts = [] if league is None else load_contexts(league, pending=True)
            if league is None or not contexts:
                return 0
            replays = [] if attempt == TRIES else _read_whole([scope_league(league, context) for context in contexts])
        computed = [(replay, replay.lines(compiled=True)) for replay in replays]
        with suppress(_Changed), transaction.atomic():
            lift_timeouts()
            locked = lock(league_id)
            if locked.stale_from is not None:
                return 0
            if attempt == TRIES:
                for context in load_contexts(locked, pending=True):
                    replay_scope(scope_league(locked, context), None, compiled=True)
            elif locked.log_length != league.log_length or locked.replays != league.replays:
                raise _Changed
            else:
                for replay, lines in computed:
                    write_scope(replay, lines)
            Context.objects.filter(pk__in=[context.pk for context in contexts]).update(pending=False)
            locked.replays += 1
            locked.save(update_fields=["replays"])
            return len(contexts)
    raise Busy(_("The league keeps changing; its contexts will be computed again soon."))


class _Changed(Exception):
    """The league has changed since its contexts were computed."""


def _read_whole(scopes: Sequence[League]) -> list[Replay]:
    """Read the input of replays of contexts from the start; none without rules."""
    log = read_shared_log(scopes, None)
    return [Replay.read(scope, None, rules, log) for scope in scopes if (rules := load_rules(scope))]
