"""A second system's board beside a league's own: chosen, made by a worker of the rated games, rebuilt, taken away.

It is how a league shows itself, and no fact: nothing of it is in the log, in exports, ladders and histories, and no
game is rated by it (ruling R140).
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
from league.apps.laboratory.selectors.second_board import SecondStandings, failed_at, newest_job
from league.apps.laboratory.services.questions import CandidateSystem, ExperimentQuestion
from league.apps.laboratory.services.read_games import read_games
from league.core.errors import Invalid, Problem, Refused, pointer_to
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import ask, finish_job, refuse_cancelled
from league.core.leagues.selectors.rules import rule_shown, rules_of
from league.core.locking import in_transaction, with_league_lock
from league.models import Job, League
from ratings.contract.parameters import ParameterError
from ratings.laboratory.board import standings_after
from ratings.laboratory.report import Unjudgeable
from ratings.registry import UnknownSystem, get_system

#: A board is rebuilt after this pause, or after this many times its build time (1 % of a worker), if that is longer.
PAUSE, SHARE = timedelta(minutes=10), 100
#: How long an ended job is stored for the user who requested it; a league's last job is stored as long as any job.
JOB_LIFETIME = timedelta(hours=1)
#: Steps of which a job tells how many are done.
STEPS = 1000
#: A board that was not made yet.
EMPTY_BOARD = {"log_sha256": "", "made_at": None, "games": 0, "last_number": None, "why_not": None, "standings": b""}


def choose_second_board(league_id: int, system: str, parameters: Mapping[str, Any], *, by: str = "") -> Job:
    """Show the board by a system beside the league's own from now on; returns the job that makes it.

    One that is shown already is rebuilt, and shown meanwhile. Raises Invalid with a pointer where system or
    parameters are none, Refused if the league rates nothing yet, or by that system with these parameters.
    """
    try:
        chosen = CandidateSystem(system, get_system(system).whole(parameters))
    except UnknownSystem as error:
        raise Invalid.of([Problem("/system", "unknown_system", str(error.args[0]))]) from None
    except ParameterError as error:
        problems = [Problem(pointer_to("parameters", name), "invalid", said) for name, said in error.problems.items()]
        raise Invalid.of(problems) from None

    def work(league: League, now: datetime) -> Job:
        rules = rules_of(league)
        if not rules:
            raise Refused(_("The league has no rule yet, so there are no rated games to rank players by."))
        rule, choice = rule_shown(league, rules), chosen.counting(rules)
        if (rule.system, rule.parameters) == (choice.system, choice.parameters):
            sentence = _("The league already rates by {system}; choose another system or other parameters.")
            raise Refused.of([Problem("/system", "same", sentence.format(system=choice.label))])
        wanted = {"system": choice.system, "parameters": dict(choice.parameters)}
        board = SecondBoard.objects.select_for_update().filter(league=league)
        there = board.values("system", "parameters").first()
        # Compared here: SQLite compares JSON as text, by which 40 and 40.0 are two.
        if there != wanted:
            SecondBoard.objects.update_or_create(
                league=league, defaults=wanted | EMPTY_BOARD | {"chosen_at": now, "chosen_by": by}
            )
            league.second_system = choice.system
            league.save(update_fields=["second_system"])
        # What is being made is overtaken: it writes nothing, and no one waits for it.
        running = Job.objects.filter(league=league, kind=Job.Kind.SECOND, state=Job.State.RUNNING)
        running.update(cancelled_by=by or "the site")
        return ask_to_make(league, by=by)

    return with_league_lock(league_id, work, any_clock=True)


def drop_second_board(league_id: int) -> None:
    """Show the league's own board alone; if there is no other one, nothing changes."""

    def work(league: League, now: datetime) -> None:
        SecondBoard.objects.filter(league=league).delete()
        league.second_system = ""
        league.save(update_fields=["second_system"])

    with_league_lock(league_id, work, any_clock=True)


def ask_to_make(league: League, *, by: str = "") -> Job:
    """Return the job that will make the board: one that waits already, else a new one.

    Who asks holds the row of the board, or has just made it, so that what others have asked for is seen.
    """
    jobs = Job.objects.filter(league=league, kind=Job.Kind.SECOND)
    waiting = jobs.filter(state=Job.State.WAITING).first()
    if waiting is not None:
        return waiting
    jobs.filter(ended_at__lt=timezone.now() - JOB_LIFETIME).delete()
    return ask(league, Job.Kind.SECOND, by=by, arguments={"log_sha256": league.log_sha256})


def second_board_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Make the second board of a job's league; what comes of it says of how many games and players it is made.

    A system that cannot rate the games keeps the reason in place of the board. What was chosen meanwhile is left alone.
    """
    league = job.league
    board = SecondBoard.objects.defer("standings").filter(league=league).first()
    if board is None:  # it was taken away meanwhile
        return {"games": 0, "players": 0}
    progress("reading the games", 0, STEPS)
    choice = CandidateSystem(board.system, board.parameters)
    reading = read_games(league, ExperimentQuestion([choice]))
    made, why_not = SecondStandings.nothing(), None
    try:
        if reading.played.games:
            found = standings_after(
                choice.built,
                reading.played,
                lambda share: progress("computing", round(STEPS * share), STEPS),
                compiled=True,
            )
            # States are as wide as the tables are.
            wide = np.zeros((4, len(reading.keys)))
            wide[: found.values.shape[1]] = found.values.T
            rating, first, second, third = wide
            made = SecondStandings(reading.keys, found.scores, rating, first, second, third, found.games)
    except Unjudgeable as error:
        why_not = error.sentence.as_json()
    progress("writing", STEPS, STEPS)
    games, last = (0, None) if why_not else (reading.played.games, reading.last_number)
    told = {"games": games, "players": len(made)}
    same = SecondBoard.objects.filter(league=league, chosen_at=board.chosen_at)
    # Either it was cancelled, or the board stands: a worker that dies or waits too long here is followed by another.
    with transaction.atomic():
        # The board before the job, as who chooses another one locks them: else each may wait for the other.
        same.select_for_update().values_list("pk").first()
        refuse_cancelled(job)
        same.update(
            log_sha256=reading.log_sha256,
            made_at=timezone.now(),
            games=games,
            last_number=last,
            why_not=why_not,
            standings=made.packed() if len(made) else b"",
        )
        finish_job(job, result=told)
    return told


def ask_second_boards(now: datetime | None = None) -> list[str]:
    """Have second boards rebuilt whose books have changed since; returns the jobs' ids.

    One that was made a moment ago waits a while, and one whose job failed until the books change again.
    """
    at = now or timezone.now()
    return ask_for(all_boards().exclude(log_sha256=F("league__log_sha256")), lambda board: is_due(board, at))


def ask_all_second_boards() -> list[str]:
    """Have every second board rebuilt of which no job is open; returns the jobs' ids.

    No board says by which code it was made. So what another version computes otherwise is there for a day at most.
    """

    def has_no_open_job(board: SecondBoard) -> bool:
        last = newest_job(board.league)
        return last is None or last.ended_at is not None

    return ask_for(all_boards(), has_no_open_job)


def all_boards() -> QuerySet[SecondBoard]:
    """Return all second boards with their leagues, without their standings."""
    return SecondBoard.objects.defer("standings").select_related("league").order_by("pk")


def ask_for(boards: QuerySet[SecondBoard], is_wanted: Callable[[SecondBoard], bool]) -> list[str]:
    """Have those of some boards made that are wanted; returns the jobs' ids.

    Two sweeps may find the same board wanting: which of them comes first holds its row, the other one lets it be.
    """

    def ask_once(key: int) -> Job | None:
        board = boards.select_for_update(of=("self",), skip_locked=True).filter(pk=key).first()
        return ask_to_make(board.league) if board is not None and is_wanted(board) else None

    wanted = [board.pk for board in boards if is_wanted(board)]
    asked = [in_transaction(partial(ask_once, key)) for key in wanted]
    return [str(job.pk) for job in asked if job is not None]


def is_due(board: SecondBoard, now: datetime) -> bool:
    """Return whether a board whose books have changed is to be rebuilt."""
    last = newest_job(board.league)
    if last is None:
        return True
    if last.ended_at is None:
        return False
    if board.made_at is None and last.state == Job.State.DONE:  # it made what another choice has overtaken
        return True
    took = last.ended_at - (last.started_at or last.ended_at)
    return not failed_at(last, board.league) and now - last.ended_at >= max(PAUSE, SHARE * took)
