"""Metadata: stored with leagues, players and games, and nowhere interpreted."""

import json
from typing import Any

import pytest

from league.core.log.services.erase_texts import erase_text
from league.core.metadata import check_metadata
from league.core.players.services.erase import erase_player
from league.core.players.services.players import add_player
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, LogText, Player
from tests.helpers.api_client import Api, game
from tests.helpers.builders import derived, make_league, player_of, record, reread, said, sheet
from tests.helpers.desk_client import DESK, sign_in_member
from tests.helpers.import_client import Sender
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

GAMES = "leagues/club/games/"
#: What could be taken for something else: a seal, a player, a method of a dict; keys that UTF-16 sorts otherwise.
ODD: list[dict[str, str]] = [
    {"sealed": "0" * 64},
    {"player": "anna", "into": "ben", "note": "", "reason": "x"},
    {"items": 'a\nb\t"c" \\ ½', " key ": " text "},
    {"\ufb03": "1", "😀": "2"},
    {f"{number:040}": "ю" * 500 for number in range(20)},
]
FAULTS: list[tuple[Any, str, str]] = [
    ([], "not_an_object", "/metadata"),
    ({str(number): "" for number in range(21)}, "too_many", "/metadata"),
    ({"k" * 41: "x"}, "too_long", f"/metadata/{'k' * 41}"),
    ({"a/b": "x" * 501}, "too_long", "/metadata/a~1b"),
    ({"a": 1}, "not_a_text", "/metadata/a"),
    ({"a": None}, "not_a_text", "/metadata/a"),
    ({"a": {}}, "not_a_text", "/metadata/a"),
]


def duel(**more: Any) -> dict[str, Any]:
    """Return a game of anna and ben as it is sent."""
    return game(("anna", 1), ("ben", 0), **more)


@long_way
def test_metadata_of_a_league_and_its_games_comes_back_from_the_log_and_from_an_export() -> None:
    league, api = make_league(), Api("organise")
    for metadata in ODD:
        assert api.patch("leagues/club/", {"metadata": metadata}).data["metadata"] == metadata
        answer = api.post(GAMES, duel(metadata=metadata))
        assert (answer.status_code, answer.data["metadata"]) == (201, metadata)
        assert Api().get(f"{GAMES}{answer.data['number']}/").data["metadata"] == metadata
        changed, recorded = league.log.filter(kind__in=["league.changed", "game.recorded"]).order_by("-position")[:2]
        assert [said(entry)["metadata"] for entry in (changed, recorded)] == [metadata, metadata]
    assert verify_league(league.pk).state == "is right"
    restored = restore_league(lines_file(export_of(reread(league))), slug="copy", known_players=True, by="op").league
    assert restored.metadata == ODD[-1]
    assert list(restored.games.order_by("number").values_list("metadata", flat=True)) == ODD
    assert derived(restored) == derived(league)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(("metadata", "code", "pointer"), FAULTS)
def test_a_fault_is_named_alike_wherever_it_is_sent(metadata: Any, code: str, pointer: str) -> None:
    make_league()
    api, body = Sender("organise"), duel(external_id="x", metadata=metadata)
    line = api.post_file("leagues/club/games/batch/", json.dumps(body), "application/x-ndjson").content
    answers = [
        api.post(GAMES, body).data,
        json.loads(line)["problem"],
        api.send(json.dumps(body)).data,
        api.patch("leagues/club/", {"metadata": metadata}).data,
        api.post("players/", {"handle": "zoe", "metadata": metadata}).data,
        api.patch("players/anna/", {"metadata": metadata}).data,
    ]
    for answer in answers:
        (fault,) = answer["errors"]
        assert (answer["status"], fault["code"], fault["pointer"].removeprefix("/lines/1")) == (400, code, pointer)
    assert not Game.objects.exists()
    assert not Player.objects.filter(handle="zoe").exists()


@pytest.mark.parametrize(
    ("metadata", "codes"),
    [({"": "x"}, ["missing"]), ({"a": "x\0"}, ["nul"]), ({"\ud800": ""}, ["nul"]), ({"a": ""}, [])],
)
def test_what_no_json_body_may_hold_is_refused_of_other_callers_too(metadata: dict[str, str], codes: list[str]) -> None:
    assert [problem.code for problem in check_metadata(metadata)] == codes


@pytest.mark.parametrize("way", ["alone", "batch", "import"])
def test_metadata_is_recorded_by_every_way_and_is_content(way: str) -> None:
    league = make_league()
    api, path = Sender("record"), {"alone": GAMES, "batch": f"{GAMES}batch/", "import": f"{GAMES}import/"}[way]

    def send(metadata: Any) -> Any:
        body = duel(external_id="x", metadata=metadata)
        if way == "alone":
            return api.post(path, body).status_code
        answer = api.client.post(
            f"/api/v1/{path}", json.dumps(body), content_type="application/x-ndjson", headers=api.headers
        )
        found = json.loads(answer.content)
        return found["status"] if way == "batch" else (found.get("games"), found.get("known"), answer.status_code)

    first, again, other = send({"b": "2", "a": "1"}), send({"a": "1", "b": "2"}), send({"a": "1"})
    expected = (201, 200, 409) if way != "import" else ((1, 0, 201), (0, 1, 201), (None, None, 409))
    assert (first, again, other) == expected
    assert league.games.get().metadata == {"a": "1", "b": "2"}
    assert send(None) == other, "a game without metadata is another one"
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(
    ("more", "expected"), [({}, {"a": "1"}), ({"metadata": {}}, {}), ({"metadata": {"b": "2"}}, {"b": "2"})]
)
def test_a_correction_takes_over_what_it_leaves_out(more: dict[str, Any], expected: dict[str, str]) -> None:
    league, api = make_league(), Api("record")
    record(league, sheet(("anna", "ben"), (1, 0), metadata={"a": "1"}))
    body = {**game(("anna", 0), ("ben", 1)), "reason": "Swapped.", **more}
    assert api.post(f"{GAMES}1/correct/", body).data["metadata"] == expected
    assert api.post(f"{GAMES}2/void/", {"reason": "No."}).data["metadata"] == expected
    assert api.post(f"{GAMES}1/restore/", {"reason": "Yes."}).data["metadata"] == {"a": "1"}
    assert verify_league(league.pk).state == "is right"


def test_metadata_that_names_a_person_goes_with_them_and_other_metadata_stays() -> None:
    league = make_league(metadata={"chair": "Zoe Quist"})
    add_player("zoe", "Zoe Quist", metadata={"phone": "1"})
    for metadata in ({"by": "Ben\nZOE quist"}, {"zoe quist": "x"}, {"by": "ben"}):
        record(league, sheet(("anna", "ben"), (1, 0), metadata=metadata))
    record(league, sheet(("zoe", "ben"), (1, 0)))
    erase_player(player_of("zoe"), username="olga")
    assert list(league.games.order_by("number").values_list("metadata", flat=True)) == [{}, {}, {"by": "ben"}, {}]
    assert (reread(league).metadata, Player.objects.get(name__startswith="Player ").metadata) == ({}, {})
    assert not [text for text in LogText.objects.values_list("text", flat=True) if "quist" in text.casefold()]
    assert verify_league(league.pk).state == "is right"


def test_erasing_an_older_entry_leaves_the_leagues_later_metadata() -> None:
    league, api = make_league(metadata={"a": "1"}), Api("organise")
    api.patch("leagues/club/", {"metadata": {"a": "2"}})
    erase_text(league.pk, 1, username="olga")
    assert reread(league).metadata == {"a": "2"}
    erase_text(league.pk, league.log.get(kind="league.changed").position, username="olga")
    assert reread(league).metadata == {}
    assert verify_league(league.pk).state == "is right"


def test_the_desk_shows_metadata() -> None:
    league = make_league(metadata={"guild": "<b>4711</b>"})
    record(league, sheet(("anna", "ben"), (1, 0), metadata={"table": "7"}))
    add_player("zoe", metadata={"seen": "x"})
    browser, api = sign_in_member("olga", "owner", league), Api("record")
    assert api.patch("players/anna/", {"metadata": {"a": "1"}}).data["metadata"] == {"a": "1"}
    assert api.patch("players/anna/", {"name": "Anna"}).data["metadata"] == {"a": "1"}
    for path, key, text in (
        ("settings/", "guild", "&lt;b&gt;4711&lt;/b&gt;"),
        ("games/1/correct/", "table", "7"),
        ("people/players/zoe/", "seen", "x"),
    ):
        page = browser.get(f"{DESK}{path}").content.decode()
        assert f"<dt>{key}</dt>" in page
        assert f"<dd>{text}</dd>" in page
