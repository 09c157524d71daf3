"""Which evening a game is of: one answer for boards, desks, notices and lists, also on days without a midnight."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from league.apps.notices.selectors.evenings import find_games_of_evening, find_played_evenings
from league.core.calendar import (
    compute_evening_at,
    compute_evening_of_game,
    compute_previous_evening_end,
    is_day_only,
    start_of_day,
)
from league.core.games.selectors.games import ShownGame, build_evening_condition, compute_evening_day
from league.core.rules.selectors.rules import load_rules
from league.models import Game
from league.templatetags.rungs import hour
from league.web.organiser.games import GameRow, group_by_evening
from league.web.organiser.selectors import find_evening_before
from league.web.organiser.selectors import load_evening_at as at_the_desk
from league.web.public.selectors.front import load_last_evening
from tests.helpers.builders import make_league, record, sheet

PARIS, PAULO, BEIRUT, APIA = "Europe/Paris", "America/Sao_Paulo", "Asia/Beirut", "Pacific/Apia"

#: Zone, instant, the day of its evening, and whether it stands for a day without an hour.
EDGES = [
    (PARIS, "2024-06-15T19:00+02:00", date(2024, 6, 15), False),
    (PARIS, "2024-06-16T00:00+02:00", date(2024, 6, 16), True),
    (PARIS, "2024-06-16T00:00:20+02:00", date(2024, 6, 15), False),
    (PARIS, "2024-06-16T05:59+02:00", date(2024, 6, 15), False),
    (PARIS, "2024-06-16T06:00+02:00", date(2024, 6, 16), False),
    # Clocks go forward at two, and six on the wall is five hours after midnight.
    (PARIS, "2024-03-31T00:00+01:00", date(2024, 3, 31), True),
    (PARIS, "2024-03-31T05:59+02:00", date(2024, 3, 30), False),
    (PARIS, "2024-03-31T06:00+02:00", date(2024, 3, 31), False),
    (PARIS, "2024-03-31T06:59+02:00", date(2024, 3, 31), False),
    # Clocks go back at three, and six on the wall is seven hours after midnight.
    (PARIS, "2024-10-27T05:00+01:00", date(2024, 10, 26), False),
    (PARIS, "2024-10-27T05:59+01:00", date(2024, 10, 26), False),
    (PARIS, "2024-10-27T06:00+01:00", date(2024, 10, 27), False),
    # Clocks went forward over midnight: these days begin at one.
    (PAULO, "2018-11-03T23:59:59-03:00", date(2018, 11, 3), False),
    (PAULO, "2018-11-04T01:00-02:00", date(2018, 11, 4), True),
    (PAULO, "2018-11-04T01:00:20-02:00", date(2018, 11, 3), False),
    (PAULO, "2018-11-04T05:59-02:00", date(2018, 11, 3), False),
    (PAULO, "2018-11-04T06:00-02:00", date(2018, 11, 4), False),
    (BEIRUT, "2024-03-31T01:00+03:00", date(2024, 3, 31), True),
    (BEIRUT, "2024-03-31T05:59+03:00", date(2024, 3, 30), False),
    (BEIRUT, "2024-03-31T06:00+03:00", date(2024, 3, 31), False),
    # On any other day one o'clock is an hour.
    (BEIRUT, "2024-03-30T01:00+02:00", date(2024, 3, 29), False),
    # Clocks went back over midnight: from one to midnight, and the day has two of them. The first one stands for it.
    ("America/Havana", "2024-11-03T00:00-04:00", date(2024, 11, 3), True),
    ("America/Havana", "2024-11-03T00:00-05:00", date(2024, 11, 2), False),
    ("America/Havana", "2024-11-03T06:00-05:00", date(2024, 11, 3), False),
    # Samoa left the 30th out: its small hours are of the 29th's evening.
    (APIA, "2011-12-29T23:00-10:00", date(2011, 12, 29), False),
    (APIA, "2011-12-31T00:00+14:00", date(2011, 12, 31), True),
    (APIA, "2011-12-31T03:00+14:00", date(2011, 12, 29), False),
    (APIA, "2011-12-31T06:00+14:00", date(2011, 12, 31), False),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "text", "day", "day_only"), EDGES)
def test_a_game_is_of_an_evening_by_the_clock_on_the_wall(zone: str, text: str, day: date, day_only: bool) -> None:
    moment = datetime.fromisoformat(text)
    assert moment.astimezone(ZoneInfo(zone)).isoformat() == moment.isoformat(), "the clocks were not as the test says"
    assert (compute_evening_of_game(moment, zone), is_day_only(moment, zone)) == (day, day_only)
    # By the clock alone the first instant is of the evening before, which is not over.
    assert compute_evening_at(moment, zone) == (
        day if not day_only else compute_evening_at(moment - timedelta(seconds=1), zone)
    )


def test_evenings_follow_each_other_without_gap_or_overlap_and_the_calendars_ends_are_answered() -> None:
    assert is_day_only(datetime(9999, 12, 31, tzinfo=UTC), "UTC")
    assert not is_day_only(datetime(1, 1, 1, 1, tzinfo=UTC), "UTC")
    for zone in (PARIS, PAULO, BEIRUT, APIA):
        for year, month in ((2011, 12), (2018, 11), (2024, 3), (2024, 10)):
            day = date(year, month, 25) if month != 11 else date(year, month, 1)
            for _ in range(9):
                assert compute_previous_evening_end(day, zone) <= compute_previous_evening_end(
                    day + timedelta(days=1), zone
                )
                if compute_previous_evening_end(day, zone) < compute_previous_evening_end(
                    day + timedelta(days=1), zone
                ):
                    assert compute_evening_at(compute_previous_evening_end(day, zone), zone) == day
                    assert (
                        compute_evening_at(compute_previous_evening_end(day, zone) - timedelta(microseconds=1), zone)
                        < day
                    )
                day += timedelta(days=1)


@pytest.mark.django_db
@pytest.mark.parametrize("zone", [PARIS, PAULO, BEIRUT, "America/Havana", APIA])
def test_boards_desks_notices_and_lists_say_the_same(zone: str) -> None:
    league = make_league(time_zone=zone)
    edges = [(datetime.fromisoformat(text), day) for name, text, day, _only in EDGES if name == zone]
    for played_at, _day in edges:
        record(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
    games = list(Game.objects.order_by("number"))
    wanted = {game.number: day for game, (_at, day) in zip(games, edges, strict=True)}
    assert {game.number: compute_evening_day(league, game.played_at) for game in games} == wanted
    days = sorted({day + timedelta(days=near) for day in wanted.values() for near in (-1, 0, 1)})
    for day in days:
        same = {number for number, one in wanted.items() if one == day}
        assert (
            set(Game.objects.filter(build_evening_condition(league, day, "played_at")).values_list("number", flat=True))
            == same
        )
        assert {game.number for game in find_games_of_evening(league, day)} == same
    assert find_played_evenings(league, days) == sorted(set(wanted.values()))
    for game in games:
        found = at_the_desk(league, game.played_at)
        before = find_evening_before(league, found)
        assert found.day == wanted[game.number]
        assert {view.game.number for view in found.games} == {n for n, day in wanted.items() if day == found.day}
        earlier = [day for day in wanted.values() if day < found.day]
        assert (before.day if before else None) == (max(earlier) if earlier else None)
    lines: list[Any] = [GameRow(ShownGame(game, "rated", [], None, None), False, False) for game in games]
    for day, some in group_by_evening(league, lines):
        assert {wanted[line.view.game.number] for line in some} == {day}
    last = load_last_evening(league, load_rules(league))
    assert last is not None
    newest = max(games, key=lambda game: game.played_at)
    assert last.day == wanted[newest.number]


@pytest.mark.django_db
def test_a_day_without_an_hour_is_shown_without_one() -> None:
    league = make_league(time_zone=PAULO)
    first = start_of_day(date(2018, 11, 4), PAULO)
    assert first == datetime(2018, 11, 4, 3, tzinfo=UTC)
    assert hour(first, league) == ""
    assert hour(first + timedelta(seconds=20), league) == "01:00"
    assert hour(datetime(2018, 11, 6, 2, 0, 20, tzinfo=UTC), league) == "00:00"
    league.time_zone = "Mars/Olympus"  # a zone that is gone reads as UTC
    assert compute_evening_day(league, datetime(2024, 6, 16, 5, 59, tzinfo=UTC)) == date(2024, 6, 15)
    assert hour(datetime(2024, 6, 16, tzinfo=UTC), league) == ""
