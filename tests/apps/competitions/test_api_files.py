"""Competitions from files and back: tournament reports, CSV of fixtures, JSON."""

from typing import Any

import pytest

from league.apps.competitions.models import Competition, Fixture
from league.core.verify.run import verify_league
from league.models import ExternalId, Game, League, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
COMPETITIONS = "leagues/club/competitions/"
IMPORT = f"{COMPETITIONS}import/?create_players=true"
#: Two rounds of four: a draw, a forfeit, a game that is not rated, a half-point bye for a round to come.
REPORT = (
    b"012 Club open\r\n"
    b"022 Belgrade\r\n"
    b"042 2024/03/06\r\n"
    b"052 2024/03/08\r\n"
    b"062 4\r\n"
    b"092 Individual: Swiss-System\r\n"
    b"102 Oscar Arbiter\r\n"
    b"132                                                                                        24/03/06  24/03/07\r\n"
    b"XXR 3\r\n"
    b"001    1 m    Petrovic, Pedja                   1900 SRB        1001 1980/01/02  1.5    1     3 w 1     2 b =\r\n"
    b"001    2 m    Markovic, Marko                   1800 SRB        1002 1981/01/02  1.5    2     4 b +     1 w =\r\n"
    b"001    3 f    Novak, Nina                       1700 SLO        1003 1982/01/02  1.0    3     1 b 0     4 w W\r\n"
    b"001    4 m    Weiss, Otto                       1600 AUT        1004 1983/01/02  0.0    4     2 w -     3 b L\r\n"
    b"### a remark of the arbiter\r\n"
)
CSV = (
    "round,table,player_1,player_2,result,starts\n"
    "1,1,Anna,Ben,1:0,2024-03-06 19:00\n1,2,Cleo,Dan,,\n2,1,Ben,Cleo,+:-,2024-03-07 19:00\n"
)


def build() -> None:
    """Write a league of four players."""
    make_league("elo", ("anna", "ben", "cleo", "dan"))


built = built_once(build)


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


def bring(api: Api, data: bytes | str, kind: str = "application/x-trf", address: str = IMPORT) -> Any:
    """Import a file."""
    return api.post_file(address, data, kind)


def test_a_tournament_report_becomes_a_competition(api: Api) -> None:
    made = bring(api, REPORT)
    assert made.status_code == 201, made.data
    assert (made.data["slug"], made.data["entries"], made.data["rounds"], made.data["games"]) == ("club-open", 4, 2, 4)
    assert [one["code"] for one in made.data["warnings"]] == [
        "white_assumed", "tie_breaks_assumed", "points_assumed", "times_assumed",
    ]  # fmt: skip
    one = f"{COMPETITIONS}club-open/"
    read = api.get(one).data
    assert (read["status"], read["format"], read["rounds"], read["round"]) == ("running", "swiss", 3, 2)
    assert (read["venue"], read["starts"]) == ("Belgrade", "2024-03-06T00:00:00Z")
    entries = api.get(f"{one}entries/").data["results"]
    assert [(entry["number"], entry["name"], entry["rating"], entry["federation"]) for entry in entries] == [
        (1, "Pedja Petrovic", 1900, "SRB"), (2, "Marko Markovic", 1800, "SRB"),
        (3, "Nina Novak", 1700, "SLO"), (4, "Otto Weiss", 1600, "AUT"),
    ]  # fmt: skip
    fixtures = [
        (fixture["round"], fixture["entries"], fixture["status"], [result["points"] for result in fixture["results"]])
        for fixture in api.get(f"{one}fixtures/").data["results"]
    ]
    assert fixtures == [
        (1, [1, 3], "played", [1, 0]), (1, [4, 2], "forfeited", [0, 1]),
        (2, [2, 1], "played", [0.5, 0.5]), (2, [3, 4], "played", [1, 0]),
    ]  # fmt: skip
    assert [game.kind for game in Game.objects.order_by("number")] == ["played", "forfeit", "played", "friendly"]
    days = [game.played_at.isoformat()[:16] for game in Game.objects.order_by("number")]
    assert days == ["2024-03-06T10:00"] * 2 + ["2024-03-07T10:00"] * 2
    assert api.get("players/?external_id=fide:1003").data["results"][0]["name"] == "Nina Novak"
    standings = api.get(f"{one}standings/").data["results"]
    assert [(row["entry"]["number"], row["points"]) for row in standings] == [(1, 1.5), (2, 1.5), (3, 1.0), (4, 0.0)]
    assert League.objects.get().attaches_games
    assert list(verify_league(League.objects.get().pk).differences) == []


def test_an_imported_report_comes_out_as_it_went_in_until_a_result_changes(api: Api) -> None:
    bring(api, REPORT)
    one = f"{COMPETITIONS}club-open/"
    out = api.get(f"{one}export/?format=trf")
    assert (out.status_code, out["Content-Type"], out.content) == (200, "application/x-trf", REPORT)
    assert api.get(f"{one}export/", Accept="text/plain").content == REPORT
    new = api.get(f"{one}export/?format=trf26").content.decode().splitlines()
    assert ("142 3" in new, "XXR 3" in new) == (True, False)
    handles = [Player.objects.get(name=name).handle for name in ("Marko Markovic", "Pedja Petrovic")]
    results = [{"player": handle, "score": score} for handle, score in zip(handles, (1, 0), strict=True)]
    corrected = {"results": results, "reason": "Misread."}
    assert api.post("leagues/club/games/3/correct/", corrected).status_code == 201
    before, after = REPORT.decode().splitlines(), api.get(f"{one}export/?format=trf").content.decode().splitlines()
    changed = [line for line, old in zip(after, before, strict=True) if line != old]
    # Pedja has a point and is third now; Marko has two.
    assert [(line[:8], line[80:84].strip(), line[-1]) for line in changed] == [
        ("001    1", "1.0", "0"),
        ("001    2", "2.0", "1"),
    ]


def test_players_keep_the_spelling_of_the_file(api: Api) -> None:
    """A number in columns, a player found by FIDE's id, and one found by an alias, are spelt otherwise on the site."""
    spelt = REPORT.replace(b"Weiss, Otto ", b"Weiss,  Otto")
    assert (
        api.post("players/", {"handle": "nina", "name": "Nina N.", "external_ids": {"fide": "1003"}}).status_code == 201
    )
    known = {"handle": "marko", "name": "M. Markovic", "aliases": ["Markovic, Marko"]}
    assert api.post("players/", known).status_code == 201
    assert bring(api, spelt).status_code == 201
    entries = api.get(f"{COMPETITIONS}club-open/entries/").data["results"]
    assert [entry["name"] for entry in entries] == ["Pedja Petrovic", "M. Markovic", "Nina N.", "Otto Weiss"]
    assert api.get(f"{COMPETITIONS}club-open/export/?format=trf").content == spelt


def test_a_round_robin_with_colours_is_imported(api: Api) -> None:
    """The first colour, which is stated here and follows from round 1 anyway, is no parameter of a round robin."""
    report = (
        b"012 Three\n042 2024/03/05\n092 Round Robin\n142 3\n152 W\n"
        b"001    1 m    Petrovic, Pedja                   1900 SRB                         1.5    1     2 w 1"
        b"     3 b =\n"
        b"001    2 m    Markovic, Marko                   1800 SRB                         1.0    2     1 b 0"
        b"               3 w 1\n"
        b"001    3 f    Novak, Nina                       1700 SLO                         0.5    3     "
        b"          1 w =     2 b 0\n"
    )
    made = bring(api, report)
    assert made.status_code == 201
    # By the Berger table: 2–3, then 1–2, then 3–1.
    assert [(one["line"], one["code"]) for one in made.data["warnings"]] == [
        (0, "tie_breaks_assumed"), (0, "points_assumed"), (6, "pairing_differs"), (8, "pairing_differs"),
        (7, "pairing_differs"), (0, "times_assumed"),
    ]  # fmt: skip
    assert made.data["warnings"][2]["detail"] == "Round 1: 1–2 does not follow. By the rules: 2–3."
    read = api.get(f"{COMPETITIONS}three/").data
    assert (read["format"], read["parameters"]["turns"], read["rounds"]) == ("round_robin", "single", 3)
    standings = api.get(f"{COMPETITIONS}three/standings/").data["results"]
    assert [(row["entry"]["name"], row["points"]) for row in standings] == [
        ("Pedja Petrovic", 1.5), ("Marko Markovic", 1.0), ("Nina Novak", 0.5),
    ]  # fmt: skip
    assert api.get(f"{COMPETITIONS}three/export/?format=trf").content == report


def test_more_tie_breaks_than_a_competition_has_can_be_asked_for(api: Api) -> None:
    bring(api, REPORT)
    codes = "PTS,DE,WIN,WON,BPG,BWG,PS,KS,SB,BH,FB,AOB,ARO,TPR,PTP,APRO,APPO,ESB,RTNG,TPN,BH/C1,BH/M1,SB/C1"
    found = api.get(f"{COMPETITIONS}club-open/standings/?tie_breaks={codes}")
    assert (found.status_code, ",".join(found.data["tie_breaks"])) == (200, codes)


def test_a_dry_run_and_a_faulty_file_write_nothing(api: Api) -> None:
    tried = bring(api, REPORT, address=f"{IMPORT}&dry_run=true")
    assert (tried.status_code, tried.data["slug"], tried.data["games"]) == (200, "club-open", 4)
    # The opponent on line 10 does not exist; on line 12 both win.
    faulty = REPORT.replace(b"    3 w 1     2 b =", b"    9 w 1     2 b =").replace(b"3 b L", b"3 b W")
    refused = bring(api, faulty)
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")
    found = {(error["line"], error["code"]) for error in refused.data["errors"]}
    assert {(10, "unknown_opponent")} <= found
    assert {line for line, _code in found} >= {10, 12}
    assert all(error["column"] >= 1 for error in refused.data["errors"])
    unknown = bring(api, REPORT, address=f"{COMPETITIONS}import/")
    assert unknown.status_code == 422
    assert [error["line"] for error in unknown.data["errors"]] == [10, 11, 12, 13]
    assert (Competition.objects.count(), Game.objects.count(), Player.objects.count()) == (0, 0, 4)
    assert bring(api, b"", "text/plain").status_code == 400
    assert bring(api, b"x", "image/png").status_code == 415
    assert Api("record", name="pad").post_file(IMPORT, REPORT, "text/plain").status_code == 403


def test_players_are_found_by_their_fide_id_and_name(api: Api) -> None:
    assert (
        api.post("players/", {"handle": "nina", "name": "Nina N.", "external_ids": {"fide": "1003"}}).status_code == 201
    )
    assert api.post("players/", {"handle": "otto", "name": "Otto Weiss"}).status_code == 201
    bring(api, REPORT)
    entries = api.get(f"{COMPETITIONS}club-open/entries/").data["results"]
    assert [entry["player"] for entry in entries][2:] == ["nina", "otto"]
    again = bring(api, REPORT, address=f"{COMPETITIONS}import/?title=Second")
    assert (again.status_code, again.data["slug"], Player.objects.count()) == (201, "second", 8)


def test_an_id_of_a_player_who_plays_in_a_league_of_others_is_left_out_with_a_warning(api: Api) -> None:
    api.post("players/", {"handle": "otto", "name": "Otto Weiss"})
    one = Api("organise", leagues=(League.objects.get(slug="club"),), name="club")
    make_league("elo", (), slug="other")
    for slug in ("club", "other"):
        record(League.objects.get(slug=slug), sheet(("anna", "otto"), (1, 0)))
    made = bring(one, REPORT)
    warnings = [(one["line"], one["detail"]) for one in made.data["warnings"] if one["code"] == "id_not_stored"]
    assert warnings == [
        (13, "The ID 1004 of Otto Weiss is not stored: the player also plays in a league that you do not organise.")
    ]
    assert sorted(ExternalId.objects.values_list("value", flat=True)) == ["1001", "1002", "1003"]


def test_fixtures_come_from_csv_and_go_there(api: Api) -> None:
    made = bring(api, CSV, "text/csv", f"{COMPETITIONS}import/?title=Club%20cup")
    assert made.status_code == 201, made.data
    assert (made.data["slug"], made.data["games"]) == ("club-cup", 2)
    fixtures = Fixture.objects.order_by("number").values_list("table", "forfeit", "game__kind")
    assert list(fixtures) == [(1, "", "played"), (2, "", None), (1, "other", "forfeit")]
    out = api.get(f"{COMPETITIONS}club-cup/export/", Accept="text/csv")
    assert out["Content-Type"] == "text/csv; charset=utf-8"
    assert out.content.decode().splitlines() == [
        "round,table,player_1,player_2,kind,result,places,reason,starts,deadline,venue",
        "1,1,Anna,Ben,game,1:0,,,2024-03-06T19:00:00+00:00,,", "1,2,Cleo,Dan,game,,,,,,",
        "2,1,Ben,Cleo,game,'+:-,,other,2024-03-07T19:00:00+00:00,,",
    ]  # fmt: skip
    faulty = bring(api, CSV.replace("+:-", "won"), "text/csv", f"{COMPETITIONS}import/")
    assert (faulty.status_code, [error["line"] for error in faulty.data["errors"]]) == (400, [4])


def test_a_competition_goes_to_json_and_comes_back(api: Api) -> None:
    bring(api, REPORT)
    out = api.get(f"{COMPETITIONS}club-open/export/")
    assert (out.data["document"], len(out.data["entries"]), len(out.data["fixtures"])) == ("rungs-competition", 4, 4)
    back = bring(api, out.content, "application/json", f"{COMPETITIONS}import/?title=Copy")
    assert (back.status_code, back.data["slug"]) == (201, "copy"), back.data
    tables = [api.get(f"{COMPETITIONS}{slug}/standings/").data["results"] for slug in ("club-open", "copy")]
    assert tables[0] == tables[1]
    again = api.get(f"{COMPETITIONS}copy/export/").data
    assert again["fixtures"] == out.data["fixtures"]
    for body, pointer in (
        ({}, "/document"), ({**out.data, "entries": [{"number": 0}]}, "/entries/0/number"),
        ({**out.data, "fixtures": [{**out.data["fixtures"][0], "status": "lost"}]}, "/fixtures/0"),
    ):  # fmt: skip
        refused = api.post(f"{COMPETITIONS}import/", body)
        assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (400, pointer)
