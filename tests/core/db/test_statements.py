"""Plain statements: how they are sent, and what can be done with the objects that they answer."""

import pytest

from league.core.db.postgresql.base import number_placeholders
from league.core.db.statements import build_any_condition, execute_query, format_select_list, make_object
from league.core.leagues.services.leagues import create_league
from league.models import Game, League, Rule
from tests.helpers.builders import make_league, record, sheet

pytestmark = pytest.mark.django_db


def test_an_object_of_a_row_can_be_changed_and_saved() -> None:
    create_league("club", "Club", system="elo", by="t")
    (row,) = execute_query(f"SELECT {format_select_list(League, 'x')} FROM league_league AS x")
    league = make_object(League, row)
    league.title = "Another"
    league.save()
    assert League.objects.get().title == "Another"
    assert Rule(league=league).league_id == league.pk


@pytest.mark.engine
@pytest.mark.parametrize(
    ("column", "values", "found"),
    [("x.slug", ["club", "other"], 1), ("x.slug", [], 0), ("x.id", [], 0), ("x.last_number", [0, 7], 1)],
)
def test_a_column_is_compared_with_any_number_of_values(column: str, values: list[object], found: int) -> None:
    create_league("club", "Club", system="elo", by="t")
    condition, parameter = build_any_condition(column, values)
    assert len(execute_query(f"SELECT x.id FROM league_league AS x WHERE {condition}", [parameter])) == found


@pytest.mark.engine
@pytest.mark.parametrize("metadata", [{}, {"server": "7"}, {"": "{}"}])
def test_an_object_of_a_row_is_as_the_framework_makes_it(metadata: dict[str, str]) -> None:
    record(make_league(players=["anna", "ben"]), sheet(["anna", "ben"], [1, 0]))
    Game.objects.update(metadata=metadata, withheld={"fields": []})
    (row,) = execute_query(f"SELECT {format_select_list(Game, 'g')} FROM league_game AS g")
    made, (wanted,) = make_object(Game, row), Game.objects.all()
    assert {name: value for name, value in vars(made).items() if name != "_state"} == {
        name: value for name, value in vars(wanted).items() if name != "_state"
    }
    assert (made._state.adding, made._state.db) == (wanted._state.adding, wanted._state.db) == (False, "default")
    assert made.metadata == metadata and made == wanted and made.league == wanted.league


def test_rows_share_no_empty_object() -> None:
    create_league("club", "Club", system="elo", by="t")
    (row,) = execute_query(f"SELECT {format_select_list(League, 'x')} FROM league_league AS x")
    first, second = make_object(League, row), make_object(League, row)
    first.metadata["server"] = "7"
    assert second.metadata == {}


def test_marks_are_numbered_in_their_order() -> None:
    assert number_placeholders("SELECT %s, %s::text || 'x' WHERE a = %s") == "SELECT $1, $2::text || 'x' WHERE a = $3"
    assert number_placeholders("SELECT 1") == "SELECT 1"


def test_a_statement_of_more_than_fifty_values_answers_in_their_order() -> None:
    values = [f"value {number}" for number in range(70)]
    text = "CAST(%s AS varchar(20))"
    assert execute_query(f"SELECT {', '.join([text] * 70)}", values) == [tuple(values)]
