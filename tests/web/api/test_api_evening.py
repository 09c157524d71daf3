"""The API as a new client meets it: a league, players, the sources' examples, explanations, boards."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.helpers.api_client import Api, game, placed

pytestmark = pytest.mark.django_db

WHEN = "2024-03-05T19:30:00Z"


def open_league(system: str, starts: Mapping[str, float | None], **parameters: Any) -> Api:
    """Make a league with players who start where an example has them, all over the API."""
    api = Api("organise")
    rule = {"system": system, "parameters": parameters}
    assert api.post("leagues/", {"slug": "club", "title": "Club", "rule": rule}).status_code == 201
    for handle, rating in starts.items():
        assert api.post("players/", {"handle": handle}).status_code == 201
        if rating is not None:
            answer = api.put(f"leagues/club/players/{handle}/", {"initial_rating": rating})
            assert (answer.status_code, answer.data["rating"], answer.data["games"]) == (200, rating, 0)
    return api


def after(answer: Any) -> list[float]:
    """Return the ratings after a recorded game, in seat order."""
    assert answer.status_code == 201, answer.data
    return [line["rating_after"] for line in answer.data["results"]]


def test_durak() -> None:
    api = open_league("durak", {"a": 1000, "b": 1150, "c": 900, "d": 1200})
    answer = api.post("leagues/club/games/", placed("a", "b", "c", "d"))
    assert after(answer) == [1018, 1153, 914, 1173]
    assert [line["performance"] for line in answer.data["results"]] == pytest.approx([0.788, 0.667, 0.546, 0], abs=5e-4)
    board = api.get("leagues/club/leaderboard/").data["results"]
    # 1173 - 180 = 993, 1153 - 180 = 973, and so on: one game's evidence.
    assert [(row["rank"], row["player"], row["score"], row["rating"]) for row in board] == [
        (1, "d", 993, 1173), (2, "b", 973, 1153), (3, "a", 838, 1018), (4, "c", 734, 914),
    ]  # fmt: skip


def test_barbu_adjusted_scores_and_strengths() -> None:
    api = open_league("barbu", dict.fromkeys(("a", "b", "c", "d")))
    first = api.post("leagues/club/games/", game(("a", 100), ("b", 20), ("c", -40), ("d", -80)))
    assert after(first) == [100, 20, -40, -80]
    second = api.post(
        "leagues/club/games/", game(("a", 0), ("b", 0), ("c", 0), ("d", 0), played_at="2024-03-06T19:30:00Z")
    )
    # One game before: a fifth of each strength counts; S_a = (4 - 8 - 16)/3 = -20/3, and so on.
    assert [line["performance"] for line in second.data["results"]] == pytest.approx([-20 / 3, -4 / 3, 8 / 3, 16 / 3])
    # K = 0.5^(1/100); w = (1-K)/(1-K^2) = 1/(1+K); R* = R + w (S - R); the changes' mean is taken off.
    w = 1 / (1 + 0.5**0.01)
    ratings, adjusted = [100, 20, -40, -80], [-20 / 3, -4 / 3, 8 / 3, 16 / 3]
    moved = [w * (s - r) for s, r in zip(adjusted, ratings, strict=True)]
    expected = [r + m - sum(moved) / 4 for r, m in zip(ratings, moved, strict=True)]
    assert after(second) == pytest.approx(expected, abs=1e-12)


def test_a_recorded_game_is_answered_with_everything_that_the_contract_names() -> None:
    api = open_league("preferans", {"pedja": 1200, "marko": 1150, "johnny": 1100})
    sheet = game(("pedja", -500), ("marko", 40), ("johnny", 460), details={"bula": 30}, external_id="s/1", note="late")
    answer = api.post("leagues/club/games/", sheet)
    body = answer.data
    assert answer["Location"] == body["url"] == "http://testserver/api/v1/leagues/club/games/1/"
    recorded_at = body.pop("recorded_at")
    assert recorded_at.endswith("Z")
    assert body == {
        "number": 1, "id": 1, "league": "club", "url": "http://testserver/api/v1/leagues/club/games/1/",
        "external_id": "s/1", "metadata": {},
        "played_at": WHEN, "recorded_by": "server-7", "kind": "played", "status": "rated", "details": {"bula": 30},
        "note": "late", "weight": 1.0, "void_reason": "", "replaces": None, "replaced_by": None,
        "fixture": None,
        "results": [
            line(1, "pedja", -500, 1200, 1173, -27, -27.4),
            line(2, "marko", 40, 1150, 1152, 2, 2.0),
            line(3, "johnny", 460, 1100, 1125, 25, 25.4),
        ],
    }  # fmt: skip
    again = api.post("leagues/club/games/", sheet)
    assert (again.status_code, again.data["id"], again["ETag"]) == (200, 1, answer["ETag"])
    assert api.get("leagues/club/games/1/").data == {**body, "recorded_at": recorded_at}


def line(seat: int, player: str, score: float, before: float, after_: float, change: float, performance: float) -> Any:
    """Return one expected line."""
    figures = {"rating_before": before, "rating_after": after_, "change": change, "games": 1}
    shown = {"seat": seat, "player": player, "name": player, "score": score, "place": None, "side": None}
    return {**shown, **figures, "performance": pytest.approx(performance, abs=1e-9)}


@pytest.mark.parametrize(
    ("system", "players", "scores", "details"),
    [
        ("elo", "abcde", [5, 3, 3, 1, 0], {}),
        ("preferans", "abc", [-511, 38, 473], {"bula": 30}),
        ("durak", "abcd", None, {}),
    ],
)
def test_the_parts_of_an_explanation_sum_exactly_to_the_change(
    system: str, players: Sequence[str], scores: Sequence[float] | None, details: dict[str, float]
) -> None:
    api = open_league(system, dict.fromkeys(players))
    for turn in range(7):
        seats = [*players[turn % len(players) :], *players[: turn % len(players)]]
        sheet = placed(*seats) if scores is None else game(*zip(seats, scores, strict=True), details=details)
        recorded = api.post("leagues/club/games/", {**sheet, "played_at": f"2024-03-0{turn + 1}T19:30:00Z"})
        told = api.get(f"leagues/club/games/{recorded.data['id']}/explanation/").data
        assert told["system"] == system
        for shown, result in zip(told["players"], recorded.data["results"], strict=True):
            total = 0.0
            for part in shown["parts"]:
                total += part["value"]
            assert total == shown["change"] == result["change"]
            assert (shown["rating_before"], shown["rating_after"]) == (result["rating_before"], result["rating_after"])
            assert shown["player"] == result["player"]
            assert shown["words"]


def test_correcting_and_voiding() -> None:
    api = open_league("elo", {"a": None, "b": None}, k=32)
    api.post("leagues/club/games/", game(("a", 1), ("b", 0), external_id="s/1"))
    etag = api.get("leagues/club/games/1/")["ETag"]
    body = {"results": [{"player": "a", "score": 0}, {"player": "b", "score": 1}], "reason": "wrong way round"}
    assert api.post("leagues/club/games/1/correct/", body, **{"If-Match": '"stale"'}).status_code == 412
    told = api.call("post", "/api/v1/leagues/club/games/1/correct/?dry_run=true", body)
    assert told.data["ratings"] == [
        {"player": "a", "name": "a", "before": 1516, "after": 1484},
        {"player": "b", "name": "b", "before": 1484, "after": 1516},
    ]
    assert (told.status_code, api.get("leagues/club/games/1/").data["status"]) == (200, "rated")
    # The tag of a packed body names the same state.
    packed = etag.removesuffix('"') + '-gzip"'
    corrected = api.post("leagues/club/games/1/correct/", body, **{"If-Match": packed})
    assert after(corrected) == [1484, 1516]
    assert (corrected.data["replaces"], corrected.data["external_id"]) == (1, "s/1")
    old = api.get("leagues/club/games/1/").data
    assert (old["status"], old["replaced_by"], old["void_reason"]) == ("void", 2, "wrong way round")
    assert [line["change"] for line in old["results"]] == [None, None]
    assert api.post("leagues/club/games/1/void/", {"reason": "again"}).status_code == 409
    assert api.post("leagues/club/games/2/void/", {"reason": "friendly"}).data["status"] == "void"
    assert api.get("leagues/club/leaderboard/").data == {"results": [], "next": None}
    assert api.get("leagues/club/games/1/explanation/").status_code == 404


def test_player_card_and_history() -> None:
    api = open_league("elo", {"a": None, "b": None, "c": None}, k=32)
    api.post("leagues/club/games/", game(("a", 1), ("b", 0), played_at="2024-03-01T12:00:00Z"))
    api.post("leagues/club/games/", game(("a", 0), ("c", 1), played_at="2024-03-02T12:00:00Z"))
    card = api.get("leagues/club/players/A/").data
    assert (card["player"], card["games"], card["peak"], card["rank"]) == ("a", 2, 1516.0, 2)
    assert [entry["game"] for entry in card["form"]] == [2, 1]
    assert card["opponents"] == [
        {"player": "b", "name": "b", "games": 1, "ahead": 1, "level": 0, "behind": 0},
        {"player": "c", "name": "c", "games": 1, "ahead": 0, "level": 0, "behind": 1},
    ]
    lines = api.get("leagues/club/players/a/history/").data["results"]
    assert [(entry["cause"], entry["game"], entry["games"]) for entry in lines] == [("game", 1, 1), ("game", 2, 2)]
    assert (lines[0]["before"], lines[0]["after"], lines[1]["before"]) == (1500, 1516, 1516)
    assert len(api.get("leagues/club/players/a/history/?from=2024-03-02").data["results"]) == 1
    assert len(api.get("leagues/club/players/a/history/?to=2024-03-02").data["results"]) == 1


def test_a_history_tells_of_what_the_league_moved_between_games() -> None:
    api = open_league("barbu", dict.fromkeys("abcdefgh"), zero_sum="league")
    for day, players in ((1, "abcd"), (2, "efgh")):
        lines = zip(players, (90, 10, -20, -50), strict=True)
        api.post("leagues/club/games/", game(*lines, played_at=f"2024-03-0{day}T12:00:00Z"))
    first = api.get("leagues/club/players/a/history/").data["results"]
    # The first four gain 30 together: 7.5 each is taken off; the next four's 30 is shared by all eight.
    assert [(entry["cause"], entry["after"]) for entry in first] == [("game", 82.5), ("pool", 78.75)]
    assert api.get("leagues/club/players/a/").data["rating"] == 78.75
    board = api.get("leagues/club/leaderboard/").data["results"]
    assert sum(row["rating"] for row in board) == pytest.approx(0, abs=1e-9)
    api.post("leagues/club/games/", game(*zip("abcd", (0, 0, 0, 0), strict=True), played_at="2024-03-03T12:00:00Z"))
    third = api.get("leagues/club/players/a/history/").data["results"]
    told = [(entry["cause"], entry["game"], entry["games"]) for entry in third]
    assert told == [("game", 1, 1), ("pool", None, 1), ("game", 3, 2)]
    assert all(one["after"] == two["before"] for one, two in pairwise(third))


def test_games_are_listed_by_player_status_and_day() -> None:
    api = open_league("elo", {"a": None, "b": None, "c": None})
    for day in range(1, 8):
        pair = ("a", "b") if day % 2 else ("a", "c")
        api.post("leagues/club/games/", game((pair[0], 1), (pair[1], 0), played_at=f"2024-03-0{day}T12:00:00Z"))
    api.post("leagues/club/games/7/void/", {"reason": "friendly"})
    assert [entry["id"] for entry in api.get("leagues/club/games/?player=c").data["results"]] == [6, 4, 2]
    assert [entry["id"] for entry in api.get("leagues/club/games/?status=void").data["results"]] == [7]
    assert len(api.get("leagues/club/games/?status=rated&from=2024-03-03&to=2024-03-05").data["results"]) == 2


def test_the_leaderboard_pages_and_looks_around_a_player() -> None:
    handles = [f"p{number:02}" for number in range(12)]
    api = open_league("elo", dict.fromkeys(handles))
    for number, handle in enumerate(handles[:-1]):
        stronger = game((handle, 1), (handles[-1], 0), played_at=f"2024-03-{number + 1:02}T12:00:00Z")
        api.post("leagues/club/games/", stronger)
    everybody = api.get("leagues/club/leaderboard/").data["results"]
    assert [row["rank"] for row in everybody] == list(range(1, 13))
    seen, path = [], "leagues/club/leaderboard/?limit=5"
    while path:
        page = api.get(path).data
        seen += page["results"]
        path = page["next"]
    assert seen == everybody
    middle = api.get(f"leagues/club/leaderboard/?limit=5&around={everybody[6]['player']}").data
    assert middle["results"] == everybody[4:9]
    assert api.get(middle["next"]).data["results"] == everybody[9:]
    assert api.get("leagues/club/leaderboard/?min_games=11").data["results"] == [{**everybody[-1], "rank": 1}]
    active = api.get("leagues/club/leaderboard/?active_since=2024-03-10").data["results"]
    assert len(active) == 3


def test_correcting_there_and_back_and_restoring() -> None:
    api = open_league("elo", {"a": None, "b": None, "c": None}, k=32)
    when = {"played_at": "2024-03-05T00:00:00Z"}
    sheets = [game(("a", 1), ("b", 0), **when), game(("b", 1), ("c", 0), **when), game(("a", 0), ("c", 1), **when)]
    for sheet in sheets:
        api.post("leagues/club/games/", sheet)
    board = [(row["player"], row["rating"]) for row in api.get("leagues/club/leaderboard/").data["results"]]
    noted = api.call(
        "post", "/api/v1/leagues/club/games/1/correct/?dry_run=true", {**sheets[0], "note": "x", "reason": "n"}
    )
    assert (noted.data["games_replayed"], noted.data["ratings"]) == (0, [])
    swapped = {**game(("a", 0), ("b", 1), **when), "reason": "wrong way round"}
    assert api.post("leagues/club/games/1/correct/", swapped).data["id"] == 4
    assert [row["rating"] for row in api.get("leagues/club/leaderboard/").data["results"]] != [row[1] for row in board]
    diff = api.call("post", "/api/v1/leagues/club/games/1/restore/?dry_run=true", {"reason": "it was right"})
    assert (diff.status_code, diff.data["games_replayed"]) == (200, 3)
    answer = api.post("leagues/club/games/1/restore/", {"reason": "it was right"})
    told = answer.data
    assert (answer.status_code, told["id"], told["replaces"], told["status"]) == (201, 5, 1, "rated")
    assert [(row["player"], row["rating"]) for row in api.get("leagues/club/leaderboard/").data["results"]] == board
    assert [api.get(f"leagues/club/games/{number}/").data["replaced_by"] for number in (1, 4, 5)] == [5, None, None]
    assert api.post("leagues/club/games/5/restore/", {"reason": "again"}).status_code == 409
    assert api.post("leagues/club/games/9/restore/", {"reason": "again"}).status_code == 404
    assert api.post("leagues/club/games/4/restore/", {}).status_code == 400
    assert [one["id"] for one in api.get("leagues/club/games/").data["results"]][:4] == [3, 2, 5, 4]
