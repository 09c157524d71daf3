"""The board on two days beside each other."""

from datetime import timedelta

import pytest
from django.test import Client

from league.core.leaderboard.selectors.dates import compare_dates
from league.core.leagues.services.leagues import create_league
from league.models import Inactive, League, Player
from league.web.public.views import compare_days
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.ladder_builders import clock
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
NAMES = ("anna", "ben", "cleo", "dan", "eve", "finn", "gus")


def build() -> None:
    """Make a league in which one comes, one goes by not playing, one climbs, and one is marked as inactive."""
    league = make_league(players=NAMES, min_games=1, inactive_after_days=20)
    for winner, loser in (("anna", "ben"), ("cleo", "dan"), ("gus", "dan")):
        record(league, sheet((winner, loser), (1, 0), played_at=EVENING))
    record(league, sheet(("anna", "dan"), (1, 0), played_at=EVENING + timedelta(minutes=1)))
    later = EVENING + timedelta(days=15)
    for minute in range(4):
        record(league, sheet(("ben", "anna"), (1, 0), played_at=later + timedelta(minutes=minute)))
    record(league, sheet(("eve", "dan"), (1, 0), played_at=later + timedelta(minutes=9)))
    Inactive.objects.create(league=league, player=Player.objects.get(handle="gus"))


built = built_once(build)


@pytest.fixture
def league(built: None, db: None) -> League:
    """Return the league."""
    return League.objects.get()


def test_two_days_differ_in_who_came_went_and_moved(league: League) -> None:
    found = compare_dates(league, EVENING + timedelta(days=1), EVENING + timedelta(days=21), max_rows=9)
    # First day: Anna won twice, Cleo once, Ben lost once, Dan three times. In the end Cleo has not played for 21 days.
    kinds = (found.entered, found.left, found.climbed, found.fallen)
    moves = [move for kind in kinds for move in kind.moves]
    ranks = {move.handle: (move.rank_before, move.rank_after) for move in moves}
    assert ranks == {"eve": (None, 2), "cleo": (2, None), "ben": (3, 1), "anna": (1, 3)}
    assert [kind.count for kind in kinds] == [len(kind.moves) for kind in kinds] == [1, 1, 1, 1]
    assert found.same == 1, "Dan is the last of four both times"
    assert not compare_dates(league, EVENING + timedelta(days=1), EVENING + timedelta(days=2), max_rows=9).any


def test_who_moved_farthest_stands_first() -> None:
    starts = {"anna": 1540.0, "ben": 1530.0, "cleo": 1520.0, "dan": 1510.0, "eve": 1500.0}
    league = make_league(slug="other", players=tuple(starts), starts=starts)
    for pair in (("anna", "ben"), ("cleo", "dan"), ("dan", "eve")):
        record(league, sheet(pair, (1, 1), played_at=EVENING))
    for winner, loser in (("ben", "anna"), ("eve", "cleo"), ("eve", "dan"), ("eve", "cleo")):
        record(league, sheet((winner, loser), (1, 0), played_at=EVENING + timedelta(days=9)))
    days = EVENING + timedelta(days=1), EVENING + timedelta(days=10)
    # Eve climbs from 5 to 2, Ben from 2 to 1; the other way round they fall as far.
    assert [move.handle for move in compare_dates(league, *days, max_rows=9).climbed.moves] == ["eve", "ben"]
    assert [move.handle for move in compare_dates(league, *days[::-1], max_rows=9).fallen.moves] == ["eve", "ben"]


def test_the_page_compares_two_days(league: League) -> None:
    answer = Client().get("/leagues/club/compared/?from=2024-03-06&to=2024-03-26")
    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 200
    for title in ("New on the board", "Left the board", "Moved up", "Moved down"):
        assert f">{title}</h2>" in page
    assert "1 has the same rank." in page
    assert '</svg>2<span class="sr"> up</span>' in page
    assert '</svg>2<span class="sr"> down</span>' in page
    assert "Gus" not in page
    same = Client().get("/leagues/club/compared/?from=2024-03-06&to=2024-03-07").content.decode()
    assert "No changes between these two days. 4 have the same rank." in " ".join(same.split())
    assert 'href="/leagues/club/compared/?from=2024-03-06"' in Client().get(
        "/leagues/club/?at=2024-03-06").content.decode()  # fmt: skip


def test_odd_days_are_answered_by_a_page(league: League) -> None:
    create_league("bare", "Bare")
    for query, words in (
        ("", 'value="2024-03-20"'),
        ("?from=2024-03-06", "to now"),
        ("?from=nonsense", "Enter the first day as a date"),
        ("?from=2024-02-31&to=2024-03-01", "Enter the first day as a date"),
        ("?from=2024-03-01&to=%00", "Enter the second day as a date"),
        ("?from=2024-03-09&to=2024-03-01", "The first day must be before the second."),
        ("?from=9998-01-01", "The first day must be before the second."),
        ("?from=0001-01-01&to=9999-12-31", "as a date, e.g. 2026-07-16."),
        ("?to=0002-01-01", "Enter the first day as a date"),
    ):
        answer = Client().get(f"/leagues/club/compared/{query}")
        assert answer.status_code == 200
        assert words in answer.content.decode(), query
        assert Client().get(f"/leagues/bare/compared/{query}").status_code == 200


def test_the_days_are_by_default_the_last_day_of_play_and_today(league: League) -> None:
    with clock(EVENING + timedelta(days=20)):
        page = " ".join(Client().get("/leagues/club/compared/").content.decode().split())
    assert "Changes from Wednesday 20 March to Monday 25 March." in page
    assert page.count('type="date" value="2024-03-20"') == page.count('type="date" value="2024-03-25"') == 1
    assert ">New on the board</h2>" in page
    with clock(EVENING + timedelta(days=15, hours=1)):
        assert "Changes from Wednesday 20 March to now." in " ".join(
            Client().get("/leagues/club/compared/").content.decode().split()
        )


def test_more_rows_than_are_shown_at_once_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_days, "SHOWN", 1)
    starts = {"anna": 1540.0, "ben": 1530.0, "cleo": 1520.0}
    league = make_league(slug="other", players=tuple(starts), starts=starts)
    for pair in (("anna", "ben"), ("cleo", "anna")):
        record(league, sheet(pair, (1, 1), played_at=EVENING))
    for winner in ("ben", "ben", "cleo", "cleo"):
        record(league, sheet((winner, "anna"), (1, 0), played_at=EVENING + timedelta(days=9)))
    page = " ".join(Client().get("/leagues/other/compared/?from=2024-03-06&to=2024-03-16").content.decode().split())
    # Ben and Cleo pass Anna: one of them stands open, the other behind the summary.
    climbed = page.split(">Moved up</h2>")[1].split(">Moved down</h2>")[0]
    opened, folded = climbed.split("<summary>1 more</summary>")
    assert (opened.count('<th scope="row">'), folded.count('<th scope="row">')) == (1, 1)


@pytest.mark.parametrize("day", ["0002-01-02", "0050-01-01"])
def test_early_days_of_a_league_whose_people_leave_by_not_playing(league: League, day: str) -> None:
    League.objects.update(inactive_after_days=36_500)
    for path in (
        f"/leagues/club/?at={day}",
        f"/leagues/club/compared/?from={day}",
        f"/api/v1/leagues/club/leaderboard/?at={day}",
    ):
        assert Client().get(path).status_code == 200, path


def test_days_of_a_league_whose_zone_is_gone(league: League) -> None:
    League.objects.update(time_zone="Mars/Olympus")
    page = Client().get("/leagues/club/compared/?from=2024-03-06").content.decode()
    assert "as a date, e.g. 2026-07-16." not in page
    assert "The board at the start of 6 March 2024" in Client().get("/leagues/club/?at=2024-03-06").content.decode()
