"""The bars of games per evening on a league's overview."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client

from league.core.games.services.record import void_game
from league.web.organiser import selectors
from league.web.organiser.selectors import count_games_by_evening
from league.web.public.charts.evening_bars import build_evening_bars
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import DESK, ok_text

pytestmark = pytest.mark.django_db


def test_the_bars_count_the_games_of_each_evening(olga: Client) -> None:
    """A void game is not counted; the small hours are of the evening before, here at 01:30 in Paris."""
    league = make_league(time_zone="Europe/Paris")
    first = datetime(2024, 3, 5, 19, tzinfo=UTC)
    week, small_hours = timedelta(days=7), timedelta(hours=5, minutes=30)
    assert count_games_by_evening(league) == []
    for played_at in (first, first, first + week, first + week + small_hours):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
    void_game(league.pk, 1, reason="x", username="olga")
    assert count_games_by_evening(league) == [(date(2024, 3, 5), 1), (date(2024, 3, 12), 2)]
    assert "Games per day" not in ok_text(olga.get(DESK))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=first + 2 * week))
    text = ok_text(olga.get(DESK))
    assert "Games per day All games" in text
    assert "Tuesday 5 March 2024: 1" in text
    assert "Tuesday 12 March 2024: 2" in text


def test_an_evening_that_may_have_more_games_has_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "MAX_COUNTED_GAMES", 3)
    league = make_league()
    for day in (1, 1, 2, 3):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, day, 19, tzinfo=UTC)))
    assert count_games_by_evening(league) == [(date(2024, 3, 2), 1), (date(2024, 3, 3), 1)]


def test_the_highest_bar_fills_the_chart_and_bars_share_its_width() -> None:
    days = [date(2024, 3, 1), date(2024, 3, 8), date(2024, 3, 15), date(2024, 3, 22)]
    bars = build_evening_bars(list(zip(days, (2, 4, 1, 3), strict=True)))
    assert [(bar.y, bar.height) for bar in bars] == [(49.0, 35.0), (14.0, 70.0), (66.5, 17.5), (31.5, 52.5)]
    assert [(bar.x, bar.middle, bar.width) for bar in bars[:2]] == [(4.75, 12.5, 15.5), (29.75, 37.5, 15.5)]
    assert [bar.labelled for bar in bars] == [True, False, True, True]
    assert build_evening_bars([(days[0], 2), (days[1], 4)]) == []
