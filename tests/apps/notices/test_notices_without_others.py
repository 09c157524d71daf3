"""Notices on a site without webhooks or without reports."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.utils import timezone

from league.apps.notices.selectors.due import find_leagues_with_news, has_news
from league.apps.reports.models import Report
from league.apps.reports.services.answering import dispute_report
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.capabilities import Games, Messages
from league.models import Membership
from tests.helpers.desk_client import sign_in_member
from tests.helpers.ladder_builders import utc
from tests.helpers.notice_builders import MORNING, club, evening, told
from tests.helpers.report_builders import link_of, reported, reporting_club
from tests.helpers.webhook_builders import enqueued

pytestmark = pytest.mark.django_db
PAGE = "/admin/leagues/club/notices/"


def test_without_webhooks_nothing_is_enqueued_and_no_chat_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club()
    make_webhook(league.pk, "https://club.example/hooks/chat", form="discord")
    oscar = sign_in_member("oscar", Membership.Role.OWNER, league)
    evening(league)
    assert "Add a chat" in oscar.get(PAGE).content.decode()
    monkeypatch.setattr(apps.get_app_config("webhooks"), "messages", Messages())
    assert enqueued(lambda: told(league)) == []
    page = oscar.get(PAGE).content.decode()
    assert "Add a chat" not in page and "Discord" not in page
    assert "Games of the day · no emails ·" in " ".join(page.split())


def test_without_reports_there_are_no_report_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    league = reporting_club()
    league.games.update(played_at=utc("2024-03-01"), recorded_at=utc("2024-03-01"))
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    dispute_report(ben, reported(anna).pk, reason="I won.")
    now = timezone.now()
    assert find_leagues_with_news(now) == [league]
    assert has_news(league, now)
    monkeypatch.setattr(apps.get_app_config("reports"), "games", Games())
    assert find_leagues_with_news(now) == []
    assert not has_news(league, now)


def test_without_reports_an_evening_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    league = reporting_club()
    evening(league)
    reported(link_of(league, "anna"))
    Report.objects.update(played_at=utc("2024-03-05T20:00"))
    league.games.update(recorded_at=utc("2024-03-05T21:00"))
    moment = MORNING + timedelta(hours=1)
    assert told(league, moment) == []
    monkeypatch.setattr(apps.get_app_config("reports"), "games", Games())
    assert told(league, moment) == [("notice.evening", "2024-03-05")]
