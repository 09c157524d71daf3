"""A sheet that another one has recorded just before: the pad asks once, and no slip of a key answers."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from league.core.games.services.game_input import NewGame, NewResult
from league.models import Game, League, Membership
from tests.helpers.api_client import Api
from tests.helpers.api_client import game as sent_game
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import PAD, sheet_fields, sign_in_member
from tests.helpers.ladder_builders import clock, tables

pytestmark = pytest.mark.django_db
FOUR = (("anna", "10"), ("ben", "-5"), ("cleo", "0"), ("dan", "-5"))
SCRIPT = {"Accept": "application/json"}


def barbu() -> League:
    """Return a league of tables of four, where a game of 21:14 by somebody else stands in the books."""
    league = make_league("barbu", time_zone="Europe/Paris")
    at = EVENING.replace(hour=20, minute=14)
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, -5, 0, -5), played_at=at))
    return league


def sends(browser: Client, *rows: tuple[str, str], minutes: int = 20, **more: Any) -> Any:
    """Return what follows on a sheet that is sent so many minutes after 21:00."""
    with clock(EVENING.replace(hour=20, minute=minutes)):
        return browser.post(PAD, sheet_fields(*(rows or FOUR), **more))


def test_the_pad_asks_once_and_records_when_somebody_says_so(olga: Client) -> None:
    barbu()
    before = tables()
    page = sends(olga, *reversed(FOUR))
    assert tables() == before
    text = page.content.decode()
    assert "Game 1 at 21:14 has the same players and scores.</b> This game was not recorded." in text
    (again,) = re.findall(r'name="_again" value="(\d+)"', text)
    assert sends(olga, *reversed(FOUR), once=page.context["once"], _again=again).status_code == 302
    assert Game.objects.count() == 2


def test_the_key_that_records_again_is_in_a_form_of_its_own_and_carries_the_sheet(olga: Client) -> None:
    """Enter in a field presses the first key of its form: it must not be this one."""
    barbu()
    text = sends(olga).content.decode()
    forms = re.findall(r"<form.*?</form>", text, re.DOTALL)
    (asking,) = [form for form in forms if "_again" in form]
    assert 'id="pad"' not in asking
    assert asking.count("<button") == 1
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', asking))
    assert fields["seats-0-player"] == "anna"
    assert sends(olga, **{**fields, "_again": "1"}).status_code == 302
    assert Game.objects.count() == 2


def test_sent_again_without_an_answer_it_is_asked_again(olga: Client) -> None:
    barbu()
    for _ in range(3):
        assert "has the same players and scores" in sends(olga).content.decode()
    assert "has the same players and scores" in sends(olga, _again="7").content.decode()
    assert "has the same players and scores" in sends(olga, _again="x" * 5000).content.decode()
    assert Game.objects.count() == 1
    Game.objects.update(voided_at=EVENING, voided_by="rita", void_reason="typed twice")
    assert sends(olga).status_code == 302, "a void game is no twin"


def test_other_scores_other_people_or_another_time_are_another_game(olga: Client) -> None:
    barbu()
    make_league(slug="more", players=("eva",))
    assert sends(olga, ("anna", "10"), ("ben", "-5"), ("cleo", "-5"), ("dan", "0")).status_code == 302
    assert sends(olga, ("anna", "10"), ("ben", "-5"), ("cleo", "0"), ("eva", "-5")).status_code == 302
    assert sends(olga, minutes=45).status_code == 302
    assert Game.objects.count() == 4


def test_a_draw_of_other_partners_is_another_game(olga: Client) -> None:
    league = make_league("elo", ("anna", "ben", "cleo", "dan"))
    table = [NewResult(name, 9, None, 1 + seat // 2) for seat, name in enumerate(("anna", "ben", "cleo", "dan"))]
    record(league, NewGame(table, EVENING.replace(hour=20, minute=14)))
    for sides, asked in (
        ("1122", True),
        ("2211", True),  # a number of a side says nothing
        ("    ", True),  # who says nothing of sides may mean the same game
        ("1212", False),
        ("1221", False),
        ("1222", False),
    ):
        before = Game.objects.count()
        said: dict[str, Any] = {f"seats-{seat}-side": side.strip() for seat, side in enumerate(sides)}
        page = sends(olga, *((name, "9") for name, _ in FOUR), **said)
        assert ("has the same players and scores" in page.content.decode()) is asked, sides
        assert Game.objects.count() == before + (not asked)


def test_somebody_at_two_seats_is_said_also_where_one_of_them_has_no_score(olga: Client) -> None:
    league = make_league("elo", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=EVENING.replace(hour=20, minute=14)))
    page = sends(olga, ("anna", "1"), ("Anna", ""), ("cleo", "0"))
    assert page.status_code == 200
    assert "Anna is in seats 1 and 2" in page.content.decode()
    assert Game.objects.count() == 1


def test_at_a_table_of_two_who_recorded_it_plays_again_and_another_one_is_asked(olga: Client) -> None:
    league = make_league()
    with clock(EVENING):
        for number in (1, 2):
            assert olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"))).status_code == 302
            assert Game.objects.count() == number
        rita = sign_in_member("rita", Membership.Role.RECORDER, league)
        page = rita.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")))
    assert page.context["question"].text == "Game 2 at 19:30 has the same players and scores."


def test_a_sheet_that_waited_in_a_browser_says_why_and_waits_on(olga: Client) -> None:
    barbu()
    with clock(EVENING.replace(hour=22, minute=0)):
        late = olga.post(PAD, sheet_fields(*FOUR, ago=str(100 * 60 * 1000)), headers=SCRIPT)
    assert (late.status_code, late.json()) == (422, {"why": "Game 1 at 21:14 has the same players and scores."})
    assert Game.objects.count() == 1


def test_the_same_sheet_that_comes_twice_is_told_so_and_not_asked(olga: Client) -> None:
    make_league("barbu")
    for _ in range(2):
        assert sends(olga, once="a" * 32).status_code == 302
    assert Game.objects.count() == 1


def test_a_paper_that_makes_the_same_scores_is_the_same_game(olga: Client) -> None:
    league = make_league("preferans")
    at = EVENING + timedelta(minutes=5)
    record(league, sheet(("anna", "ben", "cleo"), (-500, 40, 460), played_at=at, details={"bula": 30}))
    data: dict[str, Any] = {"seats-TOTAL_FORMS": 3, "seats-INITIAL_FORMS": 0, "details_bula": "30"}
    papers = [("anna", -20, 320, 160), ("ben", 4, 120, 60), ("cleo", 16, 20, 60)]
    for seat, (player, *columns) in enumerate(papers):
        data |= {f"seats-{seat}-player": player}
        data |= {
            f"seats-{seat}-worksheet_{key}": one for key, one in zip(("middle", "left", "right"), columns, strict=True)
        }
    with clock(EVENING + timedelta(minutes=10)):
        assert "has the same players and scores" in olga.post(PAD, data).content.decode()


def test_a_program_is_never_asked() -> None:
    make_league("barbu")
    api = Api("record")
    body = sent_game(("anna", 10), ("ben", -5), ("cleo", 0), ("dan", -5), played_at="2024-03-05T20:14:00Z")
    assert [api.post("leagues/club/games/", body).status_code for _ in range(2)] == [201, 201]
