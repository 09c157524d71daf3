"""Finding news: evenings, closed periods, decisions and failed imports, each once and not if old."""

from collections.abc import Callable
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from league import tasks
from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.imports.services.uploads import Upload, enqueue_import
from league.apps.notices import tasks as notice_tasks
from league.apps.notices.models import Notice, NoticeMail
from league.apps.notices.selectors.due import find_leagues_with_news
from league.apps.notices.services import enqueue as telling
from league.apps.notices.services.enqueue import enqueue_notices, write_notices
from league.apps.reports.models import Report
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.dispatch.sweep import run_requested_job
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import advance, reopen_period
from league.core.permissions import ANONYMOUS, Viewer
from league.core.replay.services.inline import mark_stale
from league.core.transfer.services.restore import restore_league
from league.models import Edition, Job, League, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, record_as_played, utc
from tests.helpers.notice_builders import MORNING, awaited, club, evening, facts, member, told
from tests.helpers.processes import die
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way
from tests.helpers.webhook_builders import enqueued

alone = pytest.mark.django_db
together = pytest.mark.django_db(transaction=True)
EVENING = ("notice.evening", "2024-03-05")


@alone
@pytest.mark.parametrize(
    ("zone", "played", "day", "due"),
    [
        ("Europe/Belgrade", "2024-03-06T02:30", "2024-03-05", "2024-03-06T05:00"),  # half past three in the night
        ("Europe/Belgrade", "2024-03-05T23:00", "2024-03-06", "2024-03-07T05:00"),  # midnight: its day only is known
        ("America/New_York", "2024-03-06T03:00", "2024-03-05", "2024-03-06T11:00"),
    ],
)
def test_evenings_follow_the_leagues_time_zone(zone: str, played: str, day: str, due: str) -> None:
    league = club(time_zone=zone)
    with clock(utc(played) + timedelta(hours=1)):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=utc(played)))
    assert told(league, utc(due) - timedelta(minutes=1)) == []
    now = utc(due) + timedelta(hours=2)
    assert told(league, now) == [("notice.evening", day)]
    for later in (timedelta(0), timedelta(days=1)):
        assert told(league, now + later) == []
    (notice,) = Notice.objects.all()
    assert (notice.number, notice.at, League.objects.get().last_message) == (1, now, 1)


@alone
def test_an_evening_is_announced_an_hour_after_its_last_sheet() -> None:
    league = club()
    with clock(utc("2024-03-06T12:00")):
        record(league, sheet(("anna", "ben"), (1, 0)))
    with clock(utc("2024-03-06T12:40")):
        record(league, sheet(("cleo", "ben"), (1, 0), minutes=30))
    assert told(league, utc("2024-03-06T13:30")) == []
    with clock(utc("2024-03-06T13:35")):
        void_game(league.pk, 1, reason="Typed twice.", username="olga")
    assert told(league, utc("2024-03-06T14:00")) == []
    assert told(league, utc("2024-03-06T14:35")) == [EVENING]
    assert (facts()["count"], facts()["people"]) == (1, 2)


@alone
def test_void_games_and_byes_make_no_evening_and_stale_ratings_wait() -> None:
    league = club()
    record_as_played(league, duel("anna", "ben", "2024-03-05T19:00"))
    with clock(utc("2024-03-05T20:00")):
        void_game(league.pk, 1, reason="A friendly.", username="olga")
    record_as_played(league, sheet(("anna",), (1.0,), kind="full_bye", played_at=utc("2024-03-05T19:30")))
    assert told(league) == []
    evening(league)
    mark_stale(League.objects.get(), (utc("2024-03-01"), 0))
    assert told(league) == []
    League.objects.update(stale_from=None)
    assert told(league) == [EVENING]


@long_way
@alone
def test_an_import_of_years_announces_only_the_last_days() -> None:
    days = [*(f"2023-{month:02}-10" for month in range(1, 13)), "2024-03-02", "2024-03-04", "2024-03-05"]
    lines = [f"{day},{day},{one},{score}\n" for day in days for one, score in (("anna", 1), ("ben", 0))]
    text = "".join(["game_id,played_at,player,score\n", *lines])
    with clock(utc("2023-01-01")):
        league = club()
        make_ladder(league)
    with clock(utc("2024-03-06T03:00")):
        import_games(league.pk, BytesIO(text.encode()), ImportOptions(by="import"))
    with clock(utc("2024-03-08T03:00")):
        assert len(advance(league.pk)) > 11
    assert told(league, utc("2024-03-06T08:00")) == [("notice.evening", "2024-03-04"), EVENING]
    # Twelve months of 2023 were closed in that night; none ended lately.
    assert told(league, utc("2024-03-08T04:00")) == []


def publish_edition(league: League) -> None:
    """Publish an edition of a recently closed month."""
    times = dict.fromkeys(("starts_at", "ends_at", "due_at", "published_at"), MORNING)
    ladder = make_ladder(league)
    Edition.objects.create(league=league, ladder=ladder, key="2024-02", number=1, log_position=1, **times)


def create_disputed_report(league: League) -> None:
    """Create an old report that is disputed."""
    times = dict.fromkeys(("played_at", "entered_at", "due_at"), utc("2023-03-05"))
    anna = Player.objects.get(handle="anna")
    Report.objects.create(league=league, state="disputed", sheet={}, entered_by=anna, **times)


def create_failed_import(league: League) -> None:
    """Create an import that has just failed."""
    Job.objects.create(league=league, kind="import", state="failed", asked_at=MORNING, ended_at=MORNING)


def create_decided_notice(league: League) -> None:
    """Create a notice of a decision that is no longer due."""
    Notice.objects.create(league=league, number=1, kind="notice.decision_due", subject="report/1", at=MORNING)


@alone
@pytest.mark.parametrize(
    ("leave", "now"),
    [
        (evening, MORNING),
        (publish_edition, MORNING),
        # So late that its games and its edition are no news any more.
        (awaited, utc("2024-06-01")),
        (create_disputed_report, MORNING),
        (create_failed_import, MORNING),
        (create_decided_notice, MORNING),
    ],
)
def test_each_kind_of_news_alone_is_found(leave: Callable[[League], None], now: datetime) -> None:
    league = club()
    make_league(slug="other")
    leave(league)
    assert find_leagues_with_news(now) == [league]


@long_way
@alone
def test_looking_for_news_needs_few_queries(
    django_assert_num_queries: Any,
) -> None:
    for number in range(5):
        evening(make_league(slug=f"old-{number}"), "2023-03-05")
    # Finished competitions with corrected games, and leagues that may have news.
    with django_assert_num_queries(2):
        assert enqueue_notices(MORNING) == []
    leagues = [club(slug=f"club{number}") for number in range(3)]
    for league in leagues:
        evening(league)
    # Of each: failed imports, editions, periods, reports and competitions to decide, evenings with games, final
    # standings, editions of seasons, announced decisions.
    with django_assert_num_queries(2 + 9 * len(leagues)):
        assert enqueue_notices(utc("2024-03-05T23:00")) == []
    assert enqueue_notices(MORNING) == [league.pk for league in leagues]
    for league in leagues:
        assert told(league) == [EVENING]
    with django_assert_num_queries(2 + 10 * len(leagues)):
        assert enqueue_notices(MORNING) == []


@long_way
@alone
def test_each_recent_edition_is_announced_once() -> None:
    league = club()
    ladder = make_ladder(league)
    evening(league)
    with clock(utc("2024-04-02T10:00")):
        close(league, "2024-03")
    first = f"{ladder.pk}/2024-03/1"
    assert told(league, utc("2024-04-02T10:01")) == [("notice.period_closed", first)]
    with clock(utc("2024-04-03T10:00")):
        reopen_period(league.pk, "month", "2024-03", reason="A sheet came late.", username="olga")
        close(league, "2024-03", reason="A sheet came late.")
    assert told(league, utc("2024-04-03T10:01")) == [("notice.period_closed", f"{ladder.pk}/2024-03/2")]
    closed = [one.facts for one in Notice.objects.filter(kind="notice.period_closed").order_by("number")]
    assert [(one["edition"], one["reason"], one["winners"]) for one in closed if one] == [
        (1, "", ["Anna"]), (2, "A sheet came late.", ["Anna"]),
    ]  # fmt: skip
    with clock(utc("2025-01-01")):
        again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="root").league
    assert told(again, utc("2025-01-01T07:00")) == []
    assert find_leagues_with_news(utc("2025-01-01T07:00")) == []


@alone
def test_a_late_closed_month_is_announced_unless_too_old() -> None:
    league = club(closing="by_hand", close_after_hours=0)
    make_ladder(league)
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("anna", "ben", "2024-02-10"))
    with clock(utc("2024-03-20")):
        close(league, "2024-01")
        close(league, "2024-02")
    assert [subject[-9:] for _, subject in told(league, utc("2024-03-20T01:00"))] == ["2024-02/1"]


def run_failing_import(league: League, text: str, viewer: Viewer | None) -> Job:
    """Import a file that is rejected."""
    with Upload(BytesIO(text.encode()), "csv") as upload:
        job = enqueue_import(league, upload, username="rita", create_players=False, viewer=viewer)
    run_requested_job(job.pk)
    job.refresh_from_db()
    return job


@alone
def test_a_failed_import_is_announced_with_its_line() -> None:
    league = club()
    lines = ("1,2024-03-05,anna,1", "1,2024-03-05,ben,much", "2,2024-03-05,anna,1", "2,2024-03-05,cleo,few")
    text = "game_id,played_at,player,score\n" + "\n".join(lines)
    job = run_failing_import(league, text, Viewer("rita", "organise", None, {league.pk: "recorder"}))
    assert told(league, timezone.now() + timedelta(days=4)) == []
    assert told(league, timezone.now() + timedelta(days=2)) == [("notice.import_failed", str(job.pk))]
    assert (facts()["by"], facts()["line"], facts()["problems"]) == ("rita", 3, 2)
    assert facts()["refusal"].startswith("Line 3: ")
    assert "much" in facts()["refusal"]
    assert told(league, timezone.now()) == []
    job = run_failing_import(league, "nonsense", ANONYMOUS)
    Job.objects.filter(pk=job.pk).update(problem={"code": "cancelled", "detail": "Cancelled by rita.", "errors": []})
    assert told(league, timezone.now()) == []


@alone
@pytest.mark.parametrize("viewer", [None, Viewer("sara", "organise")])
def test_failed_imports_by_staff_are_announced_without_messages(viewer: Viewer | None) -> None:
    league = club()
    job = run_failing_import(
        league, "game_id,played_at,player,score\n1,2024-03-05,anna,1\n1,2024-03-05,mata,0\n", viewer
    )
    assert job.state == "failed"
    told(league, timezone.now())
    assert (facts()["line"], facts()["refusal"]) == (3, "")


@alone
def test_the_schedule_finds_only_leagues_with_news(caplog: pytest.LogCaptureFixture) -> None:
    league, quiet, lost = club(), make_league(slug="quiet"), make_league(slug="lost")
    evening(league)
    evening(lost)
    League.objects.filter(pk=lost.pk).update(time_zone="Mars/Olympus")
    assert enqueue_notices(MORNING) == [league.pk]
    assert "The notices of the league lost stand still" in caplog.text
    write_notices(league.pk, MORNING)
    assert enqueue_notices(MORNING) == []
    assert write_notices(quiet.pk, MORNING) == 0
    assert write_notices(0, MORNING) == 0


@alone
def test_a_failing_league_does_not_stop_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    leagues = [club(slug=slug) for slug in ("first", "second", "third")]
    for league in leagues:
        evening(league)

    def broken(league: League, now: datetime) -> bool:
        if league.slug != "third":
            raise KeyError(f"of {league.slug}")
        return True

    sent: list[int] = []
    monkeypatch.setattr(telling, "has_news", broken)
    monkeypatch.setattr("league.core.jobs.queue.enqueue", lambda _name, pk: sent.append(pk))
    with clock(MORNING), pytest.raises(RuntimeError, match=r"^Not looked at for news: first, second\.$") as failed:
        notice_tasks.enqueue_notices_task()
    assert repr(failed.value.__cause__) == "KeyError('of first')"
    assert sent == [leagues[2].pk]
    result = [(record.levelname, record.exc_info is not None) for record in caplog.records]
    assert result == [("ERROR", True)] * 2, "each with its traceback"


@together
def test_the_schedule_writes_notices_and_enqueues_chats() -> None:
    league = club()
    make_webhook(league.pk, "https://club.example/hooks/chat", form="slack")
    evening(league)
    with clock(MORNING):
        assert enqueued(notice_tasks.enqueue_notices_task) == [("league.notices", (league.pk,))]
        assert enqueued(lambda: notice_tasks.write_notices_task(league.pk)) == [("league.webhooks", (league.pk,))]
        assert enqueued(notice_tasks.enqueue_notices_task) == []


@together
def test_eight_workers_announce_an_evening_once(settings: Any) -> None:
    settings.EMAIL_HOST, settings.RUNGS_ORIGIN = "mail.example", "https://club.example"
    league = club()
    member(league, "olga", "organiser")
    awaited(league)
    with clock(utc("2024-04-10T11:00")):
        done = in_threads([lambda: write_notices(league.pk, utc("2024-04-10T11:00"))] * 8)
    assert sum(done) == 1
    assert (Notice.objects.count(), NoticeMail.objects.count()) == (1, 1)


@pytest.mark.slow("Kills a process; tests/apps/webhooks holds it, too.")
@together
def test_a_killed_worker_loses_and_duplicates_nothing(settings: Any) -> None:
    settings.EMAIL_HOST, settings.RUNGS_ORIGIN = "mail.example", "https://club.example"
    league = club()
    member(league, "olga", "organiser")
    awaited(league)
    moment = "2024-04-10T11:00"
    variables = {"EMAIL_HOST": "mail.example", "RUNGS_ALLOWED_HOSTS": "club.example"}
    die("tell", str(league.pk), f"{moment}:00+00:00", **variables)
    assert (Notice.objects.count(), NoticeMail.objects.count(), League.objects.get().last_message) == (0, 0, 0)
    assert enqueued(lambda: enqueue_notices(utc(moment))) == [("league.notices", (league.pk,))]
    # What comes after the commit, a message, may be lost: the sweep finds the mail.
    with patch("league.apps.notices.services.enqueue.queue.enqueue"):
        assert write_notices(league.pk, utc(moment)) == 1
    (waiting,) = NoticeMail.objects.all()
    with clock(utc(moment)):
        assert ("league.notice_mail", (waiting.pk,)) in enqueued(tasks.sweep)
    assert write_notices(league.pk, utc(moment)) == 0
