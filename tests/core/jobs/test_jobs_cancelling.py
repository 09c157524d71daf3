"""Jobs that somebody has stop: what waits ends at once, what runs at its next step; no half-written books."""

import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.test import Client, override_settings
from django.utils import timezone

from league import tasks
from league.apps.imports.services import run, uploads
from league.core.dispatch.nightly import request_verifications
from league.core.errors import Cancelled, Conflict, Refused
from league.core.jobs.services import work
from league.core.jobs.services.cancel import cancel_job
from league.core.jobs.services.progress import Progress
from league.core.replay.services.inline import replay_from
from league.core.verify.run import verify_league
from league.models import Game, Job, JobPart, League, LogEntry, Membership, Rating
from league.web.public.selectors.status import find_last_verification, load_site_status
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, reread, sheet
from tests.helpers.desk_client import page_messages, page_text, sign_in_member
from tests.helpers.import_client import Sender, json_games

pytestmark = pytest.mark.django_db

JOBS = "/admin/leagues/club/jobs/"


@pytest.fixture
def no_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no thread write beside a test's open transaction, and every file be a worker's business."""
    monkeypatch.setattr(work, "BEAT", 3600.0)
    monkeypatch.setattr(uploads, "MAX_SMALL_LINES", {"ndjson": 1, "csv": 1})


def sent(count: int, query: str = "") -> Job:
    """Return the job of a file of games that waits for its worker."""
    return Job.objects.get(pk=Sender("record", name=uuid4().hex[:12]).send(json_games(count), query).data["id"])


def is_cancelled(job: Job) -> None:
    """Assert that a job ended as one that olga had stop, and that no game stands."""
    ended = reread(job)
    assert ended.problem
    assert (ended.state, ended.problem["code"]) == ("failed", "cancelled")
    assert ended.problem["detail"] == "Cancelled by olga. Nothing was written."
    assert ended.ended_at is not None
    assert (Game.objects.count(), Rating.objects.count()) == (0, 0)
    assert not LogEntry.objects.filter(kind="game.recorded").exists()


@pytest.mark.usefixtures("no_beat")
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_an_import_that_waits_ends_at_once_and_its_file_goes(query: str) -> None:
    make_league()
    job = sent(5, query)
    assert JobPart.objects.exists()
    assert cancel_job(job, username="olga")
    is_cancelled(job)
    assert not JobPart.objects.exists()
    assert not tasks.job(str(job.pk)), "no worker finds it"
    told = Api("record").get(f"jobs/{job.pk}/").data
    assert (told["state"], told["problem"]["type"]) == ("failed", "http://testserver/docs/problems/cancelled/")
    with pytest.raises(Conflict, match="has already ended"):
        cancel_job(reread(job), username="olga")


@pytest.mark.usefixtures("no_beat")
def test_an_import_that_has_written_its_games_in_its_transaction_takes_them_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = make_league()
    job = sent(7)

    def and_cancel(*arguments: Any, **more: Any) -> int:
        replayed: int = replay_from(*arguments, **more)
        assert Game.objects.count() == 7
        assert not cancel_job(reread(job), username="olga")
        return replayed

    monkeypatch.setattr(run, "replay_from", and_cancel)
    tasks.job(str(job.pk))
    is_cancelled(job)
    assert not JobPart.objects.exists()
    assert verify_league(league.pk).differences == []


@pytest.mark.usefixtures("no_beat")
def test_an_import_whose_games_are_written_is_not_cancelled_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), minutes=60 * 24 * 30))
    job = sent(9)
    tried: list[str] = []

    def refused(league_id: int, progress: Progress) -> int:
        with pytest.raises(Refused, match="its games have been saved") as refusal:
            cancel_job(reread(job), username="olga")
        tried.append(refusal.value.detail)
        return 0

    monkeypatch.setattr(run, "rate_unrated_games", refused)
    with override_settings(RUNGS_INLINE_GAMES=3):
        tasks.job(str(job.pk))
    assert tried
    assert reread(job).state == "done"
    assert Game.objects.count() == 10


@pytest.mark.usefixtures("no_beat")
def test_where_the_report_is_noted_the_name_is_looked_at_too() -> None:
    make_league()
    job = sent(3)
    Job.objects.filter(pk=job.pk).update(state="running", attempts=1, cancelled_by="olga")
    for end in (uploads.store_result_in_transaction, uploads.finish_in_transaction):
        with pytest.raises(Cancelled, match="Cancelled by olga"):
            end(reread(job), {"games": 3})
    assert reread(job).result is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["import", "verify"])
def test_a_job_that_runs_ends_at_its_next_step(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(work, "BEAT", 0.01)
    job = work.request_job(make_league(), kind)
    steps: list[int] = []

    def slow(found: Job, progress: Progress) -> dict[str, Any]:
        assert not cancel_job(reread(found), username="olga")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            steps.append(1)
            progress("waiting", 0, 0)
            time.sleep(0.01)
        return {}

    assert work.run_job(job.pk, {kind: slow})
    assert len(steps) > 1
    is_cancelled(job)


@pytest.mark.usefixtures("no_beat")
def test_one_whose_worker_died_before_it_saw_that_is_not_taken_up_again() -> None:
    job = work.request_job(make_league(), "import")
    old = timezone.now() - timedelta(seconds=work.LEASE + 1)
    Job.objects.filter(pk=job.pk).update(state="running", beat_at=old, cancelled_by="olga")

    def never(job: Job, progress: Progress) -> dict[str, Any]:
        raise AssertionError("nobody works on it")

    assert work.run_job(job.pk, {"import": never})
    is_cancelled(job)


def test_a_database_that_does_not_answer_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(*arguments: Any, **more: Any) -> Any:
        raise OperationalError("database is locked")

    heartbeat = work.Heartbeat(work.request_job(make_league(), "import"))
    with monkeypatch.context() as patch:
        for name in ("first", "update"):
            patch.setattr(f"django.db.models.query.QuerySet.{name}", gone)
        heartbeat.write()
        heartbeat.look()
    assert "could not say how far it is: database is locked" in caplog.text
    assert "could not see whether it is cancelled: database is locked" in caplog.text
    Job.objects.update(cancelled_by="olga")
    heartbeat.look()
    with pytest.raises(Cancelled):
        heartbeat("writing", 1, 2)


def test_the_desk_offers_to_cancel_what_may_be_and_says_why_not() -> None:
    league = make_league()
    job, replay = work.request_job(league, "import", by="rita"), work.request_job(league, "replay")
    omar = sign_in_member("omar", Membership.Role.ORGANISER, league)
    page = omar.get(JOBS)
    assert f"{JOBS}{job.pk}/cancel/" in page.content.decode()
    assert f"{JOBS}{replay.pk}/cancel/" not in page.content.decode()
    assert "It cannot be cancelled, as ratings depend on it." in page_text(page)
    part = omar.get(f"{JOBS}?part=1")
    assert (
        page_messages(omar.post(f"{JOBS}{job.pk}/cancel/", follow=True))
        == "The import was cancelled. Nothing was saved."
    )
    assert "Cancelled by omar. Nothing was saved." in page_text(omar.get(JOBS))
    assert omar.get(f"{JOBS}?part=1", headers={"If-None-Match": part["ETag"]}).status_code == 200
    assert "has already ended" in page_messages(omar.post(f"{JOBS}{job.pk}/cancel/", follow=True))
    assert "ratings depend on it" in page_messages(omar.post(f"{JOBS}{replay.pk}/cancel/", follow=True))
    running = work.request_job(league, "import")
    Job.objects.filter(pk=running.pk).update(state="running")
    said = omar.post(f"{JOBS}{running.pk}/cancel/", follow=True)
    assert "omar cancelled it; it will stop at its next step" in page_text(said)
    assert omar.get(f"{JOBS}{running.pk}/cancel/").status_code == 405


def test_a_recorder_cancels_what_they_asked_for_themselves() -> None:
    league = make_league()
    own, others = work.request_job(league, "import", by="rita"), work.request_job(league, "import", by="omar")
    rita = sign_in_member("rita", Membership.Role.RECORDER, league)
    page = rita.get(JOBS).content.decode()
    assert f"{own.pk}/cancel/" in page
    assert f"{others.pk}/cancel/" not in page
    assert rita.post(f"{JOBS}{others.pk}/cancel/").status_code == 403
    assert rita.post(f"{JOBS}{own.pk}/cancel/").status_code == 302
    assert [reread(own).state, reread(others).state] == ["failed", "waiting"]
    elsewhere = work.request_job(make_league(slug="other"), "import", by="rita")
    for address in (f"{JOBS}{elsewhere.pk}/", f"{JOBS}{uuid4()}/"):
        assert rita.get(address).status_code == 404
        assert rita.post(f"{address}cancel/").status_code == 404
    both = sign_in_member("bert", Membership.Role.RECORDER, league)
    assert both.get(f"{JOBS}{own.pk}/").status_code == 200
    assert Client().post(f"{JOBS}{own.pk}/cancel/").status_code == 302


@pytest.mark.parametrize("name", ["nightly", "the site"])
def test_no_name_makes_the_nightly_check_somebodys_own(name: str) -> None:
    league = make_league()
    (asked,) = request_verifications()
    namesake = sign_in_member(name, Membership.Role.RECORDER, league)
    text = namesake.get(JOBS).content.decode()
    assert "Check</a>, nightly" in " ".join(text.split())
    assert f"{asked}/cancel/" not in text
    assert namesake.post(f"{JOBS}{asked}/cancel/").status_code == 403
    assert Job.objects.get().state == "waiting"
    # Their own check is told as theirs, and as nobody else's.
    Job.objects.update(asked_by=name)
    assert f"Check</a> for {name}" in " ".join(namesake.get(JOBS).content.decode().split())


def test_a_jobs_page_says_what_came_of_it() -> None:
    league = make_league()
    rita = sign_in_member("rita", Membership.Role.RECORDER, league)
    now = timezone.now()
    job = Job.objects.create(
        league=league, kind="import", state="done", asked_at=now, started_at=now, ended_at=now, asked_by="rita",
        attempts=2, arguments={"dry_run": True},
        result={"games": 1200, "known": 3, "created_players": 1, "replayed": 1200, "ignored": ["weather"]},
    )  # fmt: skip
    page = page_text(rita.get(f"{JOBS}{job.pk}/"))
    assert "Import, dry run" in page
    assert "attempt 2" in page
    assert "Games 1,200" in page
    assert "Ignored columns: weather." in page
    problem = {
        "code": "refused",
        "detail": "No.",
        "errors": [{"pointer": "/3", "code": "x", "detail": "Line 4 lacks."}],
    }
    Job.objects.filter(pk=job.pk).update(state="failed", result=None, problem=problem)
    assert "Failed. No." in page_text(rita.get(f"{JOBS}{job.pk}/"))
    assert "Line 4 lacks." in page_text(rita.get(f"{JOBS}{job.pk}/"))
    part = rita.get(f"{JOBS}{job.pk}/?part=1")
    assert rita.get(f"{JOBS}{job.pk}/?part=1", headers={"If-None-Match": part["ETag"]}).status_code == 304


def test_the_last_check_says_when_by_whom_and_what() -> None:
    league = make_league()
    omar = sign_in_member("omar", Membership.Role.ORGANISER, league)
    record(league, sheet(("anna", "ben"), (1, 0)))
    done = omar.post(f"{JOBS}check/", follow=True)
    assert page_messages(done) == "The data will be checked in the background."
    assert page_messages(omar.post(f"{JOBS}check/", follow=True)) == "A check is already running."
    job = Job.objects.get(kind="verify")
    assert tasks.job(str(job.pk))
    for address in (JOBS, "/admin/leagues/club/log/"):
        text = page_text(omar.get(address))
        assert "Every number was recomputed and matched. Check for omar, " in text
        assert ": 1 game, 4 rows, 3 log entries" in text
    said = {"differences": [None]}
    Job.objects.update(
        asked_by="", result={"found": 1, "differences": ["Game 1 differs."], "said": said, "waits": False}
    )
    assert "The last check found 1 difference. Nightly check, " in page_text(omar.get(JOBS))
    assert "Game 1 differs." in page_text(omar.get(f"{JOBS}{job.pk}/"))


def test_a_check_that_is_cancelled_hides_nothing_that_the_last_one_found(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    now = timezone.now()
    found = Job.objects.create(league=league, kind="verify", state="done", asked_at=now, ended_at=now,
                               result={"differences": 3})  # fmt: skip
    assert find_last_verification(league) == found
    cancel_job(work.request_job(league, "verify", by="olga"), username="olga")
    monkeypatch.setattr(work, "BEAT", 3600.0)
    job = work.request_job(league, "verify", by="olga")

    def checking(job: Job, progress: Progress) -> dict[str, Any]:
        cancel_job(reread(job), username="olga")
        return {"differences": 0}

    # What is stopped in its last step is not done.
    work.run_job(job.pk, {"verify": checking})
    ended = reread(job)
    assert ended.problem
    assert (ended.state, ended.problem["code"], ended.result) == ("failed", "cancelled", None)
    assert find_last_verification(league) == found
    assert load_site_status(now).books[0].verified == found


def test_all_games_are_rated_anew_by_a_job_asked_for_once() -> None:
    league = make_league()
    omar = sign_in_member("omar", Membership.Role.ORGANISER, league)
    assert "There are no games to rate yet" in page_messages(
        omar.post(f"{JOBS}replay/", {"once": "a" * 32}, follow=True)
    )
    record(league, sheet(("anna", "ben"), (1, 0)))
    right = list(Rating.objects.order_by("player").values_list("player", "rating", "games"))
    Rating.objects.update(rating=1.0)
    page = omar.get(JOBS)
    assert "Games recorded meanwhile are rated afterwards." in page_text(page)
    sent = {"once": page.context["once"]}
    done = omar.post(f"{JOBS}replay/", sent, follow=True)
    job = Job.objects.get()
    assert (job.kind, job.state, job.asked_by) == ("replay", "waiting", "omar")
    assert done.redirect_chain == [(f"{JOBS}{job.pk}/", 302)]
    assert page_messages(done) == "All games will be rated again in the background."
    assert "It cannot be cancelled, as ratings depend on it." in page_text(done)
    # Whoever asks while it waits is led to the same job.
    assert omar.post(f"{JOBS}replay/", {"once": "b" * 32})["Location"] == f"{JOBS}{job.pk}/"
    assert tasks.replay(league.pk) == 1
    assert reread(job).state == "done"
    assert list(Rating.objects.order_by("player").values_list("player", "rating", "games")) == right
    assert League.objects.get().stale_from is None
    # The finger that pressed twice begins no second one.
    assert omar.post(f"{JOBS}replay/", sent)["Location"] == f"{JOBS}{job.pk}/"
    assert League.objects.get().stale_from is None
    assert Job.objects.count() == 1
    assert "says something else" not in page_text(omar.get(f"{JOBS}{job.pk}/"))
    rita = page_text(sign_in_member("rita", Membership.Role.RECORDER, league).get(JOBS))
    assert "Rate all games again" not in rita and "Check now" not in rita
