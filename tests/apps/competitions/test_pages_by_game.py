"""What pages and prints show by the league's game: colours, results, and one number of entries everywhere."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.entries import withdraw_entry
from league.apps.competitions.services.results import forfeit_fixture
from league.core.accounts.services.members import set_member
from league.core.fields.services.fields import NewField, declare_field
from league.core.game_words import has_colours, knows_draws, list_side_names
from league.models import League
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_text
from tests.helpers.running_competitions import play_round, run_competition
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
PUBLIC, DESK = "/leagues/club/competitions/cup/", "/admin/leagues/club/competitions/cup/"


@pytest.mark.parametrize(
    ("game", "colours", "draws"),
    [("", True, True), ("Chess", True, True), ("Blitzschach", False, True), ("Schach (Blitz)", True, True),
     ("Šah", True, True), ("Шахматы", True, True), ("Échecs", True, True), ("Go", True, True),
     ("Table tennis", False, False), ("Tischtennis", False, False), ("Darts 501", False, False),
     ("Football", False, True), ("Настольный теннис", False, False)],
)  # fmt: skip
def test_the_name_of_the_game_says_whether_it_has_colours_and_draws(game: str, colours: bool, draws: bool) -> None:
    league = League(game=game)
    assert (has_colours(league), knows_draws(league)) == (colours, draws)


@pytest.mark.parametrize(
    ("game", "names", "signs"),
    [("Chess", ["White", "Black"], "○●"), ("Go", ["White", "Black"], "○●"),
     ("Football", ["Home", "Away"], "12"), ("Table football", ["First side", "Second side"], "12"),
     ("Table tennis", ["First side", "Second side"], "12"), ("", ["First side", "Second side"], "12")],
)  # fmt: skip
def test_a_league_has_one_name_for_each_side_of_its_games(game: str, names: list[str], signs: str) -> None:
    sides = list_side_names(League(game=game))
    assert ([side.name for side in sides], "".join(side.sign for side in sides)) == (names, signs)


def open_cup(game: str) -> tuple[League, Client]:
    """Return a club with a played round and one in play, and an arbiter's browser."""
    league = make_league(players=SIX, game=game)
    run_competition(league, SIX, rounds=3, tie_breaks=["BH"])
    play_round(league, 1, (1, 0), (0, 1), (1, 0))
    play_round(league, 2)
    User.objects.create_user("arno")
    set_member(league.pk, "arno", "arbiter")
    browser = Client()
    browser.force_login(User.objects.get(username="arno"))
    return league, browser


@long_way
@pytest.mark.parametrize("game", ["Chess", "Table tennis"])
def test_only_a_game_with_colours_has_them_on_pages_and_prints(game: str) -> None:
    _league, browser = open_cup(game)
    shown = game == "Chess"
    for address in (PUBLIC, f"{PUBLIC}rounds/2/", f"{DESK}print/pairings/"):
        words = page_text(browser.get(address))
        assert (" White " in words) == (" Black " in words) == shown, address
    for address in (f"{PUBLIC}cross-table/", f"{PUBLIC}entries/1/", DESK):
        assert ("●" in browser.get(address).content.decode()) == shown, address
    assert ('value="draw"' in browser.get(DESK).content.decode()) == shown
    colours = [
        one["colour"] for one in browser.get("/api/v1/leagues/club/competitions/cup/entries/1/card/").json()["rounds"]
    ]
    assert all(colours) == shown


def test_a_print_of_pairings_has_numbers_ratings_and_points() -> None:
    league, browser = open_cup("Chess")
    league.competitions.get().entries.filter(number=1).update(rating=2105, title="FM")
    words = page_text(browser.get(f"{DESK}print/pairings/?round=2"))
    assert re.search(r"Anna No. 1 · FM 2105 1 ", words)


def test_standings_and_cross_table_are_sheets_of_their_own() -> None:
    _league, browser = open_cup("Chess")
    for sheet, absent in (("standings", "cross"), ("cross-table", "ranks")):
        page = browser.get(f"{DESK}print/{sheet}/").content.decode()
        assert "Anna" in page
        assert f'class="board {absent}"' not in page
    assert browser.get(f"{DESK}print/else/").status_code == 404


@long_way
def test_every_page_of_a_competition_lights_its_tab() -> None:
    _league, browser = open_cup("Chess")
    for part in (
        "",
        "settings/",
        "entries/",
        "entries/1/",
        "check-in/",
        "fixtures/1/",
        "print/slips/",
        "../",
        "../+new/",
    ):
        page = browser.get(f"{DESK}{part}".replace("cup/../", "")).content.decode()
        assert re.search(r'href="/admin/leagues/club/competitions/"\s+aria-current="page"', page), part


@long_way
def test_the_number_of_entries_is_the_same_everywhere() -> None:
    league, browser = open_cup("Chess")
    withdraw_entry(league.pk, "cup", 6, by="arno")
    words = page_text(browser.get(PUBLIC))
    assert "6 entries" in words
    assert "6 entries" in page_text(browser.get("/leagues/club/competitions/"))
    assert "6 entries" in page_text(browser.get(DESK))
    assert browser.get("/api/v1/leagues/club/competitions/cup/").json()["entries"] == 6
    assert " 6 " in page_text(browser.get(f"{DESK}entries/"))


def test_results_of_places_are_written_as_points() -> None:
    league, browser = open_cup("Chess")
    fixture = next(one.number for one in league.competitions.get().fixtures.filter(round__number=2))
    browser.post(f"{DESK}fixtures/{fixture}/", {"quick": "draw"})
    for address in (f"{PUBLIC}rounds/2/", f"{DESK}print/pairings/?round=2", f"{DESK}?round=2"):
        assert "½–½" in browser.get(address).content.decode()


def test_the_fields_of_a_game_are_beside_its_result_and_not_with_its_note() -> None:
    league, browser = open_cup("Chess")
    declared = NewField("map", "Map", "game", "choice", choices=["dust", "nuke"], required=True)
    declare_field(league.pk, declared, username="olga")
    fixture = next(one.number for one in league.competitions.get().fixtures.filter(round__number=2))
    address, before = f"{DESK}fixtures/{fixture}/", league.games.count()
    shown, _summary, folded = browser.get(address).content.decode().partition("Date and note</summary>")
    assert 'name="fields_map"' in shown and 'name="fields_map"' not in folded
    refused = browser.post(address, {"quick": "1-0"}, follow=True)
    # A key leads to the page where the field is.
    assert refused.redirect_chain == [(address, 302)]
    assert "The field “map” (Map) is required." in page_text(refused)
    assert league.games.count() == before


@long_way
def test_an_edition_with_another_decided_by_is_not_out_of_date() -> None:
    league, _browser = open_cup("Chess")
    competition = league.competitions.get()
    for fixture in competition.fixtures.filter(round__number=2):
        _browser.post(f"{DESK}fixtures/{fixture.number}/", {"quick": "1-0"})
    competition.rounds = 2
    competition.save()
    edition = finish_competition(league.pk, "cup", by="arno")
    edition.document = edition.document.replace('"decided_by":"BH"', '"decided_by":null')
    edition.save()
    assert "A later correction changed" not in page_text(_browser.get(DESK))


@long_way
def test_a_print_writes_a_forfeit_as_plus_and_minus_and_points_with_as_many_decimals() -> None:
    league, browser = open_cup("Chess")
    first, second, third = league.competitions.get().fixtures.filter(round__number=2).order_by("table")
    loser = second.seats.get(seat=1).entry.number
    forfeit_fixture(league.pk, second.number, [loser], "no_show", by="arno")
    both = [seat.entry.number for seat in third.seats.all()]
    forfeit_fixture(league.pk, third.number, both, "no_show", by="arno")
    browser.post(f"{DESK}fixtures/{first.number}/", {"quick": "draw"}, follow=True)
    words = page_text(browser.get(f"{DESK}print/pairings/?round=2"))
    assert [words.count(text) for text in ("½–½", "−–+", "−–−", "+–−")] == [1, 1, 1, 0]
    cross = browser.get(f"{DESK}print/cross-table/").content.decode()
    # Few of a Swiss system have met, so that the sheet has the rounds.
    cells = re.findall(r"<b>\s*([+−])\s*</b>", cross)
    assert sorted(cells) == ["+", "−", "−", "−"]
    assert ">f</abbr>" not in cross
    assert ">f</abbr>" in browser.get(f"{PUBLIC}cross-table/").content.decode()
    play_round(league, 3)
    shown = browser.get(f"{DESK}print/pairings/?round=3").context["rows"]
    # Three have won the first round; then two of them drew, one won and the others lost by forfeit.
    assert {len(seat.points) for row in shown for seat in row.seats} == {len("1.5")}
