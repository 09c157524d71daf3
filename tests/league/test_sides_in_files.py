"""Sides and weights in files: names of sides, a weight on one line, and what is wrong, named with its line."""

from io import BytesIO
from typing import Literal

import pytest

from league.errors import Invalid, Refused
from league.models import Game, League, Result
from league.services.imports.run import ImportOptions, import_games
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db
Media = Literal["csv", "ndjson"]
FOUR = ("anna", "ben", "cleo", "dan")


def club() -> League:
    """Return a league of the four under Elo."""
    return make_league("elo", FOUR)


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


def table(column: str, *values: str) -> str:
    """Return a game of two as CSV with a column of these values."""
    lines = [f"a,2024-03-05,{FOUR[at]},{at + 1},{value}" for at, value in enumerate(values)]
    return "\n".join([f"game_id,played_at,player,place,{column}", *lines, ""])


BAD = [
    ("csv", table("side", "x", "2"), "side", "Line 3: the side “2” stands beside “x” on line 2: write numbers"),
    ("csv", table("side", "1", "2.5"), "side", "Line 3: the side “2.5” is not a whole number."),
    ("csv", table("side", "1", "1_0"), "side", "Line 3: the side “1_0” is not a whole number."),
    ("csv", table("side", "A", ""), "side", "Line 3: game a: Seat 2 has no side"),
    ("csv", table("weight", "2", "3"), "weight", "Line 3: the game weighs 3 here and 2 on line 2; write it once"),
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
