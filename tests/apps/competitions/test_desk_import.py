"""The organiser's page that imports a competition: preview, questions, continuation; and the links that export one."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from league.apps.competitions.models import Competition, Fixture
from league.core.accounts.services.members import set_member
from league.models import Game, Player
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.builders import make_league
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
PAGE = "/admin/leagues/club/competitions/+import/"
DATED = f"042 2024/03/05\n142 3\n{FIVE}"


@pytest.fixture
def browser() -> Client:
    """Return the browser of an arbiter."""
    club = make_league(players=("anna",))
    User.objects.create_user("arno")
    set_member(club.pk, "arno", "arbiter")
    browser = Client()
    browser.force_login(User.objects.get(username="arno"))
    return browser


def read_form(page: str, button: str) -> dict[str, str]:
    """Return the hidden fields of the form that has a button."""
    (form,) = (form for form in re.findall(r"<form.*?</form>", page, re.S) if button in form and "carried" not in form)
    fields = re.findall(r"<input\b[^>]*>", form)
    found = {}
    for field in fields:
        if 'type="hidden"' in " ".join(field.split()):
            name, value = (re.search(rf'{part}="([^"]*)"', field) for part in ("name", "value"))
            found[name[1] if name else ""] = value[1] if value else ""
    return {name: value for name, value in found.items() if name != "csrfmiddlewaretoken"}


def send(browser: Client, **form: Any) -> str:
    """Send the form, and return the page after it."""
    answer = browser.post(PAGE, form, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


@long_way
def test_a_file_is_previewed_and_imported(browser: Client) -> None:
    Player.objects.create(handle="p1", name="Player 1")
    assert PAGE in browser.get("/admin/leagues/club/competitions/").content.decode()
    assert "<h1>Import a competition</h1>" in browser.get(PAGE).content.decode()
    file = SimpleUploadedFile("open.trf", DATED.encode())
    page = send(browser, file=file, create_players="on")
    assert "Nothing has been saved yet." in page
    assert ("Player 2, Player 3, Player 4, Player 5" in page, "rating_missing" in page) == (True, False)
    assert not Competition.objects.exists()
    fields = read_form(page, 'name="import"')
    page = send(browser, **fields, **{"import": "yes"})
    assert ("<h1>Club evening</h1>" in page, "4 games were imported." in page) == (True, True)
    assert send(browser, **fields, **{"import": "yes"}).count("<h1>Club evening</h1>") == 1
    assert (Competition.objects.count(), Game.objects.count()) == (1, 4)
    for kind in ("trf", "csv", "json"):
        (link,) = set(re.findall(rf'href="([^"]*export/\?format={kind})"', page))
        assert browser.get(link).status_code == 200
    public = Client().get("/leagues/club/competitions/club-evening/").content.decode()
    assert "export/?format=trf" in public


@long_way
def test_the_same_event_can_be_continued(browser: Client) -> None:
    first = DATED.replace("    2 b =", "         ")
    first = "\n".join(line[:99] if line.startswith("001") else line for line in DATED.splitlines()) + "\n"
    page = send(browser, text=first, create_players="on")
    send(browser, **read_form(page, 'name="import"'), **{"import": "yes"})
    assert Game.objects.count() == 2
    page = send(browser, text=DATED, create_players="on")
    assert "This event was imported before: Club evening" in page
    fields = read_form(page, "Continue this competition")
    assert fields["into"] == "club-evening"
    page = send(browser, **fields)
    assert "The file continues this competition. It adds:" in page
    assert Game.objects.count() == 2
    send(browser, **read_form(page, 'name="import"'), **{"import": "yes"})
    assert (Competition.objects.count(), Game.objects.count(), Fixture.objects.count()) == (1, 4, 6)


@long_way
def test_what_is_not_clear_is_asked(browser: Client) -> None:
    page = send(browser, text=DATED.replace("2024/03/05", "05/03/2024"), create_players="on")
    assert "State the first day below, or correct the file." in page
    page = send(browser, text=DATED.replace("2024/03/05", "05/03/2024"), starts="2024-03-05", create_players="on")
    assert "Nothing has been saved yet." in page
    spelt = DATED.replace("Player 1 ", "Zoë     ").encode("cp1252").replace(b"Player 2 ", b"Player \xb9\xe6")
    page = send(browser, file=SimpleUploadedFile("x.trf", spelt), create_players="on")
    assert "How is it spelt?" in page
    assert 'value="windows-1250"' in page


@long_way
def test_faulty_files_and_nothing(browser: Client) -> None:
    assert "Choose a file, or paste its text." in send(browser)
    page = send(browser, text=DATED.replace("3 w 1", "9 w 1"), create_players="on")
    assert "Opponent 9 is not in the file." in page
    page = send(browser, text=DATED)
    assert page.count("<li>") >= 5
    assert "“Player 1”" in page
    page = send(
        browser,
        text="round,player_1,player_2,result,starts\n1,Ann,Bea,1:0,2024-03-05\n",
        create_players="on",
        title="Cup",
    )
    assert "Ann, Bea" in page
    table = "round,player_1,player_2,result,starts\n1,Ann,Bea,1:0,05/03/2024\n"
    assert "Line 2" in send(browser, text=table, create_players="on", title="Cup")
    page = send(browser, text=table, create_players="on", title="Cup", day_order="day")
    assert ("Ann, Bea" in page, read_form(page, 'name="import"')["day_order"]) == (True, "day")
    assert "larger than 1500 kB" in send(browser, file=SimpleUploadedFile("x.trf", b"x" * 1_600_000))
    assert not Competition.objects.exists()
