"""The forms of an answer: JSON, CSV, lines of JSON; by the parameter ``format``, else by the header Accept."""

import json
from typing import Any

import pytest

from league.models import Game
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel, make_ladder
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
JSON, CSV, NDJSON = "application/json", "text/csv", "application/x-ndjson"
CLUB = "leagues/club/"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
TABLES = (
    "leaderboard/", "games/", "players/anna/history/", "ladders/month/periods/", "ladders/month/periods/2024-03/",
)  # fmt: skip


def kind_of(answer: Any) -> str:
    """Return the media type of an answer, which must be a good one."""
    assert answer.status_code == 200, answer.content
    return str(answer["Content-Type"]).partition(";")[0]


def played() -> Any:
    """Return a league with two games and a ladder."""
    league = make_league()
    make_ladder(league, "month", "points")
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("cleo", "anna", "2024-03-11"))
    return league


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("path", TABLES)
def test_lists_are_tables_for_those_who_want_them(path: str) -> None:
    played()
    stranger, member = Api(), Api("read")
    for query, accepted, kind in (
        ("", "", JSON), ("", "*/*", JSON), ("", BROWSER, JSON), ("", JSON, JSON), ("", CSV, CSV), ("", "text/*", CSV),
        ("?format=csv", "", CSV), ("?format=csv", JSON, CSV), ("?format=json", CSV, JSON),
        ("", f"{JSON};q=0.5, {CSV}", CSV), ("", f"{CSV};q=0.1, */*", JSON), ("", f"{JSON};q=0, text/*;q=0.2", CSV),
        ("", f"{CSV}, {JSON}", JSON), ("", f"{CSV};q=0.5, text/*;q=0.9, {JSON};q=0.7", JSON),
    ):  # fmt: skip
        accept = {"Accept": accepted} if accepted else {}
        for api in (stranger, member):
            assert kind_of(api.get(f"{CLUB}{path}{query}", **accept)) == kind, (query, accepted)


def test_what_has_no_table_is_not_called_one() -> None:
    played()
    api = Api("organise")
    for path in ("", "ladders/month/periods/2024-03/diff/?from=live&to=live", "players/anna/"):
        assert api.get(CLUB + path, Accept=CSV).status_code == 406, path
    close = "ladders/month/periods/2024-03/close/"
    assert api.post(CLUB + close, {}, Accept=CSV).status_code == 406
    assert api.post(f"{CLUB}games/", game(("anna", 1), ("ben", 0)), Accept=CSV).status_code == 406
    assert api.get(f"{CLUB}leaderboard/", Accept=f"{CSV};q=0").status_code == 406
    assert Game.objects.count() == 2


@long_way
def test_the_log_and_a_batch_are_lines_or_one_document() -> None:
    played()
    api = Api("record")
    for query, accepted, kind in (
        ("", "", NDJSON), ("", "*/*", NDJSON), ("", NDJSON, NDJSON), ("", JSON, JSON), ("?format=json", "", JSON),
        ("?format=ndjson", JSON, NDJSON), ("?format=json", NDJSON, JSON),
    ):  # fmt: skip
        accept = {"Accept": accepted} if accepted else {}
        log = api.get(f"{CLUB}changes/{query}", **accept)
        assert kind_of(log) == kind
        body = log.getvalue().decode()
        entries = json.loads(body)["results"] if kind == JSON else [json.loads(line) for line in body.splitlines()]
        assert [entry["position"] for entry in entries] == list(range(1, len(entries) + 1))
        assert {"league.created", "game.recorded"} <= {entry["kind"] for entry in entries}
        batch = api.post(f"{CLUB}games/batch/{query}", [game(("anna", 1), ("ben", 0)), {"results": 5}], **accept)
        assert kind_of(batch) == kind
        text = batch.content.decode()
        lines = json.loads(text) if kind == JSON else [json.loads(line) for line in text.splitlines()]
        assert [line["status"] for line in lines] == [201, 400]


def test_a_page_of_the_log_leads_to_what_comes_later() -> None:
    league = played()
    api = Api()
    first = api.get(f"{CLUB}changes/?format=json&limit=3")
    page = json.loads(first.getvalue())
    assert first["Link"] == f'<{page["next"]}>; rel="next"'
    rest = json.loads(api.get(page["next"]).getvalue())
    assert [one["position"] for one in page["results"] + rest["results"]] == list(range(1, league.log.count() + 1))
    end = api.get(rest["next"])
    assert json.loads(end.getvalue()) == {"results": [], "next": rest["next"]}
    assert api.get(rest["next"], **{"If-None-Match": end["ETag"]}).status_code == 304
    lines = api.get(f"{CLUB}changes/?format=ndjson&limit=3")
    assert lines["ETag"] != first["ETag"]
    record(league, duel("ben", "dan", "2024-03-12"))
    assert len(json.loads(api.get(rest["next"]).getvalue())["results"]) == 1


def test_an_export_is_lines_or_a_table_and_an_unknown_form_is_refused() -> None:
    played()
    for query, accepted, kind in (
        ("", "", NDJSON), ("", JSON, NDJSON), ("", CSV, CSV), ("?format=csv", "*/*", CSV),
        ("?format=ndjson", CSV, NDJSON),
    ):  # fmt: skip
        answer = Api().get(f"{CLUB}export/{query}", **({"Accept": accepted} if accepted else {}))
        assert kind_of(answer) == kind
        assert answer.getvalue().startswith(b"game_id," if kind == CSV else b'{"type":"header"')
    for path in ("leaderboard/", "changes/", "export/"):
        answer = Api().get(f"{CLUB}{path}?format=xml", Accept=CSV if path != "changes/" else NDJSON)
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
        assert answer.data["errors"][0]["pointer"] == "?format"


TABLE = "game_id,played_at,player,score\n7,2024-03-05T19:30:00Z,anna,1\n7,2024-03-05T19:30:00Z,ben,0\n"
LINES = json.dumps(game(("anna", 1), ("ben", 0))) + "\n"
OCTETS = "application/octet-stream"


def test_a_file_says_what_it_holds_or_the_address_does() -> None:
    make_league()
    api, games = Api("record"), 0
    for query, kind, body, status in (
        ("?format=csv", OCTETS, TABLE, 201), ("?format=ndjson", OCTETS, LINES, 201), ("", OCTETS, LINES, 201),
        ("", OCTETS, TABLE, 400), ("?format=csv", CSV, TABLE, 201), ("", f"{CSV}; charset=utf-8", TABLE, 201),
        ("", "Text/CSV", TABLE, 201),
        ("?format=ndjson", CSV, TABLE, 400), ("?format=csv", NDJSON, LINES, 400), ("?format=json", OCTETS, LINES, 400),
        ("?format=csv", "text/plain", TABLE, 415),
    ):  # fmt: skip
        games += status == 201
        body = body.replace("7,2024", f"{games},2024")
        answer = api.post_file(f"{CLUB}games/import/{query}", body, kind)
        assert answer.status_code == status, answer.data
        assert Game.objects.count() == games, (query, kind)
        if query and status == 400:
            assert answer.data["errors"][0]["pointer"] == "?format"
