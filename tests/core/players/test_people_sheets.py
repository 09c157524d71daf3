"""Sheets, files and the desk: whom one may not see is not there, suggestions are of whom one may see."""

from typing import Any

import pytest

from league.core.players.services.players import add_player
from league.models import Player
from tests.helpers.api_client import Api, game
from tests.helpers.builders import player_of, record, sheet
from tests.helpers.people_builders import (
    SECRETS,
    build_two_leagues,
    desk,
    handles,
    outcome,
    session,
    token,
    two_leagues,
)
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_two_leagues)


@long_way
def test_a_handle_of_a_private_league_is_unknown_on_anothers_sheet() -> None:
    api = session("olga-recorder")
    for spelling in ("mata", "H21"):
        sheets = [game((spelling, 1), ("ben", 0)), game(("nemo", 1), ("ben", 0))]
        answers = [api.post("leagues/open/games/", one) for one in sheets]
        assert [one.status_code for one in answers] == [422, 422]
        assert outcome(answers[0], spelling) == outcome(answers[1], "nemo")
    assert session("carl-owner").post("leagues/closed/games/", game(("H21", 1), ("anna", 0))).status_code == 201


def test_whoever_is_added_under_a_taken_handle_is_another_person_and_the_same_the_next_time() -> None:
    api = session("olga-recorder")
    made = api.post("leagues/open/games/", game(("mata", 1), ("ben", 0), create_players=True))
    assert made.status_code == 201, made.content
    assert [(line["player"], line["name"]) for line in made.data["results"]] == [("mata-2", "mata"), ("ben", "Ben")]
    again = api.post("leagues/open/games/", game(("mata", 0), ("ben", 1), played_at="2024-03-06T19:30:00Z"))
    assert [line["player"] for line in again.data["results"]] == ["mata-2", "ben"]
    third = game(("mata", 0), ("ben", 1), played_at="2024-03-07T19:30:00Z", create_players=True)
    assert [line["player"] for line in api.post("leagues/open/games/", third).data["results"]] == ["mata-2", "ben"]
    assert not any(word in str(made.data) for word in SECRETS[1:])
    assert Player.objects.filter(handle__startswith="mata").count() == 2


@long_way
@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_file_names_nobody_whom_its_sender_may_not_see(kind: str) -> None:
    api = session("olga-recorder")
    files = {
        "csv": "game_id,played_at,player,score\n{0},2024-03-0{0}T19:30:00Z,mata,1\n{0},2024-03-0{0}T19:30:00Z,H21,0\n",
        "ndjson": '{{"external_id": "{0}", "played_at": "2024-03-0{0}T19:30:00Z", "results": '
        '[{{"player": "mata", "score": 1}}, {{"player": "H21", "score": 0}}]}}\n',
    }
    media = {"csv": "text/csv", "ndjson": "application/x-ndjson"}[kind]
    where = "leagues/open/games/import/"
    refused = api.post_file(where, files[kind].format(6), media)
    assert (refused.status_code, refused.data["errors"][0]["code"]) == (422, "unknown_player")
    dry = api.post_file(f"{where}?create_players=true&dry_run=true", files[kind].format(6), media)
    made = api.post_file(f"{where}?create_players=true", files[kind].format(6), media)
    assert (dry.data["created_players"], made.data["created_players"]) == (2, 2)
    assert not any(word in f"{dry.data}{made.data}{refused.data}" for word in ("Hari", "Geertruida"))
    again = api.post_file(f"{where}?create_players=true", files[kind].format(7), media)
    assert (again.status_code, again.data["created_players"]) == (201, 0)
    newest = Api().get("leagues/open/games/?limit=1").data["results"][0]
    assert [(line["player"], line["name"]) for line in newest["results"]] == [("mata-2", "mata"), ("H21-2", "H21")]


def test_new_players_are_called_as_the_sheet_says() -> None:
    opened, _ = two_leagues()
    api = token("olga-owner", "record", (opened,))
    new = game(("zoe", 1), ("ben", 0), create_players=True, players=[{"handle": "zoe", "name": "Zoë Quist"}])
    made = api.post("leagues/open/games/", new)
    assert (made.status_code, made.data["results"][0]["name"]) == (201, "Zoë Quist")
    preview = api.post("leagues/open/preview/", {**new, "results": [{"player": "yan"}, {"player": "ben"}],
                                                 "players": [{"handle": "yan", "name": "Yan"}]})  # fmt: skip
    assert preview.status_code == 200
    # Who is known keeps their name.
    again = {**new, "played_at": "2024-03-07T19:30:00Z", "players": [{"handle": "zoe", "name": "Other"}]}
    assert api.post("leagues/open/games/", again).data["results"][0]["name"] == "Zoë Quist"


def test_names_that_cannot_be_given_are_refused() -> None:
    told: list[tuple[Any, int]] = [
        ([{"handle": "nemo", "name": "Nemo"}], 400),
        ([{"handle": "zoe"}], 400),
        ([{"handle": "zoe", "name": ""}], 400),
        ([{"handle": "zoe", "name": "a\u202eb"}], 422),
        ([{"handle": "zoe", "name": "Zoe", "x": 1}], 400),
        ([{"handle": "zoe", "name": "Zoe"}] * 101, 400),
        ("zoe", 400),
    ]
    for players, status in told:
        new = game(("zoe", 1), ("ben", 0), create_players=True, players=players)
        answer = session("olga-owner").post("leagues/open/games/", new)
        assert answer.status_code == status, answer.content
    assert not Player.objects.filter(handle="zoe").exists()


def test_a_handle_that_is_taken_cannot_be_given_a_name_and_does_not_say_whose_it_is() -> None:
    new = game(("mata", 1), ("ben", 0), create_players=True, players=[{"handle": "mata", "name": "Mat A."}])
    answer = session("olga-owner").post("leagues/open/games/", new)
    assert (answer.status_code, answer.data["detail"]) == (422, "“mata” is taken.")


@long_way
@pytest.mark.parametrize("role", ["recorder", "organiser"])
def test_the_records_of_players_are_those_whom_one_may_see(role: str) -> None:
    browser = desk(f"olga-{role}")
    listed = browser.get("/admin/league/player/").content.decode()
    assert [name in listed for name in ("Anna", "Ben", "Mata", "Nora")] == [True, True, False, True]
    assert "Mata" not in browser.get("/admin/league/player/?q=mata").content.decode()
    found = browser.get("/admin/league/player/?q=annie").content.decode()
    assert ("Anna</a>" in found) == (role != "recorder")
    assert browser.get(f"/admin/league/player/{player_of('mata').pk}/change/").status_code in (302, 404)
    shown = browser.get(f"/admin/league/player/{player_of('anna').pk}/change/")
    assert (shown.status_code, "Annie" in shown.content.decode()) == (200, False)


@long_way
def test_a_name_on_the_sheet_means_nobody_whom_one_may_not_see() -> None:
    browser = desk("olga-recorder")
    sent = {"seats-TOTAL_FORMS": "2", "seats-INITIAL_FORMS": "0", "seats-0-player": "Mata Hari", "seats-0-score": "1",
            "seats-1-player": "Ben", "seats-1-score": "0", "played_at": "2024-03-09T19:30", "note": ""}  # fmt: skip
    page = browser.post("/admin/leagues/open/record/", sent)
    assert page.status_code == 200
    assert "no player is called “Mata Hari”" in page.content.decode()
    merging = browser.post("/admin/leagues/open/people/players/ben/merge/", {"into": "mata"})
    assert merging.status_code == 403  # a recorder
    merging = desk("olga-owner").post("/admin/leagues/open/people/players/ben/merge/", {"into": "mata"})
    assert "No player is called “mata”." in merging.content.decode()
    start = desk("olga-owner").post("/admin/leagues/open/starts/", {"player": "mata", "initial_rating": "1200"})
    assert "No player is called “mata”." in start.content.decode()


@pytest.mark.parametrize("many", [3, 12])
def test_a_list_of_people_costs_so_many_queries(many: int, django_assert_num_queries: Any) -> None:
    opened, _ = two_leagues()
    for number in range(many):
        add_player(f"p{number}", aliases=[f"alias {number}"])
        record(opened, sheet((f"p{number}", "ben"), (1, 0), minutes=number + 5))
    with django_assert_num_queries(2):  # the people, and who of them is inactive
        assert len(handles(Api(), "?limit=100")) == many + 2
    api = session("olga-organiser")
    # Session, user, roles; the people, whose spellings one may know, these, who is inactive; whose external ids one may
    # know, and these.
    with django_assert_num_queries(9):
        assert len(handles(api, "?limit=100")) == many + 3
