"""Previews of rules, corrections, voids, merges and other changes: each is a dry run of the real service.

Workers pass ``progress``, as they may do long replays: see ``rollback.dry_run``.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, TypeVar

from django.utils import timezone

from league.core.calendar import ALWAYS, LATEST, compute_local_date, start_of_day
from league.core.dry_runs.services.diff import Diff, LeagueDiffs, load_diff, store_diff
from league.core.dry_runs.services.rollback import run_dry, run_dry_for_leagues
from league.core.games.selectors.games import find_counting_game, find_game
from league.core.games.services.game_input import NewGame, NewResult, check_form
from league.core.games.services.game_order import order_games
from league.core.games.services.record import Expectation, correct_game, record_game, restore_game, void_game
from league.core.games.services.split_players import Split, split_player, undo_split
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, WorkerNeeded, request_job
from league.core.leagues.selectors.adjustments import find_adjustment
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.leagues import adopt_rule, suppose_rule
from league.core.locking import get_data_revision
from league.core.permissions import Viewer, load_viewer, refuse_foreign, serialize_viewer
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
from league.core.rules.selectors.rules import load_rules
from league.models import Game, Job, League, Player, RatingChange, Rule

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
    sets: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Diff:
    """Preview a new rule; raises the errors of ``adopt_rule``.

    A future change of the rating system is previewed as if it took effect today.
    """
    # The default date of ``adopt_rule``; it also refuses dates outside the calendar.
    day = from_date or (compute_local_date(timezone.now(), league.time_zone) if load_rules(league) else ALWAYS)
    return run_dry(
        league.pk,
        find_position_of_day(league, system, day),
        lambda: adopt_rule(
            league.pk, system, parameters, from_date, season, start, sets, username=DRY_RUN_AUTHOR, at_once=True
        ),
        progress,
    )


def preview_rule_since(
    league: League,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date,
    season: Mapping[str, Any] | None = None,
    start: str = Rule.Start.REPLAYED,
    sets: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Diff:
    """Preview a rule from a past day on, ignoring closed periods and later rules.

    The league must have a rule. Raises Invalid or Refused if the new rule is not possible.
    """
    return run_dry(
        league.pk,
        find_position_of_day(league, system, from_date),
        lambda: suppose_rule(league.pk, system, parameters, from_date, season, start, sets, username=DRY_RUN_AUTHOR),
        progress,
    )


def find_position_of_day(league: League, system: str, day: date) -> Position | None:
    """Return the position from which a rule affects ratings; None if it affects all games.

    Another system affects all games.
    """
    rules = load_rules(league)
    late = bool(rules) and rules[0].from_date < day <= LATEST and {rule.system for rule in rules} == {system}
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
    from_time = min(old.played_at, new.played_at) if has_time and new.played_at is not None else old.played_at
    return run_dry(
        league.pk,
        (from_time, old.order_key),
        lambda: inspect(
            correct_game(league.pk, number, new, reason=reason, username=DRY_RUN_AUTHOR, precondition=expect).game
        ),
        progress,
    )


def preview_game(league: League, new: NewGame, progress: Progress | None = None) -> Diff:
    """Preview a new game; raises the errors of ``record_game``."""
    check_form(new)
    # A new game comes after all others of its time.
    position = (new.played_at or timezone.now(), league.last_number + 1)
    return run_dry(league.pk, position, lambda: record_game(league.pk, new, by=DRY_RUN_AUTHOR), progress)


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
    return run_dry(
        league.pk,
        position,
        lambda: inspect(void_game(league.pk, number, reason=reason, username=DRY_RUN_AUTHOR, precondition=expect)),
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
    replaced = find_counting_game(league, old.order_key)
    from_time = min(game.played_at for game in (old, replaced) if game is not None)
    return run_dry(
        league.pk,
        (from_time, old.order_key),
        lambda: inspect(
            restore_game(league.pk, number, reason=reason, username=DRY_RUN_AUTHOR, precondition=expect).game
        ),
        progress,
    )


def preview_order(
    league: League, numbers: Sequence[int], expect: Expectation | None = None, progress: Progress | None = None
) -> Diff:
    """Preview another order of games with the same time; raises the errors of ``order_games``."""
    games = [find_game(league, number) for number in numbers]
    position = min((game.position for game in games), default=NEVER)
    return run_dry(
        league.pk,
        position,
        lambda: order_games(league.pk, numbers, username=DRY_RUN_AUTHOR, precondition=expect),
        progress,
    )


def preview_start(league: League, player: Player, rating: float, progress: Progress | None = None) -> Diff:
    """Preview another initial rating; raises the errors of ``set_initial_rating``."""
    first = RatingChange.objects.filter(league=league, player=player, games=1, step=1)
    first_position = first.values_list("at", "order_key").first() or NEVER
    # If a replay is due, the history may lack the player's first game.
    position = first_position if league.stale_from is None else None
    return run_dry(
        league.pk, position, lambda: set_initial_rating(league.pk, player, rating, username=DRY_RUN_AUTHOR), progress
    )


def preview_adjustment(
    league: League, player: Player, points: AdjustmentData, progress: Progress | None = None
) -> Diff:
    """Preview an adjustment; raises the errors of ``adjust``."""
    position = (points.at or timezone.now(), 0)
    return run_dry(league.pk, position, lambda: adjust(league.pk, player, points, username=DRY_RUN_AUTHOR), progress)


def preview_adjustment_void(league: League, number: int, reason: str, progress: Progress | None = None) -> Diff:
    """Preview voiding an adjustment; raises the errors of ``void_adjustment``."""
    position = (find_adjustment(league, number).at, 0)
    return run_dry(
        league.pk,
        position,
        lambda: void_adjustment(league.pk, number, reason=reason, username=DRY_RUN_AUTHOR),
        progress,
    )


def preview_merge(
    player: Player, survivor: Player, viewer: Viewer | None = None, progress: Progress | None = None
) -> LeagueDiffs:
    """Preview a merge in each affected league, by title; raises the errors of ``merge_players``.

    ``viewer`` must organise each of these leagues.
    """
    return _preview_in_leagues(
        find_leagues_of(player),
        lambda league: find_merge_position(league, player, survivor),
        lambda: merge_players(player, survivor, username=DRY_RUN_AUTHOR, allow=build_permission(viewer)),
        progress,
    )


def preview_unmerge(player: Player, viewer: Viewer | None = None, progress: Progress | None = None) -> LeagueDiffs:
    """Preview undoing a merge in each affected league; raises the errors of ``unmerge_player``."""
    survivor = player.merged_into or player
    return _preview_in_leagues(
        find_leagues_to_unmerge(player),
        lambda league: find_unmerge_position(league, player, survivor),
        lambda: unmerge_player(player, username=DRY_RUN_AUTHOR, allow=build_permission(viewer)),
        progress,
    )


def build_permission(viewer: Viewer | None) -> Permission | None:
    """Return a check that the viewer organises all affected leagues."""
    return None if viewer is None else partial(refuse_foreign, viewer)


def preview_split(league: League, split: Split, reason: str, viewer: Viewer, progress: Progress | None = None) -> Diff:
    """Preview splitting off games of a player; raises the errors of ``split_player``."""
    allow = partial(refuse_foreign, viewer)
    return run_dry(
        league.pk,
        find_first_position(league, split.numbers),
        lambda: split_player(league.pk, split, reason=reason, username=DRY_RUN_AUTHOR, viewer=viewer, allow=allow),
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
    return run_dry(
        league.pk,
        find_first_position(league, [new for _, new in numbers]),
        lambda: undo_split(league.pk, numbers, reason=reason, username=DRY_RUN_AUTHOR, allow=allow),
        progress,
    )


def find_first_position(league: League, numbers: Collection[int]) -> Position:
    """Return the position of the first of these games."""
    first_game = league.games.filter(number__in=set(numbers)).order_by("played_at", "order_key").first()
    return NEVER if first_game is None else first_game.position


def _preview_in_leagues(
    affected: Collection[int],
    position_in: Callable[[int], Position | None],
    action: Callable[[], object],
    progress: Progress | None,
) -> LeagueDiffs:
    """Return the diffs of ``action`` in several leagues, ordered by title."""
    diffs = run_dry_for_leagues({league: position_in(league) or NEVER for league in affected}, action, progress)
    return [(league, diffs[league.pk]) for league in League.objects.filter(pk__in=diffs).order_by("title", "slug")]


T = TypeVar("T", bound=Diff | LeagueDiffs)
#: The dry runs that may be jobs.
PREVIEWS: Mapping[str, Callable[..., Diff | LeagueDiffs]] = {
    preview.__name__: preview
    for preview in (
        preview_rule,
        preview_rule_since,
        preview_correction,
        preview_void,
        preview_restoration,
        preview_order,
        preview_start,
        preview_merge,
        preview_unmerge,
        preview_split,
        preview_join,
        preview_adjustment,
        preview_adjustment_void,
    )
}
#: Types of arguments besides strings, numbers and None, and the functions that read their packed values.
ARGUMENT_TYPES: Mapping[str, Callable[..., Any]] = {
    kind.__name__: kind for kind in (NewGame, NewResult, AdjustmentData, Split, dict)
}
ARGUMENT_READERS: Mapping[str, Callable[[Any], Any]] = {
    "League": lambda key: League.objects.get(pk=key),
    "Player": lambda key: Player.objects.get(pk=key),
    "Viewer": load_viewer,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "list": lambda content: [unpack(one) for one in content],
}


@dataclass(frozen=True)
class DryRunRequest:
    """The author of a request for a dry run, and the data for a possible job.

    league: the job's league, by default the first affected one. tried: id of the job whose result to use, however old.
    form: the organiser's form, to be shown again.
    """

    by: str
    league: League | None = None
    tried: str = ""
    form: Mapping[str, Any] | None = None


def run_or_enqueue(request: DryRunRequest, preview: Callable[..., T], *arguments: Any, **checks: Any) -> T | Job:
    """Return the result of a preview, or the job that computes it; raises the errors of the preview.

    ``checks`` are arguments that a job does not get. A repeated request gets the same job while it runs, and afterwards
    until the data change.
    """
    try:
        return preview(*arguments, **checks)
    except WorkerNeeded as needed:
        league = request.league or League.objects.get(pk=needed.leagues[0])
        call = {"preview": preview.__name__, "given": pack(arguments), "leagues": needed.leagues}
        digest = hashlib.sha256(json.dumps(call, sort_keys=True).encode()).hexdigest()
        earlier_jobs = Job.objects.filter(
            league=league, kind=Job.Kind.DRY_RUN, asked_by=request.by, arguments__digest=digest
        )
        current = compute_revision(needed.leagues)
        for job in earlier_jobs.order_by("-asked_at"):
            is_current = job.result is not None and (job.result["revision"] == current or str(job.pk) == request.tried)
            if is_current or (job.state in OPEN and not job.cancelled_by):
                if request.form is not None:
                    # The job keeps the latest form, as its other fields, such as the reason, may have changed.
                    job.arguments["form"] = request.form
                    job.save(update_fields=["arguments"])
                return job
        stored = {**call, "digest": digest, "form": request.form}
        return request_job(league, Job.Kind.DRY_RUN, by=request.by, arguments=stored)


def compute_revision(leagues: list[int]) -> str:
    """Return a string that identifies the state of the leagues' data."""
    return "; ".join(get_data_revision(league) for league in League.objects.filter(pk__in=leagues).order_by("pk"))


def run_dry_run_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Run the dry run of a job. Its result has the revision of the data, which may have changed during the run."""
    revision = compute_revision(job.arguments["leagues"])
    diff = PREVIEWS[job.arguments["preview"]](*unpack(job.arguments["given"]), progress=progress)
    return {**store_diff(diff), "revision": revision}


def load_job_diff(job: Job) -> Diff | LeagueDiffs | None:
    """Return the result of a dry run's job; None if it has none."""
    return None if job.result is None else load_diff(job.result)


def pack(value: Any) -> Any:
    """Return a preview's argument in JSON types: strings, numbers and None unchanged, others as [type, value]."""
    kind, content = type(value).__name__, value
    if isinstance(value, League | Player):
        content = value.pk
    elif isinstance(value, Viewer):
        content = serialize_viewer(value)
    elif isinstance(value, date):
        content = value.isoformat()
    elif is_dataclass(value):
        content = {field.name: pack(getattr(value, field.name)) for field in fields(value)}
    elif isinstance(value, Mapping):
        kind, content = "dict", {name: pack(item) for name, item in value.items()}
    elif isinstance(value, list | tuple):
        kind, content = "list", [pack(item) for item in value]
    else:
        return value
    return [kind, content]


def unpack(value: Any) -> Any:
    """Return the argument packed by ``pack``."""
    if not isinstance(value, list):
        return value
    kind, content = value
    if kind in ARGUMENT_TYPES:
        return ARGUMENT_TYPES[kind](**{name: unpack(item) for name, item in content.items()})
    return ARGUMENT_READERS[kind](content)
