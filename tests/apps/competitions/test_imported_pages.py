"""The pages of an imported Swiss with a bye, a half-point bye and a forfeit."""

import re

import pytest
from django.test import Client

from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_report
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.builders import make_league

PAGES = ("", "entries/", "rounds/1/", "rounds/2/", "fixtures/", "cross-table/", "rules/", "entries/3/", "entries/5/")


@pytest.mark.django_db
def test_every_page_of_an_imported_competition_shows_byes_and_forfeits(client: Client) -> None:
    league = make_league(players=())
    report = read_report(f"XXR 2\n{FIVE}".encode(), "UTC")
    import_competition(league.pk, report, ImportRequest("olga", create_players=True))
    pages = {path: client.get(f"/leagues/club/competitions/club-evening/{path}") for path in PAGES}
    assert {path: page.status_code for path, page in pages.items()} == dict.fromkeys(PAGES, 200)
    texts = {path: " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()) for path, page in pages.items()}
    one, two, three, four, five = (f"Player {number} No. {number} · {1800 + number}" for number in range(1, 6))
    assert f"1 {one} 1–0 {three} 2 {four} ½–½ {two} {five} ½ Half-point bye" in texts["rounds/1/"]
    assert (
        f"1 {two} (0.5) ½–½ {one} (1.0) 2 {five} (0.5) 1–0 forfeit: other {four} (0.5) {three} (0.0) 1 Bye"
        in texts["rounds/2/"]
    )
    assert "All results are in" in texts[""]
    assert all(words in texts["entries/3/"] for words in ("Rank 3 of 5 Points 1.0", "opponents ARO 1801"))
    assert "Rank 2 of 5 Points 1.5" in texts["entries/5/"]
