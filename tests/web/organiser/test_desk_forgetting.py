"""Forgetting on the desk: after the handle was written once more, by whoever organises all leagues of the person."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.games.services.record import void_game
from league.models import Game, League, Player
from tests.helpers.builders import make_league, record
from tests.helpers.desk_client import sign_in_member
from tests.helpers.ladder_builders import duel
from tests.helpers.people_builders import desk, two_leagues
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

ANNA = "/admin/leagues/open/people/players/anna/"


def organised(*notes: str, name: str = "Zoe") -> tuple[League, Client]:
    """Return a league in which Zoe has played a game with each note, and the browser of who organises it."""
    league = make_league(slug="own", players=("zoe", "yan"))
    Player.objects.filter(handle="zoe").update(name=name)
    for day, note in enumerate(notes, start=5):
        record(league, duel("zoe", "yan", f"2024-03-0{day}", note=note))
    return league, sign_in_member("nora", "organiser", league)


@pytest.fixture
def eraser() -> Client:
    """Return the browser of who organises the open league."""
    two_leagues()
    return desk("olga-organiser")


@long_way
def test_a_person_is_forgotten_after_their_handle_was_written(eraser: Client) -> None:
    league, browser = organised("Zoe was late.")
    address = "/admin/leagues/own/people/players/zoe/"
    assert f'href="{address}forget/"' in browser.get(address).content.decode()
    pk = Player.objects.get(handle="zoe").pk
    assert f"They will be called Player {pk} in every league." in browser.get(f"{address}forget/").content.decode()
    refused = browser.post(f"{address}forget/", {"handle": "yan", "texts": "on", "once": "a" * 32})
    assert "This does not match the handle zoe." in refused.content.decode()
    assert Player.objects.filter(handle="zoe").exists()
    done = browser.post(f"{address}forget/", {"handle": "zoe", "texts": "on", "once": "a" * 32}, follow=True)
    assert f"They are now called Player {pk}." in done.content.decode()
    assert "Zoe" not in done.content.decode()
    assert Game.objects.get(league=league).note == ""
    gone = f"/admin/leagues/own/people/players/player-{pk}/"
    assert "Delete personal data" not in browser.get(gone).content.decode()
    named = browser.post(gone, {"name": "Zoe again", "active": "on", "once": "b" * 32})
    assert "was deleted, so the player has no name." in named.content.decode()


def test_what_goes_and_what_stays_is_told_before() -> None:
    _, browser = organised("zoe was late.", "Зоя had a cold.", "Van and der: nothing.", name="Зоя van der Łąka")
    address = "/admin/leagues/own/people/players/zoe/forget/"
    page = browser.get(address).content.decode()
    goes, stays = page.split('id="stays"')
    assert "1 note or reason that names them" in goes and "zoe was late." in goes and "a cold" not in goes
    assert "1 note or reason contains only part of their name" in stays and "Зоя had a cold." in stays
    assert "nothing" not in page and "their name in 0 editions" in goes
    browser.post(address, {"handle": "zoe", "texts": "on", "parts": "on", "once": "a" * 32})
    assert list(Game.objects.order_by("number").values_list("note", flat=True)) == ["", "", "Van and der: nothing."]


@pytest.mark.parametrize(
    ("name", "note", "wanted"),
    [("Зоя Łąka", "Зоя had a cold.", {"texts": "on"}), ("Zoe", "Zoe was late.", {})],
    ids=["a part of the name", "the whole name"],
)
def test_notes_stay_where_nobody_wants_more(name: str, note: str, wanted: dict[str, str]) -> None:
    _, browser = organised(note, name=name)
    browser.post("/admin/leagues/own/people/players/zoe/forget/", {"handle": "zoe", "once": "a" * 32, **wanted})
    assert Game.objects.get().note == note


def test_who_organises_one_of_their_leagues_only_is_refused(eraser: Client) -> None:
    refused = eraser.post(f"{ANNA}forget/", {"handle": "anna", "texts": "on", "once": "a" * 32})
    assert "Nothing was deleted." in refused.content.decode()
    assert "Removed</h2>" not in eraser.get(f"{ANNA}forget/").content.decode()
    assert Player.objects.filter(handle="anna", erased_at=None).exists()
    told = eraser.get(f"{ANNA}known/", follow=True)
    assert "another league" in told.content.decode() and "Content-Disposition" not in told


def test_all_that_is_known_is_a_file_and_who_looks_after_the_site_reads_of_accounts_too() -> None:
    _, browser = organised("")
    User.objects.create_user("zoe", "zoe@example.org", first_name="Zoe")
    known = "/admin/leagues/own/people/players/zoe/known/"
    answer = browser.get(known)
    assert answer["Content-Disposition"] == 'attachment; filename="zoe.json"'
    told = json.loads(answer.content)
    assert (told["leagues"][0]["games"][0]["score"], "site" in told) == (1.0, False)
    User.objects.filter(username="nora").update(is_superuser=True, is_staff=True)
    (account,) = json.loads(browser.get(known).content)["site"]["accounts"]
    assert account["email"] == "zoe@example.org"


@pytest.mark.parametrize("page", ["forget", "known"])
def test_nobody_else_is_found(eraser: Client, page: str) -> None:
    assert eraser.get(f"/admin/leagues/open/people/players/nobody%00/{page}/").status_code == 404


def test_the_words_of_an_entry_are_erased_after_they_were_shown() -> None:
    league, browser = organised("Zoe was late.")
    void_game(league.pk, 1, reason="Zoe was ill.", username="nora")
    log = browser.get("/admin/leagues/own/log/").content.decode()
    assert "“Zoe was late.”" in log and "“Zoe was ill.”" in log
    for kind, words in (("game.recorded", "Zoe was late."), ("game.voided", "Zoe was ill.")):
        address = f"/admin/leagues/own/log/{league.log.get(kind=kind).position}/erase/"
        assert address in log and words in browser.get(address).content.decode()
        done: Any = browser.post(address, follow=True)
        assert "was erased." in done.content.decode()
        assert words not in browser.get("/admin/leagues/own/log/").content.decode()
        assert "This entry contains no text." in browser.get(address).content.decode()
        assert "contains no text." in browser.post(address, follow=True).content.decode()
    assert browser.get("/admin/leagues/own/log/999999/erase/").status_code == 404
    assert browser.get(f"/admin/leagues/own/log/{2**64}/erase/").status_code == 404
