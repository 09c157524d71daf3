"""Notices of decisions due: sent together, once, and again when due again; reports are among them."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from league.apps.notices.models import Notice
from league.apps.notices.selectors.due import has_news
from league.apps.reports.models import Report
from league.apps.reports.services.answering import dispute_report
from league.core.games.services.record import restore_game, void_game
from league.core.ladders.services.decisions import carry_period
from league.models import League
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, record_as_played, utc
from tests.helpers.notice_builders import MORNING, awaited, club, evening, facts, told
from tests.helpers.report_builders import link_of, played, reported, reporting_club
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
EVENING = ("notice.evening", "2024-03-05")


def test_a_decision_is_announced_after_corrections_and_when_due_again() -> None:
    league = club()
    awaited(league)
    assert told(league, utc("2024-04-10T10:09")) == []
    (one,) = told(league, utc("2024-04-10T10:11"))
    assert one[0] == "notice.decision_due"
    assert told(league, utc("2024-04-12T10:00")) == []
    with clock(utc("2024-04-12T10:00")):
        carry_period(league.pk, "month", "2024-03", username="olga")
    assert told(league, utc("2024-04-12T11:00")) == []
    with clock(utc("2024-04-20T10:00")):
        void_game(league.pk, 2, reason="A friendly.", username="olga")
    assert [kind for kind, _ in told(league, utc("2024-04-20T11:00"))] == ["notice.decision_due"]


def test_a_decision_that_returns_is_announced_again(
    django_assert_max_num_queries: Any,
) -> None:
    league = club()
    awaited(league)
    told(league, utc("2024-04-10T11:00"))
    with clock(utc("2024-04-11T10:00")):
        restore_game(league.pk, 1, reason="It was right.", username="olga")
    assert has_news(League.objects.get(), utc("2024-04-11T11:00"))
    assert told(league, utc("2024-04-11T11:00")) == []
    league.refresh_from_db()
    with django_assert_max_num_queries(9):
        assert not has_news(league, utc("2024-04-11T11:00"))
    with clock(utc("2024-04-12T10:00")):
        void_game(league.pk, 2, reason="A friendly.", username="olga")
    assert [kind for kind, _ in told(league, utc("2024-04-12T11:00"))] == ["notice.decision_due"]


def test_simultaneous_decisions_share_a_notice() -> None:
    league = club()
    make_ladder(league, method="rating_score")
    games = [duel("anna", "ben", f"2024-{month:02}-10") for month in (1, 2, 3)]
    record_as_played(league, *games)
    for month in (1, 2, 3):
        with clock(utc(f"2024-{month + 1:02}-03")):
            close(league, f"2024-{month:02}")
    with clock(utc("2024-05-01")):
        void_game(league.pk, 2, reason="A friendly.", username="olga")
    assert len(told(league, utc("2024-05-01T01:00"))) == 2
    first, second = Notice.objects.filter(kind="notice.decision_due").order_by("number")
    assert second.facts is None
    assert first.facts is not None
    assert first.facts["count"] == 2
    assert [one["period"] for one in first.facts["periods"]] == ["2024-02", "2024-03"]
    with clock(utc("2024-05-02")):
        void_game(league.pk, 1, reason="A friendly.", username="olga")
    assert len(told(league, utc("2024-05-02T01:00"))) == 1
    assert [one["period"] for one in facts()["periods"]] == ["2024-01"]


@long_way
def test_unconfirmed_reports_are_announced_once() -> None:
    league = reporting_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    report, waits = reported(anna), reported(anna, played(hours=2))
    assert told(league, timezone.now()) == []
    dispute_report(ben, report.pk, reason="I won.")
    assert told(league, timezone.now()) == [("notice.decision_due", f"report/{report.pk}")]
    assert facts() == {"count": 1, "reports": 1, "periods": []}
    assert told(league, timezone.now()) == []
    Report.objects.filter(pk=waits.pk).update(state="overdue")
    assert told(league, timezone.now()) == [("notice.decision_due", f"report/{waits.pk}")]
    Report.objects.update(state="refused")
    assert told(league, timezone.now()) == []
    assert not has_news(league, timezone.now())


def test_an_evening_waits_a_day_for_unconfirmed_reports() -> None:
    league = reporting_club()
    evening(league)
    report = reported(link_of(league, "anna"))
    Report.objects.update(played_at=utc("2024-03-05T20:00"))
    league.games.update(recorded_at=utc("2024-03-05T21:00"))
    assert told(league) == []
    assert told(league, MORNING + timedelta(hours=23)) == []
    Report.objects.filter(pk=report.pk).update(state="lapsed")
    assert told(league, MORNING + timedelta(hours=23)) == [EVENING]
    Notice.objects.all().delete()
    Report.objects.update(state="disputed")
    assert EVENING in told(league, MORNING + timedelta(days=1))
