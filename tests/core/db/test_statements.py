"""Plain statements: how they are sent, and what can be done with the objects that they answer."""

import pytest

from league.core.db.postgresql.base import number_placeholders
from league.core.db.statements import execute_query, format_select_list, make_object
from league.core.leagues.services.leagues import create_league
from league.models import League, Rule

pytestmark = pytest.mark.django_db


def test_an_object_of_a_row_can_be_changed_and_saved() -> None:
    create_league("club", "Club", system="elo", by="t")
    (row,) = execute_query(f"SELECT {format_select_list(League, 'x')} FROM league_league AS x")
    league = make_object(League, row)
    league.title = "Another"
    league.save()
    assert League.objects.get().title == "Another"
    assert Rule(league=league).league_id == league.pk


def test_marks_are_numbered_in_their_order() -> None:
    assert number_placeholders("SELECT %s, %s::text || 'x' WHERE a = %s") == "SELECT $1, $2::text || 'x' WHERE a = $3"
    assert number_placeholders("SELECT 1") == "SELECT 1"


def test_a_statement_of_more_than_fifty_values_answers_in_their_order() -> None:
    values = [f"value {number}" for number in range(70)]
    text = "CAST(%s AS varchar(20))"
    assert execute_query(f"SELECT {', '.join([text] * 70)}", values) == [tuple(values)]
