"""Seasons over the API: boxes that rise and fall from month to month, a series, and groups that lead to a cup."""

from typing import Any

import pytest

from league.apps.competitions.models import SeasonEntry
from league.core.players.services.erase import erase_player
from league.core.verify.run import verify_league
from league.models import Player
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.season_steps import COMPETITIONS, accept, play_all
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
PLAYERS = [f"p{number:02}" for number in range(1, 13)]
SEASONS = "leagues/club/seasons/"
OF_DIVISIONS = "/rule/divisions/competition"
BOXES = {
    "title": "March", "slug": "march", "starts": "2024-03-01", "ends": "2024-03-31", "status": "open",
    "rule": {"divisions": {"target_size": 4, "up": {"number": 1}}},
}  # fmt: skip


def build() -> None:
    """Write a league of twelve players without games."""
    make_league("elo", PLAYERS)


built = built_once(build)


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


def found(api: Api, players: list[str] | None = None, **settings: Any) -> str:
    """Found a season whose players have ratings in their order; return its address."""
    slug = accept(api.post(SEASONS, {**BOXES, **settings}))["slug"]
    entries = [{"player": player, "rating": 2000 - 10 * at} for at, player in enumerate(players or PLAYERS)]
    accept(api.post(f"{SEASONS}{slug}/entries/", {"entries": entries}))
    return f"{SEASONS}{slug}/"


def draw(api: Api, season: str) -> list[Any]:
    """Draw what is proposed; return the competitions."""
    digest = accept(api.get(f"{season}proposal/"), 200)["digest"]
    made: list[Any] = accept(api.post(f"{season}draw/", {"digest": digest}))["competitions"]
    return made


def list_proposed(api: Api, season: str) -> list[list[tuple[str, str]]]:
    """Return player and reason of each proposed division."""
    proposal = accept(api.get(f"{season}proposal/"), 200)
    return [[(one["player"], one["why"]) for one in division["entries"]] for division in proposal["divisions"]]


def test_boxes_through_two_months(api: Api) -> None:
    """Twelve players in three boxes: one rises, one falls; one leaves, one withdraws, a newcomer comes."""
    march = found(api)
    assert [[player for player, _ in box] for box in list_proposed(api, march)] == [
        PLAYERS[:4], PLAYERS[4:8], PLAYERS[8:],
    ]  # fmt: skip
    made = draw(api, march)
    assert [(one["title"], one["group"], one["status"], one["season"]) for one in made] == [
        (f"March: Division {level}", f"Division {level}", "running",
         {"slug": "march", "level": level, "letter": "", "stage": "", "event": None})
        for level in (1, 2, 3)
    ]  # fmt: skip
    assert accept(api.get(march), 200)["status"] == "running"
    for competition in made:
        play_all(api, competition["slug"])
    divisions = accept(api.get(f"{march}standings/"), 200)["divisions"]
    assert [[(row["player"], row["zone"], row["certain"]) for row in one["results"]] for one in divisions] == [
        [("p01", "champion", True), ("p02", "stays", True), ("p03", "stays", True), ("p04", "down", True)],
        [("p05", "up", True), ("p06", "stays", True), ("p07", "stays", True), ("p08", "down", True)],
        [("p09", "up", True), ("p10", "stays", True), ("p11", "stays", True), ("p12", "stays", True)],
    ]  # fmt: skip
    edition = accept(api.post(f"{march}close/", {}))
    document = api.get(f"{march}editions/1/")
    assert edition["number"] == 1 and len(edition["sha256"]) == 64
    assert [len(one["places"]) for one in document.data["divisions"]] == [4, 4, 4]
    april = found(
        api, [*PLAYERS[:1], *PLAYERS[2:]], slug="april", title="April", starts="2024-04-01", ends="2024-04-30",
        previous="march",
    )  # fmt: skip
    # Eleven players: the first division keeps three, the lower ones have the surplus.
    assert list_proposed(api, april) == [
        [("p01", "stayed"), ("p03", "stayed"), ("p05", "promoted")],
        [("p04", "relegated"), ("p06", "stayed"), ("p07", "stayed"), ("p09", "promoted")],
        [("p08", "relegated"), ("p10", "stayed"), ("p11", "stayed"), ("p12", "stayed")],
    ]
    proposal = accept(api.get(f"{april}proposal/"), 200)
    assert proposal["divisions"][0]["entries"][2] == {
        "player": "p05", "name": "P05", "from": {"season": "march", "level": 2, "letter": "", "place": 1},
        "why": "promoted", "sentence": "Place 1 in division 2: rises.",
    }  # fmt: skip
    moved = accept(api.patch(f"{april}proposal/", {"player": "p05", "level": 2, "reason": "Works at night."}), 200)
    assert [one["code"] for one in moved["breaks"]] == ["promoted_not_higher"]
    assert moved["digest"] != proposal["digest"]
    reason = accept(api.patch(f"{april}proposal/", {"player": "p05", "level": 2, "reason": "A wish."}), 200)
    assert reason["digest"] != moved["digest"]
    stale = api.post(f"{april}draw/", {"digest": proposal["digest"]})
    assert (stale.status_code, stale.data["code"]) == (409, "conflict")
    accept(api.patch(f"{april}proposal/", {"player": "p05", "level": None}), 200)
    assert [one["title"] for one in draw(api, april)] == [f"April: Division {level}" for level in (1, 2, 3)]
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_closing_asks_what_open_fixtures_count_as(api: Api) -> None:
    """Without a word nothing is closed; a void fixture does not count; half gives each the points of a draw."""
    march = found(api, PLAYERS[:4])
    (box,) = draw(api, march)
    play_all(api, box["slug"], skip=("p04",))
    refused = api.post(f"{march}close/", {})
    assert (refused.status_code, refused.data["errors"][0]["code"]) == (422, "unplayed")
    assert refused.data["detail"].startswith("3 fixtures have no result; say what they count as: March: Division 1: ")
    assert accept(api.get(march), 200)["status"] == "running"
    accept(api.post(f"{march}close/", {"unplayed": "half"}))
    rows = accept(api.get(f"{march}standings/"), 200)["divisions"][0]["results"]
    assert [(row["player"], row["points"], row["played"]) for row in rows] == [
        ("p01", 2.5, 2), ("p02", 1.5, 2), ("p04", 1.5, 0), ("p03", 0.5, 2),
    ]  # fmt: skip
    again = api.post(f"{march}close/", {})
    assert (again.status_code, again.data["detail"]) == (409, "The season is closed.")
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_the_rule_may_say_what_open_fixtures_count_as(api: Api) -> None:
    """In boxes both lose a game that is not played, and nobody has to say so."""
    rule = {"divisions": {"target_size": 4, "up": {"number": 1}, "preset": "boxes"}}
    march = found(api, PLAYERS[:4], rule=rule, starts=None, ends=None)
    (box,) = draw(api, march)
    play_all(api, box["slug"], skip=("p04",))
    accept(api.post(f"{march}close/", {}))
    rows = accept(api.get(f"{march}standings/"), 200)["divisions"][0]["results"]
    assert [(row["player"], row["points"], row["played"]) for row in rows] == [
        ("p01", 2, 2), ("p02", 1, 2), ("p03", 0, 2), ("p04", 0, 0),
    ]  # fmt: skip
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_who_withdraws_leaves_the_running_competitions(api: Api) -> None:
    """The open fixtures are lost, and the player falls first."""
    march = found(api, PLAYERS[:8])
    made = draw(api, march)
    play_all(api, made[1]["slug"])
    accept(api.patch(f"{march}entries/1/", {"status": "withdrawn"}), 200)
    play_all(api, made[0]["slug"])
    rows = accept(api.get(f"{march}standings/"), 200)["divisions"][0]["results"]
    assert {row["player"]: row["zone"] for row in rows} == {
        "p01": "down", "p02": "champion", "p03": "stays", "p04": "stays",
    }  # fmt: skip
    accept(api.post(f"{march}close/", {"unplayed": "void"}))
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_a_series_of_two_evenings(api: Api) -> None:
    """Points by place; an event is linked to the season; the table says who can still win."""
    rule = {"series": {"points": {"table": [25, 18, 15]}, "best": 2, "of": 2}}
    season = found(api, PLAYERS[:3], slug="prix", title="Grand prix", rule=rule)
    for number, evening in enumerate(("one", "two"), 1):
        body = {
            "slug": evening, "title": evening, "format": "round_robin", "status": "open",
            "season": {"slug": "prix", "event": number},
        }  # fmt: skip
        created = accept(api.post(COMPETITIONS, body))
        assert created["season"] == {"slug": "prix", "level": None, "letter": "", "stage": "", "event": number}
        accept(api.post(f"{COMPETITIONS}{evening}/entries/", [{"player": player} for player in PLAYERS[:3]]))
        accept(api.post(f"{COMPETITIONS}{evening}/start/", {}), 200)
    play_all(api, "one")
    accept(api.post("leagues/club/competitions/one/finish/", {}), 200)
    series = accept(api.get(f"{season}standings/"), 200)["series"]
    assert [(row["rank"], row["player"], row["points"], row["can_still_win"]) for row in series] == [
        (1, "p01", 25, True), (2, "p02", 18, True), (3, "p03", 15, True),
    ]  # fmt: skip
    taken = api.patch("leagues/club/competitions/two/", {"season": {"slug": "prix", "event": 1}})
    assert (taken.status_code, taken.data["errors"][0]["code"]) == (422, "taken")
    unknown = api.patch("leagues/club/competitions/two/", {"season": {"slug": "prix", "event": 3}})
    assert unknown.data["errors"][0] == {
        "pointer": "/season/event", "code": "unknown_event", "detail": "The series has the events 1 to 2.",
    }  # fmt: skip
    play_all(api, "two")
    accept(api.post(f"{season}close/", {}))
    rows = accept(api.get(f"{season}standings/"), 200)["series"]
    assert [(row["player"], row["points"]) for row in rows] == [("p01", 50), ("p02", 36), ("p03", 30)]
    assert verify_league(league_of().pk).state == "is right"


def test_groups_lead_to_a_cup(api: Api) -> None:
    """Two groups of four; the first two meet crossed, the others in a consolation cup."""
    stages = [
        {"key": "groups", "parallel": 2},
        {"key": "cup", "format": "knockout", "from": [{"stage": "groups", "places": [1, 2]}]},
        {"key": "plate", "format": "knockout", "from": [{"stage": "groups", "places": [3, 4]}]},
    ]
    season = found(api, PLAYERS[:8], slug="open", title="Open", rule={"stages": stages})
    groups = draw(api, season)
    assert [one["title"] for one in groups] == ["Open: Group A", "Open: Group B"]
    assert [one["season"]["letter"] for one in groups] == ["A", "B"]
    early = accept(api.get(f"{season}proposal/"), 200)
    assert early["stages"] == []
    assert api.post(f"{season}draw/", {"digest": early["digest"]}).data["detail"] == "There is nothing to draw now."
    for group in groups:
        play_all(api, group["slug"])
        accept(api.post(f"{COMPETITIONS}{group['slug']}/finish/", {}), 200)
    # Dealt there and back: A has p01, p04, p05, p08, B the others.
    proposed = accept(api.get(f"{season}proposal/"), 200)["stages"]
    assert [(one["stage"], one["players"]) for one in proposed] == [
        ("cup", ["p01", "p02", "p04", "p03"]), ("plate", ["p05", "p06", "p08", "p07"]),
    ]  # fmt: skip
    cup, plate = draw(api, season)
    made = accept(api.post(f"{COMPETITIONS}{cup['slug']}/rounds/", {}))
    accept(api.post(f"{COMPETITIONS}{cup['slug']}/rounds/{made['number']}/publish/", None), 200)
    final = accept(api.get(f"{season}standings/"), 200)["stages"][1]["seats"][4:]
    assert [(one["from"]["fixture"], one["from"]["of"], one["from"]["match"], one["player"]) for one in final] == [
        (made["fixtures"][0]["id"], "winner", 1, None), (made["fixtures"][1]["id"], "winner", 2, None),
    ]  # fmt: skip
    play_all(api, cup["slug"])
    won = accept(api.get(f"{season}standings/"), 200)["stages"][1]["seats"][4:]
    # p01 meets p03, and p02 p04; the first in the alphabet wins.
    assert [(one["entry"], one["player"]) for one in won] == [(1, "p01"), (2, "p02")]
    unpaired = api.post(f"{season}close/", {})
    assert (unpaired.status_code, unpaired.data["detail"]) == (
        422, "Open: Cup has no winner yet: pair its next round, or cancel it.",
    )  # fmt: skip
    assert (cup["title"], cup["format"], plate["season"]["stage"]) == ("Open: Cup", "knockout", "plate")
    tree = accept(api.get(f"{season}standings/"), 200)["stages"]
    assert tree[1]["seats"][3] == {
        "from": {"stage": "groups", "group": "B", "place": 2}, "entry": 3, "player": "p03", "name": "P03",
    }  # fmt: skip
    assert [one["outdated"] for one in tree] == [False, False, False]
    # A correction of group A: p04 and p05 change places; nothing is drawn again, and the tree says so.
    fixture = next(
        one for one in api.get(f"{COMPETITIONS}{groups[0]['slug']}/fixtures/").data["results"]
        if {player for players in one["players"] for player in players} == {"p04", "p05"}
    )  # fmt: skip
    scores = [0 if players == ["p04"] else 1 for players in fixture["players"]]
    results = [{"player": player, "score": score} for (player,), score in zip(fixture["players"], scores, strict=True)]
    body = {"results": results, "played_at": "2024-03-05T19:30:00Z", "reason": "Swapped."}
    accept(api.post(f"leagues/club/games/{fixture['game']}/correct/", body))
    accept(api.post(f"{COMPETITIONS}{groups[0]['slug']}/editions/", {"reason": "A sheet was wrong."}))
    later = accept(api.get(f"{season}standings/"), 200)["stages"]
    assert [one["outdated"] for one in later] == [False, True, True]
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_points_of_groups_are_carried_into_a_final_group(api: Api) -> None:
    """Two groups of three; the first two of each play on with their points, and a correction of these is said."""
    sources = [{"stage": "groups", "places": [1, 2], "carried": True}]
    stages = [{"key": "groups", "parallel": 2}, {"key": "final", "from": sources}]
    season = found(api, PLAYERS[:6], slug="open", title="Open", rule={"stages": stages})
    groups = draw(api, season)
    for group in groups:
        play_all(api, group["slug"])
        accept(api.post(f"{COMPETITIONS}{group['slug']}/finish/", {}), 200)
    # Dealt there and back: A has p01, p04 and p05, B p02, p03 and p06. The first in the alphabet wins.
    digest = accept(api.get(f"{season}proposal/"), 200)["digest"]
    (final,) = draw(api, season)
    entries = api.get(f"{COMPETITIONS}{final['slug']}/entries/").data["results"]
    assert {one["player"]: one["added_points"] for one in entries} == {
        "p01": [{"round": 0, "points": "2", "reason": "Carried from: Groups, group A"}],
        "p02": [{"round": 0, "points": "2", "reason": "Carried from: Groups, group B"}],
        "p03": [{"round": 0, "points": "1", "reason": "Carried from: Groups, group B"}],
        "p04": [{"round": 0, "points": "1", "reason": "Carried from: Groups, group A"}],
    }
    play_all(api, final["slug"])
    rows = api.get(f"{COMPETITIONS}{final['slug']}/standings/").data["results"]
    assert [(row["rank"], row["points"]) for row in rows] == [(1, 5), (2, 4), (3, 2), (4, 1)]
    assert [one["outdated"] for one in api.get(f"{season}standings/").data["stages"]] == [False, False]
    # p04 and p05 drew: the places stay, the points do not.
    fixtures = api.get(f"{COMPETITIONS}{groups[0]['slug']}/fixtures/").data["results"]
    game = next(one["game"] for one in fixtures if {*one["players"][0], *one["players"][1]} == {"p04", "p05"})
    results = [{"player": player, "score": 1} for player in ("p04", "p05")]
    body = {"results": results, "played_at": "2024-03-05T19:30:00Z", "reason": "A draw."}
    accept(api.post(f"leagues/club/games/{game}/correct/", body))
    accept(api.post(f"{COMPETITIONS}{groups[0]['slug']}/editions/", {"reason": "A sheet was wrong."}))
    assert [one["outdated"] for one in api.get(f"{season}standings/").data["stages"]] == [False, True]
    assert api.get(f"{season}proposal/").data["digest"] != digest
    assert verify_league(league_of().pk).state == "is right"
    cup = {"rule": {"stages": [stages[0], {"key": "cup", "format": "knockout", "from": sources}]}}
    refused = api.post("leagues/club/seasons/", {"slug": "cup", "title": "Cup", **cup})
    assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (400, "/rule/stages/1/from")


@pytest.mark.parametrize(
    ("settings", "pointer", "code"),
    [
        ({"rule": {"divisions": {"up": {"number": 4}, "target_size": 4}}}, "/rule/divisions/up", "invalid"),
        ({"rule": {"series": {"best": 8, "of": 6}}}, "/rule/series/best", "invalid"),
        ({"rule": {}}, "/rule", "invalid"),
        ({"previous": "never"}, "/previous", "unknown_season"),
        ({"ends": "2024-02-01"}, "/ends", "out_of_order"),
        ({"title": ""}, "/title", "blank"),
        ({"slug": "A b"}, "/slug", "invalid"),
        (
            {"rule": {"divisions": {"competition": {"format": "nope"}}}},
            "/rule/divisions/competition/format",
            "unknown_format",
        ),
        ({"rule": {"divisions": {"competition": {"title": 5}}}}, "/rule/divisions/competition/title", "invalid"),
        (
            {"rule": {"stages": [{"key": "a", "competition": {"nope": 1}}]}},
            "/rule/stages/0/competition/nope",
            "unknown_field",
        ),
    ],
)
def test_bad_settings_are_refused(api: Api, settings: dict[str, Any], pointer: str, code: str) -> None:
    """With the field, and nothing is written."""
    answer = api.post(SEASONS, {**BOXES, **settings})
    assert (answer.status_code, answer.data["errors"][0]["pointer"], answer.data["errors"][0]["code"]) == (
        400, pointer, code,
    )  # fmt: skip
    assert accept(api.get(SEASONS), 200)["results"] == []


def test_moves_lead_to_divisions_that_are_there_and_nobody_plays_alone(api: Api) -> None:
    """A ninth level or a letter of a level without any is refused; so is a draw that leaves somebody alone."""
    march = found(api, PLAYERS[:4], rule={"divisions": {"target_size": 2}})
    for place in ({"level": 9}, {"level": 1, "letter": "B"}):
        refused = api.patch(f"{march}proposal/", {"player": "p01", "reason": "wish", **place})
        assert (refused.status_code, refused.data["errors"][0]["code"]) == (422, "unknown_group"), place
    moved = accept(api.patch(f"{march}proposal/", {"player": "p01", "level": 2, "reason": "wish"}), 200)
    alone = api.post(f"{march}draw/", {"digest": moved["digest"]})
    assert (alone.status_code, alone.data["detail"]) == (
        422, "Division 1 has one member, who would have nobody to play.",
    )  # fmt: skip


def test_two_seasons_cannot_follow_one(api: Api) -> None:
    """The second is refused; and a season that is not closed has no proposal to follow it."""
    found(api)
    april = found(api, slug="april", previous="march")
    second = api.post(SEASONS, {**BOXES, "slug": "may", "previous": "march"})
    assert (second.status_code, second.data["errors"][0]["code"]) == (400, "taken")
    waiting = api.get(f"{april}proposal/")
    assert (waiting.status_code, waiting.data["detail"]) == (422, "The season March is not closed: close it first.")


def test_entries_are_one_a_player(api: Api) -> None:
    """The same player twice, an unknown one, a move of a stranger."""
    march = found(api)
    twice = api.post(f"{march}entries/", {"player": "p01"})
    assert (twice.status_code, twice.data["errors"][0]["code"]) == (422, "entered_twice")
    unknown = api.post(f"{march}entries/", {"player": "nobody"})
    assert (unknown.status_code, unknown.data["errors"][0]["code"]) == (422, "unknown_player")
    created = accept(api.post(f"{march}entries/", {"player": "Zoe Zander", "create_players": True}))
    assert (created["number"], created["name"]) == (13, "Zoe Zander")
    stranger = api.patch(f"{march}proposal/", {"player": "zed", "level": 1, "reason": "wish"})
    assert stranger.data["errors"][0]["code"] == "not_entered"
    unreasoned = api.patch(f"{march}proposal/", {"player": "p01", "level": 2})
    assert unreasoned.data["errors"][0]["pointer"] == "/reason"


def test_drafts_are_for_arbiters(api: Api) -> None:
    """Strangers see no draft, and cannot write."""
    march = found(api, status="draft")
    assert Api().get(march).status_code == 404
    assert Api().get(SEASONS).data["results"] == []
    accept(api.patch(march, {"status": "open"}), 200)
    assert Api().get(march).status_code == 200
    assert Api("record", name="other").post(f"{march}close/", {}).status_code == 403
    assert Api().get(f"{march}proposal/").status_code == 401


def test_two_entrants_are_merged_only_when_one_has_left(api: Api) -> None:
    """Both play in the season: the merge is refused with what to do; afterwards the entry is the survivor's."""
    march = found(api)
    merge = {"into": "p02"}
    refused = api.post("players/p01/merge/", merge)
    assert (refused.status_code, refused.data["errors"][0]["code"]) == (422, "both_entered")
    assert "are both in the season March (Club), as entries 1 and 2." in refused.data["detail"]
    accept(api.patch(f"{march}entries/1/", {"status": "withdrawn"}), 200)
    accept(api.post("players/p01/merge/", merge), 200)
    boxes = list_proposed(api, march)
    assert [player for player, _ in boxes[0]] == ["p02", "p03", "p04"]
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_an_erased_player_stays_in_the_season_without_a_name(api: Api) -> None:
    """In mid-season: places and points stay, the reason of a move by hand is erased from the facts."""
    march = found(api, PLAYERS[:4])
    accept(api.patch(f"{march}proposal/", {"player": "p02", "level": 1, "reason": "P02 has a bad knee."}), 200)
    (box,) = draw(api, march)
    play_all(api, box["slug"])
    player = Player.objects.get(handle="p02")
    erase_player(player, username="olga")
    rows = accept(api.get(f"{march}standings/"), 200)["divisions"][0]["results"]
    assert [row["points"] for row in rows] == [3, 2, 1, 0]
    assert "P02" not in [row["name"] for row in rows]
    assert "knee" not in SeasonEntry.objects.get(number=2).reason
    accept(api.post(f"{march}close/", {}))
    assert verify_league(league_of().pk).state == "is right"
