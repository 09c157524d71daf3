"""Fixtures changed by hand, what that breaks, and rounds that no longer follow from the results."""

import hashlib
import json
from datetime import UTC, datetime
from unittest.mock import patch

import pytest

from league.apps.competitions.models import Entry, Fixture, Round
from league.apps.competitions.selectors.pairing_checks import (
    OutdatedPairing,
    compare_with_rules,
    describe_breaches,
    list_outdated_pairings,
)
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.errors import Conflict, Invalid, NotFound, Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game
from league.core.verify.run import verify_league
from league.models import League
from ratings.pairing_formats.swiss import Swiss
from tests.helpers.builders import FOUR, all_said, make_league
from tests.helpers.running_competitions import loaded_cup, meetings, play_round, run_competition, scores

pytestmark = pytest.mark.django_db
FIVE = (*FOUR, "eva")
WHITE = {"first_colour": "white"}


def make_cup(players: tuple[str, ...] = FIVE, format_key: str = "swiss", **settings: object) -> League:
    """Make a league whose competition ``cup`` has its first round made: 1–3, 4–2 and a bye of 5 in a Swiss of five."""
    league = make_league(players=players)
    run_competition(league, players, format_key, **{"parameters": WHITE if format_key == "swiss" else {}, **settings})
    make_round(league.pk, "cup", by="arbiter")
    return league


def breaches(league: League, number: int) -> list[str]:
    """Return the sentences about a round."""
    return [breach.sentence for breach in describe_breaches(loaded_cup(league), number, for_organisers=True)]


def test_entries_of_two_fixtures_change_places() -> None:
    league = make_cup()
    assert meetings(league, 1) == [(1, 3), (4, 2), (5,)]
    change_fixture(league.pk, 1, {"entries": [1, 2]}, by="arbiter")
    assert meetings(league, 1) == [(1, 2), (4, 3), (5,)]
    # The bye changes places like any other.
    change_fixture(league.pk, 2, {"entries": [5, 3]}, by="arbiter")
    assert meetings(league, 1) == [(1, 2), (5, 3), (4,)]
    kind, said = all_said(league)[-1]
    assert (kind, [row["fixture"] for row in said["fixtures"]]) == ("fixture.changed", [2, 3])
    assert breaches(league, 1) == []
    assert verify_league(league.pk).state == "is right"


def test_colours_change_and_a_published_round_needs_a_reason() -> None:
    league = make_cup()
    publish_round(league.pk, "cup", 1, by="arbiter")
    with pytest.raises(Invalid, match="give a reason"):
        change_fixture(league.pk, 1, {"entries": [3, 1]}, by="arbiter")
    change_fixture(league.pk, 1, {"entries": [3, 1]}, by="arbiter", reason="They sat down so")
    assert meetings(league, 1)[0] == (3, 1)
    assert all_said(league)[-1][1]["reason"] == "They sat down so"
    record_result(league.pk, 1, scores(1, 0), by="arbiter")
    with pytest.raises(Conflict, match="Cleo – Anna already have a result: game 1"):
        change_fixture(league.pk, 1, {"entries": [1, 3]}, by="arbiter", reason="Again")
    with pytest.raises(Conflict, match="game 1"):
        change_fixture(league.pk, 2, {"entries": [4, 1]}, by="arbiter", reason="Swap with a played one")
    change_fixture(league.pk, 2, {"cancelled": True}, by="arbiter", reason="Both ill")
    assert [one.status for one in loaded_cup(league).list_fixtures(1)] == ["played", "cancelled", "bye"]
    change_fixture(league.pk, 2, {"cancelled": False}, by="arbiter", reason="Well again")
    assert loaded_cup(league).list_fixtures(1)[1].status == "planned"
    assert verify_league(league.pk).state == "is right"


def test_a_round_is_in_the_order_of_tables_and_where_games_share_one_of_times() -> None:
    league = make_cup((*FOUR, "eva", "finn"))
    assert meetings(league, 1) == [(1, 4), (5, 2), (3, 6)]
    # A game that is postponed keeps its place.
    change_fixture(league.pk, 1, {"starts_at": datetime(2024, 3, 9, 20, tzinfo=UTC)}, by="arbiter")
    assert meetings(league, 1) == [(1, 4), (5, 2), (3, 6)]
    times = {1: "2024-03-06T20:00:00Z", 2: "2024-03-06T19:00:00Z"}
    for number, text in times.items():
        change_fixture(league.pk, number, {"starts_at": datetime.fromisoformat(text), "table": 1}, by="arbiter")
    # The third begins with the round.
    assert meetings(league, 1) == [(3, 6), (5, 2), (1, 4)]
    # Without a table and a time it is last.
    change_fixture(league.pk, 3, {"table": None}, by="arbiter")
    assert meetings(league, 1) == [(5, 2), (1, 4), (3, 6)]


def test_bad_changes_are_refused_by_field() -> None:
    league = make_cup()
    for changes, pointer in (
        ({"kind": "game"}, "/kind"),
        ({"table": 0}, "/table"),
        ({"venue": "x" * 201}, "/venue"),
        ({"deadline": datetime(2024, 3, 5)}, "/deadline"),  # noqa: DTZ001 -- without offset on purpose
        ({"entries": [1, 9]}, "/entries/1"),
        ({"entries": [1, 1]}, "/entries/1"),
        ({"entries": [1, 2, 3]}, "/entries"),
    ):
        with pytest.raises((Invalid, Refused)) as error:
            change_fixture(league.pk, 1, changes, by="arbiter")
        assert [problem.pointer for problem in error.value.problems] == [pointer]
    with pytest.raises(NotFound, match="has no fixture 9"):
        change_fixture(league.pk, 9, {}, by="arbiter")
    assert meetings(league, 1) == [(1, 3), (4, 2), (5,)]


def test_a_changed_round_says_what_it_breaks() -> None:
    league = make_cup(rounds=5)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    first, second, bye = loaded_cup(league).list_fixtures(2)
    assert breaches(league, 2) == []
    # Back to the pairings of the first round, the bye included.
    change_fixture(league.pk, bye.number, {"entries": [5]}, by="arbiter")
    change_fixture(league.pk, first.number, {"entries": [1, 3]}, by="arbiter")
    change_fixture(league.pk, second.number, {"entries": [4, 2]}, by="arbiter")
    Entry.objects.filter(number=4).update(not_against=[2], withdrawn_after=1)
    assert breaches(league, 2) == [
        "Dan and Ben must not meet.",
        "Dan has withdrawn and is still paired.",
        "Anna and Cleo meet again: they met in round 1.",
        "Dan and Ben meet again: they met in round 1.",
        "Eva has a bye, and had the points of a win without play in round 1.",
    ]
    change_fixture(league.pk, second.number, {"cancelled": True}, by="arbiter")
    assert "Ben has no fixture in round 2." in breaches(league, 2)


def test_the_third_white_in_a_row_is_said() -> None:
    league = make_cup(("anna", "ben", "cleo", "dan"), rounds=3)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(0, 1), by="arbiter")
    play_round(league, 2)
    fixture = next(one for one in loaded_cup(league).list_fixtures(2) if 1 in one.entries)
    entries = sorted(fixture.entries, key=lambda entry: entry != 1)
    change_fixture(league.pk, fixture.number, {"entries": entries}, by="arbiter", reason="Colours")
    for one in loaded_cup(league).list_fixtures(2):
        record_result(league.pk, one.number, scores(0, 1), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    fixture = next(one for one in loaded_cup(league).list_fixtures(3) if 1 in one.entries)
    other = next(entry for entry in fixture.entries if entry != 1)
    change_fixture(league.pk, fixture.number, {"entries": [1, other]}, by="arbiter")
    # Anna has lost twice; only leaders are exempt in the last round.
    assert "Anna has White for the third time in a row." in breaches(league, 3)


def test_an_opponent_from_outside_the_bracket_is_said() -> None:
    league = make_cup(("anna", "ben", "cleo", "dan"), "knockout", rounds=2)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    (final,) = loaded_cup(league).list_fixtures(2)
    assert breaches(league, 2) == []
    change_fixture(league.pk, final.number, {"entries": [1, 4]}, by="arbiter")
    assert breaches(league, 2) == ["By the bracket Anna and Dan do not meet in round 2."]


def test_a_correction_says_what_no_longer_follows_and_changes_no_pairing() -> None:
    league = make_cup(("anna", "ben", "cleo", "dan"), "knockout", rounds=2)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    play_round(league, 2)
    before = meetings(league, 2)
    assert list_outdated_pairings(loaded_cup(league)) == []
    corrected = NewGame([NewResult("anna", 0), NewResult("dan", 1)])
    correct_game(league.pk, 1, corrected, reason="Wrong way round", username="organiser")
    (outdated,) = list_outdated_pairings(loaded_cup(league))
    assert (outdated.round, outdated.refusal) == (2, "")
    assert [set(pair) for pair in outdated.stands] == [{1, 2}]
    assert [set(pair) for pair in outdated.follows] == [{2, 4}]
    assert meetings(league, 2) == before
    correct_game(league.pk, 3, NewGame([NewResult("anna", 1), NewResult("dan", 0)]), reason="No", username="organiser")
    assert list_outdated_pairings(loaded_cup(league)) == []


def test_a_swiss_round_is_compared_for_the_entries_that_were_in_it() -> None:
    league = make_cup(rounds=3)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    Entry.objects.filter(number=2).update(checked_in_at=None)
    Entry.objects.exclude(number=2).update(checked_in_at="2024-03-05T18:00Z")
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 2, by="arbiter")
    Entry.objects.update(checked_in_at=None)
    assert list_outdated_pairings(loaded_cup(league)) == []
    correct_game(league.pk, 1, NewGame([NewResult("anna", 0), NewResult("cleo", 1)]), reason="x", username="organiser")
    with patch.object(Swiss, "pair", side_effect=AssertionError("a page must not pair")):
        assert list_outdated_pairings(loaded_cup(league)) == [OutdatedPairing(2)]
    outdated = compare_with_rules(loaded_cup(league), 2)
    assert outdated is not None
    assert outdated.round == 2
    assert outdated.stands
    assert outdated.follows
    # Ben's bye stands in both.
    assert (2,) not in outdated.stands
    assert (2,) not in outdated.follows


@pytest.mark.parametrize(
    ("changes", "outdated"),
    [
        ({"points": {"win": 3, "draw": 1}}, True),
        ({"points": {"pairing_bye": 0.5}}, True),
        ({"points": {"half_bye": 0}}, True),
        ({"rounds": 2}, True),
        ({"rounds": 4}, False),
        ({"tie_breaks": ["BH"]}, False),
    ],
)
def test_a_round_is_compared_again_when_the_points_change_or_it_becomes_the_last_one(
    changes: dict[str, object], outdated: bool
) -> None:
    league = make_cup(rounds=3)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    assert list_outdated_pairings(loaded_cup(league)) == []
    change_competition(league.pk, "cup", changes, by="arbiter")
    assert [one.round for one in list_outdated_pairings(loaded_cup(league))] == [2] * outdated


def test_a_round_of_an_older_release_follows_from_its_results_alone() -> None:
    league = make_cup(rounds=3)
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    # As it was computed then: each fixture with its kind, and each seat's entry, place and given points.
    results = [
        ["pairing_bye", [[5, 1, ""]]],
        ["played", [[1, 1, ""], [3, 2, ""]]],
        ["played", [[4, 1, ""], [2, 2, ""]]],
    ]
    text = json.dumps([[1, results]], separators=(",", ":"))
    Round.objects.filter(number=2).update(basis=hashlib.sha256(text.encode()).hexdigest())
    assert list_outdated_pairings(loaded_cup(league)) == []
    correct_game(league.pk, 1, NewGame([NewResult("anna", 0), NewResult("cleo", 1)]), reason="x", username="organiser")
    assert [one.round for one in list_outdated_pairings(loaded_cup(league))] == [2]


def test_a_draw_without_play_is_no_bye_with_the_points_of_a_win() -> None:
    league = make_cup(rounds=3, deadline_action="draw")
    publish_round(league.pk, "cup", 1, by="arbiter")
    Fixture.objects.filter(number__in=(1, 2)).update(deadline="2024-03-05T18:00Z")
    make_round(league.pk, "cup", by="arbiter")
    (bye,) = [one for one in loaded_cup(league).list_fixtures(2) if one.kind == "pairing_bye"]
    assert bye.entries != (5,)
    assert breaches(league, 2) == []
