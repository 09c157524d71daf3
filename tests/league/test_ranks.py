"""Ranks on long boards: counted in memory, equal to what the whole board says after every change."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from league.models import Inactive, League, Player
from league.selectors.leaderboard import ranks
from league.selectors.leaderboard.listing import Listing, listed, listing_of
from league.selectors.leaderboard.pages import board_page, rows_at
from league.selectors.players.cards import card_of
from league.selectors.rules import rules_of
from league.services.leagues.leagues import adopt_rule, change_league
from league.services.players.merges import merge_players
from league.services.players.players import add_player, change_player
from league.services.recording.games import void_game
from tests.helpers.builders import EVENING, make_league, record, sheet

pytestmark = pytest.mark.django_db
PLAYERS = tuple(f"p{number:02}" for number in range(12))


@pytest.fixture(autouse=True)
def _long_boards() -> Any:
    """Let every board be a long one."""
    with patch.object(ranks, "COUNTED", 0):
        yield


def some_league(system: str = "elo") -> League:
    """Make a league in which some are level."""
    league = make_league(system, PLAYERS)
    for number in range(0, 12, 2):
        record(league, sheet(PLAYERS[number : number + 2], (1, 0), minutes=number))
    record(league, sheet(("p00", "p03"), (1, 0), minutes=30))
    return league


def check(league: League, listing: Listing | None = None) -> None:
    """Compare every rank around every player with the rank on the whole board."""
    league.refresh_from_db()
    asked = listing or listing_of(league, timezone.now())
    board = listed(league, asked).values_list("player__handle", "score")
    whole = {handle: 1 + sum(other > score for _, other in board) for handle, score in board}
    for handle, rank in whole.items():
        player = Player.objects.get(handle=handle)
        page = board_page(league, asked, 3, around=player).rows
        assert {row.handle: row.rank for row in page} == {row.handle: whole[row.handle] for row in page}
        assert handle in [row.handle for row in page]
        if listing is None:
            assert card_of(league, player, timezone.now()).rank == rank


CHANGES: dict[str, Callable[[League], Any]] = {
    "a game": lambda league: record(league, sheet(("p01", "p02"), (1, 0), minutes=90)),
    "a newcomer": lambda league: (add_player("aa"), record(league, sheet(("aa", "p05"), (1, 0), minutes=90))),
    "a newcomer who is not active": lambda league: (
        add_player("zz", active=False),
        record(league, sheet(("zz", "p05"), (1, 0), minutes=90)),
    ),
    "a void": lambda league: void_game(league.pk, 1, reason="friendly", by="test"),
    "a rule": lambda league: (
        adopt_rule(league.pk, "elo", {"k": 10}, EVENING.date() + timedelta(days=1), by="test"),
        record(league, sheet(("p01", "p02"), (1, 0), minutes=3000)),
        record(league, sheet(("p01", "p02"), (1, 0), minutes=3001)),
    ),
    "leaving": lambda league: change_player(Player.objects.get(handle="p00"), active=False),
    "min_games": lambda league: change_league(league.pk, {"min_games": 2}),
    "nothing": lambda league: None,
}


@pytest.mark.parametrize("change", CHANGES)
def test_ranks_follow_every_change(change: str) -> None:
    league = some_league()
    check(league)
    CHANGES[change](league)
    check(league)


def test_ranks_follow_a_pool_that_moves_everybody() -> None:
    league = make_league("barbu", PLAYERS)
    for number in range(4):
        record(league, sheet(PLAYERS[number : number + 4], (30, 10, -10, -30), minutes=number))
        check(league)


def test_any_listing_is_exact() -> None:
    league = some_league()
    for listing in (
        Listing(1, None),
        Listing(2, None),
        Listing(1, EVENING + timedelta(minutes=6)),
        Listing(2, EVENING + timedelta(minutes=29)),
    ):
        check(league, listing)


def test_pages_with_numbers_hang_together_and_cost_a_query_each(django_assert_num_queries: Any) -> None:
    league = some_league()
    listing, rules = Listing(1, None), rules_of(league)
    board = [(row.rank, row.handle) for row in board_page(league, listing, 12).rows]
    # Level on top but for p00, who won twice; p03 lost twice.
    assert [rank for rank, _ in board] == [1, 2, 2, 2, 2, 2, 7, 7, 7, 7, 7, 12]
    for start in range(12):
        with django_assert_num_queries(1):
            rows = rows_at(league, listing, range(start, start + 4), rules)
        assert [(row.rank, row.handle) for row in rows] == board[start : start + 4]
    assert rows_at(league, listing, range(12, 16), rules) == []


def test_a_game_is_caught_up_without_reading_the_league(django_assert_num_queries: Any) -> None:
    league = some_league()
    listing = Listing(1, None)
    ranks.count_better(league, listing, 0.0)
    with django_assert_num_queries(1):
        assert ranks.count_better(league, listing, 0.0) == 12
    CHANGES["a newcomer"](league)
    with patch.object(ranks, "load", side_effect=AssertionError), django_assert_num_queries(5):
        assert ranks.count_better(league, listing, 0.0) == 13
    with patch.object(ranks, "CAUGHT_UP", 0):
        CHANGES["a game"](league)
        assert ranks.count_better(league, listing, 0.0) == 13


def test_few_are_counted_by_the_database_and_old_columns_are_forgotten() -> None:
    league = some_league()
    with patch.object(ranks, "COUNTED", 100):
        assert ranks.count_better(league, Listing(1, None), 0.0) == 12
        assert not ranks.SHELF
        with patch.object(ranks.SHELF, "most", 1):
            ranks.board_of(league)
            other = make_league(slug="other")
            ranks.board_of(other)
        assert ranks.SHELF.in_order() == [other.pk]


def test_columns_are_kept_up_to_so_many_players_in_all() -> None:
    leagues = [make_league(players=PLAYERS[:2], slug=f"club-{number}") for number in range(3)]
    for league in leagues:
        record(league, sheet(PLAYERS[:2], (1, 0)))
        league.refresh_from_db()
    with patch.object(ranks.SHELF, "most", 6):
        ranks.board_of(leagues[0])
        ranks.board_of(leagues[1])
        ranks.board_of(leagues[0])
        ranks.board_of(leagues[2])
        assert ranks.SHELF.in_order() == [leagues[0].pk, leagues[2].pk]
        with patch.object(ranks.SHELF, "most", 1):
            ranks.board_of(leagues[1])
            assert ranks.SHELF.in_order() == [leagues[1].pk]


def clubs() -> tuple[League, League]:
    """Make two leagues of different people, whose columns are kept."""
    league = some_league()
    other = make_league(players=("xaver", "yvonne", "zoe"), slug="other")
    record(other, sheet(("xaver", "yvonne"), (1, 0)))
    record(other, sheet(("zoe", "yvonne"), (1, 0), minutes=1))
    ranks.board_of(league)
    ranks.board_of(other)
    return league, other


EDITS: dict[str, Callable[[League], Any]] = {
    "leaving": lambda league: change_player(Player.objects.get(handle="yvonne"), active=False),
    "leaving one league": lambda league: Inactive.objects.create(
        league=league, player=Player.objects.get(handle="yvonne")
    ),
    "another name": lambda league: change_player(Player.objects.get(handle="yvonne"), name="Yvonne of the Hill"),
    "a merge": lambda league: merge_players(*Player.objects.filter(handle__in=("xaver", "zoe")), by="test"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_elsewhere_keeps_the_columns_and_one_here_shows_at_once(edit: str) -> None:
    league, other = clubs()
    EDITS[edit](other)
    check(other)
    with patch.object(ranks, "load", side_effect=AssertionError):
        ranks.board_of(league)
    check(league)
    with patch.object(ranks, "load", side_effect=AssertionError):
        ranks.board_of(league)
        ranks.board_of(other)


def test_who_leaves_and_comes_back_does_so_in_kept_columns_too() -> None:
    league, _other = clubs()
    player = Player.objects.get(handle="p00")
    listing = Listing(1, None)
    with patch.object(ranks, "load", side_effect=AssertionError):
        assert ranks.count_better(league, listing, 0.0) == 12
        gone = Inactive.objects.create(league=league, player=player)
        assert ranks.count_better(league, listing, 0.0) == 11
        Inactive.objects.filter(pk=gone.pk).update(player=Player.objects.get(handle="p01"))
        assert player.pk in ranks.board_now(league).scores.player[ranks.board_now(league).eligible(listing)]
        assert ranks.count_better(league, listing, 0.0) == 11
        Inactive.objects.all().delete()
        assert ranks.count_better(league, listing, 0.0) == 12
    # A game and an edit between two questions.
    CHANGES["a newcomer"](league)
    Inactive.objects.create(league=league, player=player)
    with patch.object(ranks, "load", side_effect=AssertionError):
        assert ranks.count_better(league, listing, 0.0) == 12
    check(league)


def test_a_name_in_a_league_of_which_a_game_moves_everybody_leaves_its_columns() -> None:
    league = make_league("barbu", PLAYERS)
    record(league, sheet(PLAYERS[:4], (30, 10, -10, -30)))
    ranks.board_of(league)
    change_player(Player.objects.get(handle="p00"), name="Somebody")
    with patch.object(ranks, "load", side_effect=AssertionError):
        ranks.board_of(league)
    check(league)


def test_with_two_rules_only_the_game_that_changes_over_reads_the_league_anew() -> None:
    league = make_league("durak", PLAYERS)
    for minutes, first in enumerate(range(0, 12, 2)):
        record(league, sheet(PLAYERS[first : first + 2], places=(1, 2), minutes=minutes))
    listing = Listing(1, None)
    start = (EVENING + timedelta(days=3)).date()
    ranks.board_of(league)
    with patch.object(ranks, "load", wraps=ranks.load) as load:
        adopt_rule(league.pk, "durak", {"evidence_penalty": 400}, start, by="test")
        for minutes, anew in ((100, 0), (101, 0), (9000, 1), (9001, 1), (9002, 1)):
            record(league, sheet(("p01", "p02"), places=(1, 2), minutes=minutes))
            check(league, listing)
            assert load.call_count == anew, minutes
        void_game(league.pk, 9, reason="friendly", by="test")
        check(league, listing)
        assert load.call_count == 2


def test_a_slow_league_does_not_hold_up_another_one() -> None:
    league, other = clubs()
    ranks.SHELF.clear()
    told: list[str] = []

    def slowly(asked: League, state: Any) -> Any:
        if asked.pk == league.pk:
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(free, other).result(30)
                assert not pool.submit(free, league).result(30), "one reads, the others wait"
        told.append(asked.slug)
        return load(asked, state)

    load = ranks.load
    with patch.object(ranks, "load", slowly):
        ranks.board_of(league)
        ranks.board_of(other)
    assert told == [league.slug, other.slug]
    assert not ranks.LOADING, "a lock is there while somebody reads"


def free(league: League) -> bool:
    """Tell whether another thread may read a league's columns at once."""
    lock = ranks.loading_of(league).lock
    got = lock.acquire(blocking=False)
    if got:
        lock.release()
    return got
