"""Fair sides over the API: ``leagues/{league}/balance/``."""

import random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import mark_stale
from league.models import Alias, ExternalId, Game, League, LogEntry, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.shared import built_once

BALANCE = "leagues/club/balance/"
TEN = dict(zip("abcdefghij", (700, 783, 843, 953, 1100, 1253, 1360, 1593, 1904, 2599), strict=True))
PEOPLE = [f"p-{letter}" for letter in TEN]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("league")]


def build() -> None:
    make_league("elo", PEOPLE, starts={f"p-{letter}": float(rating) for letter, rating in TEN.items()})


league = built_once(build)


def ask(players: Any = PEOPLE, **more: Any) -> Any:
    return Api().post(BALANCE, {"players": players, **more})


def test_ten_people_are_split_four_points_apart() -> None:
    answer = ask()
    assert answer.status_code == 200, answer.data
    found = answer.data
    assert (found["system"], found["exact"], len(found["splits"])) == ("elo", True, 3)
    assert [row["player"] for row in found["players"]] == PEOPLE[::-1]
    assert found["players"][0] == {
        "player": "p-j", "name": "P-J", "new": False, "games": 0, "rating": 2599.0, "state": {"rating": 2599.0},
    }  # fmt: skip
    best = found["splits"][0]
    sums = [sum(TEN[player[-1]] for player in side["players"]) for side in best["sides"]]
    assert abs(sums[0] - sums[1]) == 4
    assert [side["rating"] for side in best["sides"]] == [total / 5 for total in sums]
    low = 1.0 / (1.0 + 10.0 ** (abs(sums[0] - sums[1]) / 5 / 400.0))
    assert sorted(side["expected"] for side in best["sides"]) == pytest.approx([low, 1.0 - low])
    assert best["quality"] == found["bound"] == pytest.approx(2.0 * low)
    assert (best["broken"], best["exact"]) == ([], True)
    qualities = [split["quality"] for split in found["splits"]]
    assert qualities == sorted(qualities, reverse=True)


def test_the_swap_is_told_in_words() -> None:
    """Elo: (1600, 1400) against (1500, 1500) is even; with the first and last exchanged 1500 meets 1500 too."""
    (split,) = ask(["p-j", "p-i", "p-b", "p-a"], count=1).data["splits"]
    assert split["sides"][0]["players"] == ["p-j", "p-a"]
    assert split["swap"]["players"] == ["p-j", "p-b"] or split["swap"]["players"] == ["p-i", "p-a"]
    expected = 1.0 / (1.0 + 10.0 ** (((1904 + 2599) / 2 - (700 + 783) / 2) / 400.0))
    assert min(split["swap"]["expected"]) == pytest.approx(expected)
    assert split["swap"]["words"].startswith("If P-")


def test_the_expected_results_are_those_of_the_preview() -> None:
    """For each system with sides; TrueSkill counts ties of teams there as often as between two players (R129)."""
    for system, tolerance in (("elo", 1e-12), ("trueskill", 1e-3), ("weng_lin", 1e-12)):
        other = make_league(system, PEOPLE, slug=system.replace("_", "-"))
        lots = random.Random(system)
        for minutes in range(6):
            record(other, sheet(tuple(lots.sample(PEOPLE[:6], 3)), places=(1, 2, 3), minutes=minutes))
        answer = Api().post(f"leagues/{other.slug}/balance/", {"players": PEOPLE[:5], "count": 1}).data
        sides = answer["splits"][0]["sides"]
        results = [{"player": name, "side": at} for at, side in enumerate(sides, 1) for name in side["players"]]
        preview = Api().post(f"leagues/{other.slug}/preview/", {"results": results}).data
        foreseen = {
            row["seat"]: figure["value"]
            for row in preview["players"]
            for figure in row["figures"]
            if figure["key"] == "mean_e"
        }
        wanted = [foreseen[1], foreseen[1 + len(sides[0]["players"])]]
        assert [side["expected"] for side in sides] == pytest.approx(wanted, abs=tolerance), system


def test_nothing_is_written_and_the_order_of_the_request_does_not_matter() -> None:
    before = (Player.objects.count(), Game.objects.count(), LogEntry.objects.count(), League.objects.get().log_length)
    lots = random.Random(1)
    wishes = {"together": [["p-a", "p-b"], ["p-j", "p-c"]], "apart": [["p-d", "p-e", "p-f"], ["p-a", "p-c"]]}
    first = ask(["newcomer", *PEOPLE], **wishes).content
    for _ in range(5):
        drawn = {name: [lots.sample(group, len(group)) for group in groups] for name, groups in wishes.items()}
        drawn = {name: lots.sample(groups, len(groups)) for name, groups in drawn.items()}
        assert ask(lots.sample(["newcomer", *PEOPLE], 11), **drawn).content == first
    assert before == (
        Player.objects.count(), Game.objects.count(), LogEntry.objects.count(), League.objects.get().log_length,
    )  # fmt: skip


def test_people_are_named_by_any_name_also_in_parties() -> None:
    anna = Player.objects.get(handle="p-a")
    Alias.objects.create(player=anna, text="Annie")
    ExternalId.objects.create(player=Player.objects.get(handle="p-b"), provider="chat", value="77")
    answer = Api("read").post(
        BALANCE,
        {"players": ["P-A", "chat:77", "p-c", "p-d"], "together": [["annie", "p-b"]], "apart": [["P-C", "p-d"]]},
    )
    assert answer.status_code == 200, answer.data
    (split,) = answer.data["splits"]
    assert {frozenset(side["players"]) for side in split["sides"]} == {
        frozenset(("p-a", "p-b")), frozenset(("p-c", "p-d")),
    }  # fmt: skip
    assert split["broken"] == [["p-d", "p-c"]]
    assert split["swap"] is None


def test_who_is_unknown_starts_as_a_new_player() -> None:
    rows = {row["player"]: row for row in ask(["p-a", "Zoë Unknown"]).data["players"]}
    assert rows["p-a"]["new"] is False
    assert rows["Zoë Unknown"] == {
        "player": "Zoë Unknown", "name": "Zoë Unknown", "new": True, "games": 0, "rating": 1500.0,
        "state": {"rating": 1500.0},
    }  # fmt: skip


def test_a_name_of_two_is_never_chosen_by_chance() -> None:
    Player.objects.filter(handle__in=["p-a", "p-b"]).update(name="Sam", name_key="sam")
    for body in ({"players": ["p-c", "Sam"]}, {"players": ["p-c", "p-a"], "apart": [["p-c", "Sam"]]}):
        answer = Api().post(BALANCE, body)
        assert answer.status_code == 422
        (error,) = answer.data["errors"]
        assert error["code"] == "ambiguous_player"
        assert error["pointer"] in ("/players/1", "/apart/0/1")
        assert [one["handle"] for one in error["candidates"]] == ["p-a", "p-b"]


@pytest.mark.parametrize(
    ("body", "status", "pointer", "code"),
    [
        ({"players": [f"n{number}" for number in range(25)]}, 400, "/players", "max_length"),
        ({"players": ["p-a"]}, 400, "/players", "min_length"),
        ({"sides": 1}, 400, "/sides", "min_value"),
        ({"sides": 25}, 400, "/sides", "max_value"),
        ({"sides": 2.5}, 400, "/sides", "not_whole"),
        ({"sides": 11}, 422, "/sides", "sizes"),
        ({"sizes": [5, 4]}, 422, "/sizes", "sizes"),
        ({"sides": 3, "sizes": [5, 5]}, 422, "/sizes", "sizes"),
        ({"sizes": [10]}, 400, "/sizes", "min_length"),
        ({"sizes": [10, 0]}, 400, "/sizes/1", "min_value"),
        ({"sizes": [1] * 25}, 400, "/sizes", "max_length"),
        ({"count": 0}, 400, "/count", "min_value"),
        ({"count": 11}, 400, "/count", "max_value"),
        ({"together": [PEOPLE[:6]]}, 422, "/together/0", "party"),
        ({"together": [PEOPLE[:3], PEOPLE[2:6]]}, 422, "/together/0", "party"),
        ({"sides": 5, "together": [PEOPLE[:3]]}, 422, "/together/0", "party"),
        ({"sizes": [6, 4], "together": [PEOPLE[:5], PEOPLE[5:]]}, 422, "/together", "party"),
        ({"together": [["p-a", "p-b"]], "apart": [["p-c", "p-b", "p-a"]]}, 422, "/apart/0", "contradiction"),
        ({"together": [["p-a", "p-b"], ["p-b", "p-c"]], "apart": [["p-a", "p-c"]]}, 422, "/apart/0", "contradiction"),
        ({"players": [*PEOPLE, "P-A"]}, 422, "/players/10", "twice"),
        ({"players": [*PEOPLE, "New One", "new  one"]}, 422, "/players/11", "twice"),
        ({"apart": [["p-a", "P-A"]]}, 422, "/apart/0/1", "twice"),
        ({"together": [["p-a", "nobody"]]}, 422, "/together/0/1", "unknown_player"),
        ({"together": [["p-a"]]}, 400, "/together/0", "min_length"),
        ({"together": ["p-a"]}, 400, "/together/0", "not_a_list"),
        ({"players": ["p-a", "—"]}, 422, "/players/1", "unknown_player"),
        ({"players": ["p-a", 7]}, 400, "/players/1", "not_a_text"),
        ({"avoid": []}, 400, "/avoid", "unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_split_is_refused_at_its_place(body: Any, status: int, pointer: str, code: str) -> None:
    answer = Api().post(BALANCE, {"players": PEOPLE, **body})
    assert answer.status_code == status, answer.data
    assert [(error["pointer"], error["code"]) for error in answer.data["errors"]] == [(pointer, code)]


def test_a_system_without_sides_says_so_and_a_replay_is_waited_for() -> None:
    make_league("barbu", PEOPLE, slug="barbu")
    answer = Api().post("leagues/barbu/balance/", {"players": PEOPLE[:4]})
    assert (answer.status_code, answer.data["errors"][0]["code"]) == (422, "sides")
    club = League.objects.get(slug="club")
    record(club, sheet(("p-a", "p-b"), (1, 0)))
    run_with_league_lock(club.pk, lambda locked, now: mark_stale(locked, (EVENING, 0)))
    assert (ask().status_code, ask()["Retry-After"]) == (503, "1")


def test_a_private_league_is_balanced_only_for_who_may_see_it() -> None:
    secret = make_league("elo", PEOPLE, slug="secret", visibility="private")
    body = {"players": PEOPLE[:4]}
    assert Api().post("leagues/secret/balance/", body).status_code == 404
    assert Api("read", (secret,)).post("leagues/secret/balance/", body).status_code == 200
    assert Api().post(f"{BALANCE}?x=1", body).status_code == 400


def test_more_people_need_no_more_queries() -> None:
    counts = []
    for size in (2, 10):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert ask(PEOPLE[:size]).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
