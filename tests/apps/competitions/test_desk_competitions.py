"""The organiser's pages of competitions: an evening from founding to the final standings."""

import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from league.apps.competitions.models import Competition, Entry, Fixture
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.entries import change_entry, withdraw_entry
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.games.services.record import correct_game
from league.models import Game, League, Player
from tests.helpers.builders import EVENING, FOUR, sheet
from tests.helpers.competition_builders import enter, make_competition, start
from tests.helpers.competition_desk import read, send, sign_in
from tests.helpers.desk_client import dated_sheet, form_fields, page_text
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
DESK = "/admin/leagues/club/competitions/"


def test_an_evening_from_founding_to_the_final_standings() -> None:
    browser = sign_in()
    page = send(browser, f"{DESK}+new/", title="Blitz", template="swiss", rounds="2", rated="yes")
    assert "<h1>Entries</h1>" in page
    one = f"{DESK}blitz/"
    assert "<b>Nothing" not in send(browser, f"{one}entries/", player=["anna", "ben", "cleo", "dan"], _add="1")
    assert Entry.objects.count() == 4
    assert ">Start</button>" in read(browser, one)
    page = send(browser, one, step="start")
    assert ">Pair round 1</button>" in page
    page = send(browser, one, step="pair", round="1")
    assert ">Publish round 1</button>" in page
    assert 'name="quick"' not in page
    page = send(browser, one, step="publish", round="1")
    assert page.count('value="1-0"') == 2
    assert "2 results are missing." in page
    first, second = Fixture.objects.order_by("number")
    page = send(browser, f"{one}fixtures/{first.number}/", quick="1-0")
    assert "1 result is missing." in page
    page = send(browser, f"{one}fixtures/{second.number}/", quick="draw")
    assert ">Pair round 2</button>" in page
    places = [[line.place for line in game.results.order_by("seat")] for game in Game.objects.order_by("number")]
    assert places == [[1, 2], [1, 1]]
    send(browser, one, step="pair", round="2")
    send(browser, one, step="publish", round="2")
    for fixture in Fixture.objects.filter(round__number=2):
        send(browser, f"{one}fixtures/{fixture.number}/", quick="0-1")
    assert ">Finish</button>" in read(browser, one)
    page = send(browser, one, step="finish")
    assert "final standings are published" in page
    assert Competition.objects.get().status == "finished"


def run_swiss(browser: Client, *players: str, format: str = "swiss", **settings: Any) -> tuple[str, list[Fixture]]:
    """Start a competition with a published first round; return its address and fixtures."""
    club = League.objects.get(slug="club")
    make_competition(club, format, **({"rounds": 3} | settings))
    start(club, players or FOUR)
    make_round(club.pk, "cup", by="test")
    publish_round(club.pk, "cup", 1, by="test")
    return f"{DESK}cup/", list(Fixture.objects.order_by("number"))


def test_a_recorder_enters_results_and_runs_nothing() -> None:
    browser = sign_in("recorder")
    one, (first, _second) = run_swiss(browser)
    page = read(browser, one)
    assert 'value="1-0"' in page
    assert 'name="step"' not in page
    send(browser, f"{one}fixtures/{first.number}/", quick="0-1")
    assert Game.objects.count() == 1
    assert browser.post(one, {"step": "undo", "round": "1"}).status_code == 403
    assert browser.post(f"{one}fixtures/{first.number}/", {"_change": "1"}).status_code == 403


@long_way
def test_pasted_names_bring_ratings_and_unknown_ones_are_asked_about() -> None:
    browser = sign_in()
    send(browser, f"{DESK}+new/", title="Open", template="swiss", rounds="2")
    entries = f"{DESK}open/entries/"
    lines = "1. Anna; 1850; FM; GER\nZoe Quist\n\nBen"
    page = send(browser, entries, lines=lines, _add="1")
    assert "1 name is not known here." in page
    assert not Entry.objects.exists()
    page = send(browser, entries, lines=lines, text="Zoe Quist", means="+", _add="1")
    assert "3 entries were added." in page
    rows = [
        (one.number, one.players.get().player.name, one.rating, one.title) for one in Entry.objects.order_by("number")
    ]
    assert rows == [(1, "Anna", 1850, "FM"), (2, "Zoe Quist", None, ""), (3, "Ben", None, "")]
    page = send(browser, entries, lines="Cleo\nAnna", _add="1")
    assert "<title>Error: " in page
    assert "Anna: " in page
    assert Entry.objects.count() == 3


@long_way
def test_check_in_seeds_and_withdrawal() -> None:
    browser = sign_in()
    club = League.objects.get(slug="club")
    make_competition(club, "swiss", seeding="hand", rounds=2)
    enter(club, *FOUR)
    one = f"{DESK}cup/"
    send(browser, f"{one}entries/", **{"_seeds": "1", "seed-1": "4", "seed-2": "x"})
    assert not Entry.objects.filter(seed__isnull=False).exists()
    send(browser, f"{one}entries/", **{"_seeds": "1", "seed-1": "4", "seed-2": ""})
    assert Entry.objects.get(number=1).seed == 4
    page = send(browser, f"{one}check-in/", entry=["1", "3"])
    assert "2 of 4 are present." in page
    present = Entry.objects.filter(checked_in_at__isnull=False).order_by("number")
    assert [entry.number for entry in present] == [1, 3]
    # Before a box is ticked, the page says the same; a script counts on.
    assert re.search(r"<b\s+data-here\s*>2</b> of 4 are present", browser.get(f"{one}check-in/").content.decode())
    # "All present" says how many, and is undone for those whom it added.
    page = send(browser, f"{one}check-in/", _all="1")
    assert "4 of 4 are present." in page and 'name="_absent" value="2 4"' in page
    assert "2 of 4 are present." in send(browser, f"{one}check-in/", _absent="2 4")
    assert [entry.number for entry in present.all()] == [1, 3]
    send(browser, f"{one}entries/2/", new_bye="1 half_bye", not_against=["3"])
    entry = Entry.objects.get(number=2)
    assert (entry.byes, entry.not_against) == ([{"round": 1, "kind": "half_bye"}], [3])
    assert "Must not meet" in page_text(browser.get(f"{one}entries/2/"))
    # Without a round to come nobody could meet.
    Competition.objects.update(status="finished")
    assert "Must not meet" not in page_text(browser.get(f"{one}entries/2/"))
    Competition.objects.update(status="open")
    send(browser, f"{one}entries/2/", _withdraw="1", bye="1")
    assert Entry.objects.get(number=2).status == "withdrawn"


def test_the_page_of_an_entry_has_all_fields_and_a_save_keeps_its_rating() -> None:
    browser = sign_in()
    club = League.objects.get(slug="club")
    make_competition(club, "swiss", rounds=2, long=True, tie_breaks=["HAND"])
    enter(club, *FOUR)
    Entry.objects.filter(number=1).update(rating=2105)
    one = f"{DESK}cup/entries/1/"
    page = browser.get(one)
    form = page.context["form"]
    shown = set(re.findall(r'name="([^"]+)"', page.content.decode()))
    # Nothing is added before there are points.
    assert {*form.fields} - {"added_points", "added_round", "added_reason"} <= shown
    assert "rating" in shown
    browser.post(one, {**form_fields(form), "club": "Rook"})
    entry = Entry.objects.get(number=1)
    assert (entry.rating, entry.about) == (2105, {"club": "Rook"})
    browser.post(one, {**form_fields(form), "rating": "2110"})
    assert Entry.objects.get(number=1).rating == 2110
    start_competition(club.pk, "cup", by="test")
    assert "the players of an entry, the seeds" in page_text(browser.get(f"{DESK}cup/settings/"))
    running = browser.get(one)
    assert "Rating 2110 It is fixed since the start." in page_text(running)
    assert {*running.context["form"].fields} <= set(re.findall(r'name="([^"]+)"', running.content.decode()))


@long_way
def test_a_key_of_the_list_goes_on_to_the_next_game() -> None:
    """What is recorded moves to the end of the list; the last key stays with its game."""
    six = (*FOUR, "eva", "finn")
    browser = sign_in(players=six)
    one, fixtures = run_swiss(browser, *six)
    first, second, third = (fixture.number for fixture in fixtures)
    for number, following in ((second, third), (third, first), (first, first)):
        answer = browser.post(f"{one}fixtures/{number}/", {"quick": "1-0", "once": f"{number:032}"})
        assert answer["Location"] == f"{one}?round=1#f{following}"


@long_way
def test_a_forfeit_and_a_change_by_hand_that_breaks_a_rule() -> None:
    browser = sign_in()
    one, (first, second) = run_swiss(browser)
    loser = first.seats.get(seat=1).entry.number
    page = send(browser, f"{one}fixtures/{first.number}/", _forfeit="1", losers=[str(loser)], forfeit_reason="no_show")
    assert "0–1" in page
    assert "forfeit: did not come" in page
    assert Game.objects.get().kind == "forfeit"
    send(browser, f"{one}fixtures/{second.number}/", quick="1-0")
    send(browser, one, step="pair", round="2")
    third, fourth = Fixture.objects.filter(round__number=2).order_by("number")
    played = [line.entry.number for line in second.seats.order_by("seat")]
    form = {"seat_1": str(played[0]), "seat_2": str(played[1]), "table": "1"}
    page = send(browser, f"{one}fixtures/{third.number}/", _change="1", **form)
    assert "meet again: they met in round 1." in page
    assert sorted(line.entry.number for line in third.seats.all()) == sorted(played)
    page = send(browser, one, step="undo", round="2")
    assert "Round 2 was undone." in page
    assert not Fixture.objects.filter(pk=fourth.pk).exists()


@long_way
def test_a_corrected_game_leaves_the_next_round_and_says_so() -> None:
    browser = sign_in()
    one, (first, second) = run_swiss(browser)
    for fixture in (first, second):
        send(browser, f"{one}fixtures/{fixture.number}/", quick="1-0")
    send(browser, one, step="pair", round="2")
    send(browser, one, step="publish", round="2")
    assert "2 results are missing." in read(browser, one)
    # What is missing in the round in play is not missing in one that is complete.
    earlier = read(browser, f"{one}?round=1")
    assert "All results of round 1 are in." in earlier
    assert "missing" not in earlier
    assert "no longer follows" not in read(browser, one)
    game = Game.objects.order_by("number")[0]
    players = [line.player.handle for line in game.results.order_by("seat")]
    correct_game(game.league_id, game.number, sheet(players, places=(2, 1)), reason="Swapped.", username="test")
    page = read(browser, one)
    assert "A pairing no longer follows from the results." in page
    assert "Round 2 stands as it was published" in page
    assert 'value="compare"' in page
    compared = send(browser, one, step="compare", round="2")
    assert "By the rules" in compared
    assert "Nothing was done" in send(browser, one, step="other", round="2")


@long_way
def test_a_level_match_of_a_cup_gets_another_game() -> None:
    browser = sign_in()
    one, (first, second) = run_swiss(browser, format="knockout", rounds=None)
    page = send(browser, f"{one}fixtures/{first.number}/", quick="draw")
    assert page.count('name="_again"') == 1
    assert (
        'name="_again"'
        not in send(browser, f"{one}fixtures/{second.number}/", quick="0-1").split(f'id="f{second.number}"')[1]
    )
    send(browser, f"{one}fixtures/{first.number}/", _again="1")
    third = Fixture.objects.get(number=3)
    seats = [[line.entry.number for line in row.seats.order_by("seat")] for row in (first, third)]
    assert seats[0] == seats[1][::-1]
    page = send(browser, f"{one}fixtures/3/", quick="1-0")
    assert 'name="_again"' not in page
    assert ">Pair round 2</button>" in page


def test_places_of_a_table_are_entered_on_its_page() -> None:
    browser = sign_in()
    one, (table,) = run_swiss(browser, format="tables")
    address = f"{one}fixtures/{table.number}/"
    page = read(browser, address)
    assert 'name="seats-0-place"' in page
    assert 'name="seats-0-score"' not in page
    places = {f"seats-{row}-place": str(place) for row, place in enumerate((2, 1, 4, 3))}
    form = {"by": "place", "seats-TOTAL_FORMS": "4", "seats-INITIAL_FORMS": "4", **places}
    page = send(browser, address, **{**form, "seats-1-place": "one"})
    assert "<title>Error: " in page
    assert not Game.objects.exists()
    send(browser, address, **form)
    assert [line.place for line in Game.objects.get().results.order_by("seat")] == [2, 1, 4, 3]


def test_fixtures_come_first_on_the_pad_and_its_game_is_theirs() -> None:
    browser = sign_in()
    _one, (first, _second) = run_swiss(browser)
    handles = [line.entry.players.get().player.handle for line in first.seats.order_by("seat")]
    pad = "/admin/leagues/club/record/"
    offered = read(browser, pad)
    assert f'data-players="{",".join(handles)}"' in offered
    assert 'data-place="Cup · Round 1 · Table 1"' in offered
    # Whoever seats them by hand hears what the game was for, too.
    recorded = page_text(browser.post(pad, dated_sheet((handles[1], 1), (handles[0], 0)), follow=True))
    assert "Cup · Round 1 · Table 1" in recorded[recorded.index("Game 1 recorded") :]
    first.refresh_from_db()
    assert first.game is not None
    assert f'data-players="{",".join(handles)}"' not in read(browser, pad)


@long_way
def test_slips_lead_to_the_results_of_open_fixtures() -> None:
    browser = sign_in("recorder")
    one, (first, second) = run_swiss(browser)
    send(browser, f"{one}fixtures/{first.number}/", quick="1-0")
    answer = browser.get(f"{one}print/slips/")
    assert [address for _row, address, _code in answer.context["slips"]] == [
        f"http://testserver{one}fixtures/{second.number}/"
    ]
    # Whoever looks for a name finds the opponent with the table.
    text = page_text(browser.get(f"{one}print/tables/"))
    # Lots give the colours of the first round.
    found = re.search(r"Anna Table 1 (\w+) – Cleo Ben Table 2 (?:White|Black) – Dan Cleo Table 1 (\w+) – Anna ", text)
    assert found and {*found.groups()} == {"White", "Black"}
    assert "Table" in read(browser, f"{one}print/pairings/")
    assert browser.get(f"{one}print/else/").status_code == 404


@pytest.mark.parametrize(
    ("system", "expected"),
    [("elo", ["round_robin", "swiss", "cup", "double_cup", "tables", "months", "free"]), ("barbu", ["tables"])],
)
def test_templates_are_those_that_the_system_rates(system: str, expected: list[str]) -> None:
    browser = sign_in(system=system)
    answer = browser.get(f"{DESK}+new/")
    assert [template.key for template in answer.context["form"].templates] == expected


def test_check_in_lists_by_surname_with_numbers() -> None:
    browser = sign_in()
    club = League.objects.get(slug="club")
    make_competition(club, "swiss", rounds=2)
    for name, handle in (("Zoe Adler", "anna"), ("Anna van Zee", "ben"), ("Đorđe Berić", "cleo")):
        Player.objects.filter(handle=handle).update(name=name)
    enter(club, "anna", "ben", "cleo")
    page = browser.get(f"{DESK}cup/check-in/")
    assert [name for _row, name in page.context["rows"]] == ["Adler, Zoe", "Berić, Đorđe", "Zee, Anna van"]
    # Nobody has played, so numbers go by the whole name.
    assert "Adler, Zoe No. 3 " in page_text(page)


def _list_summaries(form: Any) -> dict[str, str]:
    return {group.title: group.summary for group in form.folded_groups}


def test_settings_that_are_fixed_are_stated() -> None:
    browser = sign_in()
    competition = make_competition(League.objects.get(slug="club"), "swiss", rounds=2)
    points = "Points for a win: 1 · Points for a draw: 0.5 · Points for a loss: 0 · Tie-breaks, in order: BH DE"
    entries = "By the ratings at the start · Players of an entry: 1"
    for status, regulations in (("open", False), ("running", False), ("running", True), ("finished", True)):
        Competition.objects.update(status=status, regulations=regulations, tie_breaks=["BH", "DE"])
        form = browser.get(f"{DESK}{competition.slug}/settings/").context["form"]
        said = _list_summaries(form)
        assert said["Entries"] == entries, status
        # Nothing is left to change after the end.
        assert said.get("Points and tie-breaks") == (points if status != "finished" else None), (status, regulations)
        assert ("win" in form.fields) == (not regulations)


def test_settings_change_points_with_what_follows_from_them() -> None:
    browser = sign_in()
    make_competition(League.objects.get(slug="club"), "swiss", rounds=2)
    fields = {"players_enter": "", "rated": "on", "parameters-first_colour": "lot", "parameters-acceleration": "none"}
    form = browser.get(f"{DESK}cup/settings/").context["form"]
    # What happens after a deadline is not said while nothing does, but the zone is, in which deadlines end.
    assert _list_summaries(form)["Deadlines and time zone"] == f"Time zone: {League.objects.get().time_zone}"
    send(browser, f"{DESK}cup/settings/", **form_fields(form, win="3", draw="1", **fields))
    points = Competition.objects.get().points
    assert points == {
        "win": 3, "draw": 1, "loss": 0, "pairing_bye": 3, "full_bye": 3, "half_bye": 1, "zero_bye": 0,
        "forfeit_win": 3, "forfeit_loss": 0,
    }  # fmt: skip
    page = send(browser, f"{DESK}cup/settings/", **form_fields(form, tie_breaks="BH XX", **fields))
    assert "<title>Error: " in page
    assert Competition.objects.get().tie_breaks == ["BH/C1", "BH", "SB", "DE"]


def test_a_page_asks_no_query_for_each_entry(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    twelve = [f"p{number}" for number in range(12)]
    browser = sign_in(players=(*twelve, *FOUR))
    one, _fixtures = run_swiss(browser, *twelve)
    with CaptureQueriesContext(connection) as few:
        read(browser, one)
    enter(League.objects.get(slug="club"), *FOUR)
    with django_assert_num_queries(len(few)):
        read(browser, one)


@long_way
def test_late_games_and_changed_final_standings_ask_for_a_decision() -> None:
    browser = sign_in()
    one, (first, second) = run_swiss(browser, rounds=1, deadline_action="ask")
    Fixture.objects.filter(pk=second.pk).update(deadline=EVENING)
    page = read(browser, one)
    assert "The deadline has passed." in page
    for fixture in (first, second):
        send(browser, f"{one}fixtures/{fixture.number}/", quick="1-0")
    page = send(browser, one, step="finish")
    assert "The deadline has passed." not in page
    home = "/admin/leagues/club/"
    assert "no longer match their edition" not in read(browser, home)
    game = Game.objects.order_by("number")[0]
    players = [line.player.handle for line in game.results.order_by("seat")]
    correct_game(game.league_id, game.number, sheet(players, places=(2, 1)), reason="Swapped.", username="test")
    assert "no longer match their edition" in read(browser, home)
    assert "A later correction changed the final standings." in read(browser, one)
    page = send(browser, one, step="revise", reason="Scores were swapped.")
    assert "Edition 2 of the final standings is published." in page
    assert "no longer match their edition" not in read(browser, home)


@long_way
def test_a_similar_name_is_not_chosen_by_itself() -> None:
    browser = sign_in()
    send(browser, f"{DESK}+new/", title="Open", template="swiss", rounds="2")
    entries = f"{DESK}open/entries/"
    form = {"lines": "Anni\nBen\nBen", "_add": "1"}
    page = send(browser, entries, **form)
    assert '<option value="">Choose a player.</option>' in page
    assert '<option value="anna"' in page
    page = send(browser, entries, **form, text="Anni", means="")
    assert "1 name is not known here." in page
    page = send(browser, entries, **form, text="Anni", means="anna")
    assert "Ben is in two entries" in page
    assert " ".join(page.split()).count('value="anna" selected') == 1
    assert not Entry.objects.exists()


@long_way
def test_a_withdrawn_entry_enters_again() -> None:
    browser = sign_in()
    one, _fixtures = run_swiss(browser)
    page = read(browser, f"{one}entries/2/")
    assert 'name="_return"' not in page
    send(browser, f"{one}entries/2/", _withdraw="1")
    assert 'name="_return"' in read(browser, f"{one}entries/2/")
    page = send(browser, f"{one}entries/2/", _return="1")
    assert "is entered again." in page
    entry = Entry.objects.get(number=2)
    assert (entry.status, entry.withdrawn_after) == ("entered", None)
    # The same in the row of the list, which says first what follows.
    page = read(browser, f"{one}entries/")
    assert page.index("There are no further pairings.") < page.index('name="_withdraw"')
    page = send(browser, f"{one}entries/", _withdraw="2")
    assert "is withdrawn." in page
    # The row, and Undo beside the message.
    assert page.count('name="_return"') == 2 and ">Undo</button>" in page
    page = send(browser, f"{one}entries/", _return="2")
    assert "is entered again." in page and ">Undo</button>" not in page
    assert Entry.objects.get(number=2).status == "entered"
    assert browser.post(f"{one}entries/", {"_withdraw": "99"}).status_code == 404


def test_the_last_day_ends_before_midnight() -> None:
    browser = sign_in(time_zone="Asia/Tokyo")
    send(browser, f"{DESK}+new/", title="Box", template="months", until="2027-01-31")
    ends_at = Competition.objects.get().ends_at
    assert ends_at is not None
    assert f"{ends_at.astimezone(ZoneInfo('Asia/Tokyo')):%d %H:%M}" == "31 23:59"


def test_a_proposal_takes_no_result_and_an_unknown_button_records_nothing() -> None:
    browser = sign_in()
    club = League.objects.get(slug="club")
    make_competition(club, "swiss", rounds=3)
    start(club, ("anna", "ben", "cleo"))
    make_round(club.pk, "cup", by="test")
    one = f"{DESK}cup/"
    assert 'id="st"' not in read(browser, one)
    assert "Record the forfeit" not in read(browser, f"{one}fixtures/1/")
    publish_round(club.pk, "cup", 1, by="test")
    assert "Record the forfeit" in read(browser, f"{one}fixtures/1/")
    page = send(browser, f"{one}fixtures/1/", quick="2-0")
    assert "Nothing was done" in page
    assert not Game.objects.exists()


def test_before_the_start_the_entries_have_the_numbers_and_ratings_that_the_start_fixes() -> None:
    browser = sign_in()
    club = League.objects.get(slug="club")
    make_competition(club, "swiss", rounds=3)
    enter(club, "anna", "ben", "cleo")
    # Ben has the highest rating; Cleo withdraws and gets no number.
    change_entry(club.pk, "cup", 2, {"rating": 2100}, by="arno")
    change_entry(club.pk, "cup", 1, {"rating": 1900}, by="arno")
    withdraw_entry(club.pk, "cup", 3, by="arno")
    enter(club, "dan")
    page = read(browser, f"{DESK}cup/entries/")
    listed = re.findall(r'<span class="num soft">(\d*)</span>.*?class="strong"[^>]*>(\w+)</a>', page, re.DOTALL)
    assert listed == [("1", "Ben"), ("2", "Anna"), ("3", "Dan")]
    assert re.findall(r'data-label="Rating"\s*>(\d*)</span>', page) == ["2100", "1900", ""]
    assert "Numbers and ratings are provisional until the start." in page
    # Nothing was stored.
    assert list(Entry.objects.order_by("number").values_list("rating", flat=True)) == [1900, 2100, None, None]
    assert "The start fixes the entries’ numbers and ratings." in read(browser, f"{DESK}cup/")
    start_competition(club.pk, "cup", by="arno")
    page = read(browser, f"{DESK}cup/entries/")
    after = re.findall(r'<span class="num soft">(\d*)</span>.*?class="strong"[^>]*>(\w+)</a>', page, re.DOTALL)
    assert after == listed
    assert "provisional" not in page
