"""``rungs league``, ``player``, ``game`` and ``void``: what they write, print and refuse."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from league.models import Game, League, LogEntry, Player
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
TIME = "2024-03-05T19:30:00Z"


def build() -> None:
    """Make a league with K = 32 and four players."""
    make_league(parameters={"k": 32})


built = built_once(build)


def run(*words: str) -> str:
    """Run a command, and return what it prints."""
    output = StringIO()
    call_command(*words, stdout=output)
    return output.getvalue()


def run_json(*words: str) -> Any:
    """Run a command, and return the JSON that it prints."""
    return json.loads(run(*words, "--json"))


def test_a_game_is_recorded_and_rated() -> None:
    done = run_json("game", "record", "club", "anna=3", "ben=1", "--played-at", TIME, "--note", "Final")
    assert (done["created"], done["number"], done["status"], done["note"]) == (True, 1, "rated", "Final")
    assert (done["played_at"], done["recorded_by"]) == (TIME, "operator")
    figures = [(line["player"], line["score"], line["rating_before"], line["rating_after"]) for line in done["results"]]
    assert figures == [("anna", 3.0, 1500.0, 1516.0), ("ben", 1.0, 1500.0, 1484.0)]
    assert run_json("game", "show", "club", "1") == {name: done[name] for name in done if name != "created"}
    assert run_json("game", "list", "club", "--player", "anna") == [run_json("game", "show", "club", "1")]
    assert run_json("game", "list", "club", "--player", "dan") == []


def test_text_shows_the_same_game() -> None:
    assert run("game", "record", "club", "anna=3", "ben=1", "--played-at", TIME).splitlines() == [
        "Game 1 of Club, 2024-03-05 19:30 UTC, rated",
        "Player  Score  Place  Before  After   Change",
        "Anna    3      –      1500.0  1516.0  +16.0",
        "Ben     1      –      1500.0  1484.0  −16.0",
    ]
    assert run("game", "list", "club").splitlines()[1] == "1       2024-03-05 19:30  rated   Anna, Ben"
    assert run("league", "show", "club").splitlines()[0] == "Club (club): 1 game, rated by elo, public."


def test_partners_share_a_result_and_places_are_no_scores() -> None:
    sides = run_json("game", "record", "club", "anna+ben=3", "cleo+dan=1")["results"]
    assert [(line["player"], line["side"], line["score"]) for line in sides] == [
        ("anna", 1, 3.0), ("ben", 1, 3.0), ("cleo", 2, 1.0), ("dan", 2, 1.0),
    ]  # fmt: skip
    places = run_json("game", "record", "club", "anna=2", "ben=1", "--places")["results"]
    assert [(line["place"], line["score"]) for line in places] == [(2, None), (1, None)]


def test_an_external_id_is_recorded_once() -> None:
    words = ("game", "record", "club", "anna=3", "ben=1", "--played-at", TIME, "--external-id", "e1")
    assert [run_json(*words)["created"] for _ in range(2)] == [True, False]
    assert run(*words).startswith("This game has already been recorded.\nGame 1 of Club")


def test_a_dry_run_shows_the_ratings_and_writes_nothing() -> None:
    entries = LogEntry.objects.count()
    words = ("game", "record", "club", "anna=3", "zoe=1", "--create-players", "--played-at", TIME, "--dry-run")
    found = run_json(*words)
    assert [(one["player"], one["before"], one["after"]) for one in found["ratings"]] == [
        ("anna", None, 1516.0),
        ("zoe", None, 1484.0),
    ]
    assert run(*words).splitlines() == [
        "Nothing was saved. No game would be rated again.",
        "Player  Before  After",
        "Anna    –       1516.0",
        "zoe     –       1484.0",
    ]
    assert (Game.objects.count(), LogEntry.objects.count()) == (0, entries)
    assert not Player.objects.filter(handle="zoe").exists()


def test_a_game_is_voided_after_a_dry_run() -> None:
    for winner, loser in (("anna", "ben"), ("ben", "cleo")):
        run("game", "record", "club", f"{winner}=1", f"{loser}=0", "--played-at", TIME)
    found = run_json("void", "club", "1", "--reason", "A friendly.", "--dry-run")
    assert {one["player"]: one["after"] for one in found["ratings"]} == {"anna": None, "ben": 1516.0, "cleo": 1484.0}
    assert Game.objects.get(number=1).voided_at is None
    done = run_json("void", "club", "1", "--reason", "A friendly.", "--by", "otto")
    assert (done["status"], done["void_reason"], Game.objects.get(number=1).voided_by) == (
        "void",
        "A friendly.",
        "otto",
    )
    assert {one["player"]: one["rating"] for one in run_json("league", "show", "club")["leaderboard"]} == {
        "ben": 1516.0,
        "cleo": 1484.0,
    }


def test_a_league_is_created_with_its_system() -> None:
    words = ("league", "create", "chess", "Chess", "--system", "elo:k=40", "--time-zone", "Europe/Berlin", "--private")
    assert run(*words, "--dry-run") == "Nothing was saved. Chess could be created as chess.\n"
    assert [one["slug"] for one in run_json("league", "list")] == ["club"]
    made = run_json(*words)
    assert (made["visibility"], made["time_zone"], made["rule"]["parameters"]["k"]) == ("private", "Europe/Berlin", 40)
    assert League.objects.get(slug="chess").title == "Chess"
    assert run("league", "list").splitlines() == ["chess  Chess  private  0 games", "club   Club   public   0 games"]


def test_a_player_is_added_found_and_shown() -> None:
    words = ("player", "add", "eva", "Eva Novak", "--alias", "Evi")
    assert run(*words, "--dry-run") == "Nothing was saved. Eva Novak could be added as eva.\n"
    assert run(*words) == "Added Eva Novak as eva.\n"
    assert run_json("player", "list", "--search", "nov") == [
        {"handle": "eva", "name": "Eva Novak", "aliases": ["Evi"], "active": True}
    ]
    run("game", "record", "club", "evi=1", "ben=0")
    (card,) = run_json("player", "show", "Evi")["leagues"]
    assert (card["league"], card["rating"], card["rank"], card["games"]) == ("club", 1516.0, 1, 1)
    assert run("player", "show", "eva").splitlines() == [
        "Eva Novak (eva), in 1 league.",
        "Club: 1516.0, rank 1, 1 game",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("game", "record", "club", "anna"), "“anna” does not have the form NAME=NUMBER"),
        (("game", "record", "club", "anna=x"), "“anna=x” does not have the form NAME=NUMBER"),
        (("game", "record", "club", "anna=1.5", "ben=1", "--places"), "a place is a whole number"),
        (
            ("game", "record", "club", "anna=1", "zoe=0"),
            "no player is called “zoe”.* Use a handle .rungs player list., or --create-players to add new players.",
        ),
        (("game", "record", "none", "anna=1", "ben=0"), "There is no league “none”."),
        (("game", "show", "club", "7"), "has no game 7"),
        (("void", "club", "7", "--reason", "x"), "has no game 7"),
        (("league", "create", "club", "Club"), "There is already a league “club”"),
        (("player", "add", "anna"), "“anna” already means Anna"),
        (("player", "show", "zoe"), "No player is called “zoe”."),
    ],
)
def test_a_refusal_is_one_sentence_and_writes_nothing(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(*words)
    assert (Game.objects.count(), Player.objects.count(), League.objects.count()) == (0, 4, 1)


def test_other_commands_print_json_too() -> None:
    run("game", "record", "club", "anna=3", "ben=1")
    token = run_json("token", "server", "--scope", "organise", "--league", "club")
    assert (token["name"], token["scope"], token["leagues"], token["expires_at"]) == (
        "server", "organise", ["club"], None,
    )  # fmt: skip
    assert token["token"].startswith("rungs_")
    (verdict,) = run_json("verify", "club")
    assert (verdict["league"], verdict["state"], verdict["games"], verdict["differences"]) == (
        "club",
        "is right",
        1,
        [],
    )
