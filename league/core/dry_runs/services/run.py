"""What a rule, a correction, a void or a merge would change: each a dry run of the real thing.

``progress`` is a worker's, who may take the time of a long replay: see ``rollback.dry_run``.
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
from league.core.players.services.affected_leagues import Permission, leagues_of
from league.core.players.services.merges import (
    leagues_to_unmerge,
    merge_players,
    position_of_merge,
    position_of_unmerge,
    unmerge_player,
)
from league.core.players.services.players import set_initial_rating
from league.core.replay.services.history import Position
from league.models import Game, League, Player, RatingChange, Rule

NOBODY = "a dry run"
#: Looks at the league's data as the change leaves them, before it is taken back; gets the game that was voided or
#: written.
Look = Callable[[Game], object]
#: After everything: where no rated game is concerned, no period is.
NEVER = (datetime(9999, 1, 1, tzinfo=UTC), 0)


def unseen(game: Game) -> None:
    """Look at nothing."""


def preview_rule(
    league: League,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date | None,
    season: Mapping[str, Any] | None = None,
    start: str = Rule.Start.REPLAYED,
    progress: Progress | None = None,
) -> Diff:
    """Tell what a rule from a day on would change; raises what ``adopt_rule`` raises.

    Of another system from a day to come: what it would change today.
    """
    # Without a date adopt_rule takes today, or always where it is the first rule; it refuses days out of the calendar.
    day = from_date or (day_of(timezone.now(), league.time_zone) if rules_of(league) else ALWAYS)
    return dry_run(
        league.pk,
        position_of_day(league, system, day),
        lambda: adopt_rule(league.pk, system, parameters, from_date, season, start, by=NOBODY, at_once=True),
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
    """Tell how the league would stand had a rule been in force since a day, closed periods and later rules or not.

    The league must have a rule. Raises Invalid and Refused if it cannot have this one.
    """
    return dry_run(
        league.pk,
        position_of_day(league, system, from_date),
        lambda: suppose_rule(league.pk, system, parameters, from_date, season, start, by=NOBODY),
        progress,
    )


def position_of_day(league: League, system: str, day: date) -> Position | None:
    """Return the position of the first game of a day that is rated by a rule from that day on.

    None with another system: its ratings come from all games.
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
    look: Look = unseen,
    progress: Progress | None = None,
) -> Diff:
    """Tell what a correction would change; raises what ``correct_game`` raises."""
    old = find_game(league, number)
    moved = new.played_at is not None and new.played_at.tzinfo is not None
    since = min(old.played_at, new.played_at) if moved and new.played_at is not None else old.played_at
    return dry_run(
        league.pk,
        (since, old.order_key),
        lambda: look(correct_game(league.pk, number, new, reason=reason, by=NOBODY, expect=expect).game),
        progress,
    )


def preview_game(league: League, new: NewGame, progress: Progress | None = None) -> Diff:
    """Return what recording a game would change; raises what ``record_game`` raises."""
    check_form(new)
    # A new game comes after all others of its time.
    position = (new.played_at or timezone.now(), league.last_number + 1)
    return dry_run(league.pk, position, lambda: record_game(league.pk, new, by=NOBODY), progress)


def preview_void(
    league: League,
    number: int,
    reason: str,
    expect: Expectation | None = None,
    look: Look = unseen,
    progress: Progress | None = None,
) -> Diff:
    """Tell what voiding a game would change; raises what ``void_game`` raises."""
    position = find_game(league, number).position
    return dry_run(
        league.pk,
        position,
        lambda: look(void_game(league.pk, number, reason=reason, by=NOBODY, expect=expect)),
        progress,
    )


def preview_restoration(
    league: League,
    number: int,
    reason: str,
    expect: Expectation | None = None,
    look: Look = unseen,
    progress: Progress | None = None,
) -> Diff:
    """Tell what restoring a game would change; raises what ``restore_game`` raises."""
    old = find_game(league, number)
    instead = counting_game(league, old.order_key)
    since = min(game.played_at for game in (old, instead) if game is not None)
    return dry_run(
        league.pk,
        (since, old.order_key),
        lambda: look(restore_game(league.pk, number, reason=reason, by=NOBODY, expect=expect).game),
        progress,
    )


def preview_order(
    league: League, numbers: Sequence[int], expect: Expectation | None = None, progress: Progress | None = None
) -> Diff:
    """Tell what another order of the games of one time would change; raises what ``order_games`` raises."""
    games = [find_game(league, number) for number in numbers]
    position = min((game.position for game in games), default=NEVER)
    return dry_run(league.pk, position, lambda: order_games(league.pk, numbers, by=NOBODY, expect=expect), progress)


def preview_start(league: League, player: Player, rating: float, progress: Progress | None = None) -> Diff:
    """Tell what another initial rating would change; raises what ``set_initial_rating`` raises."""
    first = RatingChange.objects.filter(league=league, player=player, games=1, step=1)
    known = first.values_list("at", "order_key").first() or NEVER
    # Where a replay is due, the history may not know the player's first game yet.
    position = known if league.stale_from is None else None
    return dry_run(league.pk, position, lambda: set_initial_rating(league.pk, player, rating, by=NOBODY), progress)


def preview_adjustment(
    league: League, player: Player, points: AdjustmentData, progress: Progress | None = None
) -> Diff:
    """Tell what an adjustment would change; raises what ``adjust`` raises."""
    since = (points.at or timezone.now(), 0)
    return dry_run(league.pk, since, lambda: adjust(league.pk, player, points, by=NOBODY), progress)


def preview_adjustment_void(league: League, number: int, reason: str, progress: Progress | None = None) -> Diff:
    """Tell what voiding an adjustment would change; raises what ``void_adjustment`` raises."""
    since = (find_adjustment(league, number).at, 0)
    return dry_run(league.pk, since, lambda: void_adjustment(league.pk, number, reason=reason, by=NOBODY), progress)


def preview_merge(
    player: Player, into: Player, viewer: Viewer | None = None, progress: Progress | None = None
) -> LeagueDiffs:
    """Tell what a merge would change in each affected league, by title; raises what ``merge_players`` raises.

    ``viewer`` is who asks: they must organise each of these leagues.
    """
    return in_leagues(
        leagues_of(player),
        lambda league: position_of_merge(league, player, into),
        lambda: merge_players(player, into, by=NOBODY, allow=allowed(viewer)),
        progress,
    )


def preview_unmerge(player: Player, viewer: Viewer | None = None, progress: Progress | None = None) -> LeagueDiffs:
    """Tell what taking back a merge would change in each affected league; raises what ``unmerge_player`` raises."""
    into = player.merged_into or player
    return in_leagues(
        leagues_to_unmerge(player),
        lambda league: position_of_unmerge(league, player, into),
        lambda: unmerge_player(player, by=NOBODY, allow=allowed(viewer)),
        progress,
    )


def allowed(viewer: Viewer | None) -> Permission | None:
    """Return what looks at the leagues that a change of players concerns: the viewer organises all of them."""
    return None if viewer is None else partial(refuse_foreign, viewer)


def preview_split(league: League, split: Split, reason: str, viewer: Viewer, progress: Progress | None = None) -> Diff:
    """Tell what splitting off games of a player would change; raises what ``split_player`` raises."""
    allow = partial(refuse_foreign, viewer)
    return dry_run(
        league.pk,
        first_of(league, split.numbers),
        lambda: split_player(league.pk, split, reason=reason, by=NOBODY, viewer=viewer, allow=allow),
        progress,
    )


def preview_join(
    league: League,
    numbers: Sequence[tuple[int, int]],
    reason: str,
    viewer: Viewer,
    progress: Progress | None = None,
) -> Diff:
    """Tell what taking a split back would change; raises what ``join_again`` raises."""
    allow = partial(refuse_foreign, viewer)
    return dry_run(
        league.pk,
        first_of(league, [new for _, new in numbers]),
        lambda: undo_split(league.pk, numbers, reason=reason, by=NOBODY, allow=allow),
        progress,
    )


def first_of(league: League, numbers: Collection[int]) -> Position:
    """Return the position of the first game among these numbers."""
    found = league.games.filter(number__in=set(numbers)).order_by("played_at", "order_key").first()
    return NEVER if found is None else found.position


def in_leagues(
    affected: Collection[int],
    position_in: Callable[[int], Position | None],
    act: Callable[[], object],
    progress: Progress | None,
) -> LeagueDiffs:
    """Return the diffs of an act in several leagues, by their titles."""
    diffs = dry_runs({league: position_in(league) or NEVER for league in affected}, act, progress)
    return [(league, diffs[league.pk]) for league in League.objects.filter(pk__in=diffs).order_by("title", "slug")]
