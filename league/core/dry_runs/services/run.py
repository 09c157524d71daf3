"""Previews of rules, corrections, voids, merges and other changes: each is a dry run of the real service.

Workers pass ``progress``, as they may do long replays: see ``rollback.dry_run``.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from django.utils import timezone

from league.core.calendar import ALWAYS, LATEST, day_of, start_of_day
from league.core.dry_runs.services.diff import Diff, LeagueDiffs
from league.core.dry_runs.services.rollback import dry_run, dry_runs
from league.core.games.selectors.games import counting_game, find_game
from league.core.games.services.game_input import NewGame, check_form
from league.core.games.services.game_order import order_games
from league.core.games.services.record import Expectation, correct_game, record_game, restore_game, void_game
from league.core.games.services.split_players import Split, split_player, undo_split
from league.core.jobs.services.progress import Progress
from league.core.leagues.selectors.adjustments import find_adjustment
from league.core.leagues.selectors.rules import rules_of
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.leagues import adopt_rule, suppose_rule
from league.core.permissions import Viewer, refuse_foreign
from league.core.players.services.affected_leagues import Permission, find_leagues_of
from league.core.players.services.merges import (
    find_leagues_to_unmerge,
    find_merge_position,
    find_unmerge_position,
    merge_players,
    unmerge_player,
)
from league.core.players.services.players import set_initial_rating
from league.core.replay.services.history import Position
from league.models import Game, League, Player, RatingChange, Rule

DRY_RUN_AUTHOR = "a dry run"
#: Inspects the data after the change, before it is rolled back; gets the voided or new game.
Inspection = Callable[[Game], object]
#: A position after every game, for changes that affect no rated game.
NEVER = (datetime(9999, 1, 1, tzinfo=UTC), 0)


def ignore_game(game: Game) -> None:
    """Inspect nothing."""


def preview_rule(
    league: League,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date | None,
    season: Mapping[str, Any] | None = None,
    start: str = Rule.Start.REPLAYED,
    progress: Progress | None = None,
) -> Diff:
    """Preview a new rule; raises the errors of ``adopt_rule``.

    A future change of the rating system is previewed as if it took effect today.
    """
    # The default date of ``adopt_rule``; it also refuses dates outside the calendar.
    day = from_date or (day_of(timezone.now(), league.time_zone) if rules_of(league) else ALWAYS)
    return dry_run(
        league.pk,
        find_position_of_day(league, system, day),
        lambda: adopt_rule(league.pk, system, parameters, from_date, season, start, by=DRY_RUN_AUTHOR, at_once=True),
        progress,
    )


def preview_rule_since(
    league: League,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date,
    season: Mapping[str, Any] | None = None,
    start: str = Rule.Start.REPLAYED,
    progress: Progress | None = None,
) -> Diff:
    """Preview a rule from a past day on, ignoring closed periods and later rules.

    The league must have a rule. Raises Invalid or Refused if the new rule is not possible.
    """
    return dry_run(
        league.pk,
        find_position_of_day(league, system, from_date),
        lambda: suppose_rule(league.pk, system, parameters, from_date, season, start, by=DRY_RUN_AUTHOR),
        progress,
    )


def find_position_of_day(league: League, system: str, day: date) -> Position | None:
    """Return the position from which a rule affects ratings; None if it affects all games.

    Another system affects all games.
    """
    rules = rules_of(league)
    late = bool(rules) and rules[0].from_date < day <= LATEST and {one.system for one in rules} == {system}
    return (start_of_day(day, league.time_zone), 0) if late else None


def preview_correction(
    league: League,
    number: int,
    new: NewGame,
    reason: str,
    expect: Expectation | None = None,
    inspect: Inspection = ignore_game,
    progress: Progress | None = None,
) -> Diff:
    """Preview a correction; raises the errors of ``correct_game``."""
    old = find_game(league, number)
    has_time = new.played_at is not None and new.played_at.tzinfo is not None
    since = min(old.played_at, new.played_at) if has_time and new.played_at is not None else old.played_at
    return dry_run(
        league.pk,
        (since, old.order_key),
        lambda: inspect(correct_game(league.pk, number, new, reason=reason, by=DRY_RUN_AUTHOR, expect=expect).game),
        progress,
    )


def preview_game(league: League, new: NewGame, progress: Progress | None = None) -> Diff:
    """Preview a new game; raises the errors of ``record_game``."""
    check_form(new)
    # A new game comes after all others of its time.
    position = (new.played_at or timezone.now(), league.last_number + 1)
    return dry_run(league.pk, position, lambda: record_game(league.pk, new, by=DRY_RUN_AUTHOR), progress)


def preview_void(
    league: League,
    number: int,
    reason: str,
    expect: Expectation | None = None,
    inspect: Inspection = ignore_game,
    progress: Progress | None = None,
) -> Diff:
    """Preview voiding a game; raises the errors of ``void_game``."""
    position = find_game(league, number).position
    return dry_run(
        league.pk,
        position,
        lambda: inspect(void_game(league.pk, number, reason=reason, by=DRY_RUN_AUTHOR, expect=expect)),
        progress,
    )


def preview_restoration(
    league: League,
    number: int,
    reason: str,
    expect: Expectation | None = None,
    inspect: Inspection = ignore_game,
    progress: Progress | None = None,
) -> Diff:
    """Preview restoring a game; raises the errors of ``restore_game``."""
    old = find_game(league, number)
    replaced = counting_game(league, old.order_key)
    since = min(game.played_at for game in (old, replaced) if game is not None)
    return dry_run(
        league.pk,
        (since, old.order_key),
        lambda: inspect(restore_game(league.pk, number, reason=reason, by=DRY_RUN_AUTHOR, expect=expect).game),
        progress,
    )


def preview_order(
    league: League, numbers: Sequence[int], expect: Expectation | None = None, progress: Progress | None = None
) -> Diff:
    """Preview another order of games with the same time; raises the errors of ``order_games``."""
    games = [find_game(league, number) for number in numbers]
    position = min((game.position for game in games), default=NEVER)
    return dry_run(
        league.pk, position, lambda: order_games(league.pk, numbers, by=DRY_RUN_AUTHOR, expect=expect), progress
    )


def preview_start(league: League, player: Player, rating: float, progress: Progress | None = None) -> Diff:
    """Preview another initial rating; raises the errors of ``set_initial_rating``."""
    first = RatingChange.objects.filter(league=league, player=player, games=1, step=1)
    known = first.values_list("at", "order_key").first() or NEVER
    # If a replay is due, the history may lack the player's first game.
    position = known if league.stale_from is None else None
    return dry_run(
        league.pk, position, lambda: set_initial_rating(league.pk, player, rating, by=DRY_RUN_AUTHOR), progress
    )


def preview_adjustment(
    league: League, player: Player, points: AdjustmentData, progress: Progress | None = None
) -> Diff:
    """Preview an adjustment; raises the errors of ``adjust``."""
    since = (points.at or timezone.now(), 0)
    return dry_run(league.pk, since, lambda: adjust(league.pk, player, points, by=DRY_RUN_AUTHOR), progress)


def preview_adjustment_void(league: League, number: int, reason: str, progress: Progress | None = None) -> Diff:
    """Preview voiding an adjustment; raises the errors of ``void_adjustment``."""
    since = (find_adjustment(league, number).at, 0)
    return dry_run(
        league.pk, since, lambda: void_adjustment(league.pk, number, reason=reason, by=DRY_RUN_AUTHOR), progress
    )


def preview_merge(
    player: Player, into: Player, viewer: Viewer | None = None, progress: Progress | None = None
) -> LeagueDiffs:
    """Preview a merge in each affected league, by title; raises the errors of ``merge_players``.

    ``viewer`` must organise each of these leagues.
    """
    return dry_run_leagues(
        find_leagues_of(player),
        lambda league: find_merge_position(league, player, into),
        lambda: merge_players(player, into, by=DRY_RUN_AUTHOR, allow=build_permission(viewer)),
        progress,
    )


def preview_unmerge(player: Player, viewer: Viewer | None = None, progress: Progress | None = None) -> LeagueDiffs:
    """Preview undoing a merge in each affected league; raises the errors of ``unmerge_player``."""
    into = player.merged_into or player
    return dry_run_leagues(
        find_leagues_to_unmerge(player),
        lambda league: find_unmerge_position(league, player, into),
        lambda: unmerge_player(player, by=DRY_RUN_AUTHOR, allow=build_permission(viewer)),
        progress,
    )


def build_permission(viewer: Viewer | None) -> Permission | None:
    """Return a check that the viewer organises all affected leagues."""
    return None if viewer is None else partial(refuse_foreign, viewer)


def preview_split(league: League, split: Split, reason: str, viewer: Viewer, progress: Progress | None = None) -> Diff:
    """Preview splitting off games of a player; raises the errors of ``split_player``."""
    allow = partial(refuse_foreign, viewer)
    return dry_run(
        league.pk,
        find_first_position(league, split.numbers),
        lambda: split_player(league.pk, split, reason=reason, by=DRY_RUN_AUTHOR, viewer=viewer, allow=allow),
        progress,
    )


def preview_join(
    league: League,
    numbers: Sequence[tuple[int, int]],
    reason: str,
    viewer: Viewer,
    progress: Progress | None = None,
) -> Diff:
    """Preview undoing a split; raises the errors of ``undo_split``."""
    allow = partial(refuse_foreign, viewer)
    return dry_run(
        league.pk,
        find_first_position(league, [new for _, new in numbers]),
        lambda: undo_split(league.pk, numbers, reason=reason, by=DRY_RUN_AUTHOR, allow=allow),
        progress,
    )


def find_first_position(league: League, numbers: Collection[int]) -> Position:
    """Return the position of the first of these games."""
    found = league.games.filter(number__in=set(numbers)).order_by("played_at", "order_key").first()
    return NEVER if found is None else found.position


def dry_run_leagues(
    affected: Collection[int],
    position_in: Callable[[int], Position | None],
    act: Callable[[], object],
    progress: Progress | None,
) -> LeagueDiffs:
    """Return the diffs of ``act`` in several leagues, ordered by title."""
    diffs = dry_runs({league: position_in(league) or NEVER for league in affected}, act, progress)
    return [(league, diffs[league.pk]) for league in League.objects.filter(pk__in=diffs).order_by("title", "slug")]
