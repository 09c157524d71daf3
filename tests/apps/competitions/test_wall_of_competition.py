"""A competition's own club screen: pairings, standings and bracket in turn, and the podium at its end."""

import re

import pytest
from django.test import Client

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.results import record_result
from tests.helpers.builders import league_of, make_league
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition, scores
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
MANY = tuple(f"guest{number}" for number in range(26))
WALL = "/leagues/club/competitions/cup/wall/"
built = built_once(lambda: make_league(players=(*SIX, *MANY), game="Chess"))


def pages(**asked: str) -> dict[str, list[str]]:
    """Return the words of the screen's pages by kind, in their order."""
    found: dict[str, list[str]] = {}
    for part in Client().get(WALL, asked).content.decode().split('<div class="turn" data-page="')[1:]:
        kind, _, rest = part.partition('">')
        found.setdefault(kind, []).append(" ".join(re.sub(r"<[^>]+>", " ", rest.partition("</main>")[0]).split()))
    return found


def test_it_turns_through_pairings_and_standings() -> None:
    league = league_of()
    run_competition(league, SIX, rounds=3, tie_breaks=["BH"])
    waiting = pages()
    assert list(waiting) == ["entries"]
    assert waiting["entries"][0].startswith("Entries 6 entries 1 Anna 2 Ben 3 Cleo ")
    assert waiting["entries"][0].split("6 Finn ")[1].startswith("testserver/leagues/club/competitions/cup/")
    Entry.objects.update(status="waiting")
    assert pages(theme="light") == {}
    assert "The first round is not published yet." in Client().get(WALL, {"theme": "light"}).content.decode()
    Entry.objects.update(status="entered")
    play_round(league, 1)
    assert list(pages()) == ["pairings"]
    for fixture, result in zip(loaded_cup(league).list_fixtures(1)[:2], ((1, 0), (0.5, 0.5)), strict=True):
        record_result(league.pk, fixture.number, scores(*result), by="arbiter")
    shown = pages()
    assert list(shown) == ["pairings", "standings"]
    assert "½–½" in shown["pairings"][0]
    # Of few entries the tie-breaks are shown too.
    assert shown["standings"][0].startswith("Standings Standings of Cup # Name Points BH 1 ")
    assert shown["standings"][0].endswith(" · BH: Buchholz")
    for kind in ("pairings", "standings"):
        assert list(pages(show=kind)) == [kind]
    assert list(pages(show="bracket")) == ["pairings", "standings"]


def test_a_knock_out_shows_its_bracket_and_at_its_end_the_winner_first() -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout", rounds=2, tie_breaks=["TPN"])
    play_round(league, 1, (1, 0), (1, 0))
    assert list(pages()) == ["bracket", "pairings"]
    play_round(league, 2, (1, 0))
    assert loaded_cup(league).list_fixtures(2)[0].entries == (1, 2)
    finish_competition(league.pk, "cup", by="arbiter")
    shown = pages()
    assert list(shown) == ["podium", "bracket"]
    assert shown["podium"][0].startswith("Final standings Anna 1 Ben 2 ")


def test_at_the_end_of_a_swiss_the_podium_stands_before_the_final_standings() -> None:
    league = league_of()
    run_competition(league, SIX, rounds=1, tie_breaks=["BH"])
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    finish_competition(league.pk, "cup", by="arbiter")
    shown = pages()
    assert list(shown) == ["podium", "standings"]
    assert shown["standings"][0].startswith("Final standings ")
    assert "Finished" in Client().get(WALL).content.decode()


def test_of_many_entries_the_first_24_stand_in_two_columns_of_twelve() -> None:
    league = league_of()
    run_competition(league, MANY, rounds=3)
    Competition.objects.update(tie_breaks=["BH"])
    play_round(league, 1, (1, 0))
    standings = Client().get(WALL).content.decode().split('data-page="standings"')[1]
    assert [table.count("<tr>") - 1 for table in standings.split("</table>")[:-1]] == [12, 12]
    assert "BH" not in standings
