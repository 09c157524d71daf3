"""Halls: an evening is planned, matches come and go, and the plan follows; bad input; log, export and restore."""

import re
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from league.apps.competitions.models import Competition, Fixture, Hall, Round
from league.apps.competitions.organiser.competition_forms import build_time_field
from league.apps.competitions.selectors.halls import find_hall, load_evening
from league.apps.competitions.services.competitions import cancel_competition
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.hall_checks import find_hall_problems
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.desk_client import sign_in_member
from tests.helpers.hall_builders import BEGIN, EVENING, HALLS, ROOMS, build_hall, plan, sign_in
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.public_log import CHANGES, check_chain, load_lines
from tests.helpers.public_log import read as read_address
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.running_competitions import scores
from tests.helpers.season_steps import accept
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(build_hall)


def read(at: Any) -> Any:
    with clock(at):
        return accept(sign_in().get(f"{HALLS}town-hall/plan/"), 200)


def list_places(evening: Any) -> list[tuple[int, str, str, str]]:
    """Return table, time, room and status of each game."""
    return [(one["table"], one["starts"][11:16], one["room"], one["status"]) for one in evening["games"]]


def test_an_evening_from_plan_to_last_result() -> None:
    """Two rounds of three games on three tables; one takes longer, one is called, and the rest is planned again."""
    league = League.objects.get()
    found = plan()
    assert (found["last_ends"], found["bound"]) == ("2024-03-06T19:00:00Z",) * 2
    assert found["text"] == "The last match ends at 19:00; no plan ends earlier."
    assert (found["left_out"], found["conflicts"], found["next"]) == ([], [], [])
    assert list_places(found) == [
        (1, "18:00", "Great hall", "waiting"), (2, "18:00", "Great hall", "waiting"), (7, "18:00", "Bar", "waiting"),
        (1, "18:30", "Great hall", "waiting"), (2, "18:30", "Great hall", "waiting"), (7, "18:30", "Bar", "waiting"),
    ]  # fmt: skip
    assert [one["round"] for one in found["games"]] == [1, 1, 1, 2, 2, 2]
    assert {one.venue for one in Fixture.objects.exclude(starts_at=None).filter(table=7)} == {"Bar, Town hall"}
    assert [one["status"] for one in read(BEGIN)["games"]] == ["under_way"] * 3 + ["waiting"] * 3

    first, second, third, *later = (one["fixture"] for one in found["games"])
    with clock(BEGIN + timedelta(minutes=20)):
        record_result(league.pk, third, scores(1, 0), by="olga")
        record_result(league.pk, second, scores(1, 0), by="olga")
    at = BEGIN + timedelta(minutes=25)
    evening = read(at)
    free = {player for number in (second, third) for player in _people(number)}
    ready = [number for number in later if _people(number) <= free]
    # It has table 2 in its round.
    assert evening["next"] == [{"table": 2, "fixture": ready[0]}]

    with clock(at):
        call = {"fixture": ready[0], "table": 1}
        assert sign_in().post(f"{HALLS}town-hall/call/", call).data["errors"][0]["code"] == "table_twice"
        busy = next(number for number in later if number != ready[0])
        answer = sign_in().post(f"{HALLS}town-hall/call/", {"fixture": busy, "table": 2})
        assert (answer.status_code, answer.data["errors"][0]["code"]) == (409, "person_twice")
        called = accept(sign_in().post(f"{HALLS}town-hall/call/", {**call, "table": 7}), 200)
    assert (7, "18:25", "Bar", "under_way") in list_places(called)

    # The first game is not over at the time when it should be.
    at = BEGIN + timedelta(minutes=42)
    again = plan(at)
    places = {one["fixture"]: (one["table"], one["starts"][11:16], one["status"]) for one in again["games"]}
    assert places[first] == (1, "18:00", "under_way")
    assert places[third] == (7, "18:00", "played")
    assert places[ready[0]] == (7, "18:25", "under_way")
    assert [places[number][1] for number in later if number != ready[0]] == ["18:52", "18:52"]
    assert again["conflicts"] == []
    with clock(at):
        for number in (first, ready[0]):
            record_result(league.pk, number, scores(1, 0), by="olga")
    assert len(read(at)["next"]) == 2
    assert verify_league(league.pk).state == "is right"


def _people(fixture: int) -> frozenset[int]:
    seats = Fixture.objects.get(number=fixture).seats.all()
    return frozenset(player.player_id for seat in seats for player in seat.entry.players.all())


def test_who_plays_before_the_time_of_the_plan_keeps_no_table() -> None:
    """A match of 18:30 was played at noon: its table is free at 18:00, when three others begin."""
    last = plan()["games"][-1]["fixture"]
    with clock(utc("2024-03-06T12:30")):
        record_result(League.objects.get().pk, last, scores(1, 0), by="olga")
    again = plan(utc("2024-03-06T13:00"))["games"]
    times = [one["starts"][11:16] for one in again if one["status"] == "waiting"]
    assert times == ["18:00"] * 3 + ["18:30"] * 2


def test_a_round_that_is_partly_played_has_each_table_once() -> None:
    """Table 1 of the round was played before there was a plan: the others get the two other tables of the hall."""
    league = League.objects.get()
    first = Fixture.objects.get(competition__slug="robin", round__number=1, table=1)
    with clock(utc("2024-03-05T19:00")):
        record_result(league.pk, first.number, scores(1, 0), by="olga")
    evening = plan(None, ("robin", 1))
    assert list_places(evening) == [(2, "18:00", "Great hall", "waiting"), (7, "18:00", "Bar", "waiting")]
    tables = Fixture.objects.filter(round=first.round_id).order_by("table").values_list("table", flat=True)
    assert list(tables) == [1, 2, 7]
    # Another plan changes no table.
    assert list_places(plan(None, ("robin", 1), minutes=40)) == list_places(evening)


def test_two_competitions_with_the_same_people() -> None:
    """Nobody plays in both at once; too short an evening names who has too much to play, and takes its place away."""
    found = plan(None, ("robin", None), ("other", None), rest=10, ends="2024-03-06T23:30:00Z")
    assert (len(found["games"]), found["left_out"], found["conflicts"]) == (21, [], [])
    short = plan(None, ("robin", None), ("other", None), rest=0, ends="2024-03-06T19:30:00Z")
    assert len(short["left_out"]) == 21 - 9
    assert short["text"] == "The last planned match ends at 19:30. 12 matches have no place."
    assert {one["reason"] for one in short["left_out"]} == {"person"}
    assert "Anna has 8 matches to play, which end at 22:00 at the earliest, not by 19:30." in str(short["left_out"])
    assert Fixture.objects.exclude(table=None).exclude(starts_at=None).count() == 9
    accept(sign_in().patch(f"{HALLS}town-hall/", {"rooms": [{"first": 1, "last": 1}]}), 200)
    (left,) = plan(None, ("robin", 1), ends="2024-03-06T19:00:00Z")["left_out"]
    assert left["reason"] == "tables"
    assert "3 matches need them until 19:30, the evening ends at 19:00." in left["text"]


def test_conflicts_of_places_by_hand() -> None:
    """A table or a person that is taken twice, a table that is not there, and one that does not suit are named."""
    league = League.objects.get()
    found = plan()
    first, second, third, fourth, *_others = (one["fixture"] for one in found["games"])
    change_fixture(league.pk, second, {"table": 1}, by="olga")
    change_fixture(league.pk, fourth, {"starts_at": BEGIN + timedelta(minutes=10)}, by="olga")
    change_fixture(league.pk, third, {"table": 99}, by="olga")
    with clock(BEGIN - timedelta(hours=1)):
        api = sign_in()
        accept(
            api.patch(f"{HALLS}town-hall/", {"rooms": [{"title": "", "first": 1, "last": 7, "competitions": ["x"]}]}),
            200,
        )
    conflicts = read(BEGIN - timedelta(hours=1))["conflicts"]
    kinds = [one["kind"] for one in conflicts]
    assert {"table", "person", "unknown_table", "unsuitable"} == set(kinds)
    texts = " ".join(one["text"] for one in conflicts)
    assert "Table 1 has two matches at once: " in texts
    assert "The hall has no table 99: " in texts
    assert " plays twice at once: " in texts
    assert next(one["fixtures"] for one in conflicts if one["kind"] == "table") == [first, second]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"rooms": []}, "/rooms", ""),
    ({"rooms": [{"first": 1, "last": 2}, {"first": 2, "last": 3}]}, "/rooms/1/first", "table_twice"),
    ({"rooms": [{"first": 5, "last": 2}]}, "/rooms/0/last", "out_of_order"),
    ({"rooms": [{"first": 1, "last": 700}]}, "/rooms/0/last", "out_of_order"),
    ({"rooms": [{"first": 1, "last": 400}, {"first": 401, "last": 800}]}, "/rooms", "too_many"),
    ({"title": ""}, "/title", ""),
]


@pytest.mark.parametrize(("body", "pointer", "code"), BAD)
def test_bad_rooms_are_refused(body: dict[str, Any], pointer: str, code: str) -> None:
    before = Hall.objects.values().get()
    answer = sign_in().patch(f"{HALLS}town-hall/", body)
    assert answer.status_code == 400
    (error,) = answer.data["errors"]
    assert error["pointer"] == pointer
    assert code in ("", error["code"])
    assert Hall.objects.values().get() == before


def test_bad_evenings_are_refused() -> None:
    """An evening that ends before it starts, is over, has no competition that runs, or nothing to play."""
    assert plan(status=400, ends="2024-03-06T17:00:00Z")["errors"][0]["code"] == "out_of_order"
    assert plan(utc("2024-03-07T12:00"), status=422)["errors"][0]["code"] == "ended"
    assert plan(None, ("cup", None), status=400)["errors"][0]["pointer"] == "/parts/0/competition"
    (error,) = plan(None, ("robin", 1), ("robin", 99), status=400)["errors"]
    assert (error["pointer"], error["code"]) == ("/parts/1/round", "unknown_round")
    answer = sign_in().post(f"{HALLS}town-hall/plan/", {"minutes": 10})
    assert answer.data["errors"][0]["code"] == "missing"
    assert sign_in().post(f"{HALLS}town-hall/call/", {"fixture": 999, "table": 1}).status_code == 422
    assert sign_in().get(f"{HALLS}nowhere/").status_code == 404
    assert sign_in("read").get(HALLS).status_code == 403
    assert not Fixture.objects.exclude(table=None).exclude(starts_at=None).exists()


def test_a_restored_league_has_its_hall_and_its_evening() -> None:
    """Exported, restored and verified; a hall that is removed leaves the places of its fixtures."""
    plan()
    league = League.objects.get()
    lines = export_of(league)
    again = restore_league(sealed_file(lines), slug="again", known_players=True, by="root").league
    values = [{**row, "id": 0, "league_id": 0} for row in Hall.objects.order_by("league_id").values()]
    assert values[0] == values[1]
    assert verify_league(again.pk).state == "is right"
    with clock(BEGIN):
        assert len(load_evening(find_hall(again, "town-hall")).games) == 6
    assert sign_in().call("delete", f"{HALLS}town-hall/").status_code == 204
    assert verify_league(league.pk).state == "is right"
    assert Fixture.objects.filter(league=league).exclude(starts_at=None).count() == 6
    Hall.objects.filter(league=again).update(minutes=31)
    assert "town-hall" in str(verify_league(again.pk).differences)


@pytest.mark.parametrize("scope", [None, "record"])
def test_log_and_export_tell_others_nothing_of_a_hall(scope: str | None) -> None:
    """What its address refuses is in no answer; the chain proves, and the public export is restored and right."""
    # Rounds are shown in entries that are younger than they.
    at = utc("2131-03-06T12:00")
    plan(at, ("robin", None), starts="2131-03-06T18:00:00Z", ends="2131-03-06T22:00:00Z")
    with clock(at):
        accept(sign_in().post(HALLS, {"slug": "attic", "title": "Attic", "rooms": ROOMS}))
        assert sign_in().call("delete", f"{HALLS}attic/").status_code == 204
    reader = sign_in(scope) if scope else Api()
    assert reader.get(HALLS).status_code == (403 if scope else 401)
    for path in (CHANGES, "leagues/club/export/"):
        lines = load_lines(reader, path)
        noted = [line for line in lines if str(line.get("kind", "")).startswith("hall.")]
        assert [(line["payload"], line["left_out"]) for line in noted] == [({}, ["payload"])] * 4
        assert not re.search("town-hall|attic|hall_settings", read_address(reader, path)[1])
        assert check_chain(lines) > 0
    text = read_address(reader, "leagues/club/export/")[1]
    again = restore_league(BytesIO(text.encode()), slug="again", known_players=True, by="root").league
    assert not Hall.objects.filter(league=again).exists()
    assert list(verify_league(again.pk).differences) == []
    # Arbiters see a member that is drawn, so that nobody finds the content of an entry by its hash.
    salts = {line["payload"]["salt"] for line in load_lines(sign_in()) if line["kind"].startswith("hall.")}
    assert len(salts) == 4


def test_a_hall_changes_nothing_of_an_ended_competition() -> None:
    """Its matches wait for nothing, their people are free, and a plan of others leaves their places."""
    league = League.objects.get()
    first, *_others = (one["fixture"] for one in plan(None, ("robin", 1), ("other", 1))["games"])
    (robin,) = Competition.objects.filter(slug="robin")
    cancel_competition(league.pk, "robin", by="olga")
    before = list(robin.fixtures.order_by("number").values())
    with clock(BEGIN):
        answer = sign_in().post(f"{HALLS}town-hall/call/", {"fixture": first, "table": 7})
    assert (answer.status_code, answer.data["errors"][0]["code"]) == (422, "unknown_fixture")
    assert {one["competition"] for one in read(BEGIN)["games"]} == {"other"}
    plan(BEGIN, ("other", None))
    assert list(robin.fixtures.order_by("number").values()) == before
    assert verify_league(league.pk).state == "is right"


def test_a_fixture_is_in_one_hall() -> None:
    """The last plan has it; what is under way stays, and what finds no place here keeps the one elsewhere."""
    api, league = sign_in(), League.objects.get()
    with clock(utc("2024-03-01T12:00")):
        accept(api.post(HALLS, {"slug": "school", "title": "School", "rooms": [{"first": 30, "last": 30}]}))
    numbers = {one["fixture"] for one in plan()["games"]}
    parts = [{"competition": "robin", "round": 1}]
    hours = {**EVENING, "starts": "2024-03-06T18:05:00Z", "ends": "2024-03-06T18:40:00Z", "parts": parts}
    at = utc("2024-03-06T12:00")
    with clock(at):
        found = accept(sign_in().post(f"{HALLS}school/plan/", hours), 200)
    (taken,) = (one["fixture"] for one in found["games"] if one["table"])
    assert len(found["left_out"]) == 2
    assert {one["fixture"] for one in read(at)["games"] if one["table"]} == numbers - {taken}
    assert Hall.objects.get(slug="school").planned == [taken]
    assert taken not in Hall.objects.get(slug="town-hall").planned
    begun = next(one["fixture"] for one in read(BEGIN)["games"] if one["status"] == "under_way")
    before = Fixture.objects.values("table", "starts_at").get(number=begun)
    with clock(BEGIN + timedelta(minutes=1)):
        assert sign_in().post(f"{HALLS}school/call/", {"fixture": begun, "table": 30}).status_code == 422
        accept(sign_in().post(f"{HALLS}school/plan/", {"ends": "2024-03-06T22:00:00Z"}), 200)
    assert Fixture.objects.values("table", "starts_at").get(number=begun) == before
    assert verify_league(league.pk).state == "is right"


def test_another_beginning_of_the_same_evening_keeps_what_is_under_way() -> None:
    """Seconds are cut; after the end of the evening another one begins, in which nothing is under way."""
    begun = plan(starts="2024-03-06T18:00:30Z")["games"][0]["fixture"]
    assert Hall.objects.get().starts_at == BEGIN
    before = Fixture.objects.values("table", "starts_at").get(number=begun)
    again = plan(BEGIN + timedelta(minutes=3), starts="2024-03-06T17:50:00Z")
    assert Fixture.objects.values("table", "starts_at").get(number=begun) == before
    assert [one["status"] for one in again["games"]] == ["under_way"] * 3 + ["waiting"] * 3
    later: dict[str, Any] = {"starts": "2024-03-07T18:00:00Z", "ends": "2024-03-07T22:00:00Z"}
    found = plan(BEGIN + timedelta(hours=5), ("robin", 1), **later)
    assert {one["status"] for one in found["games"]} == {"waiting"}


def test_times_of_another_day_have_the_day() -> None:
    found = plan(None, ("robin", 1), starts="2024-03-06T23:50:00Z", ends="2024-03-07T02:00:00Z")
    assert found["text"] == "The last match ends at 7 Mar, 00:20; no plan ends earlier."
    desk = sign_in_member("arno", "arbiter", League.objects.get())
    with clock(utc("2024-03-06T12:00")):
        accept(sign_in().post(f"{HALLS}town-hall/plan/", {"parts": [{"competition": "robin", "round": None}]}), 200)
        for address in ("", "tables/", "names/"):
            page = desk.get(f"/admin/leagues/club/halls/town-hall/{address}").content.decode()
            assert re.search(r">\s*23:50\s*<", page)
            assert re.search(r">\s*7 Mar, 00:20\s*<", page)


@pytest.mark.parametrize("text", ["0001-01-01T00:10", "9999-12-31T23:59"])
def test_no_form_of_competitions_takes_a_far_year(text: str) -> None:
    """A time near an end of the calendar has no UTC in some zone."""
    with pytest.raises(ValidationError, match="between the years 2 and 9997"):
        build_time_field("Begins").clean(text)
    hall = Hall.objects.get()
    hall.starts_at, hall.ends_at = utc("2024-03-06T18:00"), utc(text)
    assert "/ends" in [problem.pointer for problem in find_hall_problems(hall)]


def test_the_planned_time_is_on_the_wall_and_on_paper_as_on_the_page_of_the_round() -> None:
    desk = sign_in_member("arno", "arbiter", League.objects.get())
    plan()
    public, private = "/leagues/club/competitions/robin/", "/admin/leagues/club/competitions/robin/print/"
    with clock(utc("2024-03-06T12:00")):
        counts = [
            (f"{public}rounds/2/", 3), (f"{private}pairings/?round=2", 3),
            # Each of the two people of a match has a line.
            (f"{private}tables/?round=2", 6), (f"{private}tables/?round=3", 0),
        ]  # fmt: skip
        for address, expected in counts:
            page = desk.get(address).content.decode()
            assert len(re.findall(r">[^<>]*\b18:30\b", page)) == expected, address
        wall = desk.get(f"{public}wall/?show=pairings").content.decode()
        assert len(re.findall(r"<small\s*>18:00\s*</small>", wall)) == 3


def test_a_match_of_a_bracket_says_its_planned_time_and_table_and_the_round_no_other() -> None:
    league = League.objects.get()
    make_competition(league, "knockout", slug="knock")
    start(league, ("anna", "ben", "cleo", "dan"), slug="knock")
    make_round(league.pk, "knock", by="arno")
    publish_round(league.pk, "knock", 1, by="arno")
    Round.objects.filter(competition__slug="knock").update(starts_at=utc("2024-03-02T12:00"))
    desk = sign_in_member("arno", "arbiter", league)
    with clock(utc("2024-03-01T12:00")):
        page = desk.get("/leagues/club/competitions/knock/").content.decode()
        assert "12:00" in re.findall(r"<h3.*?</h3>", page, re.DOTALL)[0]
        number = Fixture.objects.filter(competition__slug="knock").order_by("number")[0].number
        change_fixture(league.pk, number, {"starts_at": utc("2024-03-06T18:30"), "table": 2}, by="arno")
        page = desk.get("/leagues/club/competitions/knock/").content.decode()
    assert "12:00" not in re.findall(r"<h3.*?</h3>", page, re.DOTALL)[0]
    (match,) = re.findall(r'<div class="match">(?:(?!</div>).)*?18:30.*?</div>', page, re.DOTALL)
    assert "Table 2" in " ".join(match.split())
