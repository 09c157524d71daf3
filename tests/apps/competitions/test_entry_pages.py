"""The organiser's pages of entries: whose players are offered, which names are asked about, a question to withdraw."""

import pytest
from django.test import Client

from league.apps.competitions.models import Entry
from league.apps.competitions.services.entries import withdraw_entry
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round
from league.core.players.services.players import add_player
from league.models import Player
from tests.helpers.builders import FOUR, make_league, record, sheet
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.desk_client import form_fields, page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition

pytestmark = pytest.mark.django_db
ONE = "/admin/leagues/club/competitions/cup/"


def test_players_of_other_leagues_are_offered_apart() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(make_league(players=("zoe", "yan"), slug="other"), sheet(("zoe", "yan"), (1, 0)))
    make_competition(league, "swiss", rounds=3)
    page = sign_in_member("arno", "arbiter", league).get(f"{ONE}entries/")
    offers = {offer.label: [handle for handle, _name in offer.pairs] for offer in page.context["offers"]}
    assert offers["Choose from the league's players"] == ["anna", "ben", "cleo", "dan"]
    assert offers["Choose from players of other leagues"] == ["yan", "zoe"]
    # Those of other leagues may be hundreds: they are folded, and listed once searched.
    assert [offer.is_open for offer in page.context["offers"]] == [True, False]
    assert page.content.decode().count("data-once-searched") == 1


def test_players_of_other_leagues_are_folded_in_a_league_without_players() -> None:
    record(make_league(players=("zoe", "yan"), slug="other"), sheet(("zoe", "yan"), (1, 0)))
    league = make_league(players=())
    make_competition(league, "swiss", rounds=3)
    page = sign_in_member("arno", "arbiter", league).get(f"{ONE}entries/")
    assert [(offer.is_own, offer.is_open) for offer in page.context["offers"]] == [(False, False)]


def test_only_names_like_a_players_are_asked_about() -> None:
    league = make_league()
    add_player("ida", "Ida Neumann")
    record(league, sheet(("ida", "ben"), (1, 0)))
    make_competition(league, "swiss", rounds=3)
    browser = sign_in_member("arno", "arbiter", league)
    lines = "Idda Neumann\nXaver Quill\nUrsula Vogt"
    page = browser.post(f"{ONE}entries/", {"lines": lines, "_add": "1"})
    text = page.content.decode()
    assert text.count('<select name="means"') == 1
    assert "Xaver Quill, Ursula Vogt" in text
    assert not Entry.objects.exists()
    # The names without anyone alike are sent along as new players.
    form = {
        "lines": lines,
        "_add": "1",
        "text": ["Idda Neumann", "Xaver Quill", "Ursula Vogt"],
        "means": ["ida", "+", "+"],
    }
    browser.post(f"{ONE}entries/", form)
    assert sorted(one.players.get().player.name for one in Entry.objects.all()) == [
        "Ida Neumann", "Ursula Vogt", "Xaver Quill"
    ]  # fmt: skip
    assert Player.objects.filter(name__startswith="Idda").count() == 0


@pytest.mark.parametrize(("format", "sentence"), [("swiss", "There are no further pairings."),
                                                  ("free", "The open fixture is lost by forfeit")])  # fmt: skip
def test_withdrawing_says_what_follows_first(format: str, sentence: str, client: Client) -> None:
    league = make_league(game="Chess")
    run_competition(league, FOUR, format, rounds=3, description="Thursdays at the Owl.")
    if format == "swiss":
        play_round(league, 1)
    else:
        add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="arno")
    browser = sign_in_member("arno", "arbiter", league)
    page = browser.get(f"{ONE}entries/1/").content.decode()
    assert sentence in page
    assert page.index(sentence) < page.index('name="_withdraw"')
    browser.post(f"{ONE}entries/1/", {"_withdraw": "1"})
    # Forfeits would stay.
    assert ("Undo</button>" in browser.get(f"{ONE}entries/").content.decode()) == (format == "swiss")
    assert Entry.objects.get(number=1).status == "withdrawn"
    assert 'content="Thursdays at the Owl."' in client.get("/leagues/club/competitions/cup/").content.decode()


def test_a_late_entry_says_from_which_round_it_plays_and_what_it_has_for_the_others() -> None:
    league = make_league(players=(*FOUR, "zoe"), game="Chess")
    run_competition(league, FOUR, rounds=4, tie_breaks=["BH/C1", "BH"])
    play_round(league, 1, (1, 0), (1, 0))
    play_round(league, 2, (1, 0))
    enter(league, "zoe", rating=1500, byes=[{"round": 1, "kind": "half_bye"}])
    browser = sign_in_member("arno", "arbiter", league)
    sentence = "Late, from round 3. Round 1: Half-point bye. Round 2: no points."
    for page in (page_text(browser.get(f"{ONE}entries/")), page_text(browser.get(f"{ONE}entries/5/"))):
        assert page.count(sentence) == 1
    assert page_text(browser.get(f"{ONE}entries/1/")).count("Late") == 0
    # One game of round 2 is open: who withdraws still plays it.
    open_game = loaded_cup(league).list_fixtures(2)[1]
    assert open_game.status == "planned"
    assert [
        "The game of round 2 stays open" in page_text(browser.get(f"{ONE}entries/{number}/"))
        for number in (*open_game.entries, 5)
    ] == [True, True, False]
    browser.post(f"{ONE}entries/", {"_withdraw": "5"})
    assert "5 entries, 1 withdrawn Check-in No. Name Rating at entry" in page_text(browser.get(f"{ONE}entries/"))
    page = page_text(browser.get(ONE))
    assert "5 entries, 1 withdrawn" in page
    # Of the codes that separate entries, and of no other one.
    assert "BH Buchholz" in page and "Buchholz without the lowest" not in page


def test_a_withdrawal_before_the_start_can_be_undone_unless_somebody_moves_up() -> None:
    league = make_league(game="Chess")
    make_competition(league, "swiss", rounds=3, max_entries=2)
    enter(league, "anna", "ben")
    browser = sign_in_member("arno", "arbiter", league)
    page = browser.post(f"{ONE}entries/", {"_withdraw": "1"}, follow=True).content.decode()
    assert 'action="/admin/leagues/club/competitions/cup/entries/"' in page and 'name="_return"' in page
    browser.post(f"{ONE}entries/", {"_return": "1"})
    assert [one.status for one in Entry.objects.order_by("number")] == ["entered", "entered"]
    enter(league, "cleo")
    page = browser.post(f"{ONE}entries/", {"_withdraw": "1"}, follow=True).content.decode()
    assert "is withdrawn." in page and 'name="_return"' not in page


def test_an_entrant_without_a_game_here_is_no_stranger_on_the_pad() -> None:
    league = make_league(players=("anna", "ben"))
    record(make_league(players=("zoe", "yan"), slug="other"), sheet(("zoe", "yan"), (1, 0)))
    run_competition(league, ("anna", "zoe"), "swiss", rounds=1)
    play_round(league, 1)
    page = sign_in_member("arno", "arbiter", league).get("/admin/leagues/club/record/")
    assert "yan" in dict(page.context["elsewhere"])
    assert "zoe" in dict(page.context["people"])


def test_the_page_of_an_entry_offers_byes_of_rounds_to_come_and_says_how_it_stands() -> None:
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3)
    play_round(league, 1, (1, 0), (1, 0))
    browser = sign_in_member("arno", "arbiter", league)
    first = loaded_cup(league).list_fixtures(1)[0]
    page = browser.get(f"{ONE}entries/{first.entries[0]}/")
    offered = [value for value, _label in page.context["form"].fields["new_bye"].choices]
    assert offered == ["", *(f"{number} {kind}_bye" for number in (2, 3) for kind in ("half", "zero", "full"))]
    text = page_text(page)
    assert "Rank 1 of 4 · Points 1 · Public page" in text
    play_round(league, 2)
    names = {number: loaded_cup(league).name(number) for number in range(1, 5)}
    for pair in (one.entries for one in loaded_cup(league).list_fixtures(2)):
        text = page_text(browser.get(f"{ONE}entries/{pair[0]}/"))
        assert f"Next game, round 2: {names[pair[1]]} · Public page" in text
    # A bye of a round that was made meanwhile is no choice.
    fields = form_fields(browser.get(f"{ONE}entries/1/").context["form"], new_bye="2 half_bye")
    assert browser.post(f"{ONE}entries/1/", fields).context["form"].errors.keys() == {"new_bye"}


def test_an_entry_is_expelled_where_it_is_withdrawn() -> None:
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3)
    browser = sign_in_member("arno", "arbiter", league)
    page = browser.get(f"{ONE}entries/1/")
    assert "expelled" not in page.context["form"].fields
    assert page.content.decode().count('name="expelled"') == 1
    browser.post(f"{ONE}entries/1/", {"_withdraw": "1", "expelled": "on"})
    browser.post(f"{ONE}entries/2/", {"_withdraw": "1"})
    entries = Entry.objects.order_by("number").values_list("status", "expelled")
    assert [*entries] == [("withdrawn", True), ("withdrawn", False), ("entered", False), ("entered", False)]
    # Of one that has withdrawn, the mark alone is changed.
    fields = form_fields(browser.get(f"{ONE}entries/1/").context["form"], expelled="")
    browser.post(f"{ONE}entries/1/", fields)
    assert [*Entry.objects.filter(number=1).values_list("status", "expelled")] == [("withdrawn", False)]


def test_who_would_have_withdrawn_later_is_expelled_at_once() -> None:
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3)
    withdraw_entry(league.pk, "cup", 1, by="arno", after_round=2)
    browser = sign_in_member("arno", "arbiter", league)
    browser.post(f"{ONE}entries/1/", {"_withdraw": "1", "expelled": "on"})
    assert [*Entry.objects.filter(number=1).values_list("status", "expelled")] == [("withdrawn", True)]


def test_before_a_round_is_published_the_entries_say_that_nobody_can_withdraw() -> None:
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3)
    play_round(league, 1, (1, 0), (1, 0))
    make_round(league.pk, "cup", by="arno")
    browser = sign_in_member("arno", "arbiter", league)
    words = "Round 2 is not published; publish it or undo it first."
    assert words in page_text(browser.get(f"{ONE}entries/1/"))
    assert words in page_text(browser.post(f"{ONE}entries/1/", {"_withdraw": "1"}))
    assert Entry.objects.get(number=1).status == "entered"
