"""The list of games: evening by evening, the winner first, found by people, scores, days and numbers."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client

from league.core.games.services.record import correct_game, void_game
from league.core.players.services.players import add_player
from league.models import League, Player
from tests.helpers.builders import EVENING, league_of, make_league, record, rename, sheet
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
WHERE = "/leagues/club/games/"
DAYS = ("Friday 8 March 2024", "Wednesday 6 March 2024", "Tuesday 5 March 2024")


def listed(**asked: str) -> str:
    """Return the list of games."""
    answer = Client().get(f"{WHERE}?{urlencode(asked)}")
    assert answer.status_code == 200, answer.content[:2000]
    return str(answer.content.decode())


def numbers(**asked: str) -> list[int]:
    """Return the numbers of the games of a list."""
    return [int(one) for one in re.findall(r'<a class="quiet" href="/leagues/club/games/(\d+)/">', listed(**asked))]


def build() -> None:
    """Make a league with games of three evenings; the third one of the first was after midnight."""
    league = make_league()
    for minutes, players, scores in (
        (0, ("anna", "ben"), (3, 1)),
        (30, ("cleo", "dan"), (0, 2)),
        (6 * 60, ("anna", "cleo"), (5, 5)),  # 01:30 of the next day
        (24 * 60, ("ben", "dan"), (7, 3)),
        (3 * 24 * 60, ("anna", "dan", "ben"), (1, 2, 3)),
    ):
        record(league, sheet(players, scores, minutes=minutes))


built = built_once(build)


@pytest.fixture
def club() -> League:
    """Return the league."""
    return league_of()


def test_games_stand_by_evening_and_those_of_two_in_the_order_of_the_sheet() -> None:
    page = listed()
    assert tuple(re.findall(r"<h2 [^>]*>(.*?)</h2>", page)) == DAYS
    assert numbers() == [5, 4, 3, 2, 1]
    # The game after midnight is on the day of its evening, with its time alone.
    assert re.findall(r"\b\d\d:\d\d\b", page) == ["19:30", "19:30", "01:30", "20:00", "19:30"]
    assert re.findall(r'<span class="sr">([^<]*?),\s*</span>', page) == [
        "Ben wins with 3", "Ben – Dan 7–3", "Anna – Cleo 5–5", "Cleo – Dan 0–2",
        "Anna – Ben 3–1",
    ]  # fmt: skip
    table = page.partition("<ol>")[2].partition("</ol>")[0]
    pair = page.partition('<div class="pair">')[2].partition("</div>")[0]
    line = re.compile(r'<li\s*(class="winner")?\s*>.*?players/(\w+)/".*?<b\s*>(\d)</b', re.S)
    assert line.findall(table) == [('class="winner"', "ben", "3"), ("", "dan", "2"), ("", "anna", "1")]
    assert re.findall(r'<li class="winner">|players/\w+/|<b>.*?</b>', pair) == [
        '<li class="winner">', "players/ben/", "<b>7–3</b>", "players/dan/",
    ]  # fmt: skip
    # A list of games of two has no headings of evenings; this one has a game of three.
    assert re.findall(r'class="(day[^"]*)"', page) == ["day", "day", "day"]
    assert re.findall(r'class="(day[^"]*)"', listed(to="2024-03-06")) == ["day short", "day short"]


def test_a_search_says_how_many_games_it_found() -> None:
    assert 'role="status"' not in listed()
    # Anna played in games 1, 3 and 5.
    assert re.search(r'<p class="meta" role="status">\s*3\s+games\s*</p>', listed(q="anna"))
    assert re.search(r'<p class="meta" role="status">\s*1\s+game\s*</p>', listed(q="anna 5"))


def test_a_friendly_of_two_looks_like_a_rated_game(club: League) -> None:
    record(club, sheet(("anna", "ben"), (4, 1), minutes=9 * 24 * 60, kind="friendly"))
    page = listed().partition('<ul class="gamerows">')[2].partition("</ul>\n")[0]
    assert "<b>4–1</b>" in page and '<p class="kind">' not in page
    assert re.search(r'class="tag"\s*>Friendly<', page)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"q": "anna"}, [5, 3, 1]),
        ({"q": "anna, ben"}, [5, 1]),
        ({"q": "anna ben"}, [5, 1]),
        ({"q": "anna 5"}, [3]),
        ({"q": "ben 7, dan"}, [4]),
        ({"q": "dan 7"}, []),
        ({"q": "4"}, [4]),
        ({"q": "#2"}, [2]),
        ({"q": "-3"}, []),
        ({"q": "2024-03-05"}, [3, 2, 1]),
        ({"q": "6 March 2024"}, [4]),
        ({"q": "0001-01-01"}, []),
        ({"q": "zoe"}, []),
        ({"q": "a\0nna"}, [5, 3, 1]),
        ({"q": "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace")}, []),
        ({"player": "dan"}, [5, 4, 2]),
        ({"player": "dan", "q": "ben"}, [5, 4]),
        ({"player": "zoe"}, []),
        ({"from": "2024-03-06"}, [5, 4]),
        ({"to": "2024-03-05"}, [3, 2, 1]),
        ({"from": "2024-03-06", "to": "2024-03-06"}, [4]),
        ({"from": "2024-03-09"}, []),
        ({"from": "2024-03-06", "to": "2024-03-05"}, []),
        ({"from": "0001-01-01", "to": "9999-12-31"}, [5, 4, 3, 2, 1]),
        ({"from": "9999-12-31"}, []),
        ({"to": "0001-01-01"}, []),
        ({"from": "0001-01-01"}, [5, 4, 3, 2, 1]),
        ({"to": "9999-12-31"}, [5, 4, 3, 2, 1]),
        ({"from": "2024-13-40"}, [5, 4, 3, 2, 1]),
        ({"before": "3"}, [2, 1]),
        ({"before": "99999999999"}, [5, 4, 3, 2, 1]),
        ({"before": "x", "page": "-7"}, [5, 4, 3, 2, 1]),
    ],
)
def test_games_are_found(asked: dict[str, str], found: list[int]) -> None:
    assert numbers(**asked) == found


def test_nonsense_is_answered_with_a_sentence() -> None:
    assert "“2024-13-40” is not a date; enter it like 2026-07-16." in listed(**{"from": "2024-13-40"})
    assert "“next week” is not a date" in listed(to="next week")
    assert "The first day is after the last day" in listed(**{"from": "2024-03-06", "to": "2024-03-05"})
    assert "No player is called “zoe”." in listed(player="zoe")
    assert "No games found." in listed(q="zoe")


def test_what_became_of_a_game_is_marked(club: League) -> None:
    void_game(club.pk, 4, reason="A friendly.", username="olga")
    correct_game(club.pk, 1, sheet(("anna", "ben"), (1, 3)), reason="misread", username="olga")
    page = listed()
    assert '<span class="tag">void</span>' in page
    assert '<span class="tag">corrected by 6</span>' in page
    assert '<span class="tag">corrects 1</span>' in page
    assert len(re.findall(r'<li class="[^"]*\bvoid"', page)) == 2
    League.objects.update(stale_from=EVENING + timedelta(days=3), stale_key=0)
    assert listed().count('<span class="tag">pending</span>') == 1


def test_pages_follow_each_other_and_keep_what_is_looked_for(club: League) -> None:
    for minute in range(18):
        record(club, sheet(("anna", "ben"), (1, 0), minutes=10_000 + minute))
    page = listed(q="anna")
    assert len(numbers(q="anna")) == 20
    (older,) = re.findall(r'rel="next" href="([^"]*)"', page)
    assert older == "?q=anna&amp;before=3"
    assert numbers(q="anna", before="3") == [1]
    last = listed(q="anna", before="3")
    assert 'rel="next"' not in last
    assert 'href="?q=anna"><span aria-hidden="true">←</span> Newest games' in last


def test_the_same_games_are_there_as_files() -> None:
    page = listed(player="dan", to="2024-03-05")
    files = [address.replace("&amp;", "&") for address in re.findall(r'href="(/api/v1/[^"]*)" rel="nofollow"', page)]
    csv, json = (Client().get(address) for address in files)
    assert [one["id"] for one in json.json()["results"]] == [2]
    assert csv["Content-Type"].startswith("text/csv")
    assert 'rel="nofollow">CSV' not in listed(q="anna")


def test_people_of_private_leagues_are_not_found_by_strangers() -> None:
    hidden = make_league(slug="hidden", visibility="private", players=("mole",))
    record(hidden, sheet(("mole", "anna"), (1, 0)))
    assert "No player is called “mole”." in listed(player="mole")
    assert numbers(q="mole") == []
    Player.objects.filter(handle="anna").update(name="<i>Anna</i>")
    assert "<i>Anna" not in listed()


def test_the_leagues_own_people_are_found_however_many_bear_such_a_name_elsewhere() -> None:
    elsewhere = [f"a-zoe-{number:02}" for number in range(25)]
    away = make_league(slug="away", players=elsewhere)
    record(away, sheet(elsewhere, places=list(range(1, 26))))
    rename("Zoet", "dan")
    assert numbers(q="zoe") == [5, 4, 2]


def test_who_sat_in_void_games_only_is_found(club: League) -> None:
    add_player("zora", "Zora")
    record(club, sheet(("anna", "zora"), (1, 0), minutes=99))
    void_game(club.pk, 6, reason="A friendly.", username="olga")
    assert numbers(q="zora") == [6]


def test_a_word_that_means_too_many_people_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.core.games.search.MAX_PEOPLE", 1)
    page = listed(q="n")
    assert "“n” matches more than" in page
    assert "means more than" not in listed(q="cleo")
