"""Sides and weights in files: names of sides, a weight on one line, and what is wrong, named with its line."""

from io import BytesIO
from typing import Literal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.errors import Invalid, Refused
from league.models import Game, League, Result
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league, ratings
from tests.helpers.paste_builders import press, shown
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
Media = Literal["csv", "ndjson"]


built = built_once(make_league)


def club() -> League:
    """Return the league of the four under Elo, which a fixture built for the module."""
    return League.objects.get(slug="club")


def test_a_weight_stands_on_any_one_line_and_sides_may_have_names() -> None:
    league = club()
    text = (
        b"game_id,played_at,player,place,side,weight\n"
        b"a,2024-03-05T19:30:00Z,anna,2,Red,\na,2024-03-05T19:30:00Z,ben,1,white,2\n"
        b"b,2024-03-06T19:30:00Z,cleo,1,B,0.5\nb,2024-03-06T19:30:00Z,dan,2,A,0.50\n"
        b"a,2024-03-05T19:30:00Z,cleo,2,red ,2.0\na,2024-03-05T19:30:00Z,dan,1,WHITE,\n"
        b"c,2024-03-07T19:30:00Z,anna,1,7,\nc,2024-03-07T19:30:00Z,ben,2,3.0,\n"
    )
    import_games(league.pk, BytesIO(text), ImportOptions(by="test", media="csv"))
    facts = Result.objects.order_by("game__number", "seat").values_list("player__handle", "side", "game__weight")
    # Names are counted as they come in their game; numbers stay.
    assert list(facts) == [
        ("anna", 1, 2), ("ben", 2, 2), ("cleo", 1, 2), ("dan", 2, 2),
        ("cleo", 1, 0.5), ("dan", 2, 0.5), ("anna", 7, 1), ("ben", 3, 1),
    ]  # fmt: skip
    again = import_games(league.pk, BytesIO(text), ImportOptions(by="test", media="csv"))
    assert (again.games, again.known) == (0, 3)


WON = [("anna", 21, None, 1), ("ben", 21, None, 1), ("cleo", 15, None, 2), ("dan", 15, None, 2)]
#: What stands under side and score at Anna, Ben, Cleo and Dan: the same game each time.
ONCE = [
    ("1,21", "1,21", "2,15", "2,15"),
    ("1,21", "1,", "2,15", "2,"),
    ("1,", "1,21", "2,", "2,15"),
    ("A,21", "a,", "B,", "B ,15.0"),
]


def written(seats: tuple[str, ...], name: str = "a") -> str:
    """Return the lines of a game of the four."""
    return "".join(f"{name},2024-03-05T19:30:00Z,{one},{said}\n" for one, said in zip(FOUR, seats, strict=True))


HEAD = "game_id,played_at,player,side,score\n"


def facts(league: League) -> list[tuple[str, float | None, int | None, int | None]]:
    """Return what the books have of a league's last game."""
    lines = Result.objects.filter(game__league=league, game__number=League.objects.get(pk=league.pk).last_number)
    return list(lines.order_by("seat").values_list("player__handle", "score", "place", "side"))


@pytest.mark.parametrize("seats", ONCE)
def test_what_a_side_has_is_written_once_at_any_of_its_players(seats: tuple[str, ...]) -> None:
    league = club()
    import_games(league.pk, BytesIO((HEAD + written(seats)).encode()), ImportOptions(by="test", media="csv"))
    assert facts(league) == WON
    assert ratings(league) == {"anna": 1510.0, "ben": 1510.0, "cleo": 1490.0, "dan": 1490.0}
    # Written in full it is the same game, and known.
    full = import_games(league.pk, BytesIO((HEAD + written(ONCE[0])).encode()), ImportOptions(by="test", media="csv"))
    assert (full.games, full.known) == (0, 1)


def test_a_file_a_paste_and_the_api_write_the_same_facts(client: Client) -> None:
    league = club()
    import_games(league.pk, BytesIO((HEAD + written(ONCE[1])).encode()), ImportOptions(by="test", media="csv"))
    assert facts(league) == WON
    client.force_login(User.objects.create_superuser("olga"))
    text = "Day;Player;Side;Score\n6.3.2024;Anna;A;21\n6.3.2024;Ben;A;\n6.3.2024;Cleo;B;15\n6.3.2024;Dan;B;"
    press(client, shown(client, text), _record="")
    assert facts(league) == WON
    results = [{"player": name, "score": score, "side": side} for name, score, _place, side in WON]
    body = {"played_at": "2024-03-07T19:30:00Z", "results": results}
    assert Api("record").post("leagues/club/games/", body).status_code == 201
    assert facts(league) == WON
    assert Game.objects.count() == 3


def test_places_of_a_side_are_written_once_and_whoever_is_alone_has_their_own() -> None:
    league = club()
    lines = "a,2024-03-05,anna,x,2\na,2024-03-05,ben,y,\na,2024-03-05,cleo,y,1\na,2024-03-05,dan,y,\n"
    text = f"game_id,played_at,player,side,place\n{lines}".encode()
    import_games(league.pk, BytesIO(text), ImportOptions(by="test", media="csv"))
    assert facts(league) == [
        ("anna", None, 2, 1),
        ("ben", None, 1, 2),
        ("cleo", None, 1, 2),
        ("dan", None, 1, 2),
    ]


def table(column: str, *values: str) -> str:
    """Return a game of two as CSV with a column of these values."""
    lines = [f"a,2024-03-05,{FOUR[at]},{at + 1},{value}" for at, value in enumerate(values)]
    return "\n".join([f"game_id,played_at,player,place,{column}", *lines, ""])


def pairs(*seats: str) -> str:
    """Return a game of the four as CSV with their sides and scores."""
    return HEAD + written(seats)


def placed(*seats: str) -> str:
    """Return a game of the four as CSV with their sides and places."""
    return HEAD.replace("score", "place") + written(seats)


BAD = [
    ("csv", pairs("A,21", "A,20", "B,15", "B,"), "score", "Line 3: team “A” has 20 here and 21 on line 2; partners"),
    ("csv", pairs("A,21", "A,", "B,15", "b,15.5"), "score", "Line 5: team “b” has 15.5 here and 15 on line 4;"),
    ("csv", placed("1,1", "2,", "2,2", "1,2"), "place", "Line 5: team “1” has 2 here and 1 on line 2; partners"),
    ("csv", pairs("1,21", "1,20", "1,15", "1,"), "lines/2", "game a: All players are in one team; a game needs"),
    ("csv", pairs("A,21", "A,", "B,", "B,"), "lines/2", "game a: Elo needs a score for every seat"),
    ("csv", pairs("A,21", "A,x1", "B,15", "B,"), "score", "Line 3: the score “x1” is not a number."),
    ("csv", pairs(",21", ",", ",15", ",15"), "lines/2", "game a: Elo needs a score for every seat"),
    ("csv", table("side", "x", "2"), "side", "Line 3: the team “2” is used next to “x” on line 2: use numbers"),
    ("csv", table("side", "1", "2.5"), "side", "Line 3: the team “2.5” is not a whole number."),
    ("csv", table("side", "1", "1_0"), "side", "Line 3: the team “1_0” is not a whole number."),
    ("csv", table("side", "A", ""), "side", "Line 3: game a: Seat 2 has no team"),
    (
        "csv",
        table("weight", "2", "3"),
        "weight",
        "Line 3: the game has the weight 3 here and 2 on line 2; write it once",
    ),
    ("csv", table("weight", "", "heavy"), "weight", "Line 3: the weight “heavy” is not a number."),
    ("csv", table("weight", "", "10.5"), "weight", "Line 3: the weight must be from 0 to 10."),
    ("csv", table("weight", "11", "11"), "weight", "0 to 10"),
    ("ndjson", '{"played_at": "2024-03-05", "results": [{"player": "anna", "side": 1.5}]}', "side", "whole"),
    ("ndjson", '{"played_at": "2024-03-05", "results": [{"player": "anna"}], "weight": "2"}', "weight", "number"),
]


@pytest.mark.parametrize(("media", "sent", "where", "words"), BAD)
def test_what_is_wrong_in_a_file_is_named_with_its_line(media: Media, sent: str, where: str, words: str) -> None:
    league, text = club(), sent.encode()
    with pytest.raises((Invalid, Refused)) as raised:
        import_games(league.pk, BytesIO(text), ImportOptions(by="test", media=media))
    problem = raised.value.problems[0]
    assert problem.pointer.endswith(f"/{where}")
    assert words in problem.detail
    assert not Game.objects.exists()


@pytest.mark.parametrize("seats", [("A,40", "A,-20", "B,-10", "B,-10"), ("1,10", "1,10", "2,-10", "2,-10")])
def test_a_system_that_knows_no_sides_says_so_whatever_partners_have(seats: tuple[str, ...]) -> None:
    league, text = make_league("barbu", slug="cards"), pairs(*seats).encode()
    with pytest.raises((Invalid, Refused)) as raised:
        import_games(league.pk, BytesIO(text), ImportOptions(by="test", media="csv"))
    (problem,) = raised.value.problems
    assert problem.code == "sides"
    assert "Barbu does not support teams" in problem.detail
