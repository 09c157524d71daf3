"""Rules beside other work that is due, and what another time zone does to them; the calendar's tasks."""

import logging
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db.models import F

from league import tasks
from league.core.dispatch import sweep
from league.core.dispatch.sweep import enqueue_calendar, replay_league, run_due_replay
from league.core.errors import Conflict, Refused
from league.core.games.services.record import correct_game
from league.core.jobs import queue
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.verify.run import verify_league
from league.models import League, Period, Rule
from tests.helpers.builders import derived, make_league, record, sheet

pytestmark = pytest.mark.django_db


def test_a_rule_adopted_while_a_replay_is_due_does_not_forget_it(settings: Any) -> None:
    league = make_league(players=("anna", "ben"), parameters={"k": 20})
    for minutes in range(5):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 4, 9, tzinfo=UTC)))
    settings.RUNGS_INLINE_GAMES = 0
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1), minutes=0), reason="misread", username="test")
    adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 4, 1), username="test")
    run_due_replay(league.pk)
    league.refresh_from_db()
    assert league.stale_from is None
    stood = derived(league)
    replay_league(league.pk)
    assert derived(league) == stood
    assert len(stood[0]) == 12


def test_two_rules_of_one_instant_are_refused_with_a_sentence() -> None:
    """Samoa left out 30 December 2011: that day begins when the next one does."""
    league = make_league(time_zone="Pacific/Apia")
    adopt_rule(league.pk, "elo", {}, date(2011, 12, 30), username="test")
    with pytest.raises(Conflict, match="2011-12-31 begins at the same moment as the rule from 2011-12-30"):
        adopt_rule(league.pk, "elo", {}, date(2011, 12, 31), username="test")
    other = make_league(slug="other", time_zone="UTC")
    for day in (30, 31):
        adopt_rule(other.pk, "elo", {"k": day}, date(2011, 12, day), username="test")
    with pytest.raises(Refused, match="two rules of the league would begin at the same moment"):
        change_league(other.pk, {"time_zone": "Pacific/Apia"})
    other.refresh_from_db()
    assert other.time_zone == "UTC"


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_another_zone_moves_the_first_instants_of_the_rules(zone: str) -> None:
    """Kiritimati's days begin fourteen hours before UTC's, Pago Pago's eleven hours after."""
    league = make_league(players=("anna", "ben"), parameters={"k": 20})
    adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 4, 1), username="test")
    adopt_rule(league.pk, "elo", {"k": 60}, date(2024, 4, 2), username="test")
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 31, 12, tzinfo=UTC)))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 4, 1, 5, tzinfo=UTC)))
    before = [line[8] for line in derived(league)[0] if line[0] == "anna"]
    assert before[0] == 10.0
    change_league(league.pk, {"time_zone": zone})
    starts = [rule.starts_at for rule in league.rules.order_by("from_date")][1:]
    hours = {"Pacific/Kiritimati": (31, 10), "Pacific/Pago_Pago": (1, 11)}[zone]
    assert (starts[0].day, starts[0].hour) == hours
    after = [line[8] for line in derived(league)[0] if line[0] == "anna"]
    assert after[0] == (20.0 if zone == "Pacific/Kiritimati" else 10.0)


def test_a_zone_in_which_a_game_lies_before_the_first_rule_is_refused() -> None:
    league = make_league(players=("anna", "ben"))
    league.rules.all().delete()
    assert change_league(league.pk, {"time_zone": "Asia/Tokyo"}).time_zone == "Asia/Tokyo"
    change_league(league.pk, {"time_zone": "UTC"})
    adopt_rule(league.pk, "elo", {}, date(2024, 4, 1), username="test")
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 4, 1, 5, tzinfo=UTC)))
    with pytest.raises(Refused, match="before the first rule, which applies from 2024-04-01"):
        change_league(league.pk, {"time_zone": "Pacific/Pago_Pago"})


def test_the_sweep_rings_the_calendar_where_a_period_is_due(caplog: pytest.LogCaptureFixture) -> None:
    league, quiet = make_league(close_after_hours=0), make_league(slug="quiet")
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month"), username="test")
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert enqueue_calendar(datetime(2024, 3, 20, tzinfo=UTC)) == []
    with patch.object(queue, "send") as sent, patch.object(sweep, "enqueue_due", return_value=[]):
        assert tasks.sweep() == [league.pk]
    assert sent.call_count == 0, "the message waits for the commit"
    assert tasks.calendar(league.pk) == 1
    assert tasks.sweep() == []
    assert list(Period.objects.filter(closed=True).values_list("key", flat=True)) == ["2024-03"]
    create_ladder(quiet.pk, "week", "Week", RankingRule("points", "week"), username="test")
    Period.objects.filter(ladder__league=quiet).delete()
    League.objects.filter(pk=quiet.pk).update(time_zone="Mars/Olympus")
    with caplog.at_level(logging.ERROR):
        assert enqueue_calendar() == []
    assert "The periods of the league quiet stand still" in caplog.text


def test_the_first_rule_may_begin_by_another_tables_local_mean_time() -> None:
    # Amsterdam in 1800: +0:19:32 where tzdata was made with "backzone" (Debian), +0:17:30 elsewhere.
    league = make_league(time_zone="Europe/Amsterdam")
    record(league, sheet(("anna", "ben"), (1, 0)))
    Rule.objects.update(starts_at=F("starts_at") - timedelta(seconds=122))
    assert verify_league(league.pk).differences == []
    Rule.objects.update(starts_at=F("starts_at") - timedelta(hours=2))
    (found,) = verify_league(league.pk).differences
    assert found.startswith("The rule from 1800-01-01 has starts_at “1799-12-31T21:")
