"""Entries: who can enter, the waiting list, withdrawals, byes, and who must not meet."""

from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    start_competition,
)
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, check_in, withdraw_entry
from league.core.errors import Conflict, Invalid, NotFound, Refused, RungsError
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.verify.run import verify_league
from league.models import Player
from tests.helpers.builders import all_said, league_of, make_league, player_of
from tests.helpers.competition_builders import enter, list_entries, make_competition, start
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(lambda: make_league(players=("anna", "ben", "cleo", "dan", "eva", "finn")))


def pointers(error: RungsError) -> list[tuple[str, str]]:
    """Return pointer and code of each problem."""
    return [(problem.pointer, problem.code) for problem in error.problems]


def reread(number: int) -> Entry:
    """Return an entry of the competition as it is stored."""
    return Entry.objects.get(competition__slug="cup", number=number)


def test_players_are_found_by_name_and_added_if_wanted() -> None:
    league = league_of()
    make_competition(league)
    new = [NewEntry(["Anna"], title="WFM", federation="SRB", rating=1850), NewEntry(["Gustav Novy"])]
    with pytest.raises(Refused) as refused:
        add_entries(league.pk, "cup", new, by="olga")
    assert pointers(refused.value) == [("/entries/1/players/0", "unknown_player")]
    assert not Entry.objects.exists()
    entries = add_entries(league.pk, "cup", new, by="olga", create_players=True)
    assert [(entry.number, entry.rating, entry.title, entry.federation) for entry in entries] == [
        (1, 1850, "WFM", "SRB"), (2, None, "", ""),
    ]  # fmt: skip
    assert list_entries() == [(1, "anna", "entered"), (2, "gustav-novy", "entered")]
    assert Player.objects.get(handle="gustav-novy").name == "Gustav Novy"
    assert [kind for kind, _ in all_said(league)][-2:] == ["player.created", "entry.added"]
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(
    ("new", "pointer"),
    [
        (NewEntry(["eva", "finn"]), "/entries/0/players"),
        (NewEntry([]), "/entries/0/players"),
        (NewEntry(["ben"]), "/entries/0/players/0"),
        (NewEntry(["eva"], name="x" * 121), "/entries/0/name"),
        (NewEntry(["eva"], federation="a\0"), "/entries/0/federation"),
        (NewEntry(["eva"], seed=0), "/entries/0/seed"),
        (NewEntry(["eva"], rating=40_000), "/entries/0/rating"),
        (NewEntry(["eva"], byes=[{"round": 6, "kind": "half_bye"}]), "/entries/0/byes/0/round"),
        (NewEntry(["eva"], byes=[{"round": 1, "kind": "pairing_bye"}]), "/entries/0/byes"),
        (NewEntry(["eva"], byes=[{"round": 1, "kind": "half_bye"}] * 2), "/entries/0/byes/0/round"),
        (NewEntry(["eva"], not_against=[9]), "/entries/0/not_against/0"),
        (NewEntry(["eva"], not_against=[2]), "/entries/0/not_against/0"),
    ],
)
def test_bad_entries_are_refused_with_their_fields(new: NewEntry, pointer: str) -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=5)
    enter(league, "ben")
    with pytest.raises((Invalid, Refused)) as refused:
        add_entries(league.pk, "cup", [new], by="olga")
    assert pointers(refused.value)[0][0] == pointer
    assert list_entries() == [(1, "ben", "entered")]


def test_a_player_is_in_one_entry_only() -> None:
    league = league_of()
    make_competition(league, sides_of=2, rated=False)
    add_entries(league.pk, "cup", [NewEntry(["anna", "ben"], name="The Aces")], by="olga")
    with pytest.raises(Refused) as refused:
        add_entries(league.pk, "cup", [NewEntry(["cleo", "dan"]), NewEntry(["eva", "ben"])], by="olga")
    assert pointers(refused.value) == [("/entries/1/players/1", "entered_twice")]
    assert refused.value.detail == "Ben is in two entries: 1 and 3."
    with pytest.raises(Refused) as refused:
        add_entries(league.pk, "cup", [NewEntry(["eva", "Eva"])], by="olga")
    assert refused.value.detail == "Eva is in this entry twice."
    merge_players(player_of("eva"), player_of("ben"), username="olga")
    with pytest.raises(Refused):
        add_entries(league.pk, "cup", [NewEntry(["eva", "dan"])], by="olga")


def test_byes_need_a_format_that_pairs_who_is_there() -> None:
    league = league_of()
    make_competition(league, "round_robin")
    with pytest.raises(Invalid) as refused:
        enter(league, "anna", byes=[{"round": 1, "kind": "half_bye"}])
    assert pointers(refused.value) == [("/entries/0/byes", "no_byes")]


def test_the_waiting_list_moves_up() -> None:
    league = league_of()
    make_competition(league, "swiss", max_entries=2)
    enter(league, "anna", "ben", "cleo", "dan")
    assert [status for _, _, status in list_entries()] == ["entered", "entered", "waiting", "waiting"]
    withdraw_entry(league.pk, "cup", 1, by="olga")
    assert [status for _, _, status in list_entries()] == ["withdrawn", "entered", "entered", "waiting"]
    with pytest.raises(Refused) as refused:
        change_entry(league.pk, "cup", 4, {"status": "entered"}, by="olga")
    assert pointers(refused.value) == [("/status", "no_place")]
    change_competition(league.pk, "cup", {"max_entries": 3}, by="olga")
    assert [status for _, _, status in list_entries()] == ["withdrawn", "entered", "entered", "entered"]
    enter(league, "eva")
    enter(league, "anna")
    # anna comes back at the end of the list; her first entry is gone.
    assert list_entries() == [
        (2, "ben", "entered"), (3, "cleo", "entered"), (4, "dan", "entered"), (5, "eva", "waiting"),
        (6, "anna", "waiting"),
    ]  # fmt: skip
    withdraw_entry(league.pk, "cup", 2, by="olga")
    assert verify_league(league.pk).state == "is right"
    start_competition(league.pk, "cup", by="olga")
    assert list_entries() == [
        (1, "cleo", "entered"), (2, "dan", "entered"), (3, "eva", "entered"), (4, "anna", "waiting"),
    ]  # fmt: skip
    assert list(load_competition(Competition.objects.get()).entries) == [1, 2, 3]
    assert verify_league(league.pk).state == "is right"


def test_who_must_not_meet_is_mutual_and_follows_the_numbers() -> None:
    league = league_of()
    make_competition(league, "swiss")
    enter(league, "anna", "ben")
    enter(league, "cleo", not_against=[1])
    enter(league, "dan", rating=2000)
    assert (reread(1).not_against, reread(3).not_against) == ([3], [1])
    change_entry(league.pk, "cup", 3, {"not_against": [2, 4]}, by="olga")
    assert [reread(number).not_against for number in (1, 2, 3, 4)] == [[], [3], [2, 4], [3]]
    start_competition(league.pk, "cup", by="olga")
    # dan is first; then anna, ben and cleo by name.
    assert [handle for _, handle, _ in list_entries()] == ["dan", "anna", "ben", "cleo"]
    assert [reread(number).not_against for number in (1, 2, 3, 4)] == [[4], [], [4], [1, 3]]
    assert verify_league(league.pk).state == "is right"


def test_details_change_and_players_only_before_the_start() -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=3)
    enter(league, "anna", "ben", "cleo", "dan")
    changes: dict[str, Any] = {"players": ["finn"], "seed": 1, "byes": [{"round": 2, "kind": "zero_bye"}]}
    assert change_entry(league.pk, "cup", 2, changes, by="olga").players.get().player == player_of("finn")
    with pytest.raises(Invalid) as invalid:
        change_entry(league.pk, "cup", 2, {"colour": "white"}, by="olga")
    assert pointers(invalid.value) == [("/colour", "unknown_field")]
    start_competition(league.pk, "cup", by="olga")
    with pytest.raises(Refused) as refused:
        change_entry(league.pk, "cup", 1, {"players": ["ben"], "seed": 2}, by="olga")
    assert pointers(refused.value) == [("/players", "started"), ("/seed", "started")]
    changed = change_entry(league.pk, "cup", 1, {"name": "Finn the First", "rating": 2100}, by="olga")
    assert (changed.name, changed.rating, changed.byes) == (
        "Finn the First", 2100, [{"round": 2, "kind": "zero_bye"}],
    )  # fmt: skip
    with pytest.raises(NotFound):
        change_entry(league.pk, "cup", 9, {"name": "Nobody"}, by="olga")
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize("others", [{}, {"name": "The Second"}])
def test_other_players_are_logged_before_the_start(others: dict[str, Any]) -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=3)
    enter(league, "anna", "ben", "cleo")
    changed = change_entry(league.pk, "cup", 2, {"players": ["finn"], **others}, by="olga")
    assert [player.handle for player in changed.survivors] == ["finn"]
    assert verify_league(league.pk).state == "is right"


def test_late_entries_get_the_next_number_and_the_present_rating() -> None:
    league = make_league(slug="late", players=(), starts={"anna": 1490.5})
    make_competition(league, "swiss")
    start(league, ("ben", "cleo"))
    (late,) = enter(league, "anna")
    assert (late.number, late.rating, late.status) == (3, 1491, "entered")
    assert verify_league(league.pk).state == "is right"


def test_checking_in_is_noted_once() -> None:
    league = league_of()
    make_competition(league, "swiss")
    start(league, ("anna", "ben"))
    check_in(league.pk, "cup", [1, 2], by="olga", present=True)
    length = league_of().log_length
    check_in(league.pk, "cup", [1], by="olga", present=True)
    assert (league_of().log_length, reread(1).checked_in_at is None) == (length, False)
    check_in(league.pk, "cup", [1], by="olga", present=False)
    assert (reread(1).checked_in_at, reread(2).checked_in_at is None) == (None, False)
    assert verify_league(league.pk).state == "is right"


def test_entries_of_an_ended_competition_are_fixed() -> None:
    league = league_of()
    make_competition(league)
    enter(league, "anna")
    cancel_competition(league.pk, "cup", by="olga")
    for refuse in (lambda: enter(league, "ben"), lambda: withdraw_entry(league.pk, "cup", 1, by="olga")):
        with pytest.raises(Conflict):
            refuse()


def test_entries_follow_a_merge_and_its_end() -> None:
    league = league_of()
    make_competition(league, "swiss")
    start(league, ("anna", "ben"))
    merge_players(player_of("anna"), player_of("cleo"), username="olga")
    line = reread(1).players.get()
    assert (line.player, line.survivor) == (player_of("anna"), player_of("cleo"))
    assert verify_league(league.pk).state == "is right"
    unmerge_player(player_of("anna"), username="olga")
    assert reread(1).players.get().survivor == player_of("anna")
    assert verify_league(league.pk).state == "is right"
