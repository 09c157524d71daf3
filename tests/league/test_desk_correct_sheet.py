"""The sheet of a correction on the desk: names, refusals, and how it is compared with what was recorded."""

import pytest
from django.test import Client

from league.models import Game, Player
from league.services.players.players import add_player, change_player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import dated_sheet, page_text
from tests.helpers.desk_games import build_one_game, game_url
from tests.helpers.ladder_builders import duel, make_ladder

pytestmark = pytest.mark.django_db


def test_who_goes_back_finds_the_sheet_filled(olga: Client) -> None:
    build_one_game()
    page = olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30"))
    fields = dict(page.context["fields"])
    again = olga.post(game_url(1, "correct"), {**fields, "seen": "x", "_edit": "back"})
    assert [form["score"].value() for form in again.context["sheet"].formset.forms] == ["0", "1"]
    assert "Nothing was written" not in page_text(again)


def test_the_sheet_shows_names_and_refuses_what_is_no_game(olga: Client) -> None:
    build_one_game()
    add_player("ben2", "Anna")
    page = olga.get(game_url(1, "correct"))
    # Two bear the name Anna; one of them is of this league, and Ben is Ben.
    assert [form["player"].value() for form in page.context["sheet"].formset.forms][:2] == ["Anna", "Ben"]
    assert "reason" not in page.context["form"].fields
    sheet_as_it_was = {**dated_sheet(("Anna", 1), ("Ben", 0), played_at="2024-03-05T19:30"), "seats-INITIAL_FORMS": 2}
    same = olga.post(game_url(1, "correct"), sheet_as_it_was)
    assert "Nothing is changed on the sheet of game 1." in page_text(same)
    wrong = olga.post(game_url(1, "correct"), dated_sheet(("Anna", 3), ("Zoran", 0), played_at="2024-03-05T19:30"))
    assert "Seat 2: there is no player “Zoran”." in page_text(wrong)
    odd = olga.post(game_url(1, "correct"), dated_sheet(("Anna", 3), ("Anna", 0), played_at="2024-03-05T19:30"))
    assert "Nothing was written." in page_text(odd)
    assert Game.objects.count() == 1
    # A name that is somebody else's handle is not put on the sheet.
    change_player(Player.objects.get(handle="anna"), name="cleo", by="test")
    page = olga.get(game_url(1, "correct"))
    assert [form["player"].value() for form in page.context["sheet"].formset.forms][:2] == ["anna", "Ben"]


def test_more_seats_are_offered_where_more_may_play(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben", "cleo"), (10, 0, -10)))
    page = olga.get(game_url(1, "correct"))
    assert 'name="_more"' in page.content.decode()
    more = olga.post(game_url(1, "correct"), dated_sheet(("anna", 1), ("ben", 0), ("cleo", -1), _more="more"))
    assert len(more.context["sheet"].formset.forms) == 7


def test_what_stands_beside_the_results_is_compared(olga: Client) -> None:
    league = make_league("barbu", players=("anna", "ben", "cleo", "dan", "eva"))
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 0, 0, -10), note="late"))
    data = dated_sheet(
        ("ben", 0), ("anna", 20), ("cleo", 0), ("eva", -10), played_at="2024-03-06T20:00", kind="friendly"
    )
    page = olga.post(game_url(1, "correct"), data)
    what = page.context["tried"]
    assert [(one.label, str(one.before)[-12:], one.after) for one in what.beside if one.label in ("Kind", "Note")] == [
        ("Kind", "Played", "Friendly"),
        ("Note", "late", "none"),
    ]
    assert [(row.was_who, row.who, row.was_score, row.score) for row in what.rows] == [
        ("Ben", "Ben", "0", "0"),
        ("Anna", "Anna", "10", "20"),
        ("Cleo", "Cleo", "0", "0"),
        ("Dan", "Eva", "-10".replace("-", "−"), "−10"),
    ]
    assert "2 lines changed, the sum was 0 and is 10." in page_text(page)
    assert "keeps its place" not in page_text(page)
    turned = olga.post(
        game_url(1, "correct"),
        dated_sheet(("ben", 0), ("anna", 10), ("cleo", 0), ("dan", -10), played_at="2024-03-05T19:30", note="late"),
    )
    assert [(one.label, one.after) for one in turned.context["tried"].beside] == [("Seats", "Ben, Anna, Cleo, Dan")]


def test_who_leaves_the_table_and_who_comes(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 0, -10, 0)))
    page = olga.post(
        game_url(1, "correct"), dated_sheet(("anna", 10), ("ben", 0), ("cleo", -10), played_at="2024-03-05T19:30")
    )
    assert [(row.who, row.after is None) for row in page.context["tried"].rows][-1] == ("Dan", True)
    moves = {row.name: (row.before is None, row.after is None) for row in page.context["tried"].moves.rows}
    assert moves["Dan"] == (False, True)
    assert "gone" in page_text(page)
    assert "off the board" in page_text(page)


def test_open_periods_that_others_would_lead_are_named(olga: Client) -> None:
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    said = page_text(
        olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T00:00"))
    )
    assert "March 2024 (Month): Ben leads instead of Anna." in said
    assert "March 2024 (Month): nobody leads any more." in page_text(olga.post(game_url(1, "void")))
