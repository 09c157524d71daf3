"""What a spreadsheet would run as a formula is quoted in our CSV, and our import reads it back to the same text."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.players.services.players import add_player
from league.core.text.spreadsheet_cells import quote_cell, unquote_cell
from league.models import Game, League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet

FORMULAS = ("=1+1", "+cmd|' /C calc'!A0", "-1-2", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-x", "=", "-", "＝1")


@pytest.mark.parametrize("text", FORMULAS)
def test_what_would_be_run_begins_with_an_apostrophe(text: str) -> None:
    assert quote_cell(text) == "'" + text
    assert unquote_cell(quote_cell(text)) == text


@pytest.mark.parametrize(
    "value", ["-500", "+2.5", "-0.5e-7", "-500.0", "anna", "a=b", "'tis", "o'=x", "", None, -3, -2.5, "1-2"]
)
def test_numbers_and_other_texts_stay_as_they_are(value: Any) -> None:
    assert quote_cell(value) == value
    assert value is None or unquote_cell(str(value)) == str(value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Ann;=1+1", "Ann;'=1+1"),
        ("x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"),
        ("=1;@2", "'=1;'@2"),
        ("a\n+1", "a\n'+1"),
        ("a;'=1", "a;''=1"),
        ("a;b", "a;b"),
    ],
)
def test_a_spreadsheet_that_splits_at_semicolons_runs_nothing_either(text: str, written: str) -> None:
    assert quote_cell(text) == written
    assert unquote_cell(written) == text


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n1.ae ;"), max_size=12) | st.text())
def test_reading_takes_off_exactly_what_writing_put_on(text: str) -> None:
    assert unquote_cell(quote_cell(text)) == text
    assert quote_cell(text) == text or len(quote_cell(text)) > len(text)


@pytest.mark.django_db
def test_an_export_with_formulas_is_harmless_and_imports_to_the_same_games() -> None:
    league = make_league("preferans", ("anna", "ben", "cleo"))
    ids = ["=HYPERLINK(1)", "+x", "-y", "@z", "'=q", "-5", "plain"]
    for number, name in enumerate(ids):
        record(
            league,
            sheet(("anna", "ben", "cleo"), (-500, 40, 460), minutes=number, external_id=name, details={"bula": 30}),
        )
    answer = Api("read").get("leagues/club/export/?format=csv")
    text = b"".join(answer.streaming_content).decode()
    cells = [value for line in csv.reader(io.StringIO(text)) for value in line]
    assert [value for value in cells if value[:1] in ("=", "+", "@", "\t", "\r")] == []
    assert {value for value in cells if value[:1] == "-"} == {"-500.0", "-5"}
    assert "'=HYPERLINK(1)" in cells
    other = make_league("preferans", (), slug="other")
    done = Api("record", name="importer").post_file("leagues/other/games/import/", text, "text/csv")
    assert done.status_code == 201, done.content
    assert told(other) == told(league)


def told(league: League) -> list[Any]:
    """Return what the games of a league say."""
    return [
        (game.external_id, game.played_at, game.details, [(one.player.handle, one.score) for one in game.results.all()])
        for game in Game.objects.filter(league=league).order_by("number").prefetch_related("results__player")
    ]


@pytest.mark.django_db
def test_an_alias_that_looks_like_a_formula_is_found_as_it_was_written_and_quoted() -> None:
    make_league(players=("anna",))
    add_player("ben", "Ben", aliases=["=ben"])
    for number, name in enumerate(("=ben", "'=ben")):
        text = f"game_id,played_at,player,score\n{number},2024-03-05,anna,1\n{number},2024-03-05,{name},0\n"
        done = Api("record", name=f"t{number}").post_file("leagues/club/games/import/", text, "text/csv")
        assert done.status_code == 201, done.content
    assert Game.objects.filter(results__player__handle="ben").count() == 2
