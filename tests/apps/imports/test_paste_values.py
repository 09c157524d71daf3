"""Values of fields that a league declares for seats, in the columns of a pasted table."""

from io import BytesIO
from unittest.mock import patch

import pytest
from django.test import Client

from league.apps.imports.models import PasteColumns
from league.apps.imports.paste.roles import SheetFields
from league.apps.imports.services import paste_record
from league.apps.imports.services.run import ImportOptions, import_games
from league.core.dispatch.sweep import run_requested_job
from league.core.errors import BadFile
from league.core.fields.services.fields import NewField, change_field, declare_field
from league.core.verify.run import verify_league
from league.models import Game, Job, League
from tests.helpers.builders import league_of, make_league
from tests.helpers.paste_builders import HERE, PASTE, fields, read_text, shown, states
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(make_league)
HERO = SheetFields(scores=True, places=True, sides=True, values={"hero": ("Hero", "hero", "field.hero")})


def declare_hero() -> None:
    """Let the league of the tests have a hero and a number for each seat."""
    league = league_of()
    declare_field(league.pk, NewField("hero", "Hero", "seat", "choice", ["Zed", "Ahri"]), username="olga")
    declare_field(league.pk, NewField("deaths", "Deaths", "seat", "number"), username="olga")
    declare_field(league.pk, NewField("judge", "Judge", "seat", "text", visible="organisers"), username="olga")


def list_values() -> list[object]:
    """Return the values of the seats of each game."""
    return [game.details.get("declared_fields") for game in Game.objects.order_by("number")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # A result a line, a game a line, headings with numbers in another order, the name of CSV, and names first.
        ("Name;Score;Hero\nAnna;1;Zed\nBen;0;Ahri", ["Zed", "Ahri"]),
        ("Hero;Name;Score\nZed;Anna;1\nAhri;Ben;0", ["Zed", "Ahri"]),
        ("Player;Hero;Score;Player;Hero;Score\nAnna;Zed;1;Ben;Ahri;0", ["Zed", "Ahri"]),
        ("Player 1;Player 2;field.hero 2;field.hero 1;Score 1;Score 2\nAnna;Ben;Ahri;Zed;1;0", ["Zed", "Ahri"]),
        ("Player B;Player A;Hero B;Hero A;Score A;Score B\nBen;Anna;Ahri;Zed;1;0", ["Zed", "Ahri"]),
        ("White;Black;hero;hero;Result\nAnna;Ben;Zed;Ahri;1-0", ["Zed", "Ahri"]),
        ("Player 1;Player 2;Hero 1;Hero 2;Winner\nAnna;Ben;Zed;Ahri;Anna", ["Zed", "Ahri"]),
        ("Winner;Loser;Hero;Hero\nAnna;Ben;Zed;Ahri", ["Zed", "Ahri"]),
        ("Name;Score;Hero\nAnna;1;\nBen;0;Ahri", [None, "Ahri"]),
        # Partners.
        ("Side;Score;Hero\nAnna + Ben;1;Zed + Ahri\nCleo + Dan;0;Ahri + Zed", ["Zed", "Ahri", "Ahri", "Zed"]),
    ],
)
def test_a_column_has_the_values_of_its_player(text: str, values: list[str | None]) -> None:
    (game,) = read_text(text, HERO, HERE).games
    assert game.problems == []
    by_name = {seat.name: seat.values.get("hero") for seat in game.seats}
    assert [by_name[name] for name in ("Anna", "Ben", "Cleo", "Dan")[: len(values)]] == values


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("White;Black;Hero;Result\nAnna;Ben;Zed;1-0", "“Hero” needs a column for each player."),
        ("Side;Score;Hero\nAnna + Ben;1;Zed\nCleo + Dan;0;", "“Hero” needs a value for each of Anna + Ben"),
        ("Date;Anna;Ben;Hero\n6.11.;1;0;Zed", "in a column without a meaning"),
    ],
)
def test_values_without_a_clear_player_are_asked_about(text: str, problem: str) -> None:
    (game,) = read_text(text, HERO, HERE).games
    assert problem in game.problems[0][1]


@pytest.mark.parametrize("seats", [2000, 1])
def test_values_are_shown_and_recorded(olga: Client, seats: int) -> None:
    declare_hero()
    text = "Date;Name;Score;Hero;Deaths;Judge\n5.3.2024;Anna;1;zed;0;Eve\n5.3.2024;Ben;0;Ahri;12;Eve"
    page = shown(olga, text)
    assert states(page) == ["new"]
    assert [line.values for line in page.context["cards"][0].lines] == ["Zed, 0", "Ahri, 12"]
    # Who records need not be an organiser.
    assert page.context["columns"][-1].role == ""
    with patch.object(paste_record, "MAX_IMMEDIATE_SEATS", seats):
        olga.post(PASTE, {**fields(page), "_record": ""}, follow=True)
        if seats == 1:
            run_requested_job(Job.objects.get().pk)
    assert list_values() == [{"seats": [{"hero": "Zed", "deaths": 0}, {"hero": "Ahri", "deaths": 12}]}]
    assert verify_league(league_of().pk).state == "is right"


def test_a_value_that_its_field_cannot_have_is_named_with_its_line(olga: Client) -> None:
    declare_hero()
    page = shown(olga, "Date;Name;Score;Hero\n5.3.2024;Anna;1;Zed\n5.3.2024;Ben;0;Teemo")
    assert states(page) == ["bad"]
    assert "Line 3: Ben: The field “hero” is one of: Zed, Ahri." in page.content.decode()


def test_the_meaning_of_a_column_can_be_chosen_is_remembered_and_goes_with_its_field(olga: Client) -> None:
    declare_hero()
    text = "Date;Name;Score;Figure\n5.3.2024;Anna;1;Zed\n5.3.2024;Ben;0;Ahri"
    page = shown(olga, text)
    page = olga.post(PASTE, {**fields(page), "role-3": "value:hero"})
    assert [line.values for line in page.context["cards"][0].lines] == ["Zed", "Ahri"]
    olga.post(PASTE, {**fields(page), "role-3": "value:hero", "_record": ""}, follow=True)
    assert list_values() == [{"seats": [{"hero": "Zed"}, {"hero": "Ahri"}]}]
    assert PasteColumns.objects.get().said["roles"] == {"3": "value:hero"}
    assert shown(olga, text.replace("5.3.", "6.3.")).context["columns"][3].role == "value:hero"
    change_field(league_of().pk, "hero", {"retired": True}, username="olga")
    page = shown(olga, text.replace("5.3.", "6.3."))
    assert page.context["columns"][3].role == ""
    # A role that is sent by hand and is none has no effect.
    page = olga.post(PASTE, {**fields(page), "role-3": "value:nothing"})
    assert page.status_code == 200


def test_a_required_value_that_is_missing_is_named(olga: Client) -> None:
    league = league_of()
    declare_field(league.pk, NewField("hero", "Hero", "seat", "text", required=True), username="olga")
    page = shown(olga, "Date;Name;Score\n5.3.2024;Anna;1\n5.3.2024;Ben;0")
    assert "The field “hero” (Hero) is required." in page.content.decode()
    page = shown(olga, "Date;Name;Score;Hero\n5.3.2024;Anna;1;Zed\n5.3.2024;Ben;0;Ahri")
    olga.post(PASTE, {**fields(page), "_record": ""}, follow=True)
    (game,) = Game.objects.all()
    assert game.withheld == {"seats": [{"hero": "Zed"}, {"hero": "Ahri"}]}


def test_lines_of_a_csv_game_with_other_values_of_the_game_are_refused() -> None:
    league = league_of()
    declare_field(league.pk, NewField("map", "Map", "game", "text"), username="olga")
    header, first = "game_id,played_at,player,score,field.map", "1,2024-03-05T20:00Z,anna,1,dust"
    with pytest.raises(BadFile) as bad:
        import_csv(league, header, first, "1,2024-03-05T20:00Z,ben,0,nuke")
    assert [(one.line, one.code) for one in bad.value.problems] == [(3, "differs")]
    # The same again is said once more, and an empty cell nothing.
    import_csv(league, header, first, "1,2024-03-05T20:00Z,ben,0,dust")
    import_csv(league, header, "2,2024-03-06T20:00Z,anna,1,dust", "2,2024-03-06T20:00Z,ben,0,")
    assert [game.withheld for game in Game.objects.all()] == [{"game": {"map": "dust"}}] * 2


def import_csv(league: League, *lines: str) -> None:
    """Import lines of CSV."""
    import_games(league.pk, BytesIO("\n".join(lines).encode()), ImportOptions(by="olga"))
