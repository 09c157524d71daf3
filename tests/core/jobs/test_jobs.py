"""Jobs: claimed once, seen while they run, taken up again where a worker died, ended with a result or a problem."""

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from league import tasks
from league.core.errors import Problem, Refused
from league.core.jobs.services import work
from league.core.jobs.services.progress import Progress
from league.models import Job
from league.models.record import ATTEMPTS
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, reread

pytestmark = pytest.mark.django_db


def wanted(**more: Any) -> Job:
    """Return a job that waits."""
    return work.request_job(more.pop("league", None) or make_league(), "import", by="server-7", **more)


def problem_of(job: Job) -> dict[str, Any]:
    """Return why a job failed."""
    return dict(reread(job).problem or {})


def test_a_job_is_done_once_and_keeps_its_result() -> None:
    job = wanted(arguments={"lines": 3})
    calls = []

    def count(found: Job, progress: Progress) -> dict[str, Any]:
        calls.append(found.arguments)
        progress("counting", 2, 3)
        assert reread(job).state == "running"
        assert not work.run_job(job.pk, {"import": count}), "a running job is nobody else's"
        return {"games": 7}

    assert work.run_job(job.pk, {"import": count})
    assert not work.run_job(job.pk, {"import": count})
    assert calls == [{"lines": 3}]
    done = reread(job)
    assert (done.state, done.result, done.problem, done.attempts) == ("done", {"games": 7}, None, 1)
    assert done.ended_at is not None
    late = wanted(league=job.league)

    def slow(found: Job, progress: Progress) -> dict[str, Any]:
        Job.objects.filter(pk=late.pk).update(attempts=2)
        return {"mine": True}

    work.run_job(late.pk, {"import": slow})
    assert (reread(late).state, reread(late).result) == ("running", None), "thought dead, it does not end another's job"


def test_a_refusal_is_the_jobs_problem() -> None:
    said = {"code": "unknown_player", "detail": "Line 1: no player is called “marco”."}

    def refuse(job: Job, progress: Progress) -> dict[str, Any]:
        raise Refused.of([Problem("/0/player", said["code"], said["detail"])])

    job = wanted()
    assert work.run_job(job.pk, {"import": refuse})
    assert reread(job).state == "failed"
    answer = Api("record").get(f"jobs/{job.pk}/").data
    assert answer["progress"] == 0.0
    assert answer["problem"] == {
        "type": "http://testserver/docs/problems/refused/", "title": "The league's rules do not allow this.",
        "status": 422, "code": "refused", "detail": said["detail"], "errors": [{"pointer": "/0/player", **said}],
    }  # fmt: skip


def test_a_job_of_a_capability_that_is_left_out_says_so() -> None:
    job = wanted()
    assert work.run_job(job.pk, {"replay": lambda job, progress: {}})
    assert reread(job).failure == "This site has left out the capability that does this job."


def test_a_database_that_goes_away_leaves_the_job_to_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(job: Job, progress: Progress) -> dict[str, Any]:
        raise OperationalError("server closed the connection unexpectedly")

    closed = []
    monkeypatch.setattr("league.core.jobs.services.work.connection.close", lambda: closed.append(True))
    job = wanted()
    with pytest.raises(OperationalError):
        work.run_job(job.pk, {"import": lose})
    assert closed
    assert reread(job).state == "running"


def test_the_sweep_finds_what_waits_and_what_has_lost_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    enqueued: list[Any] = []
    monkeypatch.setattr("league.core.jobs.queue.enqueue", lambda task, *arguments: enqueued.append((task, *arguments)))
    waiting, dead, alive, done = (wanted(league=league) for _ in range(4))
    enqueued.clear()
    now = timezone.now()
    Job.objects.filter(pk=dead.pk).update(state="running", beat_at=now - timedelta(seconds=work.LEASE + 1))
    Job.objects.filter(pk=alive.pk).update(state="running", beat_at=now)
    Job.objects.filter(pk=done.pk).update(state="done", beat_at=now - timedelta(days=1))
    tasks.sweep()
    assert {name for _, name in enqueued} == {str(waiting.pk), str(dead.pk)}
    assert work.run_job(dead.pk, {"import": lambda job, progress: {"again": job.attempts}})
    assert reread(dead).result == {"again": 1}


def test_a_job_that_kills_its_workers_is_given_up() -> None:
    job = wanted()
    Job.objects.filter(pk=job.pk).update(attempts=ATTEMPTS)
    assert work.run_job(job.pk, {})
    assert problem_of(job)["detail"] == "Tried 5 times, and the worker stopped each time; see its log."
    assert reread(job).failure == problem_of(job)["detail"]


def test_what_is_said_of_any_job_can_be_said_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Job, progress: Progress) -> dict[str, Any]:
        raise ZeroDivisionError

    league = make_league()
    broken, refused, stopped, done = (wanted(league=league) for _ in range(4))
    with pytest.raises(ZeroDivisionError):
        work.run_job(broken.pk, {"import": fail})
    Job.objects.filter(pk=refused.pk).update(problem={"code": "unknown_player", "detail": "Line 1: who is “marco”?"})
    Job.objects.filter(pk=stopped.pk).update(cancelled_by="olga", problem={"code": "cancelled", "detail": "Stored."})
    monkeypatch.setattr("league.models.record._", lambda text: f"<{text}>")
    assert problem_of(broken)["code"] == "error"
    assert reread(broken).failure == "<This job failed on the server; see its log.>"
    assert reread(refused).failure == "Line 1: who is “marco”?"
    assert reread(stopped).failure == "<Cancelled by olga. Nothing was saved.>"
    assert reread(done).failure == ""


@pytest.mark.parametrize(("language", "kept"), [("de", {"language": "de"}), ("en", {}), (None, {})])
def test_a_job_speaks_the_language_of_who_asked(language: str | None, kept: dict[str, str]) -> None:
    with translation.override(language):
        job = wanted()
    heard = []

    def listen(job: Job, progress: Progress) -> dict[str, Any]:
        heard.append(translation.get_language())
        return {}

    with translation.override("de"):
        assert work.run_job(job.pk, {"import": listen})
        assert translation.get_language() == "de"
    assert (job.arguments, heard) == (kept, [language or "en"])


def test_the_task_does_the_job_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = {"import": lambda job, progress: {"kind": job.kind}}
    monkeypatch.setattr("league.core.dispatch.sweep.load_mapping", lambda read: declared)
    job = wanted()
    assert tasks.job(str(job.pk))
    assert reread(job).result == {"kind": "import"}
    assert not tasks.job(str(uuid4()))


def test_a_job_is_for_those_who_may_record_in_its_league() -> None:
    league = make_league(visibility="private")
    job = wanted(league=league)
    path, api = f"jobs/{job.pk}/", Api("record")
    api.get(path)
    with CaptureQueriesContext(connection) as queries:
        answer = api.get(path)
    assert len(queries) == 2, queries.captured_queries
    assert (answer.status_code, answer["Retry-After"]) == (200, "1")
    assert answer.data["url"] == f"http://testserver/api/v1/{path}"
    assert (answer.data["state"], answer.data["progress"], answer.data["kind"]) == ("waiting", 0.0, "import")
    Job.objects.filter(pk=job.pk).update(state="running", done=31, total=124, phase="writing")
    assert Api("record", name="second").get(path).data["progress"] == 0.25
    for other in (Api(), Api("read", name="reader"), Api("record", (make_league(slug="other"),), "another")):
        assert other.get(path).status_code == 404
    for name in ("7", str(uuid4()), "x" * 99):
        assert Api("organise", name=name[:20]).get(f"jobs/{name}/").status_code == 404


def test_the_admin_shows_jobs(olga: Client) -> None:
    job = wanted()
    Job.objects.filter(pk=job.pk).update(state="running", done=1, total=2, phase="writing the history")
    for path in ("/admin/league/job/", f"/admin/league/job/{job.pk}/change/"):
        page = olga.get(path)
        assert page.status_code == 200
        assert "50%" in page.content.decode()
        assert "writing the history" in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_progress_is_seen_while_the_job_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "BEAT", 0.01)
    job = wanted()
    written = threading.Event()
    write = work.Heartbeat.write

    def told(heartbeat: work.Heartbeat) -> None:
        write(heartbeat)
        if heartbeat.phase:
            written.set()

    monkeypatch.setattr(work.Heartbeat, "write", told)

    def look(found: Job, progress: Progress) -> dict[str, Any]:
        progress("writing", 3, 4)
        assert written.wait(20)
        seen = reread(job)
        return {"phase": seen.phase, "done": seen.done, "total": seen.total}

    work.run_job(job.pk, {"import": look})
    assert reread(job).result == {"phase": "writing", "done": 3, "total": 4}
    assert reread(job).phase == ""
