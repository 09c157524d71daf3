"""Adding and changing players, and where they start."""

from typing import Any

import pytest

from league.core.errors import Conflict, Invalid, NotFound, Refused
from league.core.leagues.services.leagues import create_league
from league.core.players.selectors.resolve import find_player
from league.core.players.services.players import add_player, change_player, create_unknown_players, set_initial_rating
from league.models import Alias, InitialRating, Player
from tests.helpers.builders import make_league, make_players, ratings, record, sheet

pytestmark = pytest.mark.django_db


def test_a_player_is_found_by_handle_and_alias_in_any_spelling_and_an_unknown_one_is_named() -> None:
    player = add_player("ana", "Ана Марија", ["Ana M.", "АНА"])
    assert [find_player(text) for text in ("ANA", " ana  m. ", "ана")] == [player] * 3
    with pytest.raises(NotFound, match="No player is called “zoe”"):
        find_player("zoe")
    assert add_player("zoe").name == "zoe"


def test_a_handle_may_be_neither_a_handle_nor_an_alias_of_another() -> None:
    add_player("ana", "Ana", ["ana-m"])
    for handle in ("ANA", "ana-m"):
        with pytest.raises(Conflict, match=r"already means Ana \(ana\)") as caught:
            add_player(handle, "Other")
        assert [problem.pointer for problem in caught.value.problems] == ["/handle"]
    assert Player.objects.count() == 1


def test_unusable_words_are_refused_each_at_its_place() -> None:
    with pytest.raises(Invalid) as caught:
        add_player("no spaces", "a\0b", ["fine", ""])
    assert [problem.pointer for problem in caught.value.problems] == ["/handle", "/name", "/aliases/1"]


def test_a_change_replaces_all_aliases_and_keeps_the_handle() -> None:
    player = add_player("ana", "Ana", ["old"])
    change_player(player, name="Anja")
    assert list(Alias.objects.values_list("key", flat=True)) == ["ana", "old"]
    change_player(player, name="Ana  Marija", aliases=["new"], active=False)
    player.refresh_from_db()
    assert (player.name, player.active) == ("Ana Marija", False)
    assert list(Alias.objects.values_list("key", flat=True)) == ["ana", "new"]


def test_a_change_may_not_take_the_spelling_of_another_and_then_changes_nothing() -> None:
    add_player("ben", "Ben")
    player = add_player("ana", "Ana", ["old"])
    with pytest.raises(Conflict):
        change_player(player, name="Other", aliases=["BEN"])
    player.refresh_from_db()
    assert player.name == "Ana"
    assert list(player.aliases.values_list("key", flat=True)) == ["ana", "old"]


def test_names_that_make_the_same_handle_get_numbered_ones() -> None:
    made = create_unknown_players(["Åsa B", "Asa-B", "王芳"], [], league=make_league(players=()), names={})
    assert {player.name: player.handle for player in made.values()} == {
        "Åsa B": "asa-b-2",
        "Asa-B": "Asa-B",
        "王芳": "player",
    }


def test_a_name_that_cannot_be_one_is_not_created() -> None:
    with pytest.raises(Invalid, match="must not contain control or invisible characters"):
        create_unknown_players(["fine", "bad\u202ename"], [], league=make_league(players=()), names={})


def test_an_initial_rating_replays_the_league() -> None:
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    set_initial_rating(league.pk, find_player("anna"), 1900)
    # Expected score of 1900 against 1500 at scale 400: 10/11.
    assert ratings(league)["anna"] == pytest.approx(1900 + 32 * (1 - 10 / 11), abs=1e-9)
    set_initial_rating(league.pk, find_player("anna"), 1500)
    assert ratings(league) == {"anna": 1516.0, "ben": 1484.0}
    assert InitialRating.objects.count() == 1


def test_an_initial_rating_needs_a_rule_and_lies_within_the_systems_bounds() -> None:
    with pytest.raises(Refused, match="no rule yet"):
        set_initial_rating(create_league("bare", "Bare").pk, add_player("zoe"), 1500)
    league = make_league("serpentine")
    with pytest.raises(Refused) as caught:
        set_initial_rating(league.pk, find_player("anna"), 10_000)
    assert caught.value.problems[0].pointer == "/initial_rating"
    assert InitialRating.objects.count() == 0


@pytest.mark.parametrize("system", ["durak", "preferans", "serpentine"])
def test_an_initial_rating_of_a_system_with_whole_ratings_is_whole(system: str) -> None:
    league = make_league(system)
    with pytest.raises(Refused, match=r"uses whole ratings, which 1000\.5 is not") as caught:
        set_initial_rating(league.pk, find_player("anna"), 1000.5)
    assert caught.value.problems[0].pointer == "/initial_rating"
    set_initial_rating(league.pk, find_player("anna"), 1001.0)
    assert InitialRating.objects.get().rating == 1001


def test_the_players_of_the_tests_are_those_whom_the_service_adds() -> None:
    add_player("anna", "Anna")
    make_players(["anna", "ben"])
    add_player("cleo", "Cleo")
    own = {"id", "handle", "name", "name_key", "opaque", "created_at"}
    rows: list[dict[str, Any]] = [dict(row) for row in Player.objects.order_by("pk").values()]
    anna, ben, cleo = rows
    assert {name: ben[name] for name in ben.keys() - own} == {name: cleo[name] for name in cleo.keys() - own}
    assert (ben["name"], ben["name_key"], len(ben["opaque"])) == ("Ben", "ben", len(cleo["opaque"]))
    assert len({anna["opaque"], ben["opaque"], cleo["opaque"]}) == 3
    assert anna["created_at"] < ben["created_at"] < cleo["created_at"]
    aliases = list(Alias.objects.order_by("pk").values_list("player__handle", "text", "key"))
    assert aliases == [(handle, handle, handle) for handle in ("anna", "ben", "cleo")]
