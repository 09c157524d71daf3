"""Seats at tables over the API: ``leagues/{league}/balance/tables/``."""

import random
from typing import Any

import pytest

from league.models import LogEntry
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once

SEATING = "leagues/club/balance/tables/"
#: Twelve people, of whom the n-th has 1200 + 100 n.
PEOPLE = [f"p{number:02}" for number in range(12)]
RATINGS = {player: 1200.0 + 100.0 * number for number, player in enumerate(PEOPLE)}
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("league")]


def build() -> None:
    make_league("barbu", PEOPLE, starts=RATINGS)


league = built_once(build)


def ask(players: Any = PEOPLE, **more: Any) -> Any:
    return Api().post(SEATING, {"players": players, **more})


def list_tables(answer: Any) -> list[list[str]]:
    """Return who sits with whom."""
    assert answer.status_code == 200, answer.data
    return [table["players"] for table in answer.data["tables"]]


def test_equally_strong_tables_have_the_same_mean_where_that_is_possible() -> None:
    answer = ask()
    assert [len(table) for table in list_tables(answer)] == [4, 4, 4]
    assert sorted(player for table in list_tables(answer) for player in table) == PEOPLE
    # 1200 to 2300 in steps of 100: three tables of four with a mean of 1750 each.
    assert [table["rating"] for table in answer.data["tables"]] == [1750.0] * 3
    assert [(row["player"], row["rating"]) for row in answer.data["players"]] == sorted(
        RATINGS.items(), key=lambda item: -item[1]
    )
    assert not LogEntry.objects.filter(league__slug="club", kind__startswith="game").exists()


def test_people_of_similar_ratings_sit_together() -> None:
    tables = list_tables(ask(strength="similar", size=3))
    assert [sorted(table) for table in tables] == [PEOPLE[at : at + 3] for at in (9, 6, 3, 0)]


def test_wishes_hold_and_the_order_of_the_request_does_not_matter() -> None:
    chance = random.Random(52)
    for seed in range(5):
        apart = [chance.sample(PEOPLE, 3), chance.sample(PEOPLE, 2)]
        tables = list_tables(ask(apart=apart, seed=seed))
        assert all(len(set(group) & set(table)) <= 1 for group in apart for table in tables)
        shuffled = chance.sample(PEOPLE, len(PEOPLE))
        turned = [group[::-1] for group in reversed(apart)]
        assert list_tables(ask(shuffled, apart=turned, seed=seed)) == tables
    assert list_tables(ask(strength="lot", seed=1)) != list_tables(ask(strength="lot", seed=2))


def test_a_newcomer_is_seated_and_added_nowhere() -> None:
    answer = ask([*PEOPLE[:6], "Zoe"], size=4)
    assert sorted(map(len, list_tables(answer))) == [3, 4]
    assert [row["player"] for row in answer.data["players"] if row["new"]] == ["Zoe"]


@pytest.mark.parametrize(
    ("sent", "code", "pointer"),
    [
        ({"players": PEOPLE[:7], "size": 5}, "sizes", "/size"),
        ({"players": ["p00", "p01", "p00"], "size": 3}, "twice", "/players/2"),
        ({"players": PEOPLE[:4], "apart": [["p00", "p01"]]}, "apart", "/apart"),
        ({"players": PEOPLE[:4], "apart": [["p00", "p11"]]}, "unknown_player", "/apart/0/1"),
        ({"players": PEOPLE, "size": 8}, "max_value", "/size"),
        ({"players": PEOPLE, "strength": "even"}, "invalid_choice", "/strength"),
        ({"players": [*PEOPLE * 6]}, "max_length", "/players"),
    ],
)
def test_what_cannot_be_seated_is_refused_at_its_place(sent: dict[str, Any], code: str, pointer: str) -> None:
    answer = Api().post(SEATING, sent)
    assert answer.status_code in (400, 422)
    assert (answer.data["errors"][0]["code"], answer.data["errors"][0]["pointer"]) == (code, pointer)


def test_sixty_people_are_seated() -> None:
    tables = list_tables(ask([f"Guest {number}" for number in range(60)], size=4))
    assert [len(table) for table in tables] == [4] * 15
