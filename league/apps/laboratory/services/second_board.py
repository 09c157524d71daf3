"""Choosing, building and dropping a league's second board, which another system computes from the same games.

A second board is for display only: log, exports, ladders and histories ignore it, and it rates no game (ruling R140).
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.selectors.second_board import SecondStandings, find_newest_job, has_failed
from league.apps.laboratory.services.questions import CandidateSystem, ExperimentQuestion
from league.apps.laboratory.services.read_games import read_games
from league.core.errors import Invalid, Problem, Refused, build_pointer
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import finish_job, refuse_cancelled, request_job
from league.core.locking import run_in_transaction, run_with_league_lock
from league.core.rules.selectors.rules import find_rule_of_shown_ratings, load_rules
from league.models import Job, League
from ratings.contract.parameters import ParameterError
from ratings.laboratory.board import compute_standings
from ratings.laboratory.report import Unjudgeable
from ratings.registry import UnknownSystem, get_system

#: Pause before a board is rebuilt: this long, or this many times its build time if that is longer (1 % of a worker).
MIN_PAUSE, PAUSE_PER_BUILD_TIME = timedelta(minutes=10), 100
#: How long an ended job is stored for the user who requested it; a league's last job is stored as long as any job.
JOB_LIFETIME = timedelta(hours=1)
#: Total number of steps in the reported progress.
PROGRESS_STEPS = 1000
#: Fields of a board that was not built yet.
EMPTY_BOARD = {"log_sha256": "", "made_at": None, "games": 0, "last_number": None, "why_not": None, "standings": b""}


def choose_second_board(league_id: int, system: str, parameters: Mapping[str, Any], *, username: str = "") -> Job:
    """Choose the second board of a league; returns the job that builds it.

    Choosing the current one again rebuilds it. Raises Invalid with a pointer if the system or its parameters are
    invalid, and Refused if the league has no rule yet or already rates by that system with these parameters.
    """
    try:
        selected = CandidateSystem(system, get_system(system).whole(parameters))
    except UnknownSystem as error:
        raise Invalid.of([Problem("/system", "unknown_system", str(error.args[0]))]) from None
    except ParameterError as error:
        problems = [
            Problem(build_pointer("parameters", name), "invalid", message) for name, message in error.problems.items()
        ]
        raise Invalid.of(problems) from None

    def replace_board(league: League, now: datetime) -> Job:
        rules = load_rules(league)
        if not rules:
            raise Refused(_("The league has no rule yet, so there are no rated games to rank players by."))
        rule, candidate = find_rule_of_shown_ratings(league, rules), selected.with_winner_of(rules)
        if (rule.system, rule.parameters) == (candidate.system, candidate.parameters):
            text = _("The league already rates by {system}; choose another system or other parameters.")
            raise Refused.of([Problem("/system", "same", text.format(system=candidate.label))])
        requested = {"system": candidate.system, "parameters": dict(candidate.parameters)}
        board = SecondBoard.objects.select_for_update().filter(league=league)
        stored = board.values("system", "parameters").first()
        # Not compared in SQL, because SQLite compares JSON as text, and there 40 differs from 40.0.
        if stored != requested:
            SecondBoard.objects.update_or_create(
                league=league, defaults=requested | EMPTY_BOARD | {"chosen_at": now, "chosen_by": username}
            )
            league.also_rated_by = candidate.system
            league.save(update_fields=["also_rated_by"])
        # Running builds are obsolete now.
        running = Job.objects.filter(league=league, kind=Job.Kind.SECOND, state=Job.State.RUNNING)
        running.update(cancelled_by=username or "the site")
        return _request_build(league, username=username)

    return run_with_league_lock(league_id, replace_board, any_clock=True)


def drop_second_board(league_id: int) -> None:
    """Delete the second board of a league, if it has one."""

    def delete_board(league: League, now: datetime) -> None:
        SecondBoard.objects.filter(league=league).delete()
        league.also_rated_by = ""
        league.save(update_fields=["also_rated_by"])

    run_with_league_lock(league_id, delete_board, any_clock=True)


def _request_build(league: League, *, username: str = "") -> Job:
    """Return the waiting job that builds the board, or a new one.

    The caller must have locked or created the board's row, so that it sees jobs of concurrent requests.
    """
    league_jobs = Job.objects.filter(league=league, kind=Job.Kind.SECOND)
    waiting_job = league_jobs.filter(state=Job.State.WAITING).first()
    if waiting_job is not None:
        return waiting_job
    league_jobs.filter(ended_at__lt=timezone.now() - JOB_LIFETIME).delete()
    return request_job(league, Job.Kind.SECOND, by=username, arguments={"log_sha256": league.log_sha256})


def build_second_board(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Build the second board of a job's league; returns its numbers of games and players.

    If the system cannot rate the games, the reason is stored instead of a board. If another board was chosen meanwhile,
    nothing is stored.
    """
    league = job.league
    board = SecondBoard.objects.defer("standings").filter(league=league).first()
    if board is None:  # dropped meanwhile
        return {"games": 0, "players": 0}
    progress("reading the games", 0, PROGRESS_STEPS)
    candidate = CandidateSystem(board.system, board.parameters)
    games_read = read_games(league, ExperimentQuestion([candidate]))
    standings, why_not = SecondStandings.nothing(), None
    try:
        if games_read.played.games:
            result = compute_standings(
                candidate.rating_system,
                games_read.played,
                lambda share: progress("computing", round(PROGRESS_STEPS * share), PROGRESS_STEPS),
                compiled=True,
            )
            # The state columns of SecondStandings have this width.
            states = np.zeros((4, len(games_read.keys)))
            states[: result.values.shape[1]] = result.values.T
            rating, first, second, third = states
            standings = SecondStandings(games_read.keys, result.scores, rating, first, second, third, result.games)
    except Unjudgeable as error:
        why_not = error.sentence.as_json()
    progress("writing", PROGRESS_STEPS, PROGRESS_STEPS)
    game_count, last_number = (0, None) if why_not else (games_read.played.games, games_read.last_number)
    summary = {"games": game_count, "players": len(standings)}
    unchanged_board = SecondBoard.objects.filter(league=league, chosen_at=board.chosen_at)
    # Board and job are written together, so that a job that a killed worker left is run again.
    with transaction.atomic():
        # Lock the board before the job, as choose_second_board does, to avoid a deadlock.
        unchanged_board.select_for_update().values_list("pk").first()
        refuse_cancelled(job)
        unchanged_board.update(
            log_sha256=games_read.log_sha256,
            made_at=timezone.now(),
            games=game_count,
            last_number=last_number,
            why_not=why_not,
            standings=standings.to_npz() if len(standings) else b"",
        )
        finish_job(job, result=summary)
    return summary


def request_due_second_boards(now: datetime | None = None) -> list[str]:
    """Request a rebuild of the second boards whose leagues have changed; returns the ids of the jobs.

    Boards built recently wait for ``MIN_PAUSE``; boards whose job failed wait for the next change.
    """
    current_time = now or timezone.now()
    return _request_builds(
        _list_second_boards().exclude(log_sha256=F("league__log_sha256")), lambda board: _is_due(board, current_time)
    )


def request_all_second_boards() -> list[str]:
    """Request a rebuild of every second board without an open job; returns the ids of the jobs.

    Boards do not record the version of the program, so a daily rebuild replaces those of earlier versions.
    """

    def has_no_open_job(board: SecondBoard) -> bool:
        last = find_newest_job(board.league)
        return last is None or last.ended_at is not None

    return _request_builds(_list_second_boards(), has_no_open_job)


def _list_second_boards() -> QuerySet[SecondBoard]:
    return SecondBoard.objects.defer("standings").select_related("league").order_by("pk")


def _request_builds(boards: QuerySet[SecondBoard], is_wanted: Callable[[SecondBoard], bool]) -> list[str]:
    """Request the boards for which ``is_wanted`` holds; returns the ids of the jobs.

    Of two concurrent sweeps, the first locks the board's row and the second skips it.
    """

    def ask_once(key: int) -> Job | None:
        board = boards.select_for_update(of=("self",), skip_locked=True).filter(pk=key).first()
        return _request_build(board.league) if board is not None and is_wanted(board) else None

    keys = [board.pk for board in boards if is_wanted(board)]
    jobs = [run_in_transaction(partial(ask_once, key)) for key in keys]
    return [str(job.pk) for job in jobs if job is not None]


def _is_due(board: SecondBoard, now: datetime) -> bool:
    job = find_newest_job(board.league)
    if job is None:
        return True
    if job.ended_at is None:
        return False
    if board.made_at is None and job.state == Job.State.DONE:  # it built a board that was replaced meanwhile
        return True
    build_time = job.ended_at - (job.started_at or job.ended_at)
    return not has_failed(job, board.league) and now - job.ended_at >= max(MIN_PAUSE, PAUSE_PER_BUILD_TIME * build_time)
