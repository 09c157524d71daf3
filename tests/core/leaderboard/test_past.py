"""The leaderboard and every ladder as they stood at a past date: what a league with only those games says."""

from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from league.core.errors import Refused
from league.core.games.services.record import void_game
from league.core.ladders.selectors.ladders import compute_rows_at, find_periods, load_live_rows
from league.core.leaderboard.selectors import past
from league.core.leaderboard.selectors.current_board import BoardRow, build_listing
from league.core.leaderboard.selectors.dates import compare_dates
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leaderboard.selectors.past import (
    PastBoard,
    compute_leaderboard_at,
    load_past_board,
    paginate_past_board,
)
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.players.services.players import change_player, set_initial_rating
from league.models import Inactive, League, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.ladder_builders import duel, make_ladder, period, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

EIGHT = ("anna", "ben", "cleo", "dan", "eva", "finn", "gina", "hans")
FIRST = utc("2024-01-25T20:00")


def start_season(slug: str, system: str = "barbu") -> League:
    """Return a league with a change of rules and two ladders, and no games."""
    parameters = {"zero_sum": "league"} if system == "barbu" else {"k": 32}
    league = make_league(system, EIGHT, slug=slug, parameters=parameters, starts={"anna": 150.0, "ben": 50.0})
    adopt_rule(
        league.pk, system, {"half_life": 20} if system == "barbu" else {}, utc("2024-03-01").date(), username="olga"
    )
    make_ladder(league, "month", "erf_mean" if system == "barbu" else "fide_performance")
    make_ladder(league, "strength", "rating_score", "quarter", rounding="none")
    return league


def play_week(league: League, week: int, size: int = 4) -> None:
    """Record the game of a week."""
    seats = [EIGHT[(week * 3 + seat * (1 + week % 2)) % 8] for seat in range(size)]
    scores = [(60, -20, 0, -40)[seat] for seat in range(size)]
    record(league, sheet(seats, scores, played_at=FIRST + timedelta(weeks=week)))


def season(slug: str, system: str = "barbu") -> League:
    """Return a league of ten weekly evenings with a change of rules."""
    league = start_season(slug, system)
    for week in range(10):
        play_week(league, week, 4 if system == "barbu" else 2)
    return league


def rankings(league: League) -> dict[tuple[str, str], list[Any]]:
    """Return the live ranking of every period of every ladder."""
    return {
        (ladder.slug, one.key): load_live_rows(one) for ladder in league.ladders.all() for one in find_periods(ladder)
    }


def board(league: League) -> list[BoardRow]:
    """Return the live leaderboard."""
    return load_board_page(league, build_listing(league, utc("2024-06-01")), 100).rows


@long_way
@pytest.mark.parametrize("system", ["barbu", "elo"])
def test_board_and_ladders_of_a_past_moment_are_what_they_were_before_its_games(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    league, boards, ladders = start_season("now", system), [], []
    for week in range(10):
        boards.append(board(league))
        ladders.append(rankings(league))
        play_week(league, week, 4 if system == "barbu" else 2)
    assert [len(boards[week]) >= 2 for week in (0, 1, 9)] == [False, True, True]
    for week, then in enumerate(boards):
        moment = FIRST + timedelta(weeks=week)
        just_after = moment + timedelta(microseconds=1)
        assert compute_leaderboard_at(league, build_listing(league, moment), moment)[:] == then
        assert compute_leaderboard_at(league, build_listing(league, just_after), just_after)[:] != then
        for (ladder, key), expected in ladders[week].items():
            assert compute_rows_at(league, period(league, key, ladder), moment) == expected
        assert week == 0 or sum(map(len, ladders[week].values())) >= 2
        # The same from the lines before the moment and from those since.
        for found in ([(1,)], []):
            monkeypatch.setattr(past, "execute_query", lambda *_, found=found: found)
            assert compute_leaderboard_at(league, build_listing(league, moment), moment)[:] == then
        monkeypatch.undo()


def test_a_period_before_it_began_is_empty_and_after_its_end_is_itself() -> None:
    league = season("now")
    february = period(league, "2024-02")
    assert compute_rows_at(league, february, utc("2024-02-01")) == []
    assert compute_rows_at(league, february, utc("2023-01-01")) == []
    assert compute_rows_at(league, february, utc("2025-01-01")) == load_live_rows(february) != []


def test_who_is_listed_follows_the_rules_as_of_then() -> None:
    league = make_league(parameters={"k": 32}, min_games=2, inactive_after_days=10)
    for winner, loser, day in (
        ("anna", "ben", "2024-03-01"),
        ("anna", "cleo", "2024-03-08"),
        ("dan", "ben", "2024-03-09"),
    ):
        record(league, duel(winner, loser, day))

    def listed(day: str, **more: Any) -> list[str]:
        rows = compute_leaderboard_at(league, build_listing(league, utc(day), **more), utc(day))
        return [row.handle for row in rows]

    assert listed("2024-03-08T00:00:01") == ["anna"]
    assert listed("2024-03-10") == ["anna", "ben"]
    assert listed("2024-03-18T12:00") == ["ben"]
    assert listed("2024-03-10", min_games=1) == ["anna", "dan", "cleo", "ben"]
    assert listed("2024-03-18T12:00", min_games=1, active_since=utc("2024-03-01")) == ["anna", "dan", "cleo", "ben"]


def test_a_score_of_its_own_and_level_ones_stand_in_the_past_as_on_the_live_board() -> None:
    league = make_league("durak", EIGHT, min_games=1)
    for pair in (("hans", "anna"), ("ben", "gina"), ("finn", "cleo"), ("dan", "eva")):
        record(league, sheet(pair, places=(1, 2)))
    now = EVENING + timedelta(days=1)
    live = load_board_page(league, build_listing(league, now), 100).rows
    then = compute_leaderboard_at(league, build_listing(league, now), now)
    assert [row.handle for row in live] == ["ben", "dan", "finn", "hans", "anna", "cleo", "eva", "gina"]
    assert [row.rank for row in live] == [1, 1, 1, 1, 5, 5, 5, 5]
    assert live[0].score != live[0].rating
    assert then[:] == live
    for place, row in enumerate(live, 1):
        assert then.up_to(row.key) == place
        assert then.position_of(row.player) == place - 1


def test_pages_of_the_past_hang_together() -> None:
    league = season("now")
    moment = utc("2024-03-20")
    past = compute_leaderboard_at(league, build_listing(league, moment), moment)
    rows = past[:]
    assert len(past) == len(rows) == 8
    assert past[-1] == past[7] == rows[7]
    found, after = [], None
    while True:
        page = paginate_past_board(past, 3, after, None)
        found += page.rows
        after = page.next
        if after is None:
            break
    assert found == rows
    middle = Player.objects.get(handle=rows[4].handle)
    assert paginate_past_board(past, 3, None, middle).rows == rows[3:6]
    assert paginate_past_board(past, 3, None, Player.objects.get(handle=rows[0].handle)).rows == rows[:3]
    early = utc("2024-01-01")
    nobody = compute_leaderboard_at(league, build_listing(league, early), early)
    assert paginate_past_board(nobody, 3, None, None).rows == []
    with pytest.raises(Refused, match="was not on this leaderboard then"):
        paginate_past_board(nobody, 3, None, middle)


def test_the_api_answers_the_board_and_a_ladder_at_a_date_in_the_zone_of_the_league() -> None:
    league = make_league(parameters={"k": 32}, time_zone="Asia/Tokyo")
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-02-29T14:59"))
    record(league, duel("cleo", "dan", "2024-02-29T15:00"))
    record(league, duel("ben", "anna", "2024-03-02"))
    api = Api()
    names = {
        at: [row["player"] for row in api.get(f"leagues/club/leaderboard/?at={at}").data["results"]]
        for at in ("2024-02-29", "2024-03-01", "2024-03-01T00:00:01%2B09:00", "2024-04-01")
    }
    assert names == {
        "2024-02-29": [],
        "2024-03-01": ["anna", "ben"],
        "2024-03-01T00:00:01%2B09:00": ["anna", "cleo", "ben", "dan"],
        "2024-04-01": ["cleo", "ben", "anna", "dan"],
    }
    first = api.get("leagues/club/leaderboard/?at=2024-03-02&limit=3")
    second = api.get(first.data["next"])
    assert [row["player"] for row in first.data["results"] + second.data["results"]] == ["anna", "cleo", "ben", "dan"]
    assert second.data["next"] is None
    around = api.get("leagues/club/leaderboard/?at=2024-03-01&around=cleo")
    assert (around.status_code, around.data["detail"]) == (422, "Cleo was not on this leaderboard then.")
    march = "leagues/club/ladders/month/periods/2024-03/"
    told = [
        [(row["rank"], row["player"], row["score"]) for row in api.get(f"{march}?at={at}").data["standings"]]
        for at in ("2024-03-01", "2024-03-02")
    ]
    assert told == [[], [(1, "cleo", 1.0), (2, "dan", 0.0)]]


#: What may change a board of the past.
CHANGES: dict[str, Callable[[League], Any]] = {
    "a late game": lambda league: record(league, duel("eva", "anna", "2024-03-02T09:00")),
    "a game after it": lambda league: record(league, duel("eva", "anna", "2024-06-02T09:00")),
    "a void game": lambda league: void_game(league.pk, 1, reason="A friendly.", username="test"),
    "a name": lambda league: change_player(Player.objects.get(handle="anna"), name="Annabel"),
    "a setting": lambda league: change_league(league.pk, {"min_games": 3}),
    "a start": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="anna"), 1700.0, username="test"),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_kept_of_the_past_is_what_the_books_say(change: str, django_assert_num_queries: Any) -> None:
    league, moment = season("now", system="elo"), utc("2024-03-20")
    other = make_league(slug="other")
    record(other, duel("anna", "ben", "2024-03-01"))

    def told(one: League) -> PastBoard:
        one.refresh_from_db()
        return load_past_board(one, build_listing(one, moment), moment)

    first, rows = told(league), told(league)[:]
    assert rows == compute_leaderboard_at(league, build_listing(league, moment), moment)[:]
    assert [row.handle for row in told(other)] == ["anna", "ben"]
    with django_assert_num_queries(2):  # the league and its state
        again = told(league)
    assert again[:] == first[:]
    CHANGES[change](league)
    league.refresh_from_db()
    assert told(league)[:] == compute_leaderboard_at(league, build_listing(league, moment), moment)[:]
    assert (told(league)[:] == rows) is (change == "a game after it")


def test_a_comparison_leaves_the_kept_boards_as_they_are() -> None:
    league, moments = season("now", system="elo"), (utc("2024-03-10"), utc("2024-03-20"))
    boards = [load_past_board(league, build_listing(league, at), at) for at in moments]
    before = [deepcopy(one[:]) for one in boards]
    Inactive.objects.create(league=league, player_id=boards[1][0].player)
    found = compare_dates(league, *moments, max_rows=8)
    assert found == compare_dates(league, *moments, max_rows=8, until_now=True)
    assert [one[:] for one in boards] == before


def test_while_a_replay_is_on_its_way_no_past_is_kept() -> None:
    league, moment = season("now", system="elo"), utc("2024-03-20")
    League.objects.filter(pk=league.pk).update(stale_from=moment)
    with patch.object(past, "cached", side_effect=AssertionError):
        assert len(load_past_board(league, build_listing(league, moment), moment))
