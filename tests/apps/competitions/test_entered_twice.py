"""Results that are entered twice: they count when two entries say the same, and until then are only noted."""

import json
from itertools import count
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from league.apps.competitions.models import Fixture
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.results import agree
from league.apps.reports.services.answering import confirm_report
from league.core.leagues.services.leagues import change_league
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, League, Token
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.desk_client import sign_in_member
from tests.helpers.ladder_builders import clock, duel, utc
from tests.helpers.report_builders import link_of, reported
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.season_steps import accept
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
CUP = "leagues/club/competitions/cup/"
WON, DRAWN, LOST = ([{"score": one}, {"score": 1 - one}] for one in (1, 0.5, 0))
NUMBERS = count()


def build() -> None:
    """Make a round robin of four whose results are entered twice."""
    league = make_league("elo", ("anna", "ben", "cleo", "dan"), game="Chess")
    make_competition(league, "round_robin", result_entries="twice")
    start(league)


built = built_once(build)


def sign_in(name: str = "", scope: str = "record") -> Api:
    """Return a client with a token of its own; its name is in the log."""
    return Api(scope, name=name or f"token {next(NUMBERS)}")


def enter(api: Api, results: Any, status: int, fixture: int = 1, **more: Any) -> Any:
    """Enter the result of a fixture."""
    body = results if isinstance(results, dict) else {"results": results, **more}
    return accept(api.post(f"{CUP}fixtures/{fixture}/result/", body), status)


def choose(entries: str) -> None:
    change_competition(League.objects.get().pk, "cup", {"result_entries": entries}, by="olga")


def test_a_result_counts_when_it_was_entered_again() -> None:
    """The first entry is noted and seen by recorders alone; the second one records the game."""
    api = sign_in("rita")
    noted = enter(api, WON, 202)
    assert (noted["status"], noted["game"], noted["results"]) == ("planned", None, [])
    assert [(one["by"], one["results"]) for one in noted["entered"]] == [("rita", [{"score": 1.0}, {"score": 0.0}])]
    assert Api().get(f"{CUP}fixtures/1/").data["entered"] == []
    assert not Game.objects.exists()
    assert accept(api.get(f"{CUP}standings/"), 200)["results"][0]["points"] == 0
    assert enter(sign_in("hugo"), WON, 201)["fixture"] == 1
    played = api.get(f"{CUP}fixtures/1/").data
    assert (played["status"], played["entered"]) == ("played", [])
    assert Fixture.objects.get(number=1).entered == []
    assert enter(api, WON, 409)["errors"][0]["code"] == "played"
    assert verify_league(League.objects.get().pk).state == "is right"


def test_entries_that_differ_are_shown_until_two_agree() -> None:
    """Both values, by whom; the third entry decides. The changes by hand tell of it."""
    enter(sign_in("rita"), WON, 202)
    noted = enter(sign_in("hugo"), DRAWN, 202)
    assert [one["by"] for one in noted["entered"]] == ["rita", "hugo"]
    desk = sign_in_member("arno", "arbiter", League.objects.get())
    base = "/admin/leagues/club/competitions/cup/"
    page = " ".join(desk.get(base).content.decode().split())
    assert "Entered differently: 1–0 (rita), ½–½ (hugo). Enter the right one again." in page
    page = desk.post(f"{base}fixtures/1/", {"quick": "draw", "once": "1" * 32}, follow=True).content.decode()
    assert Game.objects.count() == 1
    assert "½–½" in page
    trail = " ".join(desk.get(f"{base}changes/").content.decode().split())
    assert "Result entered differently" in trail
    assert "½–½ instead of 1–0" in trail
    assert "Result entered differently" not in Client().get("/leagues/club/competitions/cup/changes/").content.decode()
    page = desk.post(f"{base}fixtures/2/", {"quick": "1-0", "once": "2" * 32}, follow=True).content.decode()
    assert "Entered once: 1–0 (arno). It counts when it is entered again." in " ".join(page.split())


def test_two_people_are_two() -> None:
    """The same person replaces their entry and confirms nothing; another one does."""
    choose("two_people")
    rita = sign_in("rita")
    enter(rita, WON, 202)
    assert len(enter(rita, WON, 202)["entered"]) == 1
    assert enter(rita, LOST, 202)["entered"][0]["results"] == [{"score": 0.0}, {"score": 1.0}]
    enter(sign_in("hugo"), LOST, 201)
    choose("twice")
    enter(rita, WON, 202, fixture=2, external_id="sheet 7")
    # A program that sends its sheet again does not confirm it.
    assert len(enter(rita, WON, 202, fixture=2, external_id="sheet 7")["entered"]) == 1
    enter(rita, WON, 201, fixture=2, external_id="sheet 8")


def test_a_token_is_the_person_who_made_it() -> None:
    """A session and a token of one person are one account; a token that is named like a user is not that user."""
    choose("two_people")
    league = League.objects.get()
    desk = sign_in_member("arno", "arbiter", league)
    address = "/admin/leagues/club/competitions/cup/fixtures/1/"
    desk.post(address, {"quick": "1-0", "once": "1" * 32})
    arno = get_user_model().objects.get(username="arno")
    own = sign_in("phone")
    Token.objects.filter(name="phone").update(maker=arno)
    assert [one["by"] for one in enter(own, WON, 202)["entered"]] == ["phone"]
    assert Fixture.objects.get(number=1).entered[0]["account"] == "arno"
    enter(sign_in("arno"), WON, 201)


@pytest.mark.parametrize("losers", [[3, 3], [3]])
def test_what_was_entered_ends_with_who_meets_whom(losers: list[int]) -> None:
    """Other seats, a cancelled fixture and another setting begin again, and the log has it."""
    number, entries = next(
        (one["id"], one["entries"]) for one in Api().get(f"{CUP}fixtures/").data["results"] if 3 in one["entries"]
    )
    arbiter, address = sign_in("arno", "organise"), f"{CUP}fixtures/{number}/"

    def enter_one(api: Api) -> None:
        enter(api, {"forfeit": losers, "reason": "no_show"}, 202, fixture=number)
        assert Fixture.objects.get(number=number).entered[0]["forfeit"] == [3]

    enter_one(sign_in())
    turned = accept(arbiter.patch(address, {"entries": entries[::-1], "reason": "Colours"}), 200)
    assert turned["entered"] == []
    enter_one(sign_in())
    for status in ("cancelled", "planned"):
        accept(arbiter.patch(address, {"status": status, "reason": "Nobody came"}), 200)
    assert Fixture.objects.get(number=number).entered == []
    enter_one(sign_in())
    choose("once")
    assert Fixture.objects.get(number=number).entered == []
    assert verify_league(League.objects.get().pk).state == "is right"


def test_forfeits_too_and_games_of_other_faces_are_refused() -> None:
    """A forfeit is entered twice; a game recorded at once names where to enter it, and nothing is written."""
    forfeit = {"forfeit": [2], "reason": "no_show"}
    assert enter(sign_in(), forfeit, 202, fixture=2)["entered"][0]["forfeit"] == [2]
    enter(sign_in(), {"forfeit": [99], "reason": "no_show"}, 400, fixture=2)
    enter(sign_in(), WON, 202, fixture=2)
    enter(sign_in(), forfeit, 201, fixture=2)
    seats = Fixture.objects.get(number=1).seats.order_by("seat")
    players = [seat.entry.players.get().player.handle for seat in seats]
    sheet = {"results": [{"player": player, "score": at} for at, player in enumerate(players)]}
    for body in (sheet, {**sheet, "fixture": 1}):
        answer = sign_in().post("leagues/club/games/", body)
        assert (answer.status_code, answer.data["errors"][0]["code"]) == (422, "second_entry")
    assert Game.objects.count() == 1
    choose("once")
    enter(sign_in(), WON, 201)


def test_a_report_that_was_confirmed_is_two_entries() -> None:
    league = League.objects.get()
    change_league(league.pk, {"reporting": "by_link"}, username="olga")
    first, second = [
        seat.entry.players.get().player.handle for seat in Fixture.objects.get(number=1).seats.order_by("seat")
    ]
    with clock(utc("2024-04-16")):
        sent = reported(link_of(league, first), duel(first, second, "2024-04-15", fixture=1))
        assert not Game.objects.exists()
        confirm_report(link_of(league, second), sent.pk)
    assert Fixture.objects.get(number=1).game is not None


def test_the_log_and_exports_keep_what_does_not_count_yet_for_members() -> None:
    """Restored and verified with the entry; the public log and export are without it."""
    enter(sign_in("rita"), WON, 202)
    league = League.objects.get()
    lines = export_of(league)
    assert '"rita"' in "".join(lines)
    again = restore_league(sealed_file(lines), slug="again", known_players=True, by="root").league
    assert Fixture.objects.get(league=again, number=1).entered == Fixture.objects.get(league=league, number=1).entered
    assert verify_league(again.pk).state == "is right"
    public = Client().get("/api/v1/leagues/club/export/")
    exported = b"".join(public.streaming_content).decode()  # type: ignore[attr-defined]
    assert [one for one in map(json.loads, exported.splitlines()) if one.get("fixtures")]
    assert '"entered":' not in exported
    Fixture.objects.filter(league=again, number=1).update(entered=[])
    assert "Fixture 1" in str(verify_league(again.pk).differences)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([{"score": 1}, {"score": 0}], [{"score": 1}, {"score": 0}], True),
        ([{"score": 3}, {"score": 0}], [{"score": 2}, {"score": 0}], False),
        ([{"score": 3}, {"score": 0}], [{"place": 1}, {"place": 2}], True),
        ([{"score": 3}, {"score": 0}], [{"place": 2}, {"place": 1}], False),
        ([{"score": 1}, {"score": 1}], [{"place": 1}, {"place": 1}], True),
        ([{"sets": [6, 4]}, {"sets": [3, 6]}], [{"sets": [6, 4]}, {"sets": [3, 5]}], False),
        ([{"sets": [6, 4]}, {"sets": [3, 6]}], [{"sets": [6, 4]}, {"sets": [3, 6]}], True),
        ([{"sets": [6]}, {"sets": [3]}], [{"place": 1}, {"place": 2}], False),
    ],
)
def test_what_says_the_same(one: list[Any], other: list[Any], expected: bool) -> None:
    """Scores with scores; places with the places that scores give, the lowest first where the lowest wins."""
    assert agree({"results": one}, {"results": other}, lowest_wins=False) is expected
    assert agree({"forfeit": [1]}, {"results": other}, lowest_wins=False) is False
    if "score" in one[0] and "place" in other[0] and one[0] != one[1]:
        assert agree({"results": one}, {"results": other}, lowest_wins=True) is not expected


def test_boards_of_teams_are_entered_once() -> None:
    answer = Api("organise", name="t").post(
        "leagues/club/competitions/",
        {"title": "T", "format": "swiss", "sides_of": 2, "teams": {"primary": "match"}, "result_entries": "twice"},
    )
    assert [one["pointer"] for one in answer.data["errors"]] == ["/result_entries"]
