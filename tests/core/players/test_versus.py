"""Two players against each other: the page and the endpoint tell the same of their meetings."""

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from django.test import Client

from league.core.games.services.explain import explain_game
from league.core.games.services.record import void_game
from league.core.players.selectors import versus as module
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.versus import load_versus
from league.core.players.services.players import add_player, change_player
from league.core.rules.selectors.rules import load_rules
from league.models import League, Player, RatingChange
from ratings.describe.explaining import explain
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import fetch_page
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

THREE = ("anna", "ben", "cleo")


def read(path: str = "leagues/club/players/anna/versus/ben/") -> Any:
    """Return what the endpoint tells a stranger."""
    answer = Api().get(path)
    assert answer.status_code == 200, answer.content
    return answer.data


def four_meetings(system: str = "elo", **more: Any) -> League:
    """Make a league in which anna is ahead of ben, behind, level and ahead again; once more they sit in a void game."""
    league = make_league(system, **more)
    record(league, sheet(THREE, places=(1, 2, 3)))
    record(league, sheet(("ben", "cleo", "anna"), places=(1, 2, 3), minutes=1))
    record(league, sheet(("ben", "anna"), places=(1, 1), minutes=2))
    record(league, sheet(("anna", "ben"), places=(1, 2), minutes=3))
    record(league, sheet(("anna", "ben"), places=(1, 2), minutes=4))
    void_game(league.pk, 5, reason="a test", username="test")
    record(league, sheet(("anna", "cleo"), places=(1, 2), minutes=5))
    return league


def test_meetings_are_told_the_latest_first_with_what_they_changed() -> None:
    league = four_meetings()
    told = read()
    assert told["record"] == {"games": 4, "ahead": 2, "level": 1, "behind": 1}
    assert [(one["game"], one["outcome"], one["actual"]) for one in told["meetings"]] == [
        (4, "ahead", 1.0), (3, "level", 0.5), (2, "behind", 0.0), (1, "ahead", 1.0),
    ]  # fmt: skip
    assert [(one["player"], one["name"], one["games"]) for one in told["players"]] == [
        ("anna", "Anna", 5),
        ("ben", "Ben", 4),
    ]
    first = told["meetings"][-1]["sides"]
    # Two of three pairs at K 20/2 from level ratings: anna wins both, ben one and loses one.
    assert [(one["seat"], one["place"], one["before"], one["change"], one["after"]) for one in first] == [
        (1, 1, 1500.0, 10.0, 1510.0), (2, 2, 1500.0, 0.0, 1500.0),
    ]  # fmt: skip
    turned = read("leagues/club/players/ben/versus/anna/")
    assert turned["record"] == {"games": 4, "ahead": 1, "level": 1, "behind": 2}
    assert turned["expected"]["expected"] == pytest.approx(4 - told["expected"]["expected"])
    assert league.slug == "club"


def test_what_was_expected_is_what_the_explanation_of_the_game_says() -> None:
    league = make_league()
    for minute in range(5):
        record(league, sheet(THREE[minute % 3 :] + THREE[: minute % 3], places=(1, 2, 3), minutes=minute))
    told = read()
    for one in told["meetings"]:
        explained = explain_game(league, one["game"])
        pairs = explain(explained.system, explained.sheet, explained.rated)["pairs"]
        seats = [explained.handles.index(handle) + 1 for handle in ("anna", "ben")]
        (figures,) = [pair["figures"] for pair in pairs if sorted(pair["seats"]) == sorted(seats)]
        value = next(figure["value"] for figure in figures if figure["key"] == "e")
        assert one["expected"] == pytest.approx(value if seats == sorted(seats) else 1 - value, abs=1e-15)
    total = told["expected"]
    assert (total["meetings"], told["why_not"]) == (5, "")
    assert total["expected"] == pytest.approx(sum(one["expected"] for one in told["meetings"]))
    assert total["actual"] == sum(one["actual"] for one in told["meetings"])


def test_an_expectation_of_another_thing_than_who_is_ahead_is_not_told_as_one() -> None:
    """The Durak's E foretells by how much one of two gets out earlier, at most ¾, not how often."""
    league = make_league("durak")
    record(league, sheet(THREE, places=(1, 2, 3)))
    told = read()
    assert (told["expected"], told["why_not"]) == (None, "Durak does not give win probabilities.")


def test_a_system_that_expects_nothing_of_two_says_so(client: Client) -> None:
    league = make_league("preferans", THREE)
    for minute in range(2):
        record(league, sheet(THREE, (-100, 50, 50), details={"bula": 30}, minutes=minute))
    told = read()
    assert (told["expected"], told["meetings"][0]["expected"]) == (None, None)
    assert told["why_not"] == "Preferans does not give win probabilities."
    page = fetch_page(client, "/leagues/club/players/anna/versus/ben/")
    assert "does not give win probabilities" not in page
    assert "Height: score difference, at most 150." in page
    assert "−100 – 50" in page


def test_meetings_have_pages() -> None:
    four_meetings()
    first = read("leagues/club/players/anna/versus/ben/?limit=3")
    assert [one["game"] for one in first["meetings"]] == [4, 3, 2]
    rest = read(first["next"])
    assert ([one["game"] for one in rest["meetings"]], rest["next"]) == ([1], None)
    assert rest["record"] == first["record"]
    assert Api().get("leagues/club/players/anna/versus/ben/?limit=0").status_code == 400
    assert Api().get("leagues/club/players/anna/versus/ben/?cursor=zz").status_code == 400


def test_a_game_that_is_recorded_while_the_page_is_read_lacks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    league = four_meetings()
    find_meetings = module.load_meetings

    def met(*given: Any) -> Any:
        record(league, sheet(("anna", "ben"), places=(1, 2), minutes=9))
        return find_meetings(*given)

    monkeypatch.setattr(module, "load_meetings", met)
    assert len(load_versus(league, find_player("anna"), find_player("ben"), load_rules(league)).meetings) == 5


@pytest.mark.parametrize(("sides", "queries"), [((None, None), 4), ((1, 2), 6)])
def test_the_tables_are_read_for_sides_alone(
    sides: tuple[int | None, int | None], queries: int, django_assert_num_queries: Any
) -> None:
    league = make_league()
    for minute in range(3):
        new = sheet(("anna", "ben"), (1, 0), minutes=minute)
        lines = [replace(line, side=side) for line, side in zip(new.results, sides, strict=True)]
        record(league, replace(new, results=lines))
    given = league, find_player("anna"), find_player("ben"), load_rules(league)
    with django_assert_num_queries(queries):
        found = load_versus(*given)
    # Elo, K 20: 1500 against 1500, then 1510 against 1490, then 1519.425 against 1480.575.
    expected = [1 / (1 + 10 ** (-apart / 400)) for apart in (38.85, 20, 0)]
    assert [one.expected for one in found.meetings] == pytest.approx(expected, abs=1e-6)


def test_who_never_met_has_an_empty_record(client: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "cleo"), (1, 0)))
    record(league, sheet(("ben", "cleo"), (1, 0), minutes=1))
    told = read()
    assert told["record"] == {"games": 0, "ahead": 0, "level": 0, "behind": 0}
    assert (told["expected"], told["why_not"], told["meetings"], told["next"]) == (None, "", [], None)
    assert "They have not met in this league yet." in fetch_page(client, "/leagues/club/players/anna/versus/ben/")


def test_one_player_twice_is_refused_with_a_sentence(client: Client) -> None:
    four_meetings()
    answer = Api().get("leagues/club/players/anna/versus/ANNA/")
    assert answer.status_code == 404
    assert answer.data["detail"] == "Anna cannot be compared with themselves; choose two players."
    answer = client.get("/leagues/club/players/anna/versus/anna/", follow=True)
    assert b"Choose another player" in answer.content


def test_the_page_opens_with_the_record_and_draws_both(client: Client) -> None:
    four_meetings()
    page = fetch_page(client, "/leagues/club/players/anna/versus/ben/")
    heading = re.sub(r"<[^>]*>", " ", page.partition('<h1 class="duel">')[2].partition("</h1>")[0])
    assert heading.split() == ["Anna", "2", ":", "1", "Ben"]
    assert "Anna and Ben met 4 times: Anna finished ahead twice, Ben once, tied once." in page
    # Two of four, and three with the tie: the bar's first part ends at half, its second at three quarters.
    bar = page.partition('class="duelbar"')[2].partition("</svg>")[0]
    assert re.findall(r'class="(first|tied)" width="([^"]*)%"', bar) == [("tied", "75.0"), ("first", "50.0")]
    # The earliest meeting stands first: Anna ahead by a place of at most two, then behind by two, a tie, ahead by one.
    strip = page.partition('<svg class="strip"')[2].partition("</svg>")[0]
    cells = re.findall(r'games/(\d)/".*?class="(\w+)" x="[^"]*" y="([^"]*)%" width="[^"]*" height="([^"]*)%"', strip)
    assert cells == [
        ("1", "first", "22.0", "28.0"),
        ("2", "second", "50.0", "48.0"),
        ("3", "tied", "47.0", "6.0"),
        ("4", "first", "22.0", "28.0"),
    ]
    assert re.sub(r"<[^>]*>", " ", page.partition('<p class="duelends">')[2].partition("</p>")[0]).split() == [
        "50%", "1", "tie", "25%",
    ]  # fmt: skip
    assert page.count('<path class="first"') == page.count('<path class="second"') == 1
    assert len(re.findall(r"<title>(?:Anna|Ben), game \d: ", page)) == 8
    assert "From the ratings before each game, Anna was expected to score" in page


def test_games_that_wait_for_a_replay_are_meetings_without_ratings(client: Client) -> None:
    league = four_meetings()
    found = load_versus(league, find_player("anna"), find_player("ben"), load_rules(league))
    assert found.expected is not None
    RatingChange.objects.filter(league=league).delete()
    told = read()
    assert (told["record"]["games"], told["expected"]) == (4, None)
    assert told["why_not"] == "Their games have not been rated yet."
    assert told["meetings"][0]["sides"][0]["after"] is None
    assert "Their games have not been rated yet." in fetch_page(client, "/leagues/club/players/anna/versus/ben/")


def test_a_name_leads_to_the_page_of_two(client: Client) -> None:
    four_meetings()
    where = "/leagues/club/players/anna/versus/"
    for text in ("ben", "Ben"):
        assert client.get(where, {"with": text})["Location"] == "/leagues/club/players/anna/versus/ben/"
    # Those on the chart stand behind who was typed.
    assert client.get(where, {"with": ["cleo", "ben"]})["Location"] == "/leagues/club/players/anna/versus/cleo/"
    assert "No player in this league matches “nemo”." in fetch_page(client, f"{where}?with=nemo")
    assert "Choose another player" in fetch_page(client, f"{where}?with=anna")
    page = fetch_page(client, where)
    assert '<option value="ben">Ben</option>' in page
    # Ben is met most: four times, Cleo three times.
    choices = re.findall(r'href="([^"]*)"><span class="n" ?>(.*?)</span> <b class="num">(.*?)</b>', page)
    assert choices == [(f"{where}ben/", "Ben", "2&#8239;:&#8239;1"), (f"{where}cleo/", "Cleo", "2&#8239;:&#8239;1")]
    assert "notice" not in fetch_page(client, f"{where}?with=%00")


FIRST_NAMES = ("Zoë", "Ines", "Łukasz", "Søren", "Jonas", "Jonathan", "Anaïs", "Anatol", "Élodie", "Noémi")
SURNAMES = ("Takács", "Tamm", "Jansen", "Conti", "Contreras", "Ångström", "Đukić", "Fontaine")
WITHOUT_ACCENTS = str.maketrans("ëŁøïÉéáÅöĐć", "eLoiEeaAoDc")


@long_way
@pytest.mark.parametrize("seed", range(3))
def test_a_name_to_compare_with_may_be_a_beginning_without_accents_and_several_are_links(
    client: Client, seed: int
) -> None:
    dice = Random(seed)
    handles = [f"x{number}" for number in range(8)]
    names = [f"{first} {dice.choice(SURNAMES)}" for first in dice.sample(FIRST_NAMES, 8)]
    league = make_league("elo", handles)
    for handle, name in zip(handles, names, strict=True):
        change_player(Player.objects.get(handle=handle), name=name)
    # Half of them have never met the first one.
    record(league, sheet(handles[:4], places=(1, 2, 3, 4)))
    record(league, sheet(handles[4:], places=(1, 2, 3, 4), minutes=1))
    # Nobody outside the league is meant.
    add_player("outsider", "Jonas Outside")
    profile, where = "/leagues/club/players/x0/", "/leagues/club/players/x0/versus/"
    plain = [name.translate(WITHOUT_ACCENTS) for name in names]
    for handle, text in zip(handles[1:], plain[1:], strict=True):
        for typed in (text, text.upper(), handle):
            assert client.get(where, {"with": typed})["Location"] == f"{where}{handle}/"
    for text in {word[:3] for one in plain for word in one.split()} | {"Outside"}:
        found = {
            handle
            for handle, one in zip(handles, plain, strict=True)
            if any(word.lower().startswith(text.lower()) for word in one.split())
        }
        answer, chart = client.get(where, {"with": text}), fetch_page(client, f"{profile}?with={text}")
        if len(found) == 1:
            assert ("Choose another player" in answer.content.decode()) is (found == {"x0"})
            assert found == {"x0"} or answer["Location"] == f"{where}{found.pop()}/"
            assert 'role="status"' not in chart
        else:
            notice = answer.content.decode().partition('role="status"')[2].partition("</p>")[0]
            assert set(re.findall(rf'href="{where}(\w+)/"', notice)) == found - {"x0"}
            notice = chart.partition('role="status"')[2].partition("</p>")[0]
            assert set(re.findall(r'href="\?with=(\w+)"', notice)) == found - {"x0"}
            assert bool(found) is ("Which player is" in notice)
    # The player's page suggests opponents, the page to compare all others.
    for page, last in ((fetch_page(client, where), 8), (fetch_page(client, profile), 4)):
        offered = re.findall(r'<option value="(\w+)">(.*?)</option>', page.partition('id="others"')[2])
        assert sorted(offered) == list(zip(handles[1:last], names[1:last], strict=True))


def test_the_rating_of_both_is_that_of_now_also_where_the_pool_has_moved_it() -> None:
    league = make_league("barbu", tuple("abcd"), parameters={"zero_sum": "league"})
    record(league, sheet(tuple("abcd"), (90, 10, -20, -80)))
    make_more = ("e", "f", "g", "h")
    for handle in make_more:
        add_player(handle, handle.title())
    record(league, sheet(make_more, (300, 0, -100, -100), minutes=60))
    told = read("leagues/club/players/a/versus/b/")
    card = Api().get("leagues/club/players/a/").data
    assert told["players"][0]["rating"] == card["rating"]
    assert card["rating"] != RatingChange.objects.get(player__handle="a", step=1).after
