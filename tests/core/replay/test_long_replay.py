"""The long replay: what comes meanwhile, readers all the while, workers and connections that die on the way."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection, connections
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from league.core.db.isolation import long_snapshot
from league.core.dispatch import sweep
from league.core.games.services.record import correct_game, record_game, void_game
from league.core.jobs.services import work
from league.core.jobs.services.progress import Progress
from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.locking import run_with_league_lock
from league.core.replay.services import background, current_ratings
from league.core.replay.services.inline import catch_up, replay_from
from league.models import Game, Job, League, Rating, RatingChange, Standing
from ratings.run import replay as replay_module
from tests.helpers.builders import derived, make_league, record, sheet
from tests.helpers.drawn_sheets import SIX
from tests.helpers.ladder_builders import make_ladder
from tests.helpers.processes import die
from tests.helpers.tiers import mark_slow

pytestmark = pytest.mark.engine


ROOT = Path(__file__).parents[3]
PHASES = ("reading the games", "computing", "writing the history", "ranking the ladders", "catching up")
alone = pytest.mark.django_db
together = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nothing_in_line() -> Iterator[None]:
    """Have every replay wait for a worker."""
    with override_settings(RUNGS_INLINE_GAMES=0):
        yield


def club(games: int = 14, system: str = "barbu") -> League:
    """Return a league with a monthly ladder, of which the third game was corrected and waits for its replay."""
    league = make_league(system, SIX)
    make_ladder(league, method="erf_mean" if system == "barbu" else "points")
    for number in range(games):
        record(league, table(number))
    correct_game(league.pk, 3, table(2, 7), reason="misread", username="test")
    league.refresh_from_db()
    assert league.stale_from is not None
    return league


def table(number: int, more: int = 0) -> Any:
    """Return the sheet of a game of four of the six, played so many minutes into the evening."""
    seats = [SIX[(number + step) % 6] for step in range(4)]
    return sheet(seats, [10 + more, 20, 30 - more, 40 + number], minutes=number)


def everything(league: League) -> list[Any]:
    """Return everything derived of a league."""
    rows = Standing.objects.filter(period__ladder__league=league).order_by("period__key", "player__handle")
    return [*derived(league), list(rows.values_list("period__key", "player__handle", "score", "games", "why_not"))]


def from_nothing(league: League) -> list[Any]:
    """Return everything derived of a league after a replay from nothing under the lock."""
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    return everything(league)


def at(phase: str, act: Callable[[], Any]) -> Progress:
    """Return what listens to a replay, and acts once when it comes to a phase."""
    acts = [act]

    def told(now: str, done: int, total: int) -> None:
        if now == phase and acts:
            acts.pop()()

    return told


MEANWHILE: dict[str, Callable[[League], Any]] = {
    "the newest game": lambda league: record(league, table(99)),
    "an old game": lambda league: record(league, table(1, 7)),
    "the oldest game": lambda league: record(league, sheet(SIX[:4], (4, 3, 2, 1), minutes=-600)),
    "a void game": lambda league: void_game(league.pk, 10, reason="twice", username="test"),
    "the first game void": lambda league: void_game(league.pk, 1, reason="twice", username="test"),
    "a correction": lambda league: correct_game(league.pk, 9, table(8, 3), reason="misread", username="test"),
    "a ladder": lambda league: create_ladder(
        league.pk, "year", "Year", RankingRule("points", "year", {"count": "scores"}), username="test"
    ),
    "nothing": lambda league: None,
}


#: Act, phase and system; script/test runs four acts in one phase, and two in the other.
CAUGHT_UP = [
    f"{what}; {phase}; {system}" for system in ("barbu", "serpentine") for phase in ("computing", "ranking the ladders")
    for what in MEANWHILE
]  # fmt: skip
QUICKLY = {
    *CAUGHT_UP[: len(MEANWHILE) : 2],
    "an old game; ranking the ladders; barbu",
    "a ladder; ranking the ladders; barbu",
}


@alone
@pytest.mark.parametrize("case", mark_slow(CAUGHT_UP, "Another system, another phase.", but=QUICKLY))
def test_what_comes_meanwhile_is_caught_up(case: str) -> None:
    what, phase, system = case.split("; ")
    league = club(system=system)
    done = background.run_long_replay(league.pk, at(phase, lambda: MEANWHILE[what](league)))
    league.refresh_from_db()
    assert (league.stale_from, league.touched_from) == (None, None)
    assert done.games == 12, "the first two games are before the corrected one"
    assert (done.caught_up > 0) == (what not in ("nothing", "a ladder"))
    stands = everything(league)
    assert stands == from_nothing(league)
    assert stands[2]


@pytest.mark.slow("Compiles; tests/core/replay/test_replay_properties.py holds what moves everybody.")
@alone
def test_a_system_that_moves_everybody_is_caught_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "WORTH_COMPILING", 0)  # the sums under the lock are plain, and the same
    league = make_league("barbu", SIX, parameters={"zero_sum": "league"})
    for number in range(12):
        record(league, table(number))
    void_game(league.pk, 2, reason="twice", username="test")
    background.run_long_replay(league.pk, at("computing", lambda: record(league, table(30))))
    stands = everything(league)
    assert stands == from_nothing(league)


@alone
def test_a_league_that_somebody_replayed_under_the_lock_is_left_as_it_stands() -> None:
    league = club()
    told = at("computing", lambda: run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None)))
    assert background.run_long_replay(league.pk, told).games == 0
    assert everything(league) == from_nothing(league)


@alone
def test_much_that_comes_is_read_anew_and_not_caught_up_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "CATCH_UP", 5)
    league = club()
    done = background.run_long_replay(
        league.pk, at("computing", lambda: void_game(league.pk, 4, reason="twice", username="test"))
    )
    assert (done.games, done.caught_up) == (11, 0)
    assert everything(league) == from_nothing(league)


@alone
def test_a_league_that_changes_all_the_time_stays_due(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club()
    monkeypatch.setattr(
        background, "swap_history", lambda *arguments: (_ for _ in ()).throw(background.ReplayOvertaken)
    )
    assert sweep.run_due_replay(league.pk) == 0
    job = Job.objects.get()
    assert job.problem
    assert (job.state, job.problem["code"]) == ("failed", "busy")
    league.refresh_from_db()
    assert league.stale_from is not None
    assert sweep.enqueue_due() == [], "it waits a while after a failure"


@alone
def test_a_fault_of_the_database_that_lasts_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise OperationalError("disk full")

    league = club()
    monkeypatch.setattr(background, "write_history", full)
    with pytest.raises(OperationalError, match="disk full"):
        sweep.run_due_replay(league.pk)


@alone
def test_the_job_says_what_was_done_and_nothing_is_due_then() -> None:
    league = club()
    job = sweep.find_or_create_job(league, "replay")
    assert sweep.find_or_create_job(league, "replay") == job
    assert work.claim(job.pk)
    assert sweep.run_due_replay(league.pk) == 0, "another worker's replay is left to it"
    Job.objects.update(state="waiting", beat_at=None)
    assert sweep.run_due_replay(league.pk) == 12
    job = Job.objects.get()
    assert job.result
    assert (job.kind, job.state, job.result["games"], job.result["caught_up"]) == ("replay", "done", 12, 0)
    assert 0 <= job.result["locked"] <= job.result["seconds"]
    assert sweep.run_due_replay(league.pk) == 0
    assert background.run_long_replay(league.pk).games == 0
    assert Job.objects.count() == 1


@alone
def test_two_workers_who_open_a_job_at_once_open_one(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club(4)
    job = sweep.find_or_create_job(league, "replay")
    # Both looked before either had written.
    monkeypatch.setattr("django.db.models.query.QuerySet.first", lambda self: None)
    assert sweep.find_or_create_job(league, "replay") == job


@together
def test_readers_see_the_old_or_the_new_and_recording_goes_on() -> None:
    league = club(120)
    old, stop = everything(league), threading.Event()
    seen: list[Any] = []

    def read() -> None:
        try:
            while not stop.is_set():
                with long_snapshot():
                    seen.append(everything(league))
        finally:
            connections.close_all()

    def recorded() -> None:
        """Record a game from another connection while the replay's transaction is open, on PostgreSQL."""

        def post() -> None:
            try:
                record_game(league.pk, table(200), by="server")
            finally:
                connections.close_all()

        thread = threading.Thread(target=post)
        thread.start()
        thread.join(20)
        assert not thread.is_alive(), "recording must not wait for the replay"

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    phase = "ranking the ladders" if connection.vendor == "postgresql" else "computing"
    done = background.run_long_replay(league.pk, at(phase, recorded))
    new = everything(league)
    stop.set()
    for reader in readers:
        reader.join()
    assert done.caught_up == 1
    assert new == from_nothing(league)
    assert len(seen) > 3
    assert all(one in (old, new) for one in seen)


@alone
def test_a_game_recorded_meanwhile_is_pending_until_the_swap() -> None:
    league = club()
    states = []

    def look() -> None:
        game = record(league, table(50))
        league.refresh_from_db()
        assert league.stale_from is not None
        states.append((game.number, Game.objects.get(pk=game.pk).played_at >= league.stale_from))

    background.run_long_replay(league.pk, at("computing", look))
    assert states == [(16, True)]


@together
@pytest.mark.parametrize(
    "phase", mark_slow([*PHASES, "committing", "ending"], "A process is started for each.", but=["committing"])
)
def test_a_worker_that_is_killed_leaves_nothing_half_done_and_the_sweep_resumes(
    phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = club(30)
    old = everything(league)
    die("replay", str(league.pk), phase)
    league.refresh_from_db()
    assert (league.stale_from is None) == (phase == "ending")
    if phase != "ending":
        assert everything(league) == old
    record(league, table(70))
    job = Job.objects.get()
    assert job.state == "running"
    assert work.enqueue_jobs() == [], "it is not known to be dead yet"
    monkeypatch.setattr(work, "LEASE", 0)
    assert work.enqueue_jobs() == [str(job.pk)]
    assert sweep.run_requested_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 2)
    league.refresh_from_db()
    assert league.stale_from is None
    new = everything(league)
    assert new == from_nothing(league)
    assert len(new[0]) == len(old[0]) + 4


@together
@pytest.mark.parametrize("phase", PHASES)
def test_a_connection_that_dies_leaves_the_job_to_the_sweep(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        return  # SQLite has no connection that could die without its process: see above
    league = club()
    old = everything(league)

    def cut() -> None:
        """End the replay's connection as a database that is shut down does."""
        other = connection.copy()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pid = cursor.fetchone()[0]
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        other.close()

    told = at(phase, cut)
    monkeypatch.setattr(work.Heartbeat, "__call__", lambda self, *step: told(*step))
    with pytest.raises(OperationalError):
        sweep.run_due_replay(league.pk)
    assert everything(league) == old
    assert Job.objects.get().state == "running"
    monkeypatch.setattr(work, "LEASE", 0)
    assert sweep.run_due_replay(league.pk) == 12
    assert everything(league) == from_nothing(league)


@alone
def test_a_period_that_closes_just_before_the_swap_is_settled_anew() -> None:
    league = make_league("elo", SIX)
    make_ladder(league, count="scores")
    for number in range(6):
        record(league, sheet(SIX[:2], (1, 0), minutes=number))
    close_period(league.pk, "month", "2024-03", reason="", username="test")
    void_game(league.pk, 6, reason="twice", username="test")
    background.run_long_replay(league.pk)
    period = league.ladders.get().periods.get(key="2024-03")
    assert period.closed
    assert period.awaits


@alone
def test_what_is_due_from_nothing_is_the_whole_league() -> None:
    league = club()
    run_with_league_lock(league.pk, lambda locked, now: catch_up(locked, None))
    assert sweep.replay_league(league.pk).games == 14
    assert everything(league) == from_nothing(league)
    assert settings.RUNGS_INLINE_GAMES == 0


@alone
@pytest.mark.parametrize("few", [2000, 0])
def test_a_peak_that_is_no_more_gives_way_to_the_one_before(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(current_ratings, "MAX_LOOKUPS", few)
    league = make_league("elo", ("anna", "ben", "cleo"))
    for number in range(2):
        record(league, sheet(["anna", "ben"], [1, 0], minutes=number))
    record(league, sheet(["cleo", "ben"], [1, 0], minutes=2))
    before = dict(Rating.objects.values_list("player__handle", "peak"))
    assert before["anna"] > 1510.0
    void_game(league.pk, 2, reason="never played", username="test")
    sweep.run_due_replay(league.pk)
    peaks = dict(Rating.objects.values_list("player__handle", "peak"))
    # K = 20: from 1500 each, anna won 10 points; ben lost them, and never stood higher after a game.
    assert (peaks["anna"], peaks["ben"]) == (1510.0, 1490.0)


@alone
def test_the_planner_is_told_where_the_history_has_grown_by_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "GROWTH", 30)
    league = club(30)
    told = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            sweep.replay_league(league.pk)
        told.append(sum(query["sql"].startswith("ANALYZE") for query in queries))
        RatingChange.objects.all().delete()
    # The first one finds all of the history but what followed the third game's time; the second one finds none.
    assert told == [0, 4 if connection.vendor == "postgresql" else 0]
