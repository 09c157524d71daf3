"""What a league's page tells of what was corrected lately."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.games.selectors.corrections import load_latest_corrections
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.leagues.services.leagues import change_league
from league.core.players.services.merges import merge_players
from league.models import League, Player
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.tiers import mark_slow

pytestmark = pytest.mark.django_db


def played(games: int = 3, system: str = "elo", **more: Any) -> League:
    """Make a league in which anna beats ben time and again, by a rule with K = 32."""
    league = make_league(system, parameters={"k": 32}, **more)
    for minutes in range(games):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    return league


def told(client: Client, path: str = "/leagues/club/") -> str:
    """Return what the page tells of corrections, tags left out; "" where it tells nothing."""
    page = client.get(path).content.decode()
    found = re.search(r'aria-labelledby="corrections">(.*?)</section>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split()) if found else ""


def test_a_corrected_game_is_told_with_its_reason_and_by_how_much_it_moved(client: Client) -> None:
    league = played(1)
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="olga")
    said = told(client)
    assert "Game 1 was corrected misread" in said
    assert "now game 2" in said
    # Two of 1500: anna had won 16, and lost 16 since.
    assert "Anna −32" in said
    assert "Ben +32" in said
    assert 'href="/api/v1/leagues/club/changes/?after=0"' in client.get("/leagues/club/").content.decode()


def test_a_voided_and_a_restored_game_are_told_the_latest_first(client: Client) -> None:
    league = played(1)
    void_game(league.pk, 1, reason="A friendly.", username="olga")
    said = told(client)
    assert "Game 1 was voided A friendly." in said
    assert "Anna −16" in said
    restore_game(league.pk, 1, reason="it was none", username="olga")
    said = told(client)
    assert re.search(r"Game 1 was restored .*now game 2 .*Anna \+16.*Game 1 was voided A friendly\.", said)


def test_taking_a_correction_back_is_told_as_a_restoration_and_moves_back(client: Client) -> None:
    league = played(1)
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="olga")
    restore_game(league.pk, 1, reason="read rightly", username="olga")
    latest, first = load_latest_corrections(league, 5)
    assert (latest.kind, latest.old.number, latest.new and latest.new.number, latest.reason) == (
        "restored", 1, 3, "read rightly",
    )  # fmt: skip
    assert (first.kind, first.old.number, first.new and first.new.number) == ("corrected", 1, 2)
    said = told(client)
    assert re.search(r"Anna \+32.*Game 1 was corrected misread.*Anna −32", said)


@pytest.mark.parametrize("system", mark_slow(["barbu", "durak", "serpentine", "elo"], "Other systems.", but=["barbu"]))
def test_in_every_system_the_same_sheet_moved_nobody(client: Client, system: str) -> None:
    league = make_league(system, parameters={"zero_sum": "league"} if system == "barbu" else {})
    players = ("anna", "ben", "cleo", "dan")[: 2 if system == "elo" else 4]
    scores = {"serpentine": (40, 30, 20, 10), "elo": (1, 0)}.get(system, (30, 10, -10, -30))
    given: dict[str, Any] = {"places": (1, 2, 3, 4)} if system == "durak" else {"scores": scores}
    for minutes in range(4):
        record(league, sheet(players, **given, minutes=minutes))
    correct_game(league.pk, 3, sheet(players, **given, minutes=2, note="upstairs"), reason="where", username="olga")
    assert "It changed no ratings." in told(client)
    void_game(league.pk, 2, reason="oops", username="olga")
    assert re.search(r"Game 2 was voided oops .*?(Anna|Ben|Cleo|Dan) [+−][\d.]+", told(client))


def test_a_game_that_is_not_rated_moved_nobody(client: Client) -> None:
    league = played(1)
    record(league, NewGame([NewResult("anna", 1)], played_at=EVENING, kind="full_bye"))
    void_game(league.pk, 2, reason="she played", username="olga")
    assert "Game 2 was voided she played" in told(client)
    assert "It changed no ratings." in told(client)


def test_somebody_else_at_the_table_moves_both(client: Client) -> None:
    league = played(1)
    correct_game(league.pk, 1, sheet(("anna", "cleo"), (1, 0)), reason="it was Cleo", username="olga")
    said = told(client)
    assert "Ben +16" in said
    assert "Cleo −16" in said
    assert "Anna" not in said


def test_merged_players_are_called_what_they_are_called_now(client: Client) -> None:
    league = played(2)
    void_game(league.pk, 2, reason="twice", username="olga")
    merge_players(Player.objects.get(handle="ben"), Player.objects.get(handle="cleo"), username="olga")
    Player.objects.filter(handle="cleo").update(name="Cleopatra")
    said = told(client)
    assert "Cleopatra +" in said
    assert "Ben" not in said


def test_many_games_voided_by_one_act_are_one_line(client: Client) -> None:
    league = played(4)
    for number in (2, 3, 4):
        void_game(league.pk, number, reason=f"reason {number}", username="olga")
    league.games.filter(number__gt=2).update(voided_at=league.games.get(number=2).voided_at)
    (act,) = load_latest_corrections(league, 5)
    assert (act.old.number, act.more) == (2, 2)
    assert "and 2 more" in told(client)


def test_many_players_are_told_by_the_largest(client: Client) -> None:
    league = make_league("durak", tuple("abcdef"))
    record(league, sheet(tuple("abcdef"), places=(1, 2, 3, 4, 5, 6)))
    void_game(league.pk, 1, reason="oops", username="olga")
    said = told(client)
    assert "2 more changed less." in said


def test_what_is_told_follows_the_books(client: Client) -> None:
    league = played(1)
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="olga")
    assert "Anna −32" in told(client)
    record(league, sheet(("cleo", "anna"), (1, 0), played_at=EVENING - timedelta(days=1)))
    said = told(client)
    assert "Anna −32" in said, "an Elo game moves as far as its stake, whatever was before"
    Player.objects.filter(handle="anna").update(name="Annabel")
    assert "Annabel −32" in told(client)


def test_it_stands_on_the_whole_board_alone(client: Client) -> None:
    league = played(1)
    void_game(league.pk, 1, reason="oops", username="olga")
    assert told(client, "/leagues/club/?q=anna") == ""
    assert told(client, "/leagues/club/?at=2024-05-01") == ""


def test_a_private_league_tells_strangers_nothing(client: Client) -> None:
    league = played(1)
    void_game(league.pk, 1, reason="oops", username="olga")
    change_league(league.pk, {"visibility": "private"}, username="olga")
    assert client.get("/leagues/club/").status_code == 404
    client.force_login(User.objects.create_superuser("root"))
    assert "Game 1 was voided oops" in told(client)


def test_corrections_cost_so_many_queries(client: Client, django_assert_num_queries: Any) -> None:
    league = played(12)
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="olga")
    void_game(league.pk, 2, reason="oops", username="olga")
    restore_game(league.pk, 2, reason="no", username="olga")
    # Two of them ask for the state of the league, by which the page is cached; one whether it has competitions.
    with django_assert_num_queries(30):
        client.get("/leagues/club/")
    # What they moved is kept; so are the board's columns.
    with django_assert_num_queries(15):
        client.get("/leagues/club/?page=1")
