"""What players and pages are told: records, histories, searches."""

from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote

import pytest

from league.core.leaderboard.selectors.current_board import Listing, load_current_board
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.selectors.head_to_head import serialize_head_to_head
from league.core.players.selectors.resolve import find_player
from league.core.players.services.players import add_player
from league.core.rules.selectors.rules import load_rules
from league.web.public.selectors.pages import search_board
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league, ratings, record, sheet
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
THREE = ("anna", "ben", "cleo")


def outcomes(league: Any, handle: str) -> dict[str, tuple[int, int, int]]:
    """Return opponent -> games ahead, level and behind."""
    rows = serialize_head_to_head(league, find_player(handle))
    return {row["player"]: (row["ahead"], row["level"], row["behind"]) for row in rows}


def test_the_record_against_opponents_follows_the_rule_that_says_which_score_is_good() -> None:
    league = make_league("preferans", THREE, parameters={"winner": "lowest"})
    record(league, sheet(THREE, (-100, 50, 50), details={"bula": 30}))
    assert ratings(league)["anna"] > 1000
    assert outcomes(league, "anna") == {"ben": (1, 0, 0), "cleo": (1, 0, 0)}
    assert outcomes(league, "ben") == {"anna": (0, 0, 1), "cleo": (0, 1, 0)}
    adopt_rule(league.pk, "preferans", {"winner": "highest"}, date(2024, 4, 1), username="test")
    record(league, sheet(THREE, (-100, 50, 70), details={"bula": 30}, played_at=datetime(2024, 4, 1, tzinfo=UTC)))
    assert outcomes(league, "anna") == {"ben": (1, 0, 1), "cleo": (1, 0, 1)}
    adopt_rule(league.pk, "preferans", {"winner": "lowest"}, date(2024, 5, 1), username="test")
    record(league, sheet(THREE, (-100, 50, 70), (3, 2, 1), details={"bula": 30}, minutes=90 * 24 * 60))
    # Scores count where every seat has one (R105), whatever places stand beside them: −100 is the lowest.
    assert outcomes(league, "anna") == {"ben": (2, 0, 1), "cleo": (2, 0, 1)}


def test_the_pools_move_since_the_last_game_stands_in_every_part_of_the_history_that_it_falls_into() -> None:
    league = make_league("barbu", (*FOUR, "eva"), parameters={"zero_sum": "league"})
    record(league, sheet(FOUR, (10, 0, 0, -10)))
    record(league, sheet(("eva", *FOUR[1:]), (50, 0, 0, -10), minutes=60))

    def causes(query: str) -> list[tuple[str, int]]:
        lines = Api().get(f"leagues/club/players/anna/history/?{query}").data["results"]
        return [(line["cause"], line["games"]) for line in lines]

    both = [("game", 1), ("pool", 1)]
    assert causes("") == both
    # The games stand at 19:30 and 20:30.
    assert causes("to=2024-03-07") == both
    assert causes("from=2024-03-05&to=2024-03-05T20:30:01Z") == both
    assert causes("to=2024-03-05T20:30:00Z") == both[:1]
    assert causes("from=2024-03-05T20:00:00Z") == both[1:]
    assert causes("from=2024-03-05T20:30:01Z") == []


NAMES = ("Ćosić", "ĆIĆA", "Straße", "Дмитрий", "Anna-Maria", "100% Ann_a", "ﬁnn")
SEARCHES = {
    "ćosić": {"Ćosić"},
    "ĆI": {"ĆIĆA"},
    "ić": {"Ćosić", "ĆIĆA"},
    "STRASSE": {"Straße"},
    "дмитрИЙ": {"Дмитрий"},
    "ANNA": {"Anna-Maria"},
    "n_": {"100% Ann_a"},
    "0%": {"100% Ann_a"},
    "FINN": {"ﬁnn"},
    " ": set(NAMES),
    "cosic": set(),
}


@long_way
def test_a_name_is_found_in_any_letter_case_on_both_databases() -> None:
    league = make_league(players=())
    for number, name in enumerate(NAMES):
        add_player(f"p{number}", name)
    record(league, sheet([f"p{number}" for number in range(len(NAMES))], range(len(NAMES))))
    in_order = load_current_board(league).in_order(Listing(1, None))
    for text, wanted in SEARCHES.items():
        found = Api().get(f"players/?search={quote(text)}").data["results"]
        assert {player["name"] for player in found} == wanted, text
        board = search_board(league, Listing(1, None), text, 100, load_rules(league), in_order)
        assert {row.name for row in board} == wanted, text
