"""Ranks on boards: equal to what the whole board says after every change."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from league.core.games.services.record import void_game
from league.core.leaderboard.selectors import current_board
from league.core.leaderboard.selectors.choice import load_rows_at_places
from league.core.leaderboard.selectors.current_board import (
    Listing,
    build_listing,
    find_listed_ratings,
    load_current_board,
)
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.players.selectors.cards import load_card
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, change_player
from league.core.rules.selectors.rules import load_rules
from league.models import Inactive, League, Player
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.tiers import mark_slow

pytestmark = pytest.mark.django_db
PLAYERS = tuple(f"p{number:02}" for number in range(8))


def some_league(system: str = "elo") -> League:
    """Make a league in which some are level."""
    league = make_league(system, PLAYERS)
    for number in range(0, 8, 2):
        record(league, sheet(PLAYERS[number : number + 2], (1, 0), minutes=number))
    record(league, sheet(("p00", "p03"), (1, 0), minutes=30))
    return league


def check(league: League, listing: Listing | None = None) -> None:
    """Compare every rank around every player with the rank on the whole board."""
    league.refresh_from_db()
    asked = listing or build_listing(league, timezone.now())
    rows = find_listed_ratings(league, asked).values_list("score", "rating", "player__handle")
    board = sorted(rows, key=lambda row: (-row[0], -row[1], row[2]))
    whole = {handle: 1 + sum(other > score for other, *_ in board) for score, _, handle in board}
    for place, (handle, rank) in enumerate(whole.items()):
        player = Player.objects.get(handle=handle)
        page = load_board_page(league, asked, 3, around=player).rows
        assert {row.handle: row.rank for row in page} == {row.handle: whole[row.handle] for row in page}
        assert [row.handle for row in page] == [*whole][max(place - 1, 0) :][:3]
        if listing is None:
            assert load_card(league, player, timezone.now()).rank == rank


CHANGES: dict[str, Callable[[League], Any]] = {
    "a game": lambda league: record(league, sheet(("p01", "p02"), (1, 0), minutes=90)),
    "a newcomer": lambda league: (add_player("aa"), record(league, sheet(("aa", "p05"), (1, 0), minutes=90))),
    "a newcomer who is not active": lambda league: (
        add_player("zz", active=False),
        record(league, sheet(("zz", "p05"), (1, 0), minutes=90)),
    ),
    "a void": lambda league: void_game(league.pk, 1, reason="friendly", username="test"),
    "a rule": lambda league: (
        adopt_rule(league.pk, "elo", {"k": 10}, EVENING.date() + timedelta(days=1), username="test"),
        record(league, sheet(("p01", "p02"), (1, 0), minutes=3000)),
        record(league, sheet(("p01", "p02"), (1, 0), minutes=3001)),
    ),
    "leaving": lambda league: change_player(Player.objects.get(handle="p00"), active=False),
    "min_games": lambda league: change_league(league.pk, {"min_games": 2}),
}


@pytest.mark.parametrize("change", mark_slow(CHANGES, "Another change.", but=["a void", "a rule", "leaving"]))
def test_ranks_follow_every_change(change: str) -> None:
    league = some_league()
    load_current_board(league)  # and so its columns are kept
    CHANGES[change](league)
    check(league)


def test_ranks_follow_a_pool_that_moves_everybody() -> None:
    league = make_league("barbu", PLAYERS)
    for number in range(4):
        record(league, sheet(PLAYERS[number : number + 4], (30, 10, -10, -30), minutes=number))
        check(league)


def test_any_listing_is_exact() -> None:
    league = some_league()
    for games, since in (
        (1, None),
        (2, None),
        (1, EVENING + timedelta(minutes=4)),
        (2, EVENING + timedelta(minutes=29)),
    ):
        check(league, Listing(games, since))


def test_pages_with_numbers_hang_together_and_cost_a_query_each(django_assert_num_queries: Any) -> None:
    league = some_league()
    listing, rules = Listing(1, None), load_rules(league)
    board = [(row.rank, row.handle) for row in load_board_page(league, listing, 8).rows]
    # Level on top but for p00, who won twice; p03 lost twice.
    assert [rank for rank, _ in board] == [1, 2, 2, 2, 5, 5, 5, 8]
    in_order = load_current_board(league).in_order(listing)
    for start in range(8):
        with django_assert_num_queries(1):
            rows = load_rows_at_places(league, listing, range(8)[start : start + 4], in_order, rules)
        assert [(row.rank, row.handle) for row in rows] == board[start : start + 4]


def clubs() -> tuple[League, League]:
    """Make two leagues of different people."""
    league = some_league()
    other = make_league(players=("xaver", "yvonne", "zoe"), slug="other")
    record(other, sheet(("xaver", "yvonne"), (1, 0)))
    record(other, sheet(("zoe", "yvonne"), (1, 0), minutes=1))
    return league, other


EDITS: dict[str, Callable[[League], Any]] = {
    "leaving": lambda league: change_player(Player.objects.get(handle="yvonne"), active=False),
    "leaving one league": lambda league: Inactive.objects.create(
        league=league, player=Player.objects.get(handle="yvonne")
    ),
    "another name": lambda league: change_player(Player.objects.get(handle="yvonne"), name="Yvonne of the Hill"),
    "a merge": lambda league: merge_players(*Player.objects.filter(handle__in=("xaver", "zoe")), username="test"),
}


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_shows_at_once_and_changes_no_other_league(edit: str) -> None:
    league, other = clubs()
    for one in (league, other):
        load_current_board(one)  # and so their columns are kept
    EDITS[edit](other)
    check(other)
    check(league)


def test_columns_are_read_once_for_a_state(django_assert_num_queries: Any) -> None:
    league = some_league()
    first = current_board.load_current_board(league)
    with django_assert_num_queries(1):  # the state
        again = current_board.load_current_board(league)
    listing = Listing(1, None)
    assert again.in_order(listing).tolist() == first.in_order(listing).tolist()
    CHANGES["leaving"](league)
    assert len(current_board.load_current_board(league).in_order(listing)) == 7
