"""A competition that is held to FIDE's regulations: what is fixed when, warnings in steps, and leaving for good."""

from random import Random
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Competition
from league.apps.competitions.services.competitions import change_competition, create_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.regulations import ConfirmationNeeded, RuleWarning, leave_regulations
from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, sheet
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

EIGHT = ("anna", "ben", "cleo", "dora", "eva", "finn", "gero", "hans")
CUP = "leagues/club/competitions/cup/"
DESK = "/admin/leagues/club/competitions/cup/"


def build_cup() -> None:
    """Start a Swiss system of five rounds under the regulations, with three rounds played."""
    league = make_league(players=EIGHT, game="Chess")
    run_competition(league, EIGHT, rounds=5, regulations=True, tie_breaks=["BH"])
    random = Random(7)
    for number in (1, 2, 3):
        play_round(league, number, *(random.choice([(1, 0), (0.5, 0.5), (0, 1)]) for _table in range(4)))


built = built_once(build_cup)
pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def club() -> League:
    return League.objects.get(slug="club")


def game_of_round(number: int) -> Game:
    game = loaded_cup(club()).list_fixtures(number)[0].game
    assert game is not None
    return Game.objects.get(league__slug="club", number=game.number)


def codes(error: pytest.ExceptionInfo[Any]) -> list[tuple[str, str]]:
    return [(problem.pointer, problem.code) for problem in error.value.problems]


@long_way
def test_the_start_fixes_rounds_points_and_tie_breaks_but_not_the_title() -> None:
    changes = {"rounds": 6, "points": {"win": 3}, "tie_breaks": ["SB"], "tie_break_rules": {"unrated": 1400}}
    for name, value in changes.items():
        with pytest.raises(Refused) as refused:
            change_competition(club().pk, "cup", {name: value}, by="olga")
        assert codes(refused) == [(f"/{name}", "regulations")]
    assert change_competition(club().pk, "cup", {"title": "Open", "venue": "Hall"}, by="olga").title == "Open"
    with pytest.raises(Refused) as refused:
        change_competition(club().pk, "cup", {"regulations": False}, by="olga")
    assert codes(refused) == [("/regulations", "started")]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_only_results_of_the_last_two_played_rounds_are_corrected(number: int) -> None:
    game = game_of_round(number)
    names = list(game.results.order_by("seat").values_list("player__handle", flat=True))
    turned = sheet(tuple(names), (0.5, 0.5) if game.results.filter(score=1).exists() else (1, 0))
    actions = (
        lambda: void_game(club().pk, game.number, reason="Misread.", username="olga"),
        lambda: restore_game(club().pk, game.number, reason="Right.", username="olga"),
    )
    if number == 1:
        with pytest.raises(Refused) as refused:
            correct_game(club().pk, game.number, turned, reason="Misread.", username="olga")
        assert codes(refused) == [("/results", "fixed_result")]
        with pytest.raises(Refused):
            actions[0]()
        fixture = loaded_cup(club()).list_fixtures(1)[0].number
        with pytest.raises(Refused):
            change_fixture(club().pk, fixture, {"points": [1, 0]}, by="olga", reason="A protest.")
        leave_regulations(club().pk, "cup", by="olga", reason="An error.", confirmed=["leaves_regulations"] * 2)
    corrected = correct_game(club().pk, game.number, turned, reason="Misread.", username="olga").game
    game = corrected
    for act in actions:
        act()
    assert verify_league(club().pk).state == "is right"


def test_the_desk_offers_no_correction_that_the_regulations_refuse() -> None:
    browser = sign_in_member("arbiter", "arbiter", club())
    fixed, open_still = (loaded_cup(club()).list_fixtures(number)[0].number for number in (1, 2))
    assert 'name="correct"' not in browser.get(f"{DESK}?round=1").content.decode()
    assert f'href="{DESK}fixtures/{fixed}/"' in browser.get(f"{DESK}?round=1").content.decode()
    assert 'name="correct"' in browser.get(f"{DESK}?round=2").content.decode()
    page = browser.get(f"{DESK}fixtures/{fixed}/").content.decode()
    assert "By the regulations the results of round 1 are fixed" in page and 'name="quick"' not in page
    assert page.index("<details open>") < page.index('name="reported"')
    assert "/correct/" not in page and 'name="_points"' not in page
    recorder = sign_in_member("rita", "recorder", club()).get(f"{DESK}fixtures/{fixed}/").content.decode()
    assert "are fixed" in recorder and "in the report alone" not in recorder
    page = browser.get(f"{DESK}fixtures/{open_still}/").content.decode()
    assert "are fixed" not in page and 'name="quick"' in page
    # The game's public page, the overview, the list of games and the pad offer none either.
    for number, offered in ((1, False), (2, True)):
        address = f"/admin/leagues/club/games/{game_of_round(number).number}/correct/"
        public = browser.get(f"/leagues/club/games/{game_of_round(number).number}/").content.decode()
        lists = (browser.get(f"/admin/leagues/club/{name}").content.decode() for name in ("", "games/", "record/"))
        assert [address in page for page in (public, *lists)] == [offered] * 4
    assert "By the regulations the results of round 1 are fixed" in page_text(browser.get("/admin/leagues/club/games/"))


def test_who_must_not_meet_is_fixed_once_round_1_is_made() -> None:
    league = club()
    with pytest.raises(Refused) as refused:
        change_entry(league.pk, "cup", 1, {"not_against": [2]}, by="olga")
    assert codes(refused) == [("/not_against", "regulations")]
    with pytest.raises(Refused):
        change_entry(league.pk, "cup", 1, {"apart": [{"entry": 2, "rounds": [4, 5]}]}, by="olga")
    assert change_entry(league.pk, "cup", 1, {"not_against": [], "title": "FM"}, by="olga").title == "FM"
    late = NewEntry(["nina"], not_against=[1])
    with pytest.raises(Refused) as refused:
        add_entries(league.pk, "cup", [late], by="olga", create_players=True)
    assert codes(refused) == [("/entries/0/not_against", "regulations")]


def test_settings_that_the_regulations_do_not_allow() -> None:
    league = club()
    wrong: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({"format": "knockout"}, [("/regulations", "format")]),
        ({"format": "swiss", "sides_of": 2, "rated": False}, [("/regulations", "format")]),
        (
            {"format": "round_robin", "tie_breaks": ["DE", "BH/C1", "FB", "AOB"]},
            [(f"/tie_breaks/{index}", "unfit_tie_break") for index in (1, 2, 3)],
        ),
    ]
    for settings, problems in wrong:
        with pytest.raises(Invalid) as invalid:
            create_competition(league.pk, "new", {"title": "New", "regulations": True, **settings}, by="olga")
        assert codes(invalid) == problems
        # Without the regulations all of these are as they were.
        create_competition(league.pk, "", {"title": "New", **settings}, by="olga")
    create_competition(league.pk, "open", {"title": "Open", "format": "swiss", "regulations": True}, by="olga")
    add_entries(league.pk, "open", [NewEntry([name]) for name in EIGHT], by="olga")
    with pytest.raises(Refused) as refused:
        start_competition(league.pk, "open", by="olga")
    assert codes(refused) == [("/rounds", "missing")]
    change_competition(league.pk, "open", {"rounds": 8}, by="olga")
    with pytest.raises(Refused) as refused:
        start_competition(league.pk, "open", by="olga")
    assert codes(refused) == [("/rounds", "too_many_rounds")]
    change_competition(league.pk, "open", {"rounds": 7}, by="olga")
    assert start_competition(league.pk, "open", by="olga").status == "running"


def test_a_warning_is_confirmed_as_often_as_its_level_asks() -> None:
    levels = [RuleWarning("a", level, "").is_confirmed(["a", "b"]) for level in (2, 3, 4)]
    assert levels == [True, True, False]
    assert RuleWarning("a", 4, "").is_confirmed(["a", "b", "a"])
    assert not RuleWarning("a", 2, "").is_confirmed(["b", "b"])


@long_way
def test_the_regulations_are_left_once_and_for_good_and_the_report_says_so() -> None:
    api, address = Api("organise"), CUP + "leave-regulations/"
    code = "leaves_regulations"
    for confirm in ([], [code], ["other", "other"]):
        answer = api.post(address, {"reason": "A friendly event.", "confirm": confirm})
        assert (answer.status_code, answer.json()["level"]) == (409, 4)
        assert [(one["pointer"], one["code"]) for one in answer.json()["errors"]] == [("/confirm", code)]
    assert api.post(address, {"reason": " ", "confirm": [code] * 2}).status_code == 400
    assert "###" not in api.get(CUP + "export/?format=trf").content.decode()
    left = api.post(address, {"reason": "A friendly event.", "confirm": [code] * 2}).json()
    assert (left["regulations"], left["regulations_left"]) == (False, 3)
    assert api.post(address, {"reason": "Again.", "confirm": [code] * 2}).status_code == 409
    again = api.patch(CUP, {"regulations": True})
    assert (again.status_code, again.json()["errors"][0]["code"]) == (422, "started")
    assert api.patch(CUP, {"rounds": 6, "tie_breaks": ["SB"]}).status_code == 200
    report = api.get(CUP + "export/?format=trf").content.decode()
    assert report.splitlines()[-3:] == [
        "### FIDE mode left @ Round 3",
        "### Rounds @ Round 3: 6 instead of 5",
        "### Tie-breaks @ Round 3: SB instead of BH",
    ]
    assert "###" not in api.get(CUP + "export/?format=trf&remarks=no").content.decode()
    assert "###" not in api.get(CUP + "export/?format=trf16").content.decode()
    for page in ("", "entries/", "fixtures/", "rules/", "cross-table/"):
        assert "were left in round 3" in Client().get(f"/leagues/club/competitions/cup/{page}").content.decode()
    assert verify_league(club().pk).state == "is right"


def test_the_desk_asks_twice_and_names_what_follows() -> None:
    browser = sign_in_member("olga", "arbiter", club())
    page = browser.get(DESK + "settings/").content.decode()
    assert 'value="leave"' in page
    assert 'name="tie_breaks"' not in page
    fields = {"step": "leave", "reason": "A friendly event."}
    first = browser.post(DESK, fields)
    assert "can never come back" in page_text(first)
    second = browser.post(DESK, {**fields, "confirm": "leaves_regulations"})
    assert "Are you sure?" in page_text(second)
    assert second.content.decode().count('name="confirm"') == 2
    assert Competition.objects.get(slug="cup").regulations
    last = browser.post(DESK, {**fields, "confirm": ["leaves_regulations"] * 2}, follow=True)
    assert "were left in round 3" in page_text(last)
    assert not Competition.objects.get(slug="cup").regulations


def test_leaving_without_a_reason_stays_at_its_field() -> None:
    browser = sign_in_member("olga", "arbiter", club())
    settings = page_text(browser.get(DESK + "settings/"))
    assert "Leave the regulations" in settings and "Give a reason" not in settings
    page = browser.post(DESK, {"step": "leave", "reason": " "}, follow=True)
    assert page.redirect_chain[-1][0] == f"{DESK}settings/?unreasoned=leave"
    assert "Give a reason; the changes by hand show it." in page_text(page)
    fields = [one for one in page.content.decode().split("<input") if 'name="reason"' in one]
    assert ['aria-invalid="true"' in one for one in fields] == ['id="why"' in one for one in fields]
    assert Competition.objects.get(slug="cup").regulations


def test_a_new_competition_of_a_chess_club_is_held_to_the_regulations_by_default() -> None:
    browser = sign_in_member("olga", "arbiter", club())
    address = "/admin/leagues/club/competitions/+new/"
    shown = browser.get(address).content.decode()
    assert 'name="regulations" id="id_regulations" checked' in shown
    # The web address is no address of the venue, and says what stands before it.
    assert shown.index('name="venue"') < shown.index("<h2>Web address</h2>") < shown.index('name="slug"')
    assert "after /leagues/club/competitions/: lower-case" in shown
    for template, wanted in (("swiss", True), ("cup", False)):
        sent = {"title": f"A {template}", "template": template, "rated": "yes", "regulations": "on", "rounds": 5}
        assert browser.post(address, sent).status_code == 302
        assert Competition.objects.get(title=f"A {template}").regulations is wanted
    darts = make_league(slug="darts", game="Darts")
    page = sign_in_member("dan", "arbiter", darts).get("/admin/leagues/darts/competitions/+new/").content.decode()
    assert 'name="regulations" id="id_regulations">' in page


def test_leaving_needs_a_competition_that_is_held_to_the_regulations() -> None:
    league = make_league(slug="free", players=EIGHT[:4])
    run_competition(league, EIGHT[:4], rounds=3)
    with pytest.raises(Conflict) as conflict:
        leave_regulations(league.pk, "cup", by="olga", reason="Why not.")
    assert not isinstance(conflict.value, ConfirmationNeeded)
