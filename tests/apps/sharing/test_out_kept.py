"""What other places ask for of a public league again and again: answered by its tag, and never older than the books."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from league.core.games.services.record import void_game
from league.core.ladders.services.ladders import change_ladder
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.players.services.merges import merge_players
from league.core.players.services.players import change_player
from league.models import League, Membership, Player
from league.web.public import cached_answers as kept
from tests.helpers.builders import EVENING, league_of, make_league, record, sheet
from tests.helpers.desk_client import sign_in_member
from tests.helpers.ladder_builders import clock, close, duel, make_ladder
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
BOARD, LADDER, PLAYER = (
    "/embed/leagues/club/",
    "/embed/leagues/club/ladders/month/",
    "/embed/leagues/club/players/anna/",
)
OWN = BADGE, FEED, CALENDAR, WALL = tuple(
    f"/leagues/club/{name}" for name in ("players/anna/badge.svg", "games.atom", "ladders.ics", "wall/")
)
PATHS = (BOARD, LADDER, PLAYER, *OWN)


@pytest.fixture(autouse=True)
def _one_minute() -> Any:
    """Let no minute end in the midst of a test."""
    with clock(timezone.now().replace(second=5, microsecond=0)):
        yield


def build() -> None:
    """Make a league with March closed and games in April."""
    league = make_league(players=("anna", "ben", "cleo", "dora"))
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    close(league, "2024-03")
    record(league, duel("anna", "cleo", "2024-04-05"))
    record(league, duel("ben", "cleo", "2024-04-06"))


built = built_once(build)


@pytest.fixture
def club() -> League:
    """Return the league."""
    return league_of()


def words(answer: Any) -> str:
    """Return an answer as text."""
    text: str = answer.content.decode()
    return text


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("path", PATHS)
def test_who_has_it_already_pays_for_two_short_questions_and_every_language_has_its_own(
    path: str, django_assert_num_queries: Any
) -> None:
    first = Client().get(path)
    assert (first.status_code, first["Cache-Control"]) == (200, "no-cache")
    with django_assert_num_queries(2):
        again = Client().get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    with django_assert_num_queries(2):
        other = Client().get(path)
    assert (other.content, other["ETag"], other["Content-Type"]) == (
        first.content,
        first["ETag"],
        first["Content-Type"],
    )
    if path not in OWN:  # a frame may still stand on other sites
        for answer in (again, other):
            assert "X-Frame-Options" not in answer
            assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert Client().get(f"{path}?x=1")["ETag"] == first["ETag"], "nobody makes new entries with unknown parameters"
    assert Client().get(path, headers={"host": "localhost"})["ETag"] != first["ETag"]
    german = Client().get(path, headers={"accept-language": "de", "if-none-match": first["ETag"]})
    assert (german.status_code, german["Content-Language"]) == (200, "de")
    assert german["ETag"] != first["ETag"]
    assert Client().get(path, headers={"accept-language": "en"}).content == first.content


def level(league: League) -> Any:
    """Record a game between those who were not at the table yet."""
    return record(league, sheet(("dora", "ben"), (1, 0), played_at=duel("a", "b", "2024-04-07").played_at))


#: What is changed -> where it shows, and what stands there then.
CHANGES: dict[str, tuple[Callable[[League], Any], dict[str, str]]] = {
    "a game": (level, {BOARD: "Dora", LADDER: "Dora", FEED: "Dora", WALL: "Dora"}),
    "a name": (
        lambda league: change_player(Player.objects.get(handle="anna"), name="Annabel"),
        dict.fromkeys(PATHS, "Annabel"),
    ),
    "a title": (
        lambda league: change_league(league.pk, {"title": "Society"}),
        dict.fromkeys(PATHS, "Society"),
    ),
    "a ladder's title": (
        lambda league: change_ladder(league.pk, "month", {"title": "Cup of the Month"}),
        dict.fromkeys((LADDER, CALENDAR), "Cup of the Month"),
    ),
    "a description": (lambda league: change_league(league.pk, {"description": "All of us."}), {FEED: "All of us."}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_shows_at_once(club: League, change: str) -> None:
    work, shows = CHANGES[change]
    before = {path: Client().get(path) for path in shows}
    work(club)
    for path, text in shows.items():
        after = Client().get(path, headers={"If-None-Match": before[path]["ETag"]})
        assert after.status_code == 200, path
        # A closed month keeps the names of then.
        if (change, path) != ("a name", CALENDAR):
            assert text in words(after), path
        assert text not in words(before[path]), path


def test_void_games_leaving_merging_and_closing_show_at_once(club: League) -> None:
    def names(path: str) -> list[str]:
        page = words(Client().get(path))
        return [name for name in ("Anna", "Ben", "Cleo", "Dora") if f">{name}<" in page]

    assert (names(BOARD), names(LADDER)) == (["Anna", "Ben", "Cleo"], ["Anna", "Ben", "Cleo"])
    void_game(club.pk, 3, reason="A friendly.", username="test")
    assert (names(BOARD), names(LADDER)) == (["Anna", "Ben", "Cleo"], ["Anna", "Cleo"])
    change_player(Player.objects.get(handle="ben"), active=False)
    assert names(BOARD) == ["Anna", "Cleo"]
    merge_players(Player.objects.get(handle="cleo"), Player.objects.get(handle="dora"), username="test")
    assert (names(BOARD), names(LADDER)) == (["Anna", "Dora"], ["Anna", "Dora"])
    calendar = Client().get(CALENDAR)
    close(club, "2024-04")
    assert Client().get(CALENDAR, headers={"If-None-Match": calendar["ETag"]}).status_code == 200
    assert names(LADDER) == ["Anna", "Dora"]
    adopt_rule(club.pk, "elo", {"k": 10}, timezone.now().date() + timedelta(days=9), username="test")
    assert names(BOARD) == ["Anna", "Dora"]


def test_a_minute_later_it_is_asked_anew(club: League) -> None:
    change_league(club.pk, {"inactive_after_days": 30})
    start = EVENING + timedelta(days=60)
    with clock(start):
        first = Client().get(BOARD)
    with clock(start + timedelta(seconds=60)):
        assert Client().get(BOARD, headers={"If-None-Match": first["ETag"]}).status_code == 200
    with clock(start + timedelta(days=3)):
        again = Client().get(BOARD, headers={"If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 200)
    assert ("Cleo" in words(first), "Cleo" in words(again)) == (True, False)


@pytest.mark.parametrize("path", PATHS)
def test_what_became_private_is_shown_to_no_stranger_who_had_it(club: League, path: str) -> None:
    first = Client().get(path)
    change_league(club.pk, {"visibility": "private"})
    assert Client().get(path, headers={"If-None-Match": first["ETag"]}).status_code == 404
    signed_in = sign_in_member("rita", Membership.Role.RECORDER, club)
    answer = signed_in.get(path)
    if path in OWN:
        assert answer.status_code == 200
        assert "private" in answer["Cache-Control"]
        assert Client().get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 404
    else:
        assert answer.status_code == 404


def test_what_is_not_there_is_not_kept() -> None:
    for path in ("/embed/leagues/club/players/nobody/", "/leagues/club/players/nobody/badge.svg"):
        with patch.object(kept, "store") as stored:
            assert Client().get(path).status_code == 404
        assert not stored.called
