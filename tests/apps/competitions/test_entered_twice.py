"""Results that are entered twice: they count when two entries say the same, and until then are only noted."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.result_texts import format_entered, write_entered
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.entered import build_said, read_entered, serialize_entered
from league.apps.reports.services.answering import confirm_report
from league.core.games.services.game_input import NewGame, NewResult
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


def test_results_without_scores_are_written_as_the_round_has_them() -> None:
    """Two people name another winner: 1–0 and 0–1, and no places, in the round and in the changes by hand."""
    entered = [{"results": [{"place": 1}, {"place": 2}]}, {"results": [{"place": 2}, {"place": 1}]}]
    assert [write_entered(one) for one in entered] == ["1-0", "0-1"]
    assert [format_entered(one) for one in entered] == ["1–0", "0–1"]
    assert write_entered({"results": [{"place": 2}, {"place": 1}, {"place": 3}]}) == "2-1-3"
    assert format_entered({"results": [{"place": 1}, {"place": 1}]}) == "½–½"


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
    # A game of the same people that is not of the fixture says so.
    assert accept(sign_in().post("leagues/club/games/", {**sheet, "fixture": 0}))["fixture"] is None
    assert Fixture.objects.get(number=1).game is None
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
        ([{"score": 1}, {"score": 0}], [{"score": 1.0}, {"score": -0.0}], True),
        ([{"score": 3}, {"score": 0}], [{"score": 2}, {"score": 0}], False),
        ([{"score": 3}, {"score": 0}], [{"score": 3, "place": 1}, {"score": 0, "place": 2}], True),
        ([{"score": 1}, {"score": 0}], [{"place": 1}, {"place": 2}], True),
        ([{"score": 0}, {"score": 1}], [{"place": 1}, {"place": 2}], False),
        ([{"score": 3}, {"score": 0}], [{"place": 1}, {"place": 2}], False),
        ([{"score": 0.5}, {"score": 0.5}], [{"place": 1}, {"place": 1}], True),
        ([{"place": 2}, {"place": 1}], [{"place": 1}, {"place": 2}], False),
        ([{"score": 1, "side": 1}, {"score": 0, "side": 2}], [{"score": 1}, {"score": 0}], False),
    ],
)
def test_what_says_the_same(one: list[Any], other: list[Any], expected: bool) -> None:
    """Places of two say 1, ½ or 0; a place that the scores give says nothing more."""
    sheets = [NewGame([NewResult("", **line) for line in lines]) for lines in (one, other)]
    said = [build_said(sheet, lowest_wins=False) for sheet in sheets]
    assert (said[0] == said[1]) is expected


@pytest.mark.parametrize("more", [{"details": {"bula": 40}}, {"weight": 2.0}, {"withheld": {"code": "x"}}])
def test_what_is_recorded_besides_the_results_is_said_too(more: dict[str, Any]) -> None:
    results = [NewResult("", 1), NewResult("", 0)]
    plain, other = NewGame(results), NewGame(results, **more)
    assert build_said(plain, lowest_wins=False) != build_said(other, lowest_wins=False)
    assert build_said(other, lowest_wins=False) == build_said(replace(other, note="Late"), lowest_wins=False)


def test_an_entry_has_all_that_its_game_is_recorded_with() -> None:
    """Written and read again, a sheet is the same, apart from what is of its sender."""
    lines = [
        NewResult("", sets=[6, 4], retired=True, fields={"colour": "red"}),
        NewResult("", 2.5, 1, worksheet={"tricks": 3}),
    ]
    played_at = datetime(2024, 4, 15, 20, tzinfo=UTC)
    sheet = NewGame(lines, played_at, details={"bula": 40}, weight=0.5, note="Late", fields={"hall": "B"})
    assert read_entered(json.loads(json.dumps(serialize_entered(sheet)))) == sheet


def test_the_game_has_what_both_said_and_the_first_note() -> None:
    """Another weight is another result; a sheet that counted is answered with its game when it is sent again."""
    enter(sign_in(), WON, 202, weight=2, external_id="s0")
    enter(sign_in(), WON, 202, weight=0.5, note="Long game", external_id="s1")
    game = enter(sign_in(), WON, 201, weight=0.5, external_id="s2")
    assert (game["weight"], game["note"]) == (0.5, "Long game")
    for sheet in ("s1", "s2"):
        assert enter(sign_in(), WON, 200, weight=0.5, external_id=sheet)["number"] == game["number"]
    for sheet in ("s0", "s2"):
        assert enter(sign_in(), WON, 409, weight=2, external_id=sheet)["errors"][0]["code"] in ("conflict", "played")
    assert Game.objects.count() == 1


@pytest.mark.parametrize(
    ("results", "more"),
    [
        ([{}, {}], {}),
        ([{"score": 1, "place": 2}, {"score": 0, "place": 1}], {}),
        ([{"score": 1, "worksheet": {"x": 1}}, {"score": 0, "worksheet": {"x": 1}}], {}),
        (WON, {"details": {"unknown": 1}}),
        (WON, {"fields": {"unknown": 1}}),
        (WON, {"played_at": "2190-01-01T00:00:00Z"}),
        ([{"score": 1}, {"score": 1}], {}),
    ],
)
def test_the_first_entry_is_checked_like_the_game(results: Any, more: dict[str, Any]) -> None:
    """Nothing is noted that can never count; it is refused as if results were entered once."""
    first = enter(sign_in(), results, 422, **more)["errors"]
    assert Fixture.objects.get(number=1).entered == []
    choose("once")
    assert enter(sign_in(), results, 422, **more)["errors"] == first


def test_boards_of_teams_are_entered_once() -> None:
    answer = Api("organise", name="t").post(
        "leagues/club/competitions/",
        {"title": "T", "format": "swiss", "sides_of": 2, "teams": {"primary": "match"}, "result_entries": "twice"},
    )
    assert [one["pointer"] for one in answer.data["errors"]] == ["/result_entries"]
