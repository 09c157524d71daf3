"""The status page and its JSON: database, workers, and how each public league's books are."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league import tasks
from league.apps.notices.models import Notice, NoticeMail
from league.apps.webhooks.models import Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.db.bounded_cache import cache
from league.core.dispatch import nightly
from league.core.games.services.record import void_game
from league.core.jobs.services import work
from league.core.monitoring.requests import Pace, Times
from league.models import Game, Job, League, Rating, Sign
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 5, 12, tzinfo=UTC)


def club(slug: str = "club", games: int = 2, **settings: Any) -> League:
    """Return a league with games."""
    league = make_league(slug=slug, **settings)
    for turn in range(games):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=turn))
    return league


def verify_all() -> None:
    """Verify every league as a night does."""
    for name in nightly.request_verifications():
        assert tasks.job(name)


def page(client: Client, status: int = 200) -> str:
    """Return the page as text in one line, nothing of it kept from before."""
    cache.clear()
    answer = client.get("/status/")
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def told(client: Client, slug: str = "club") -> dict[str, Any]:
    """Return what the JSON tells of a league."""
    (one,) = [one for one in client.get("/status.json").json()["leagues"] if one["league"] == slug]
    return dict(one)


def test_a_new_site_says_what_it_does_not_know(client: Client) -> None:
    assert "There are no public leagues." in page(client)
    assert "never seen" in page(client)
    club(games=0)
    assert "No league has been checked yet." in page(client)
    assert client.get("/status.json").json()["celery"] == {"heard": False, "heard_at": None}
    assert told(client) == {
        "league": "club", "title": "Club", "url": "http://testserver/leagues/club/", "last_recorded_at": None,
        "verified": None, "pending": False, "progress": None,
    }  # fmt: skip


def test_verified_books_are_told_with_games_and_time(client: Client) -> None:
    league = club()
    verify_all()
    job = Job.objects.get(league=league)
    assert "No differences</strong> in 2 games." in page(client)
    answer = told(client)
    assert job.ended_at is not None
    assert datetime.fromisoformat(answer["verified"].pop("at")) - job.ended_at < timedelta(milliseconds=1)
    assert answer["verified"] == {"state": "done", "games": 2, "differences": 0}
    last = Game.objects.get(league=league, number=2).recorded_at
    assert abs(datetime.fromisoformat(answer["last_recorded_at"]) - last) < timedelta(milliseconds=1)


def test_differences_are_counted_and_a_failure_is_no_praise(client: Client) -> None:
    league = club()
    Rating.objects.update(peak=9999.0)
    verify_all()
    assert "2 differences found</strong> in 2 games." in page(client)
    assert told(client)["verified"]["differences"] == 2
    Job.objects.filter(league=league).update(state="failed", result=None)
    assert "The last check failed." in page(client)
    assert told(client)["verified"]["differences"] is None


def test_the_last_verification_that_ended_counts(client: Client) -> None:
    league = club()
    Rating.objects.update(peak=9999.0)
    verify_all()
    Rating.objects.filter(player__handle="ben").update(peak=1500.0 - 10.0)
    verify_all()
    work.request_job(league, "verify", by="olga")
    assert told(client)["verified"]["differences"] == 1


def test_a_replay_on_its_way_is_shown_with_its_progress(client: Client) -> None:
    league = club()
    assert "Being recalculated" not in page(client)
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 1, reason="friendly", username="olga")
    assert (told(client)["pending"], told(client)["progress"]) == (True, 0.0)
    job = work.request_job(league, "replay", by="olga")
    Job.objects.filter(pk=job.pk).update(state="running", done=31, total=124, beat_at=timezone.now())
    assert 'value="0.2500" max="1"' in page(client)
    assert told(client)["progress"] == 0.25


def test_all_is_well_while_workers_run_and_no_check_found_a_difference(client: Client) -> None:
    club()
    assert "<h1>Needs attention</h1>" in page(client)
    tasks.sweep()
    assert "<h1>All well</h1>" in page(client)
    verify_all()
    assert "<h1>All well</h1>" in page(client)
    Rating.objects.update(peak=9999.0)
    verify_all()
    assert "<h1>Needs attention</h1>" in page(client)
    Job.objects.update(state="failed", result=None)
    assert "<h1>Needs attention</h1>" in page(client)


def test_workers_are_heard_by_the_sweep_or_by_a_job(client: Client) -> None:
    tasks.sweep()
    assert "last seen 0 s ago" in page(client)
    Sign.objects.update(at=datetime(2024, 3, 5, 19, 30, tzinfo=UTC))
    assert "not seen since" in page(client)
    assert "5 Mar 2024, 19:30 UTC" in page(client)
    assert not client.get("/status.json").json()["celery"]["heard"]
    job = work.request_job(club(), "verify", by="olga")
    Job.objects.filter(pk=job.pk).update(state="running", beat_at=timezone.now())
    assert client.get("/status.json").json()["celery"]["heard"]


def test_private_leagues_are_not_named_to_anybody(client: Client) -> None:
    club("secret", visibility="private")
    verify_all()
    client.force_login(User.objects.create_superuser("olga"))
    assert "ecret" not in page(client)
    assert client.get("/status.json").json()["leagues"] == []


def test_a_database_that_does_not_answer_is_said(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with patch(
        "league.apps.operations.status_page.load_site_status", side_effect=OperationalError("connection refused")
    ):
        assert "The database does not respond" in page(client, 503)
        answer = client.get("/status.json")
    assert (answer.status_code, answer.json()["database"]) == (503, False)
    assert "could not read the database: connection refused" in caplog.text


@pytest.mark.parametrize("path", ["/status/", "/status.json"])
def test_it_costs_as_many_queries_whatever_it_shows(client: Client, path: str, django_assert_num_queries: Any) -> None:
    for number in range(3):
        club(f"club{number}", games=1)
    verify_all()
    tasks.sweep()
    # One more each for webhooks with something to send and for mails that wait.
    with django_assert_num_queries(7):
        assert client.get(path).status_code == 200


def test_what_waits_is_counted_with_the_longest_wait(client: Client) -> None:
    nothing = {"count": 0, "since": None}
    assert client.get("/status.json").json()["backlog"] == {"jobs": nothing, "webhooks": nothing, "mails": nothing}
    assert "<dt>Pending work</dt><dd>none</dd>" in page(client)
    league, secret = club(), club("secret", visibility="private")
    early, later = datetime(2024, 3, 5, 19, 30, tzinfo=UTC), datetime(2024, 3, 6, tzinfo=UTC)
    for number, asked in enumerate((later, early)):
        job = work.request_job((league, secret)[number], "verify", by="olga")
        Job.objects.filter(pk=job.pk).update(asked_at=asked)
    webhook, _ = make_webhook(league.pk, "https://club.example/")
    assert client.get("/status.json").json()["backlog"]["webhooks"] == nothing
    record(league, sheet(("anna", "ben"), (1, 0), minutes=9))
    Webhook.objects.filter(pk=webhook.pk).update(next_try_at=early)
    notice = Notice.objects.create(league=league, number=1, kind="notice.evening", subject="x", at=early, facts={})
    for name, when in (("ann", early), ("bob", timezone.now() + timedelta(hours=1))):
        user = User.objects.create_user(name)
        NoticeMail.objects.create(league=league, notice=notice, user=user, next_try_at=when)
    told = client.get("/status.json").json()["backlog"]
    assert told["jobs"] == {"count": 2, "since": "2024-03-05T19:30:00Z"}
    assert told["webhooks"] == {"count": 1, "since": "2024-03-05T19:30:00Z"}
    assert told["mails"] == {"count": 1, "since": "2024-03-05T19:30:00Z"}
    shown = page(client)
    assert "ecret" not in shown
    assert '<span>Jobs <b class="num">2</b> since <time datetime="2024-03-05T19:30:00' in shown
    assert shown.count("since <time") == 3


def test_leagues_are_told_in_pages(client: Client) -> None:
    with patch("league.web.public.selectors.status.LEAGUES", 2):
        for slug in ("a", "b", "c"):
            make_league(slug=slug, title=slug)
        first = client.get("/status.json").json()
        last = client.get(first["next"]).json()
        assert [one["league"] for one in first["leagues"] + last["leagues"]] == ["a", "b", "c"]
        assert first["next"] == "http://testserver/status.json?page=2"
        assert last["next"] is None
        assert '<a href="?page=2">' in page(client)
        for odd in ("0", "-1", "x", "9" * 30, "99999"):
            assert client.get(f"/status/?page={odd}").status_code == 200


def test_answers_are_timed_by_what_was_asked(client: Client) -> None:
    """By hand: of 1 to 20 ms, half are within 10 and 95 of 100 within 19; what is older than 15 minutes is left out."""
    now = [0.0]
    times = Times(lambda: now[0])
    times.add("pages", 5.0)
    now[0] = 901.0
    for ms in range(20, 0, -1):
        times.add("pages", ms / 1000)
    for kind, count in (("api_writes", 20), ("api_reads", 19), ("desk", 18)):
        for _ in range(count):
            times.add(kind, 0.0304)
    # Of fewer than twenty nothing is told.
    assert times.lately() == {"pages": Pace(20, 10.0, 19.0), "api_writes": Pace(20, 30.4, 30.4)}
    with (
        patch("league.core.monitoring.requests.TIMES", times),
        patch("league.apps.operations.status_page.TIMES", times),
    ):
        client.get("/")
        client.get("/api/v1/leagues/")
        client.post("/api/v1/leagues/")
        client.get("/admin/")
        client.get("/admin/login/")
        client.get("/report/x/")
        client.get("/look/texts-de.js")
        client.get("/status/")
        told = client.get("/status.json").json()["responses"]
        shown = page(client)
    counts = {kind: pace["count"] for kind, pace in told.items()}
    # The desk has 19 by now: how long a login takes is told to nobody.
    assert counts == {"pages": 21, "api_reads": 20, "api_writes": 21}
    assert told["pages"]["p95_ms"] >= told["pages"]["median_ms"] > 0
    assert "Reading through the API" in shown
    assert "over the last 15 minutes" in shown


def test_the_footer_leads_there(client: Client) -> None:
    assert '<a href="/status/">Status</a>' in client.get("/").content.decode()


def test_strangers_get_a_page_that_stands_for_a_moment_by_its_tag(client: Client) -> None:
    with clock(NOON):
        first = client.get("/status/")
        assert first["Cache-Control"] == "public, max-age=10"
        assert "Cookie" in first["Vary"]
        assert "Accept-Language" in first["Vary"]
        with CaptureQueriesContext(connection) as asked:
            again = client.get("/status/", headers={"if-none-match": first["ETag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert client.get("/status/").content == first.content
        assert len(asked) == 0
    with clock(NOON + timedelta(seconds=10)):
        assert client.get("/status/", headers={"if-none-match": first["ETag"]}).status_code == 200


def test_what_is_kept_is_kept_by_its_language_however_it_was_asked_for() -> None:
    with clock(NOON):
        english, german = Client().get("/status/?lang=en"), Client().get("/status/?lang=de")
        assert english["ETag"] != german["ETag"]
        assert (english["Content-Language"], german["Content-Language"]) == ("en", "de")
        assert b'lang="de"' in german.content
        by_header = Client().get("/status/", headers={"accept-language": "de"})
        assert (by_header["ETag"], by_header.content) == (german["ETag"], german.content)
        assert Client().get("/status/?page=2")["ETag"] != english["ETag"]


def test_who_is_signed_in_sees_the_status_of_now(client: Client) -> None:
    client.force_login(User.objects.create_superuser("olga"))
    page = client.get("/status/")
    assert page["Cache-Control"] == "private, no-store"
    club("later", visibility="public")
    assert "There are no public leagues." in page.content.decode()
    assert "No league has been checked yet." in client.get("/status/").content.decode()
