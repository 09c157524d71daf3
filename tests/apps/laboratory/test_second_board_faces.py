"""A second system's board on the public pages, over the API and on the organiser's page."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league import tasks
from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.organiser.parameter_fields import list_parameter_values
from league.apps.laboratory.selectors.second_board import ListedPlayer, SecondRow
from league.apps.laboratory.services.second_board import choose_second_board
from league.apps.laboratory.views.second_board import _draw_difference
from league.core.games.services.batches import record_together
from league.core.players.services.players import set_active
from league.models import Job, League, Player
from league.web.public.charts.intervals import IntervalDot
from ratings.registry import get_system
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import browser_of, ok_text
from tests.helpers.experiment_builders import club, made, question
from tests.helpers.ladder_builders import tables
from tests.helpers.notice_builders import member
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

PAGE = "/leagues/club/second/"
API = "leagues/club/second-board/"
DESK = "/admin/leagues/club/second-board/"


@pytest.fixture
def league() -> League:
    """Return a league of four in which each game moves two players by 10 points (K = 20), with its organiser."""
    league = make_league(min_games=1)
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (0, 1), minutes=1))
    record(league, sheet(("cleo", "dan"), (1, 0), minutes=2))
    member(league, "olga", "organiser")
    return league


#: The fields of Elo's parameters as a browser sends them.
ELO = list_parameter_values(1, "elo", get_system("elo").whole({}))


def build_board(league: League, system: str = "elo", **parameters: Any) -> None:
    """Choose a second board and build it."""
    assert tasks.job(str(choose_second_board(league.pk, system, parameters, username="olga").pk))


def test_a_league_without_one_does_not_mention_it(league: League) -> None:
    assert Client().get(PAGE).status_code == 404
    assert Api().get(API).status_code == 404
    for path in ("/leagues/club/", "/leagues/club/players/anna/"):
        assert PAGE not in Client().get(path).content.decode()


def test_the_page_shows_both_ranks(league: League) -> None:
    # After 1520 and 1480 (K = 40) cleo wins 40 / (1 + 10^(-40 / 400)) = 22.2924… back.
    build_board(league, k=40)
    text = ok_text(Client().get(PAGE))
    assert "By Elo, K = 40" in text
    assert "Of 3 rated games, up to game 3 ." in text
    assert "; up to date." in text
    assert "4 of 4 have the same rank in both." in text
    rows = Client().get(PAGE).context["rows"]
    assert [(row.player.handle, round(row.score, 4)) for row in rows] == [
        ("anna", 1520.0), ("cleo", 1502.2925), ("dan", 1497.7075), ("ben", 1480.0),
    ]  # fmt: skip


def test_differences_are_lines_from_the_middle() -> None:
    def draw(official: int, largest: int) -> IntervalDot | None:
        row = SecondRow(5, official, "Anna", 0.0, 0.0, 9, ListedPlayer(1, "anna", "Anna"), {}, False)
        return _draw_difference(row, largest)

    assert draw(5, 4) is None
    # 45 per cent of the width for the largest difference: up to the right, down to the left.
    assert draw(9, 4) == IntervalDot(95.0, 50.0, 95.0)
    assert draw(3, 4) == IntervalDot(27.5, 27.5, 50.0)


def test_files_and_the_players_row(league: League) -> None:
    build_board(league, k=40)
    found = Client().get(PAGE, {"table": "second", "format": "json"}).json()["results"]
    assert [(row["rank"], row["official_rank"], row["player"]) for row in found] == [
        (1, 1, "anna"), (2, 2, "cleo"), (3, 3, "dan"), (4, 4, "ben"),
    ]  # fmt: skip
    assert found == Api().get(API).data["results"]
    assert 'id="here"' in Client().get(PAGE, {"around": "dan"}).content.decode()
    assert "No player is called “zoe”." in ok_text(Client().get(PAGE, {"around": "zoe"}))
    set_active(league.pk, Player.objects.get(handle="dan"), False)
    assert "is not on this board" in ok_text(Client().get(PAGE, {"around": "dan"}))


def test_board_and_player_page_link_to_it(league: League) -> None:
    build_board(league, "weng_lin")
    cells = re.findall(
        r'<td\s+class="num[^>]*>\s*(?:<span[^>]*>)?\s*(−?\d+\.\d+)\s*<', Client().get(PAGE).content.decode()
    )
    assert [len(cell.split(".")[1]) for cell in cells] == [2, 2, 3] * 4, "score, mean and deviation"
    assert f'href="{PAGE}"' in Client().get("/leagues/club/").content.decode()
    page = Client().get("/leagues/club/players/anna/")
    assert f'href="{PAGE}?around=anna#here"' in page.content.decode()
    assert "By Weng–Lin" in ok_text(page)


def test_the_page_shows_the_progress_of_a_build(league: League) -> None:
    job = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    assert "waiting to start" in ok_text(Client().get(PAGE))
    Job.objects.filter(pk=job.pk).update(state="running", phase="computing", done=250, total=1000)
    answer = Client().get(PAGE, {"part": "1"})
    assert "computing, 25%" in ok_text(answer)
    assert 'data-open="yes"' in answer.content.decode()
    missing = {"state": "failed", "problem": {"code": "gave_up", "detail": ""}, "ended_at": timezone.now()}
    Job.objects.filter(pk=job.pk).update(**missing)
    answer = Client().get(PAGE)
    assert "No result." in ok_text(answer)
    assert "and the worker stopped each time" in ok_text(answer)
    assert 'data-open="yes"' not in answer.content.decode()
    Job.objects.all().delete()
    assert "waiting to start" in ok_text(Client().get(PAGE))


def test_the_reason_is_in_the_readers_language(league: League) -> None:
    build_board(league, "barbu")
    assert "Barbu rates games of 4 players; 3 games have another number." in ok_text(Client().get(PAGE))
    assert Api().get(API).data["why_not"] == "Barbu rates games of 4 players; 3 games have another number."
    german = ok_text(Client(headers={"Accept-Language": "de"}).get(PAGE))
    assert "Barbu" in german
    assert "games have another number" not in german


def test_pending_games_and_failures_are_shown(league: League) -> None:
    build_board(league, k=40)
    record(league, sheet(("anna", "ben"), (1, 0), minutes=9))
    assert "later games follow, usually" in ok_text(Client().get(PAGE))
    result = Api().get(API).data
    assert (result["up_to_date"], result["games"], result["last_game"]) == (False, 3, 3)
    job = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    missing = {"state": "failed", "problem": {"code": "gave_up", "detail": ""}, "ended_at": timezone.now()}
    Job.objects.filter(pk=job.pk).update(**missing)
    text = ok_text(Client().get(PAGE))
    assert "and the worker stopped each time" in text
    assert "within ten minutes" not in text
    # Other books are another try.
    record(league, sheet(("anna", "ben"), (1, 0), minutes=10))
    text = ok_text(Client().get(PAGE))
    assert "and the worker stopped each time" not in text
    assert "within ten minutes" in text


def test_a_board_whose_job_built_another_choice_is_pending(league: League) -> None:
    build_board(league, k=40)
    SecondBoard.objects.update(made_at=None, chosen_at=timezone.now())
    page = Client().get(PAGE)
    assert "waiting to start" in ok_text(page)
    assert "100%" not in ok_text(page)


def test_a_private_leagues_board_is_for_its_members(league: League) -> None:
    build_board(league, k=40)
    League.objects.update(visibility="private")
    assert (Client().get(PAGE).status_code, Api().get(API).status_code) == (404, 404)
    assert browser_of("olga").get(PAGE).status_code == 200


def test_the_api_chooses_pages_and_drops_it() -> None:
    league = club(12)
    api = Api("organise")
    answer = api.put(API, {"system": "weng_lin", "parameters": {"model": "bradley_terry"}})
    assert (answer.status_code, answer.data["kind"], answer.data["state"]) == (202, "second", "waiting")
    waits = Api().get(API).data
    assert (waits["made_at"], waits["up_to_date"], waits["results"], waits["games"]) == (None, False, [], 0)
    assert tasks.job(answer.data["id"])
    result = Api().get(API).data
    assert (result["league"], result["system"], result["games"], result["last_game"]) == ("club", "weng_lin", 12, 12)
    assert result["title"].startswith("Weng–Lin, ")
    assert result["parameters"]["model"] == "bradley_terry"
    assert {"mu", "sigma"} == result["results"][0]["state"].keys()
    pages, address = [], f"{API}?limit=3"
    while address:
        page = Api().get(address).data
        pages.append([row["player"] for row in page["results"]])
        address = page["next"]
    assert [len(page) for page in pages] == [3, 1]
    assert [one for page in pages for one in page] == [row["player"] for row in result["results"]]
    assert api.call("delete", API).status_code == 204
    assert api.call("delete", API).status_code == 204
    assert Api().get(API).status_code == 404
    assert League.objects.get(pk=league.pk).also_rated_by == ""


def test_the_api_returns_csv_pages() -> None:
    league = make_league(min_games=1)
    header = "rank,official_rank,name,score,rating,games,player,state,provisional\n"
    record(league, sheet(("anna", "ben"), (1, 0)))
    Player.objects.filter(handle="anna").update(name="=1+1")
    choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    assert Api().get(f"{API}?format=csv").content.decode() == header
    build_board(league, k=40)
    answer = Api().get(f"{API}?format=csv&limit=1", Accept="text/csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    # Half of K = 40 for a win against an equal.
    header = "rank,official_rank,name,score,rating,games,player,state.rating,provisional\n"
    assert answer.content.decode() == f"{header}1,1,'=1+1,1520.0,1520.0,1,anna,1520.0,false\n"
    following = answer["Link"].removeprefix("<").removesuffix('>; rel="next"')
    rest = Api().get(following)
    assert rest.content.decode() == f"{header}2,2,Ben,1480.0,1480.0,1,ben,1480.0,false\n"
    assert "Link" not in rest
    assert Api().get(f"{API}?format=xml").status_code == 400


@pytest.mark.parametrize(
    ("body", "status", "pointer", "code"),
    [
        ({"system": "chess960"}, 400, "/system", "unknown_system"),
        ({"system": "elo", "parameters": {"k": -1}}, 400, "/parameters/k", "invalid"),
        ({"system": "elo", "parameters": {"k": 20}}, 422, "/system", "same"),
        ({}, 400, "/system", "required"),
    ],
)
def test_invalid_choices_are_refused(
    league: League, body: dict[str, Any], status: int, pointer: str, code: str
) -> None:
    before = tables()
    api = Api("organise")
    answer = api.put(API, body)
    assert answer.status_code == status
    assert (answer.data["errors"][0]["pointer"], answer.data["errors"][0]["code"]) == (pointer, code)
    after = tables()
    del before["Token"], after["Token"]
    assert after == before


def test_an_organiser_chooses_and_drops_it(league: League) -> None:
    browser = browser_of("olga")
    assert "By which system" in ok_text(browser.get(DESK))
    answer = browser.post(DESK, {"system": "elo", **ELO, "1-elo-k": "40"})
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    board = SecondBoard.objects.get()
    assert (board.system, board.parameters["k"], board.chosen_by) == ("elo", 40, "olga")
    page = browser.get(DESK)
    assert "By Elo, K = 40" in ok_text(page)
    assert page.context["form"]["1-elo-k"].value() == 40
    answer = browser.post(DESK, {"_drop": "1"}, follow=True)
    assert "The league now shows only its own board." in ok_text(answer)
    assert not SecondBoard.objects.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"system": "elo"}, "The league already rates by Elo"),
        ({"system": "elo", **ELO, "1-elo-k": "-1"}, "Ensure this value is greater than or equal to 0."),
        ({"system": "elo", **ELO, "1-elo-k": "forty"}, "Enter a number."),
        ({"system": ""}, "This field is required."),
    ],
)
def test_form_errors_of_the_choice_are_shown_at_the_field(league: League, data: dict[str, str], said: str) -> None:
    answer = browser_of("olga").post(DESK, data)
    assert said in ok_text(answer)
    assert "Nothing was changed." in ok_text(answer)
    assert not SecondBoard.objects.exists()


def test_a_league_without_a_rule_is_redirected_to_its_first_rule() -> None:
    member(League.objects.create(slug="club", title="Club"), "olga", "organiser")
    assert browser_of("olga").get(DESK)["Location"] == "/admin/leagues/club/rules/"


@long_way
def test_an_experiment_links_to_it_with_its_parameters() -> None:
    league = club(60)
    member(league, "olga", "organiser")
    job = made(question("elo", "weng_lin"), league)
    own, other = browser_of("olga").get(f"/leagues/club/laboratory/{job.pk}/").context["entrants"]
    assert own["acts"] == []
    adopt, act = other["acts"]
    assert (adopt.label, act.label) == ("Adopt from …", "Show as a second board")
    form = browser_of("olga").get(act.address).context["form"]
    assert (form["system"].value(), form["1-weng_lin-kappa"].value()) == ("weng_lin", 0.0001)
    assert [one["acts"] for one in Client().get(f"/leagues/club/laboratory/{job.pk}/").context["entrants"]] == [[], []]


@long_way
def test_long_boards_are_paged() -> None:
    league = make_league(min_games=1)
    pairs = [(f"player-{2 * number:03}", f"player-{2 * number + 1:03}") for number in range(51)]
    games = [sheet(two, (1, 0), minutes=minutes, create_players=True) for minutes, two in enumerate(pairs)]
    record_together(league.pk, games, username="test")
    build_board(league, k=40)
    assert [len(Client().get(PAGE, {"page": page}).context["rows"]) for page in (1, 2)] == [100, 2]
    last = Client().get(PAGE, {"table": "second", "format": "json"}).json()["results"][-1]["player"]
    assert Client().get(PAGE, {"around": last}).context["pages"].number == 2
