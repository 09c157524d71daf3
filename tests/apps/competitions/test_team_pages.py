"""Pages and the API of matches of teams: the arbiter's sheet, the round's boards, line-ups of clients."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.competitions.models import Competition, Entry, Fixture
from league.apps.competitions.organiser.panels import list_next_games
from league.apps.competitions.selectors.open_fixtures import list_open_fixtures, list_player_entries
from league.apps.competitions.selectors.player_entries import list_player_fixtures
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.models import InitialRating, League, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition
from tests.helpers.desk_client import form_fields, page_text, sign_in_member
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
MATCH = "/admin/leagues/club/competitions/cup/fixtures/1/"
LINE_UPS = {"member_1_0": "1", "member_2_0": "2", "member_1_1": "1", "member_2_1": "2"}


def build() -> None:
    league = make_league("elo", ("anna", "ben", "cleo", "dan", "eva"), game="Chess")
    make_competition(league, "round_robin", sides_of=2, teams={"primary": "match"})
    squads = {"Owls": ["anna", "ben", "eva"], "Rooks": ["cleo", "dan"]}
    new = [NewEntry(squad, name=name, rating=2000 - at) for at, (name, squad) in enumerate(squads.items())]
    add_entries(league.pk, "cup", new, by="test")
    start_competition(league.pk, "cup", by="test")


built = built_once(build)


def sign_in() -> Client:
    return sign_in_member("arno", "arbiter", League.objects.get())


def post(form: dict[str, str], browser: Client | None = None) -> Any:
    browser = browser or sign_in()
    once = browser.get(MATCH).context["once"]
    return browser.post(MATCH, {**form, "once": once}, follow=True)


def test_one_sheet_enters_a_match_and_everyone_sees_its_boards() -> None:
    browser = sign_in()
    assert "<h1>Round 1 · Table 1</h1>" in browser.get(MATCH).content.decode()
    page = page_text(post({**LINE_UPS, "member_2_0": "3", "result_1": "1-0", "result_2": "+-"}, browser))
    assert "Table 1: the boards were saved." in page
    assert "Owls 2–0 Rooks" in page
    shown = page_text(Client().get("/leagues/club/competitions/cup/rounds/1/"))
    assert "1.1 Anna 1–0 Cleo" in shown
    assert "1.2 Eva 1–0" in shown
    assert re.search(r"The whole competition as a file: TRF ?, CSV", shown)


def test_pages_name_the_teams_at_their_seats_and_the_players_of_a_team() -> None:
    browser = sign_in()
    shown = page_text(browser.get(MATCH))
    # The first team has White at the odd boards.
    assert [shown.count(words) for words in ("Owls · White", "Rooks · White")] == [1, 1]
    assert "Players Anna Ben Eva" in page_text(browser.get("/admin/leagues/club/competitions/cup/entries/1/"))


def test_the_form_of_entries_speaks_of_teams_and_their_boards() -> None:
    Competition.objects.update(status=Competition.Status.OPEN)
    text = " ".join(sign_in().get("/admin/leagues/club/competitions/cup/entries/").content.decode().split())
    assert "One team a line, its players in the order of their boards" in text and "One side a line" not in text


def test_a_team_is_asked_for_what_a_team_has_and_its_players_are_linked() -> None:
    browser, address = sign_in(), "/admin/leagues/club/competitions/cup/entries/1/"
    page = browser.get(address)
    assert [name for name in ("title", "sex", "born", "federation", "club") if name in page.context["form"].fields] == [
        "federation", "club"
    ]  # fmt: skip
    text = page.content.decode()
    assert [f'href="/leagues/club/players/{handle}/"' in text for handle in ("anna", "ben", "eva", "cleo")] == [
        True, True, True, False
    ]  # fmt: skip
    assert "Name of the team" in text
    browser.post(address, {"name": "Owls", "club": "Owl Street", "once": page.context["once"]})
    assert Entry.objects.get(number=1).about == {"club": "Owl Street"}
    # What a file or the API stored is shown, and stays or goes as it is sent.
    Entry.objects.filter(number=1).update(about={"sex": "w"})
    form = browser.get(address).context["form"]
    assert ("sex" in form.fields, form["sex"].value(), "born" in form.fields) == (True, "w", False)


def test_the_round_shows_the_score_of_a_match_so_far() -> None:
    browser = sign_in()
    post({**LINE_UPS, "result_1": "1-0"}, browser)
    page = browser.get("/admin/leagues/club/competitions/cup/").content.decode()
    assert re.search(r'title="The score so far"\s*>1–0</span>', page)


def test_a_board_without_a_player_leads_to_its_match() -> None:
    browser = sign_in()
    post({**LINE_UPS, "member_2_0": "0", "result_1": "1-0"}, browser)
    number = Fixture.objects.get(match=1, board=2).number
    answer = browser.get(f"/admin/leagues/club/competitions/cup/fixtures/{number}/")
    assert (answer.status_code, answer.headers["Location"]) == (302, MATCH)


def test_a_line_up_against_the_squad_is_refused_at_its_seat_and_nothing_is_written() -> None:
    page = page_text(post({**LINE_UPS, "member_1_0": "3", "result_1": "1-0"}))
    assert "Nothing was recorded." in page
    assert "Owls, board 2: Ben is before Eva in the squad, and must have a lower board." in page
    assert not Fixture.objects.filter(match=1).exists()
    assert not League.objects.get().games.exists()


def test_a_client_enters_line_ups_and_results_all_or_nothing() -> None:
    api, address = Api("organise"), "leagues/club/competitions/cup/fixtures/1/"
    body = {"line_ups": [[1, 2], [1, 2]], "results": [{"scores": [1, 0]}, {}]}
    match = api.put(f"{address}boards/", body).json()
    assert match["kind"] == "match"
    assert match["status"] == "planned"
    first, second = match["boards"]
    assert (first["players"], first["points"], second["players"]) == (["anna", "cleo"], [1.0, 0.0], ["dan", "ben"])
    refused = api.put(f"{address}boards/", {"line_ups": [[2, 3], []]})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (409, "/line_ups/0/0")
    board = f"leagues/club/competitions/cup/fixtures/{second['id']}/"
    assert api.post(f"{board}result/", {"results": [{"score": 1}, {"score": 0}]}).status_code == 201
    found = api.get(address).json()
    assert [(line["points"], line["score"]) for line in found["results"]] == [(1.0, 1.0), (1.0, 1.0)]


def test_prints_have_the_boards_of_a_match_and_a_slip_for_line_ups() -> None:
    browser = sign_in()
    slips = page_text(browser.get("/admin/leagues/club/competitions/cup/print/slips/?round=1"))
    assert "Board Owls Result Rooks 1 2" in slips
    post({**LINE_UPS, "result_1": "draw"}, browser)
    pairings = page_text(browser.get("/admin/leagues/club/competitions/cup/print/pairings/?round=1"))
    assert "1.1 Anna ½–½ Cleo 1.2 Ben Dan" in pairings


def test_a_player_has_the_own_board_only_and_the_pad_offers_each_board() -> None:
    post(LINE_UPS)
    league, anna = League.objects.get(), Player.objects.get(handle="anna")
    entries = list_player_entries(league, anna)
    found = list_open_fixtures(league, timezone.now(), 9, entries=entries, player=anna)
    assert [one.names for one in found] == [("Anna", "Cleo")]
    assert [one.handles for one in list_player_fixtures(league, anna, timezone.now())] == [["anna", "cleo"]]
    assert [(game.label, game.players) for game in list_next_games(league)] == [
        ("Board 1 of table 1", ["anna", "cleo"]),
        ("Board 2 of table 1", ["dan", "ben"]),
    ]


def test_ticked_players_of_a_team_stand_by_rating_and_can_be_put_in_another_order_until_the_start() -> None:
    league = League.objects.get()
    make_competition(league, "swiss", slug="open", sides_of=3, rounds=1, teams={"primary": "match"})
    ratings = {"anna": 1500, "cleo": 1700, "dan": 1600}
    for handle, rating in ratings.items():
        player = Player.objects.get(handle=handle)
        InitialRating.objects.create(league=league, player=player, rating=rating)
    browser, desk = sign_in(), "/admin/leagues/club/competitions/open/entries/"
    page = browser.get(desk).content.decode()
    assert 'data-one="Add the team"' in page and page.index('name="name"') < page.index('name="player"')
    # Nobody has rated Eva: she comes last.
    browser.post(desk, {"player": ["anna", "cleo", "dan", "eva"], "name": "Owls", "_add": "1"})
    browser.post(desk, {"lines": "Rooks: Ben", "_add": "1"})
    assert list_squads() == {"Owls": ["cleo", "dan", "anna", "eva"], "Rooks": ["ben"]}
    page = page_text(browser.get(desk))
    assert "Owls Cleo, Dan, Anna, Eva" in page and page.count("boards can be filled") == 1
    assert "Rooks Ben 1 of 3 boards can be filled." in page
    assert "1 of 3 boards can be filled." in page_text(browser.get(f"{desk}2/"))
    assert browser.get(f"{desk}1/").context["form"]["players"].value() == "Cleo\nDan\nAnna\nEva"
    changed = {**form_fields(browser.get(f"{desk}1/").context["form"]), "players": "Dan\n\n cleo\nAnna"}
    assert browser.post(f"{desk}1/", changed).status_code == 302
    assert list_squads()["Owls"] == ["dan", "cleo", "anna"]
    for wrong, problem in (("Dan\nBen", "Ben is in two entries"), ("Dan\nNobody", "Nobody"), ("", "required")):
        answer = browser.post(f"{desk}1/", {**changed, "players": wrong})
        assert problem in str(answer.context["form"].errors["players"])
    assert list_squads()["Owls"] == ["dan", "cleo", "anna"]
    start_competition(league.pk, "open", by="test")
    assert "players" not in browser.get(f"{desk}1/").context["form"].fields


def list_squads() -> dict[str, list[str]]:
    entries = Entry.objects.filter(competition__slug="open").with_players()
    return {entry.name: [player.handle for player in entry.survivors] for entry in entries}
