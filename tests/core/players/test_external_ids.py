"""External ids: an id of a provider leads to one player of the site, for who may know it."""

import json
import re
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction

from league.core.errors import Conflict, Invalid
from league.core.players.selectors.person import serialize_person
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import add_player, change_player
from league.core.transfer.services.restore import restore_league
from league.models import ExternalId
from league.web.api.openapi.described import EXTERNAL_ID
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, player_of, record, reread, sheet
from tests.helpers.desk_client import DESK, sign_in_member
from tests.helpers.restore_builders import Undone, export_of, lines_file
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

#: A whole object, the code of its fault, and its pointer.
FAULTS: list[tuple[Any, str, str]] = [
    ([], "not_an_object", "/external_ids"),
    ({f"p{number}": "1" for number in range(21)}, "too_many", "/external_ids"),
    ({"": "1"}, "invalid", "/external_ids/"),
    ({"FIDE": "1"}, "invalid", "/external_ids/FIDE"),
    ({"a:b": "1"}, "invalid", "/external_ids/a:b"),
    ({"a" * 41: "1"}, "invalid", f"/external_ids/{'a' * 41}"),
    ({"fide": ""}, "blank", "/external_ids/fide"),
    ({"fide": " 1"}, "blank", "/external_ids/fide"),
    ({"fide": "1" * 201}, "too_long", "/external_ids/fide"),
    ({"fide": 1503014}, "not_a_text", "/external_ids/fide"),
    ({"fide": "1\n2"}, "invalid", "/external_ids/fide"),
    ({"fide": "1\u200b2"}, "invalid", "/external_ids/fide"),
]


def ids(handle: str) -> list[tuple[str, bool]]:
    """Return the ids of a player, and of each whether it is their own."""
    rows = ExternalId.objects.filter(player__handle=handle).order_by("provider", "value")
    return [(str(row), row.recorded_as is None) for row in rows]


def found(api: Api, wanted: str) -> list[str]:
    """Return the handles of whom an external id leads to."""
    answer = api.get(f"players/?external_id={wanted}")
    assert answer.status_code == 200, answer.data
    return [player["handle"] for player in answer.data["results"]]


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(("given", "code", "pointer"), FAULTS)
def test_a_fault_is_named_at_its_provider_and_nothing_is_written(given: Any, code: str, pointer: str) -> None:
    make_league()
    api = Api("record")
    for answer in (
        api.post("players/", {"handle": "zoe", "external_ids": given}),
        api.patch("players/anna/", {"name": "Other", "external_ids": given}),
    ):
        (fault,) = answer.data["errors"]
        assert (answer.status_code, fault["code"], fault["pointer"]) == (400, code, pointer)
    assert (player_of("anna").name, ExternalId.objects.count()) == ("Anna", 0)


def test_an_id_is_given_found_changed_and_taken_away() -> None:
    api = Api("record")
    given = {"fide": "1503014", "x.y_z-1": "Zoë: 1/2"}
    made = api.post("players/", {"handle": "zoe", "external_ids": given})
    assert (made.status_code, made.data["external_ids"]) == (201, given)
    assert api.get("players/zoe/").data["external_ids"] == given
    assert found(api, "x.y_z-1:Zo%C3%AB:%201/2") == ["zoe"]
    assert api.patch("players/zoe/", {"name": "Zoë"}).data["external_ids"] == given
    assert api.patch("players/zoe/", {"external_ids": {"fide": "2"}}).data["external_ids"] == {"fide": "2"}
    assert (found(api, "fide:1503014"), found(api, "fide:2"), found(api, "lichess:2")) == ([], ["zoe"], [])
    assert api.patch("players/zoe/", {"external_ids": {}}).data["external_ids"] == {}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("fide:1", 200), ("fide:1 2", 200), (f"{'a' * 40}:{'1' * 200}", 200), (f"0:{'ö' * 200}", 200),
        ("fide", 400), (":1", 400), ("fide:", 400), ("FIDE:1", 400), ("fide: 1", 400), ("fide:1 ", 400),
        (f"{'a' * 41}:1", 400), (f"0:{'1' * 201}", 400), (f"0:{'1' * 239}", 400),
    ],
)  # fmt: skip
def test_the_document_says_which_external_ids_may_be_asked_for(text: str, status: int) -> None:
    documented = re.search(EXTERNAL_ID["pattern"], text) is not None
    answer = Api("record").get(f"players/?{urlencode({'external_id': text})}")
    assert (answer.status_code, documented) == (status, status == 200)


def test_an_id_leads_to_one_player_of_the_site_and_each_provider_has_its_own() -> None:
    api = Api("record")
    api.post("players/", {"handle": "zoe", "external_ids": {"fide": "1"}})
    api.post("players/", {"handle": "ben"})
    for answer in (
        api.post("players/", {"handle": "yan", "external_ids": {"lichess": "y", "fide": "1"}}),
        api.patch("players/ben/", {"external_ids": {"fide": "1"}}),
    ):
        (fault,) = answer.data["errors"]
        assert (answer.status_code, fault["code"], fault["pointer"]) == (409, "taken", "/external_ids/fide")
    assert api.post("players/", {"handle": "yan", "external_ids": {"lichess": "1", "fide": "01"}}).status_code == 201
    assert ExternalId.objects.count() == 3


def test_a_refusal_names_nobody() -> None:
    secret, club = make_league(slug="secret", players=("zoe", "yan"), visibility="private"), make_league()
    record(secret, sheet(("zoe", "yan"), (1, 0)))
    change_player(player_of("zoe"), external_ids={"fide": "1"})
    recorder = Api()
    recorder.client = sign_in_member("rita", "recorder", club)
    for sender in (recorder, Api("organise")):
        answer = sender.post("players/", {"handle": "new", "external_ids": {"fide": "1"}})
        assert (answer.status_code, answer.data["detail"]) == (409, "“fide:1” is taken.")


@pytest.mark.parametrize(("role", "status"), [("recorder", 403), ("organiser", 200)])
def test_a_signed_in_user_writes_only_what_they_may_see(role: str, status: int) -> None:
    club = make_league()
    record(club, sheet(("anna", "ben"), (1, 0)))
    change_player(player_of("anna"), external_ids={"fide": "1"}, metadata={"a": "1"})
    user = Api()
    user.client = sign_in_member("rita", role, club)
    for name in ("external_ids", "metadata"):
        assert user.patch("players/anna/", {name: {}}).status_code == status
    assert user.patch("players/anna/", {"name": "Anna A."}).status_code == 200
    left = player_of("anna")
    assert (left.metadata, ids("anna")) == (({"a": "1"}, [("fide:1", True)]) if role == "recorder" else ({}, []))


@long_way
def test_organisers_and_tokens_of_the_players_leagues_see_ids_and_metadata_and_nobody_else_does() -> None:
    club, other = make_league(), make_league(slug="other", players=("zoe",))
    change_player(player_of("anna"), external_ids={"fide": "1"}, metadata={"a": "1"})
    record(club, sheet(("anna", "ben"), (1, 0)))
    organiser, recorder = Api(), Api()
    organiser.client = sign_in_member("olga", "organiser", club)
    recorder.client = sign_in_member("rita", "recorder", club)
    askers = {
        "stranger": Api(),
        "organiser": organiser,
        "recorder": recorder,
        "token": Api("read", (club,), "one"),
        "token of all": Api("read", (), "two"),
        "token of another league": Api("organise", (other,), "three"),
    }
    told = {who: (api.get("players/anna/").data, found(api, "fide:1")) for who, api in askers.items()}
    seen = {who: (one["external_ids"], one["metadata"], handles) for who, (one, handles) in told.items()}
    known = ({"fide": "1"}, {"a": "1"}, ["anna"])
    hidden: tuple[dict[str, str], dict[str, str], list[str]] = ({}, {}, [])
    assert {who for who, one in seen.items() if one == known} == {"organiser", "token", "token of all"}
    assert {who for who, one in seen.items() if one == hidden} == {"stranger", "recorder", "token of another league"}
    (listed,) = askers["token"].get("players/?search=anna").data["results"]
    assert listed["metadata"] == {"a": "1"}
    page = organiser.client.get(f"{DESK}people/players/anna/").content.decode()
    assert "<dt>fide</dt><dd>1</dd>" in page.replace("\n", "").replace(" ", "")


def test_a_merge_hands_ids_over_and_its_end_gives_them_back() -> None:
    api = Api("record")
    add_player("anna", external_ids={"fide": "1", "lichess": "a"})
    add_player("ann", external_ids={"fide": "2", "discord": "d"})
    merge_players(player_of("ann"), player_of("anna"), username="olga")
    # Both ids of one provider lead to who stays, whose own is shown.
    assert (found(api, "fide:1"), found(api, "fide:2")) == (["anna"], ["anna"])
    both = {"fide": "1", "lichess": "a", "discord": "d"}
    assert api.get("players/anna/").data["external_ids"] == both
    assert api.patch("players/anna/", {"external_ids": both}).data["external_ids"] == both
    assert ids("anna") == [("discord:d", False), ("fide:1", True), ("fide:2", False), ("lichess:a", True)]
    assert api.patch("players/anna/", {"external_ids": {}}).data["external_ids"] == {"fide": "2", "discord": "d"}
    unmerge_player(player_of("ann"), username="olga")
    assert (ids("anna"), ids("ann")) == ([], [("discord:d", True), ("fide:2", True)])


def test_ids_go_with_who_is_forgotten_and_stand_in_what_is_known_of_them() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    change_player(player_of("anna"), external_ids={"fide": "1"})
    change_player(player_of("ben"), external_ids={"fide": "2"})
    merge_players(player_of("cleo"), player_of("anna"), username="olga")
    assert serialize_person(player_of("anna"))["external_ids"] == ["fide:1"]
    gone = erase_player(player_of("anna"), username="olga").player
    assert [str(row) for row in ExternalId.objects.all()] == ["fide:2"]
    with pytest.raises(Conflict):
        change_player(gone, external_ids={"fide": "1"})


def test_an_export_for_organisers_brings_ids_back_merged_ones_too() -> None:
    exported: list[str] = []
    with suppress(Undone), transaction.atomic():
        league = make_league()
        add_player("ann", external_ids={"fide": "2"}, metadata={"a": "1"})
        for handle in ("anna", "ann"):
            record(league, sheet((handle, "ben"), (1, 0)))
        change_player(player_of("anna"), external_ids={"fide": "1"})
        merge_players(player_of("ann"), player_of("anna"), username="olga")
        exported = export_of(reread(league))
        for_readers = export_of(reread(league), aliases=False)
        of_players = [line for line in for_readers if '"type":"player"' in line]
        assert not [line for line in of_players if "external_ids" in line or "metadata" in line]
        raise Undone
    taken = add_player("zoe", external_ids={"fide": "2"})
    with pytest.raises(Invalid) as refused:
        restore_league(lines_file(exported), by="op")
    assert [problem.code for problem in refused.value.problems] == ["conflict"]
    change_player(taken, external_ids={})
    restore_league(lines_file(exported), by="op")
    assert ids("anna") == [("fide:1", True), ("fide:2", False)]
    assert player_of("ann").metadata == {"a": "1"}


def test_who_is_added_by_an_id_may_bring_a_name() -> None:
    make_league("elo", ("anna",), slug="club")
    add_player("zoe", "Zoë Quist")
    api = Api("record")
    results = [{"player": "discord:7", "score": 1}, {"player": "discord:8", "score": 0}]
    names = [{"handle": "discord:7", "name": "Zoë Quist"}, {"handle": "discord:8", "name": "Ben"}]
    body = {"results": results, "create_players": True, "players": names}
    answer = api.post("leagues/club/games/", body)
    assert answer.status_code == 201, answer.data
    (zoe, ben) = (line["player"] for line in answer.data["results"])
    assert [line["name"] for line in answer.data["results"]] == ["Zoë Quist", "Ben"]
    assert [api.get(f"players/?external_id=discord:{id}").data["results"][0]["handle"] for id in (7, 8)] == [zoe, ben]
    assert (zoe, ben) == ("zoe-quist", "Ben")
    (line,) = api.post("leagues/club/games/batch/", [body]).getvalue().decode().splitlines()
    assert [result["player"] for result in json.loads(line)["game"]["results"]] == [zoe, ben]
