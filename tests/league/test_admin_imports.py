"""Importing on the admin site: a file, its difference or its bad lines, then the real thing."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from league.models import Game, Job, JobPart, League, Player
from league.services.dispatch import uploads
from tests.helpers.builders import make_league

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow("Classic admin pages; the desk's tests hold their services."),
]

TEXT = "game_id,played_at,player,score,mood\n1,2024-03-05,anna,1,x\n1,2024-03-05,ben,0,x\n"
LINE = (
    '{"external_id":"1","played_at":"2024-03-05","results":[{"player":"anna","score":1},{"player":"zoe","score":0}]}\n'
)


def page_of(league: League) -> str:
    """Return the address of the page."""
    return f"/admin/league/league/{league.pk}/import/"


def send(browser: Client, league: League, text: str, name: str = "games.csv", **more: Any) -> str:
    """Send a file; returns the page."""
    data = {"file": SimpleUploadedFile(name, text.encode()), **more}
    return browser.post(page_of(league), data, follow=True).content.decode()


def sealed(page: str) -> str:
    """Return the hidden field."""
    found = re.search(r'name="kept" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def test_a_file_is_shown_first_and_imported_then(olga: Client) -> None:
    league = make_league()
    assert f'href="{page_of(league)}"' in olga.get(f"/admin/league/league/{league.pk}/change/").content.decode()
    assert "Show what it would change" in olga.get(page_of(league)).content.decode()
    page = send(olga, league, TEXT)
    assert "1 new game with 2 results, 0 there already; 0 players would be added, 1 game rated." in page
    assert "Columns without a meaning here: mood." in page
    # K is 20, 1500 against 1500.
    assert re.search(r"Anna</th><td class=\"num\">–?</td><td class=\"num\">1510.0", page)
    assert Game.objects.count() == 0
    done = olga.post(page_of(league), {"kept": sealed(page), "_import": "1"}, follow=True).content.decode()
    assert "1 game with 2 results was imported, 0 were there already, 0 players were added." in done
    assert Game.objects.get().recorded_by == "olga"


def test_bad_lines_stand_in_a_table_and_players_are_added_where_asked(olga: Client) -> None:
    league = make_league()
    page = send(olga, league, LINE, "games.ndjson")
    assert re.search(r'class="num">1</th><td>Line 1: there is no player “zoe”.', page)
    assert "kept" not in page
    page = send(olga, league, LINE, "games.ndjson", create_players="on")
    assert "1 player would be added" in page
    assert not Player.objects.filter(handle="zoe").exists()
    olga.post(page_of(league), {"kept": sealed(page), "_import": "1", "create_players": "on"})
    assert Player.objects.filter(handle="zoe").exists()


def test_a_large_file_goes_to_a_worker(olga: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    monkeypatch.setattr(uploads, "SMALL", {"csv": 1, "ndjson": 1})
    assert "The file is large: a worker imports it" in send(olga, league, TEXT)
    assert (Job.objects.get().asked_by, JobPart.objects.count(), Game.objects.count()) == ("olga", 1, 0)


def test_a_file_must_be_there_and_a_seal_is_for_one_league(olga: Client) -> None:
    league, other = make_league(), make_league(slug="other")
    assert "Choose a file." in olga.post(page_of(league), {"_preview": "1"}).content.decode()
    page = send(olga, league, TEXT)
    for data in ({"kept": sealed(page)}, {"kept": f"{sealed(page)}x"}, {}):
        assert "Choose a file." in olga.post(page_of(other), {**data, "_import": "1"}).content.decode()
    assert Game.objects.count() == 0


def test_who_may_not_record_may_not_import(client: Client) -> None:
    league = make_league()
    user = User.objects.create_user("rita", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="change_league"))
    client.force_login(user)
    assert client.get(page_of(league)).status_code == 403
