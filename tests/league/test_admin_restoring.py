"""Undo on the admin site: void games count again, games of one time move; the difference is shown before."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Game, League
from league.services.accounts.members import set_member
from league.services.recording.games import correct_game, void_game
from tests.helpers.admin_client import confirm
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.desk_client import dated_sheet, page_html
from tests.helpers.ladder_builders import close, make_ladder, tables

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow("Classic admin pages; the desk's tests hold their services."),
]


def evening(**settings: Any) -> League:
    """Make an evening of three games of one time."""
    league = make_league("elo", parameters={"k": 32}, **settings)
    for winner, loser in (("anna", "ben"), ("ben", "cleo"), ("cleo", "anna")):
        record(league, sheet((winner, loser), (1, 0)))
    return league


def address(number: int, what: str = "change") -> str:
    """Return the address of a page of a game."""
    return f"/admin/league/game/{Game.objects.get(number=number).pk}/{what}/"


def followed(client: Client, page: Any) -> str:
    """Return the text of the page to which an answer leads."""
    assert page.status_code == 302, page_html(page)
    return page_html(client.get(page["Location"]))


def test_the_message_of_a_correction_offers_undo_and_undoing_gives_the_ratings_back(olga: Client) -> None:
    league = evening()
    before = ratings(league)
    swapped = dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30", reason="misread")
    shown = followed(olga, confirm(olga, address(1, "correct"), swapped))
    undo = f"{address(1, 'restore')}?reason=Undone."
    assert f'<a href="{undo}">Undo</a>' in shown
    assert ratings(league) != before
    page = page_html(olga.get(undo))
    assert "Game 4, which counts now, becomes void." in page and 'value="Undone."' in page
    looked = olga.post(address(1, "restore"), {"reason": "Undone."})
    assert "3 games would be rated anew. Nothing has been written yet." in page_html(looked)
    assert ratings(league) != before
    shown = followed(olga, confirm(olga, address(1, "restore"), {"reason": "Undone."}))
    assert "Game 1 counts again, as game 5." in shown
    assert f"{address(4, 'restore')}?reason=Undone." in shown
    assert ratings(league) == before


def test_the_message_of_a_void_offers_undo_and_so_does_the_void_game(olga: Client) -> None:
    league = evening()
    before = ratings(league)
    shown = followed(olga, confirm(olga, address(2, "void"), {"reason": "a friendly"}))
    assert f'<a href="{address(2, "restore")}?reason=Undone.">Undo</a>' in shown
    assert '<a href="/admin/leagues/club/games/2/restore/">Undo the void</a>' in page_html(olga.get(address(2)))
    shown = followed(olga, confirm(olga, address(2, "restore"), {"reason": "rated after all"}))
    assert "Game 2 counts again, as game 4." in shown and ">Undo</a>" not in shown
    assert ratings(league) == before
    assert "Undo: restore this game" in page_html(olga.get(address(2)))


def test_a_game_that_counts_is_not_restored(olga: Client) -> None:
    evening()
    assert "Game 1 is not void: it counts." in followed(olga, olga.get(address(1, "restore")))


def test_a_restoration_needs_a_reason_and_says_what_refuses_it(olga: Client) -> None:
    league = evening()
    void_game(league.pk, 1, reason="a friendly", by="olga")
    assert "This field is required." in page_html(olga.post(address(1, "restore"), {"reason": ""}))
    before = tables()
    Game.objects.filter(number=1).update(details={"bula": 30})
    looked = olga.post(address(1, "restore"), {"reason": "right after all"})
    assert (looked.status_code, "bula" in page_html(looked)) == (200, True)
    Game.objects.filter(number=1).update(details={})
    assert tables() == before


def test_what_changed_since_somebody_looked_is_shown_anew(olga: Client) -> None:
    league = evening()
    void_game(league.pk, 1, reason="a friendly", by="olga")
    form = olga.post(address(1, "restore"), {"reason": "right after all"})
    record(league, sheet(("dan", "ben"), (1, 0), minutes=5))
    again = olga.post(
        address(1, "restore"), {"reason": "right after all", "seen": form.context["seen"], "_commit": "yes"}
    )
    assert "have changed since you looked, and nothing was written" in page_html(again)
    assert Game.objects.get(number=1).voided_at is not None


def test_a_game_moves_among_those_of_its_time(olga: Client) -> None:
    league = evening()
    before = ratings(league)
    page = page_html(olga.get(address(2)))
    assert "Games of the same time, in their order" in page
    assert f'<a href="{address(2, "earlier")}">Move earlier</a>' in page
    assert "Move earlier" not in page_html(olga.get(address(1)))
    assert "Move later" not in page_html(olga.get(address(3)))
    look = olga.get(address(2, "earlier"))
    assert "3 games would be rated anew. Nothing has been written yet." in page_html(look)
    shown = followed(olga, olga.post(address(2, "earlier"), {"seen": look.context["seen"], "_commit": "yes"}))
    assert "Game 2 comes before game 1 now." in shown and address(2, "later") in shown
    assert list(Game.objects.order_by("order_key").values_list("number", flat=True)) == [2, 1, 3]
    assert ratings(league) != before
    look = olga.get(address(2, "later"))
    assert "comes after game 1 now" in followed(
        olga, olga.post(address(2, "later"), {"seen": look.context["seen"], "_commit": "yes"})
    )
    assert ratings(league) == before


def test_a_move_that_cannot_be_made_says_why_and_one_that_is_not_wanted_leads_back(olga: Client) -> None:
    evening()
    assert "Game 1 is the first of its time already" in followed(olga, olga.get(address(1, "earlier")))
    back = olga.post(address(2, "earlier"), {"_edit": "Back to the game"})
    assert back["Location"] == address(2)


def test_a_game_alone_at_its_time_has_no_order_to_choose(olga: Client) -> None:
    league = make_league("elo")
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert "Games of the same time" not in page_html(olga.get(address(1)))


def test_a_note_alone_moves_nothing(olga: Client) -> None:
    evening()
    noted = dated_sheet(("anna", 1), ("ben", 0), played_at="2024-03-05T19:30", reason="a note", note="at Pedja's")
    noted["seats-INITIAL_FORMS"] = 2  # as the page of the recorded sheet sends it
    looked = page_html(olga.post(address(1, "correct"), noted))
    assert "Nothing moves: no rating and no ladder would change. Nothing has been written yet." in looked


def test_a_recorder_restores_and_moves_in_open_periods_only(client: Client) -> None:
    league = evening()
    make_ladder(league)
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", by="olga")
    rita = User.objects.create_user("rita", is_staff=True)
    set_member(league.pk, "rita", "recorder")
    client.force_login(rita)
    assert client.get(address(2, "earlier")).status_code == 200
    assert "would be rated anew" in page_html(client.post(address(1, "restore"), {"reason": "right"}))
    close(league, "2024-03")
    refused = page_html(client.post(address(1, "restore"), {"reason": "right"}))
    assert "is closed; this needs" in refused and "would be rated anew" not in refused
    assert "is closed; this needs" in followed(client, client.get(address(2, "earlier")))
    assert list(Game.objects.filter(voided_at=None).order_by("order_key").values_list("number", flat=True)) == [4, 2, 3]
