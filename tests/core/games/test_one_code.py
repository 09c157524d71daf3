"""One code for one refusal: a sheet is refused in the same words alone, previewed, as a correction, and in a file."""

import csv
import json
import re
from io import StringIO
from typing import Any

import pytest

from league.models import Game
from tests.helpers.api_client import Api, game, placed
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once

pytestmark = [
    pytest.mark.usefixtures("built"),
    pytest.mark.django_db,
    pytest.mark.one_database("Codes and sentences of refusals are made above the database, and are the same on both."),
]

Sheet = dict[str, Any]
RESULTS = [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}]
ODD = {"results": [{"player": "anna", "score": 1, "place": 1.5}, {"player": "ben", "score": 0}]}
THREE = (("anna", 1), ("ben", 0), ("cleo", 2))


def two(**more: Any) -> Sheet:
    """Return a sheet of anna, who won, and ben."""
    return game(("anna", 1), ("ben", 0), **more)


def papers(paper: Any, **more: Any) -> Sheet:
    """Return a sheet of Preferans in which the first player's worksheet is this one, and the others' are good."""
    good = {"middle": 0, "left": 0, "right": 0}
    results = [{"player": name, "worksheet": good} for name, _ in THREE]
    results[0]["worksheet"] = {**good, **paper} if isinstance(paper, dict) else paper
    return {**game(details={"bula": 30}), "results": results, **more}


#: What -> system, sheet, status, code of the document, pointers and codes of its errors, and the ways of sending it.
#: ``alone`` is recording, ``batch`` a batch of it, ``again`` a correction; a preview may lie in the future and has no
#: outcome, or no kind.
ALL, NO_CSV, NO_PREVIEW = (
    "alone batch preview again ndjson csv", "alone batch preview again ndjson", "alone batch again ndjson csv",
)  # fmt: skip
REFUSED, INVALID, CONFLICT = (422, "refused"), (400, "invalid"), (409, "conflict")
TABLE: dict[str, tuple[str, Sheet, tuple[int, str], list[str], str]] = {
    "an unknown player": ("elo", game(("anna", 1), ("zoe", 0)), REFUSED, ["/results/1/player unknown_player"], ALL),
    "a player twice": ("elo", game(("anna", 1), ("Anna", 0)), REFUSED, ["/results/1/player twice"], ALL),
    "too few players": ("barbu", game(("anna", 1), ("ben", 0)), REFUSED, ["/results players"], ALL),
    "no score": ("serpentine", placed("anna", "ben"),
        REFUSED, ["/results/0/score missing", "/results/1/score missing"], NO_PREVIEW),
    "an absurd score": ("elo", game(("anna", 1e12), ("ben", 0)), REFUSED, ["/results/0/score out_of_bounds"], ALL),
    "a place beyond the table": ("durak", {**placed("anna", "ben"), "results": [
        {"player": "anna", "place": 1}, {"player": "ben", "place": 7}]},
        REFUSED, ["/results/1/place out_of_bounds"], ALL),
    "a tie": ("durak", {**placed("anna"), "results": [
        {"player": "anna", "place": 1}, {"player": "ben", "place": 1}]}, REFUSED, ["/results/1/place tie"], ALL),
    "a detail out of bounds": ("preferans", game(*THREE, details={"bula": 0}),
        REFUSED, ["/details/bula out_of_bounds"], ALL),
    "a detail that is missing": ("preferans", game(*THREE), REFUSED, ["/details/bula missing"], NO_CSV),
    "a detail that there is not": ("elo", two(details={"x": 1}), REFUSED, ["/details/x unknown_field"], NO_CSV),
    "a detail that is no number": ("preferans", game(*THREE, details={"bula": "much"}),
        REFUSED, ["/details/bula not_a_number"], NO_CSV),
    "a bye of two": ("elo", two(kind="half_bye"), REFUSED, ["/results players"], NO_PREVIEW),
    "the far future": ("elo", two(played_at="2090-01-01T00:00:00Z"), REFUSED, ["/played_at future"],
                       NO_PREVIEW),
    "before the league": ("elo", two(played_at="1700-01-01T00:00:00Z"), REFUSED, ["/played_at before_the_league"], ALL),
    "the end of the calendar": ("elo", two(played_at="9999-01-01T00:00:00Z"), INVALID, ["/played_at not_a_time"], ALL),
    "no offset": ("elo", two(played_at="2024-03-05T19:30:00"), INVALID, ["/played_at no_offset"], ALL),
    "no time": ("elo", two(played_at="yesterday"), INVALID, ["/played_at not_a_time"], ALL),
    "a number for a time": ("elo", two(played_at=5), INVALID, ["/played_at not_a_time"], ALL),
    "an unknown kind": ("elo", two(kind="x"), INVALID, ["/kind unknown_kind"], ALL),
    "a long external_id": ("elo", two(external_id="x" * 201), INVALID, ["/external_id too_long"], ALL),
    "a long note": ("elo", two(note="x" * 501), INVALID, ["/note too_long"], NO_CSV),
    "a note that is no text": ("elo", two(note=5), INVALID, ["/note not_a_text"], NO_CSV),
    "a score that is no number": ("elo", game(("anna", 1), ("ben", "much")),  # type: ignore[arg-type]
        INVALID, ["/results/1/score not_a_number"], ALL),
    "half a place": ("elo", {**game(), **ODD}, INVALID, ["/results/0/place not_whole"], ALL),
    "a place that is no number": ("durak", {**placed("anna"), "results": [
        {"player": "anna", "place": "first"}, {"player": "ben", "place": 2}]},
        INVALID, ["/results/0/place not_whole"], ALL),
    "a score of true": ("elo", game(("anna", 1), ("ben", True)), INVALID, ["/results/1/score not_a_number"], NO_CSV),
    "an absurd bye": ("elo", game(("anna", 1e12), kind="full_bye", details={"table": "one"}),
        REFUSED, ["/details/table not_a_number", "/results/0/score out_of_bounds"], "alone batch"),
    "a far place of a forfeit": ("elo", {**placed("anna"), "kind": "forfeit", "results": [
        {"player": "anna", "place": 10**9}]}, REFUSED, ["/results/0/place out_of_bounds"], "alone batch"),
    "nobody at a seat": ("elo", game(("", 1), ("ben", 0)), INVALID, ["/results/0/player missing"], ALL),
    "a number at a seat": ("elo", game((5, 1), ("ben", 0)),  # type: ignore[arg-type]
        INVALID, ["/results/0/player not_a_text"], NO_CSV),
    "no player at a seat": ("elo", {**game(), "results": [{"score": 1}, RESULTS[1]]},
        INVALID, ["/results/0/player missing"], NO_CSV),
    "no results": ("elo", game(), INVALID, ["/results players"], NO_CSV),
    "results left out": ("elo", {"played_at": "2024-03-05T19:30:00Z"}, INVALID, ["/results missing"], NO_CSV),
    "results that are no list": ("elo", {**game(), "results": "anna"}, INVALID, ["/results players"], NO_CSV),
    "a result that is no object": ("elo", {**game(), "results": ["anna", "ben"]},
        INVALID, ["/results/0 not_an_object", "/results/1 not_an_object"], NO_CSV),
    "too many results": ("elo", game(*[(f"p{n}", 1.0) for n in range(101)]), INVALID, ["/results players"], NO_CSV),
    "details that are no object": ("elo", two(details=[5]), INVALID, ["/details not_an_object"], NO_CSV),
    "too many details": ("elo", two(details={f"d{n}": 1 for n in range(101)}), INVALID, ["/details too_many"], NO_CSV),
    "a detail with a long name": ("elo", two(details={"x" * 61: 1}), INVALID, ["/details too_long"], NO_CSV),
    "a misspelt field": ("elo", two(nota="x"), INVALID, ["/nota unknown"], NO_CSV),
    "a misspelt result": ("elo", {**game(), "results": [{"player": "anna", "scroe": 1}, RESULTS[1]]},
        INVALID, ["/results/0/scroe unknown"], NO_CSV),
    "a worksheet that is no object": ("preferans", papers("-20"),
        INVALID, ["/results/0/worksheet not_an_object"], NO_CSV),
    "a worksheet of words": ("preferans", papers({"middle": "much"}),
        INVALID, ["/results/0/worksheet/middle not_a_number"], ALL),
    "a worksheet of flags": ("preferans", papers({"left": True}),
        INVALID, ["/results/0/worksheet/left not_a_number"], NO_CSV),
    "a list on a worksheet": ("preferans", papers({"top": [1]}),
        INVALID, ["/results/0/worksheet/top not_a_number"], NO_CSV),
    "a long worksheet": ("preferans", papers({f"w{n}": 1 for n in range(101)}),
        INVALID, ["/results/0/worksheet too_many"], NO_CSV),
    "a worksheet out of bounds": ("preferans", papers({"middle": 2e9}),
        REFUSED, ["/results/0/worksheet/middle out_of_bounds"], ALL),
    "a worksheet with a gap": ("preferans", papers({"middle": None}),
        REFUSED, ["/results/0/worksheet/middle missing"], ALL),
    "a column that there is not": ("preferans", papers({"top": 1}),
        REFUSED, ["/results/0/worksheet/top unknown_field"], NO_CSV),
    "a worksheet at one seat only": ("preferans", papers(None), REFUSED, ["/results/0/worksheet missing"], ALL),
    "a worksheet of an unknown player": ("preferans", {**papers({}), "results": [
        {**line, "player": "zoe"} if not seat else line for seat, line in enumerate(papers({})["results"])]},
        REFUSED, ["/results/0/player unknown_player"], ALL),
    "another worksheet under a known id": ("preferans", papers({}, external_id="known"),
        CONFLICT, ["/external_id conflict"], "alone batch preview ndjson csv"),
    "a worksheet with a gap under a known id": ("preferans", papers({"middle": None}, external_id="known"),
        CONFLICT, ["/external_id conflict"], "alone batch preview"),
    "another game's id": ("elo", game(("anna", 0), ("ben", 1), external_id="known"),
        CONFLICT, ["/external_id conflict"], "alone batch preview ndjson csv"),
}  # fmt: skip


def as_csv(sheet: Sheet) -> str:
    """Return a sheet as a file of CSV."""
    fields = list(sheet.get("details", {}))
    columns = dict.fromkeys(key for line in sheet["results"] for key in line.get("worksheet") or ())
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(["game_id", "played_at", "kind", "player", "score", "place", *fields,
                     *(f"worksheet_{key}" for key in columns)])  # fmt: skip
    for line in sheet["results"]:
        own = [sheet.get("external_id", "7"), sheet["played_at"], sheet.get("kind", "")]
        paper = line.get("worksheet") or {}
        writer.writerow([*own, line["player"], line.get("score", ""), line.get("place", ""),
                         *sheet.get("details", {}).values(), *(paper.get(key) for key in columns)])  # fmt: skip
    return text.getvalue()


def send(api: Api, league: str, sheet: Sheet, way: str) -> Any:
    """Send a sheet in one of the ways."""
    games = f"leagues/{league}/games/"
    if way == "csv":
        return api.post_file(f"{games}import/", as_csv(sheet), "text/csv")
    if way == "ndjson":
        return api.post_file(f"{games}import/", json.dumps(sheet) + "\n", "application/x-ndjson")
    if way == "again":
        return api.post(f"{games}1/correct/", {**sheet, "reason": "misread"})
    if way == "batch":
        return api.post_file(f"{games}batch/", json.dumps(sheet) + "\n", "application/x-ndjson")
    return api.post(f"leagues/{league}/preview/" if way == "preview" else games, sheet)


def refused_in_batch(answer: Any) -> tuple[Any, int]:
    """Return the problem of a batch's only game, and its status."""
    (line,) = map(json.loads, answer.content.splitlines())
    return line["problem"], line["status"]


FIRST: dict[str, Sheet] = {
    "elo": two(),
    "barbu": game(("anna", 3), ("ben", -1), ("cleo", -1), ("dan", -1)),
    "serpentine": game(("anna", 1), ("ben", 0), ("cleo", 0)),
    "durak": placed("anna", "ben"),
    "preferans": game(*THREE, details={"bula": 30}),
}


def build() -> None:
    """Make a league of each system with its first game."""
    api = Api("record")
    for system, sheet in FIRST.items():
        make_league(system, slug=system)
        assert api.post(f"leagues/{system}/games/", {**sheet, "external_id": "known"}).status_code == 201


built = built_once(build)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("what", TABLE)
def test_a_refusal_has_one_code_however_the_sheet_is_sent(what: str) -> None:
    system, sheet, (status, code), errors, ways = TABLE[what]
    api = Api("record", name="another")
    for way in ways.split():
        answer = send(api, system, sheet, way)
        told, found = (answer.data, answer.status_code) if way != "batch" else refused_in_batch(answer)
        assert (found, told["code"]) == (status, code), (way, told)
        assert all(error["detail"].endswith(".") for error in told["errors"])
        if way == "csv":  # whose pointers are lines and columns
            assert {error["code"] for error in told["errors"]} == {error.split()[1] for error in errors}, told
        else:
            # An unknown player of a file is named once, at the first line, not at each seat.
            at_line = ["/lines/1" + re.sub(r"/results/\d(/player unknown)", r"\1", error) for error in errors]
            found_errors = sorted(f"{error['pointer']} {error['code']}" for error in told["errors"])
            assert found_errors == (at_line if way == "ndjson" else errors), (way, told)
        assert Game.objects.filter(league__slug=system).count() == 1, way


def test_a_newcomer_whose_name_cannot_be_one_is_refused_in_one_word() -> None:
    api = Api("record", name="another")
    sheet = game(("anna", 1), ("\u200b", 0))
    into = "leagues/elo/games/import/?create_players=true"
    for answer in (
        api.post("leagues/elo/games/", {**sheet, "create_players": True}),
        api.post("leagues/elo/preview/", {**sheet, "create_players": True}),
        api.post_file(into, json.dumps(sheet), "application/x-ndjson"),
    ):
        assert (answer.status_code, [error["code"] for error in answer.data["errors"]]) == (422, ["unknown_player"])


def test_a_reason_that_is_missing_has_one_code() -> None:
    api = Api("record", name="another")
    for reason in ({}, {"reason": ""}, {"reason": "  "}, {"reason": None}):
        for path, more in (("void/", {}), ("correct/", FIRST["elo"])):
            answer = api.post(f"leagues/elo/games/1/{path}", {**more, **reason})
            assert [(one["pointer"], one["code"]) for one in answer.data["errors"]] == [("/reason", "missing")]


def test_a_file_with_several_kinds_of_faults_is_answered_for_the_plainest() -> None:
    api = Api("record", name="another")
    lines = {
        "conflict": game(("anna", 0), ("ben", 1), external_id="known"),
        "refused": game(("anna", 1e12), ("ben", 0)),
    }
    text = "".join(json.dumps(line) + "\n" for line in lines.values())
    answer = api.post_file("leagues/elo/games/import/", text, "application/x-ndjson")
    assert (answer.status_code, answer.data["code"]) == (422, "refused")
    assert sorted(error["code"] for error in answer.data["errors"]) == ["conflict", "out_of_bounds"]
    bad = api.post_file("leagues/elo/games/import/", text + '{"results": 5}\n', "application/x-ndjson")
    assert (bad.status_code, bad.data["code"]) == (400, "invalid")
