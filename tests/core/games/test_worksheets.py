"""Worksheets and friendlies: sent, typed, imported, corrected, exported, restored, and never counted wrongly."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry, Player, RatingChange, Token
from ratings.systems.preferans import Preferans
from tests.helpers.api_client import Api, game
from tests.helpers.builders import derived, make_league, ratings
from tests.helpers.desk_client import PAD, dated_sheet, seat_errors
from tests.helpers.desk_games import game_url, yes_fields
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

SEATS = ("pedja", "marko", "johnny")
STARTS = {"pedja": 1200.0, "marko": 1150.0, "johnny": 1100.0}
PAPERS = ((-20, 320, 160), (4, 120, 60), (16, 20, 60))
WRITTEN = (180.0, 180.0, 380.0)
SCORES = (-500.0, 40.0, 460.0)
AFTER = {"pedja": 1173.0, "marko": 1152.0, "johnny": 1125.0}


def recorder() -> Api:
    """Return the test's client that may record."""
    Token.objects.filter(name="recorder").delete()
    return Api("record", name="recorder")


def club(**parameters: Any) -> League:
    """Return a league of Preferans."""
    return make_league("preferans", SEATS, starts=STARTS, parameters=parameters)


def sent(papers: Any = PAPERS, **more: Any) -> dict[str, Any]:
    """Return the example's game as worksheets."""
    results = [
        {"player": player, "worksheet": dict(zip(("middle", "left", "right"), paper, strict=True))}
        for player, paper in zip(SEATS, papers, strict=True)
    ]
    return {"played_at": "2024-03-05T19:30:00Z", "details": {"bula": 30}, "results": results, **more}


def papers_of(answer: Any) -> list[Any]:
    """Return the worksheets of an answered game."""
    keys = ("middle", "left", "right", "written")
    return [tuple(line["worksheet"][key] for key in keys) for line in answer.data["results"]]


WHOLE = [(*paper, written) for paper, written in zip(PAPERS, WRITTEN, strict=True)]


def test_a_game_sent_as_worksheets_has_the_scores_that_they_make() -> None:
    league = club()
    answer = recorder().post("leagues/club/games/", sent())
    assert answer.status_code == 201
    assert [line["score"] for line in answer.data["results"]] == list(SCORES)
    assert papers_of(answer) == WHOLE
    assert answer.data["details"] == {"bula": 30}
    assert ratings(league) == AFTER
    again = Api().get("leagues/club/games/1/")
    assert (again.data["results"], again.data["details"]) == (answer.data["results"], {"bula": 30})
    explained = Api().get("leagues/club/games/1/explanation/").data
    assert explained["inputs"]["details"] == {"bula": 30}
    told = json.loads(LogEntry.objects.get(league=league, kind="game.recorded").payload)
    assert [row["middle"] for row in told["details"]["worksheet"]] == [-20, 4, 16]
    assert verify_league(league.pk).differences == []


def test_a_game_without_worksheets_has_none() -> None:
    club()
    scored = game(*zip(SEATS, SCORES, strict=True), details={"bula": 30})
    answer = recorder().post("leagues/club/games/", scored)
    assert not any("worksheet" in line for line in answer.data["results"])


def test_a_score_beside_that_disagrees_is_refused_with_its_seat() -> None:
    club()
    body = sent()
    body["results"][1]["score"] = 50
    refused = recorder().post("leagues/club/games/", body)
    assert (refused.status_code, refused.data["code"]) == (422, "refused")
    assert refused.data["errors"] == [
        {
            "pointer": "/results/1/score",
            "code": "worksheet",
            "detail": "Seat 2: the score is 50, but the worksheet gives 40.",
        }
    ]
    body["results"][1]["score"] = 40
    assert recorder().post("leagues/club/games/", body).status_code == 201
    assert Game.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (lambda body: body["results"][2].pop("worksheet"), "/results/2/worksheet"),
        (lambda body: body["results"][0]["worksheet"].pop("left"), "/results/0/worksheet/left"),
        (lambda body: body["results"][0]["worksheet"].update(top=1), "/results/0/worksheet/top"),
        (lambda body: body["results"][1]["worksheet"].update(written=7), "/results/1/worksheet/written"),
        (lambda body: body["details"].update(worksheet=[]), "/details/worksheet"),
        (lambda body: body.update(kind="forfeit"), "/results/0/worksheet"),
    ],
)
def test_a_worksheet_that_is_not_whole_is_refused_where_it_is_wrong(change: Any, pointer: str) -> None:
    club()
    body = sent()
    change(body)
    for path in ("leagues/club/games/", "leagues/club/preview/"):
        refused = recorder().post(path, body)
        assert (refused.status_code, [error["pointer"] for error in refused.data["errors"]]) == (422, [pointer])
    assert not Game.objects.exists()


def test_what_is_no_object_of_numbers_is_not_well_formed() -> None:
    club()
    for worksheet in ("-20", [1], {"middle": "x"}, {str(key): 1 for key in range(101)}):
        body = sent()
        body["results"][0]["worksheet"] = worksheet
        assert recorder().post("leagues/club/games/", body).status_code == 400


def test_a_system_without_a_worksheet_says_so() -> None:
    make_league("elo", SEATS)
    refused = recorder().post("leagues/club/games/", sent())
    assert refused.data["errors"][0]["detail"] == "Elo has no worksheet; leave it out."
    assert Api().get("systems/elo/").data["worksheet"] is None
    assert Api().get("systems/preferans/").data["worksheet"]["fields"][0]["key"] == "middle"


def test_the_same_external_id_with_the_same_worksheets_is_the_same_game() -> None:
    club()
    api = recorder()
    assert api.post("leagues/club/games/", sent(external_id="7")).status_code == 201
    assert api.post("leagues/club/games/", sent(external_id="7")).status_code == 200
    other = ((-19, 320, 160), *PAPERS[1:])
    assert api.post("leagues/club/games/", sent(other, external_id="7")).status_code == 409


def test_a_repeated_worksheet_is_answered_by_the_game_whatever_the_rules_say_by_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = club()
    api = recorder()
    body = sent(external_id="7")
    first = api.post("leagues/club/games/", body)
    # A later version of the program may know other worksheets, or none, and a league may begin anew.
    monkeypatch.setattr(Preferans, "worksheet", None)
    del body["played_at"]
    for again in (body, {**body, "results": [{**line, "score": line_score} for line, line_score in
                                             zip(body["results"], (-500, 40.0000001, 460), strict=True)]}):  # fmt: skip
        answer = api.post("leagues/club/games/", again)
        assert (answer.status_code, answer.data["id"]) == (200, first.data["id"])
    lines = api.post_file("leagues/club/games/batch/", json.dumps(body) + "\n", "application/x-ndjson").content
    assert json.loads(lines)["status"] == 200
    played = api.post("leagues/club/preview/", body)
    assert (played.status_code, played.data["errors"][0]["code"]) == (422, "played")
    assert Game.objects.filter(league=league).count() == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["results"][0]["worksheet"].update(middle=-19),
        lambda body: body["results"][0]["worksheet"].update(written=181),
        lambda body: body["results"][0]["worksheet"].pop("left"),
        lambda body: body["results"][0].update(score=-499),
        lambda body: body["results"][2].pop("worksheet"),
        lambda body: body["results"].reverse(),
        lambda body: body["results"].pop(),
        lambda body: body["details"].update(bula=31),
        lambda body: body.update(note="x"),
    ],
)
def test_another_worksheet_under_a_known_id_is_a_conflict(change: Any) -> None:
    club()
    api = recorder()
    assert api.post("leagues/club/games/", sent(external_id="7")).status_code == 201
    body = sent(external_id="7")
    change(body)
    assert api.post("leagues/club/games/", body).status_code == 409
    scored = game(*zip(SEATS, SCORES, strict=True), details={"bula": 30}, external_id="8")
    assert api.post("leagues/club/games/", scored).status_code == 201
    assert api.post("leagues/club/games/", sent(external_id="8")).status_code == 409


def test_worksheets_among_the_details_are_refused_under_a_known_id_too() -> None:
    club()
    api = recorder()
    api.post("leagues/club/games/", sent(external_id="7"))
    kept = Game.objects.get().details
    body = game(*zip(SEATS, SCORES, strict=True), details=kept, external_id="7")
    for path in ("leagues/club/games/", "leagues/club/preview/"):
        refused = api.post(path, body)
        assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (422, "/details/worksheet")


def test_a_correction_brings_worksheets_of_its_own_and_another_one_leaves_them_out() -> None:
    league = club()
    api = recorder()
    api.post("leagues/club/games/", sent())
    # Marko wrote 20 more on Pedja: 40 - 20, -500 + 20.
    corrected = api.post(
        "leagues/club/games/1/correct/", sent(((-20, 320, 160), (4, 140, 60), PAPERS[2]), reason="ink")
    )
    assert [line["score"] for line in corrected.data["results"]] == [-480.0, 20.0, 460.0]
    plain = game(*zip(SEATS, SCORES, strict=True), details={"bula": 30}, reason="no papers")
    last = api.post("leagues/club/games/2/correct/", plain)
    assert not any("worksheet" in line for line in last.data["results"])
    assert ratings(league) == AFTER
    assert verify_league(league.pk).differences == []


def test_a_league_that_demands_a_total_asks_it_of_the_scores_that_worksheets_make() -> None:
    club(demand_total="yes")
    api = recorder()
    assert api.post("leagues/club/games/", sent()).status_code == 201
    refused = api.post("leagues/club/games/", sent(((-20, 320, 160), (4, 120, 60), (17, 20, 60))))
    assert refused.data["errors"][0]["code"] == "total"


def test_what_if_takes_worksheets() -> None:
    club()
    told = Api("read", name="reader").post("leagues/club/preview/", sent()).data
    assert [line["rating_after"] for line in told["outcomes"][0]["players"]] == list(AFTER.values())


def test_files_carry_worksheets_there_and_back() -> None:
    league = club()
    one = json.dumps(sent(external_id="7"))
    assert import_games(league.pk, BytesIO(one.encode()), ImportOptions(by="import", media="ndjson")).games == 1
    assert import_games(league.pk, BytesIO(one.encode()), ImportOptions(by="import", media="ndjson")).known == 1
    assert ratings(league) == AFTER
    text = Api("read", name="reader").get("leagues/club/export/?format=csv").getvalue()
    assert text.decode().splitlines()[:2] == [
        "game_id,played_at,player,score,place,kind,bula,"
        "worksheet_middle,worksheet_left,worksheet_right,worksheet_written",
        "7,2024-03-05T19:30:00.000000Z,pedja,-500.0,,played,30,-20.0,320.0,160.0,180.0",
    ]
    copy = make_league("preferans", (), slug="copy", starts=STARTS)
    import_games(copy.pk, BytesIO(text), ImportOptions(by="import"))
    assert derived(copy) == derived(league)
    assert copy.games.get().details == league.games.get().details
    without = b"game_id,played_at,player,bula,worksheet_middle,worksheet_left,worksheet_right\n"
    rows = [f"8,2024-03-06,{who},30,{','.join(map(str, paper))}\n" for who, paper in zip(SEATS, PAPERS, strict=True)]
    assert import_games(copy.pk, BytesIO(without + "".join(rows).encode()), ImportOptions(by="import")).games == 1
    assert [line.score for line in copy.games.get(number=2).results.order_by("seat")] == list(SCORES)


@pytest.mark.parametrize(
    ("worksheet", "where"),
    [
        ({"middle": 4, "left": 120}, "/lines/1/results/1/worksheet/right"),
        ("4", "/lines/1/results/1/worksheet"),
        (None, "/lines/1/results/1/worksheet"),
    ],
)
def test_a_file_whose_worksheets_are_wrong_is_refused_with_its_line(worksheet: Any, where: str) -> None:
    club()
    body = sent(external_id="7")
    body["results"][1]["worksheet"] = worksheet
    answer = recorder().post_file("leagues/club/games/import/", json.dumps(body), "application/x-ndjson")
    assert (answer.data["errors"][0]["line"], answer.data["errors"][0]["pointer"]) == (1, where)
    text = "game_id,played_at,player,bula,worksheet_middle\n7,2024-03-05,pedja,30,4\n"
    answer = recorder().post_file("leagues/club/games/import/", text, "text/csv")
    assert (answer.data["errors"][0]["line"], answer.data["errors"][0]["pointer"]) == (2, "/lines/2/worksheet_left")


def test_a_friendly_is_played_and_shown_and_not_rated(client: Client) -> None:
    league = club()
    create_ladder(league.pk, "sums", "Sums", RankingRule("points", "all_time", {"count": "scores"}), username="test")
    api = recorder()
    answer = api.post("leagues/club/games/", sent(kind="friendly"))
    assert (answer.status_code, answer.data["kind"], answer.data["status"]) == (201, "friendly", "unrated")
    assert papers_of(answer) == WHOLE
    # What a friendly is played like is nobody's business: two of three are enough.
    assert api.post("leagues/club/games/", game(("pedja", 1), ("marko", 0), kind="friendly")).status_code == 201
    assert not RatingChange.objects.exists()
    assert Api().get("leagues/club/ladders/sums/periods/all/").data["standings"] == []
    page = client.get("/leagues/club/games/1/").content.decode()
    assert "this one is a friendly" in page
    assert "Written on you" in page
    csv = "game_id,played_at,player,score,bula,kind\n" + "".join(f"9,2024-03-07,{who},0,30,friendly\n" for who in SEATS)
    assert import_games(league.pk, BytesIO(csv.encode()), ImportOptions(by="import")).games == 1
    # It becomes a rated one by a correction.
    assert api.post("leagues/club/games/1/correct/", sent(reason="it counted")).data["status"] == "rated"
    assert ratings(league) == AFTER
    assert verify_league(league.pk).differences == []


def test_the_page_of_a_game_shows_its_worksheets(client: Client) -> None:
    club()
    recorder().post("leagues/club/games/", sent())
    page = client.get("/leagues/club/games/1/").content.decode()
    assert "How the scores are computed: score = middle · 10" in page
    assert "Worksheet: [" not in page


COLUMNS = ("player", "worksheet_middle", "worksheet_left", "worksheet_right", "score")


@long_way
def test_a_worksheet_is_typed_on_the_sheet_and_corrected_there(olga: Client) -> None:
    league = club()
    address = PAD
    page = olga.get(address).content.decode()
    assert ("seats-0-worksheet_middle" in page, "Written on you" in page) == (True, True)
    rows = [(who, *paper, "") for who, paper in zip(SEATS, PAPERS, strict=True)]
    wrong = [(*rows[0][:-1], "-499"), *rows[1:]]
    refused = olga.post(address, dated_sheet(*wrong, columns=COLUMNS, details_bula="30"))
    assert seat_errors(refused, 0, "score") == ["Seat 1: the score is -499, but the worksheet gives -500."]
    holed = [(*rows[0][:2], "", *rows[0][3:]), *rows[1:]]
    refused = olga.post(address, dated_sheet(*holed, columns=COLUMNS, details_bula="30"))
    assert seat_errors(refused, 0, "worksheet_left") == ["Seat 1: Left is missing on the worksheet."]
    nobody = [("", *rows[0][1:]), *rows[1:]]
    refused = olga.post(address, dated_sheet(*nobody, columns=COLUMNS, details_bula="30"))
    assert seat_errors(refused, 0, "player")
    olga.post(address, dated_sheet(*rows, columns=COLUMNS, details_bula="30"))
    assert ratings(league) == AFTER
    first = league.games.get()
    address = game_url(first.number, "correct")
    seats = olga.get(address).context["sheet"].seats
    assert seats[0] == {
        "player": "Pedja", "score": None, "place": None, "side": None,
        "worksheet_middle": -20, "worksheet_left": 320, "worksheet_right": 160,
    }  # fmt: skip
    rows[1] = ("marko", 4, 140, 60, "")
    data = dated_sheet(*rows, columns=COLUMNS, details_bula="30")
    olga.post(address, yes_fields(olga.post(address, data | {"seats-INITIAL_FORMS": 3})))
    assert [line.score for line in league.games.get(number=2).results.order_by("seat")] == [-480.0, 20.0, 460.0]


@long_way
def test_the_kind_of_a_game_is_chosen_on_the_sheet(olga: Client) -> None:
    league = make_league("elo", ("anna", "ben"))
    address = PAD
    assert 'name="kind"' in olga.get(address).content.decode()
    done = olga.post(address, dated_sheet(("anna", 1), ("ben", 0), kind="friendly"), follow=True).content.decode()
    assert "Game 1 recorded: a friendly, not rated." in done
    olga.post(address, dated_sheet(("anna", 1), kind="full_bye"))
    olga.post(address, dated_sheet(("anna", 1), ("ben", ""), kind="forfeit"))
    assert [one.kind for one in league.games.order_by("number")] == ["friendly", "full_bye", "forfeit"]
    refused = olga.post(address, dated_sheet(("anna", 1), ("ben", 0), kind="half_bye"))
    assert "A bye has one result" in refused.content.decode()
    assert olga.post(address, dated_sheet(("anna", 1), ("ben", 0), kind="chess")).context["sheet"].form.errors["kind"]
    assert not RatingChange.objects.exists()
    first = league.games.get(number=1)
    address = game_url(first.number, "correct")
    page = olga.get(address)
    assert page.context["sheet"].form["kind"].value() == "friendly"
    data = dated_sheet(("anna", 1), ("ben", 0), kind="played")
    olga.post(address, yes_fields(olga.post(address, data | {"seats-INITIAL_FORMS": 2})))
    assert ratings(league) == {"anna": 1510.0, "ben": 1490.0}
    assert Player.objects.count() == 2
