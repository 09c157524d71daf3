"""Competitions: settings, what may change when, the start, and the verification of all of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.services import competitions
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    create_competition,
    finish_competition,
    start_competition,
)
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round
from league.core.errors import Conflict, Invalid, Refused, RungsError
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import FOUR, all_said, league_of, make_league
from tests.helpers.competition_builders import enter, list_entries, make_competition, start
from tests.helpers.running_competitions import scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
built = built_once(lambda: make_league(starts={"anna": 1600, "ben": 1800, "cleo": 1600.5}))


def pointers(error: RungsError) -> list[tuple[str, str]]:
    """Return pointer and code of each problem."""
    return [(problem.pointer, problem.code) for problem in error.problems]


def test_a_new_competition_has_the_usual_settings() -> None:
    league = league_of()
    one = create_competition(
        league.pk, "", {"title": "Club night!", "format": "swiss", "points": {"win": 3}}, by="olga"
    )
    assert (one.slug, one.status, one.sides_of, one.rated) == ("club-night", "draft", 1, True)
    assert one.parameters == {"first_colour": "lot", "acceleration": "none"}
    assert one.tie_breaks == ["BH/C1", "BH", "SB", "DE"]
    assert one.points == {
        "win": 3, "draw": 0.5, "loss": 0, "pairing_bye": 1, "full_bye": 1, "half_bye": 0.5, "zero_bye": 0,
        "forfeit_win": 1, "forfeit_loss": 0,
    }  # fmt: skip
    assert one.tie_break_rules["regulations"] == "2026-03-01"
    second = create_competition(league.pk, "", {"title": "Club night", "format": "tables"}, by="olga")
    assert (second.slug, second.parameters["size"]) == ("club-night-2", 4)
    assert create_competition(league.pk, "", {"title": "Кубок", "format": "free"}, by="olga").slug == "competition"
    assert [kind for kind, _ in all_said(league)][-3:] == ["competition.created"] * 3
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"title": ""}, [("/title", "invalid")]),
        ({"title": "x" * 121}, [("/title", "invalid")]),
        ({"title": "a\0b"}, [("/title", "nul")]),
        ({"format": "ladder"}, [("/format", "unknown_format")]),
        ({"format": "tables", "parameters": {"size": 8}}, [("/parameters/size", "invalid")]),
        ({"parameters": {"size": 4}}, [("/parameters/size", "invalid")]),
        ({"parameters": [1]}, [("/parameters", "invalid")]),
        ({"sides_of": 9}, [("/sides_of", "invalid")]),
        ({"rounds": 0}, [("/rounds", "invalid")]),
        ({"max_entries": 1}, [("/max_entries", "invalid")]),
        ({"points": {"victory": 1}}, [("/points/victory", "unknown_outcome")]),
        ({"points": {"win": float("inf")}}, [("/points/win", "out_of_bounds")]),
        ({"points": {"draw": True}}, [("/points/draw", "out_of_bounds")]),
        ({"points": {"loss": -1001}}, [("/points/loss", "out_of_bounds")]),
        ({"points": {"places": [4, "2"]}}, [("/points/places/1", "out_of_bounds")]),
        ({"points": {"win": 0, "draw": 1}}, [("/points/win", "out_of_order")]),
        ({"tie_breaks": ["DE", "XX"]}, [("/tie_breaks/1", "unknown_tie_break")]),
        ({"tie_breaks": ["BH/Q1", "DE"]}, [("/tie_breaks/0", "unknown_tie_break")]),
        ({"tie_breaks": "DE"}, [("/tie_breaks", "invalid")]),
        ({"tie_break_rules": {"regulations": "1999"}}, [("/tie_break_rules/regulations", "invalid")]),
        ({"time_zone": "Europe/Atlantis"}, [("/time_zone", "unknown_time_zone")]),
        ({"starts_at": NOON, "ends_at": NOON - timedelta(days=1)}, [("/ends", "out_of_order")]),
        ({"starts_at": datetime(2026, 1, 2)}, [("/starts", "no_offset")]),  # noqa: DTZ001 -- without offset
        ({"status": "running"}, [("/status", "invalid")]),
        ({"seeding": "lot", "venue": "x" * 201}, [("/venue", "invalid"), ("/seeding", "invalid")]),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_with_their_fields(settings: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    with pytest.raises(Invalid) as refused:
        create_competition(league_of().pk, "cup", {"title": "Cup", "format": "swiss", **settings}, by="olga")
    assert sorted(pointers(refused.value)) == sorted(expected)
    assert not Competition.objects.exists()


def test_bad_slugs_are_refused() -> None:
    league = league_of()
    make_competition(league)
    with pytest.raises(Conflict) as taken:
        make_competition(league)
    assert pointers(taken.value) == [("/slug", "taken")]
    with pytest.raises(Invalid) as wrong:
        make_competition(league, slug="Spring Cup")
    assert pointers(wrong.value)[0] == ("/slug", "invalid")


def test_some_settings_are_fixed_at_the_start() -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=3)
    changed = change_competition(league.pk, "cup", {"rounds": 2, "points": {"win": 3}, "tie_breaks": ["ge"]}, by="olga")
    assert (changed.rounds, changed.points["win"], changed.points["draw"], changed.tie_breaks) == (2, 3, 0.5, ["REP"])
    start(league)
    with pytest.raises(Refused) as refused:
        change_competition(league.pk, "cup", {"rounds": 3, "rated": False, "title": "Spring"}, by="olga")
    assert pointers(refused.value) == [("/rated", "started")]
    changed = change_competition(league.pk, "cup", {"title": "Spring", "points": {"draw": 1}}, by="olga")
    assert (changed.title, changed.points["draw"]) == ("Spring", 1)
    cancel_competition(league.pk, "cup", by="olga", reason="No heating")
    with pytest.raises(Refused) as refused:
        change_competition(league.pk, "cup", {"points": {"draw": 0}, "venue": "Hall"}, by="olga")
    assert pointers(refused.value) == [("/points", "ended")]
    assert verify_league(league.pk).state == "is right"


@long_way
def test_the_number_of_rounds_of_a_swiss_system_may_change_while_it_runs() -> None:
    """Four entries can be paired three times, but others may enter late. A round robin has the rounds that it has."""
    league = league_of()
    make_competition(league, "swiss", rounds=1)
    start(league)
    for rounds in (3, 5, None, 1):
        assert change_competition(league.pk, "cup", {"rounds": rounds}, by="olga").rounds == rounds
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    change_competition(league.pk, "cup", {"rounds": 3}, by="olga")
    for game in Fixture.objects.order_by("number"):
        record_result(league.pk, game.number, scores(1, 0), by="olga")
    make_round(league.pk, "cup", by="olga")
    with pytest.raises(Refused) as refused:
        change_competition(league.pk, "cup", {"rounds": 1}, by="olga")
    assert pointers(refused.value) == [("/rounds", "out_of_bounds")]
    assert change_competition(league.pk, "cup", {"rounds": 2}, by="olga").rounds == 2
    assert verify_league(league.pk).state == "is right"
    make_competition(league, "round_robin", "all")
    start(league, slug="all")
    with pytest.raises(Refused) as refused:
        change_competition(league.pk, "all", {"rounds": 4}, by="olga")
    assert pointers(refused.value) == [("/rounds", "started")]


def test_a_change_to_the_same_settings_writes_nothing() -> None:
    league = league_of()
    make_competition(league)
    length = league_of().log_length
    change_competition(league.pk, "cup", {"title": "Cup", "status": "open"}, by="olga")
    assert league_of().log_length == length


def test_the_start_numbers_entries_by_rating_and_marks_the_league() -> None:
    league = league_of()
    make_competition(league)
    # dan has no rating; cleo's 1600.5 becomes 1601, and anna brings 1700 along.
    enter(league, "dan", "cleo", "ben")
    enter(league, "anna", rating=1700)
    assert not league_of().attaches_games
    started = start_competition(league.pk, "cup", by="olga")
    assert (started.status, started.rounds, league_of().attaches_games) == ("running", 3, True)
    entries = started.entries.order_by("number")
    assert [(entry.number, entry.players.get().player.handle, entry.rating) for entry in entries] == [
        (1, "ben", 1800), (2, "anna", 1700), (3, "cleo", 1601), (4, "dan", None),
    ]  # fmt: skip
    assert verify_league(league.pk).state == "is right"
    with pytest.raises(Conflict):
        start_competition(league.pk, "cup", by="olga")


def test_seeds_by_hand_come_first() -> None:
    league = league_of()
    make_competition(league, seeding="hand")
    enter(league, "dan", "ben")
    enter(league, "anna", seed=2)
    enter(league, "cleo", seed=1)
    start_competition(league.pk, "cup", by="olga")
    assert [handle for _, handle, _ in list_entries()] == ["cleo", "anna", "dan", "ben"]


def test_equal_ratings_are_ordered_by_title_and_name() -> None:
    league = league_of()
    make_competition(league)
    for player, title in (("dan", ""), ("cleo", ""), ("ben", "FM"), ("anna", "WIM")):
        enter(league, player, rating=2000, title=title)
    start_competition(league.pk, "cup", by="olga")
    assert [handle for _, handle, _ in list_entries()] == ["ben", "anna", "cleo", "dan"]


def test_equal_ratings_are_ordered_by_lot_where_the_competition_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(competitions, "draw_seed", lambda: 7)
    league = league_of()
    make_competition(league, seeding="lots")
    for player in ("dan", "cleo", "ben"):
        enter(league, player, rating=2000)
    enter(league, "anna", rating=2000)
    start_competition(league.pk, "cup", by="olga")
    # By sha256sum of “7:number:1” to “7:number:4” the third of the equal ones is first, then the fourth, first, second.
    assert [handle for _, handle, _ in list_entries()] == ["ben", "anna", "dan", "cleo"]
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(
    ("format", "settings", "players", "pointer"),
    [
        ("swiss", {"rounds": 4}, ("anna", "ben", "cleo", "dan"), "/rounds"),
        ("swiss", {"rounds": 4}, ("anna", "ben", "cleo"), "/rounds"),
        ("round_robin", {"rounds": 2}, ("anna", "ben", "cleo", "dan"), "/rounds"),
        ("tables", {}, ("anna", "ben"), "/entries"),
        ("swiss", {}, ("anna",), "/entries"),
    ],
)
def test_what_does_not_fit_cannot_start(
    format: str, settings: dict[str, Any], players: tuple[str, ...], pointer: str
) -> None:
    league = league_of()
    make_competition(league, format, **settings)
    enter(league, *players)
    with pytest.raises(Refused) as refused:
        start_competition(league.pk, "cup", by="olga")
    assert [where for where, _ in pointers(refused.value)] == [pointer]
    assert Competition.objects.get().status == "open"


def test_swiss_may_have_as_many_rounds_as_can_be_paired() -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=3)
    assert start(league, ("anna", "ben", "cleo")).rounds == 3


def test_a_cancelled_competition_marks_the_league_no_more() -> None:
    league = league_of()
    make_competition(league, "swiss")
    with pytest.raises(Conflict):
        finish_competition(league.pk, "cup", by="olga")
    start(league)
    with pytest.raises(Refused):
        finish_competition(league.pk, "cup", by="olga")
    cancel_competition(league.pk, "cup", by="olga", reason="No heating")
    assert (Competition.objects.get().status, league_of().attaches_games) == ("cancelled", False)
    with pytest.raises(Conflict):
        cancel_competition(league.pk, "cup", by="olga")
    kind, payload = all_said(league)[-1]
    assert (kind, payload["reason"]) == (ChangeKind.COMPETITION_CANCELLED, "No heating")


def test_sides_need_a_system_that_knows_them() -> None:
    league: League = make_league("barbu", (), slug="cards")
    with pytest.raises(Invalid) as refused:
        make_competition(league, sides_of=2)
    assert pointers(refused.value) == [("/sides_of", "sides")]
    assert make_competition(league, sides_of=2, rated=False).sides_of == 2


def test_fixtures_have_the_size_that_the_system_rates() -> None:
    """Barbu is for four players."""
    league = make_league("barbu", (*FOUR, "eva", "fay", "gus"), slug="cards")
    make_competition(league, "tables", "evening", parameters={"size": 4})
    sentence = r"Barbu is for 4 players; a fixture would have 3\. Add or leave out entries"
    with pytest.raises(Refused, match=sentence) as why:
        start(league, (*FOUR, "eva", "fay", "gus"), "evening")
    assert pointers(why.value) == [("/parameters/size", "players")]
    make_competition(league, "round_robin", "pairs")
    with pytest.raises(Refused, match="a fixture would have 2"):
        start(league, slug="pairs")
    make_competition(league, "free", "months")
    start(league, slug="months")
    with pytest.raises(Refused, match="a fixture would have 3") as why:
        add_fixtures(league.pk, "months", [NewFixture([1, 2, 3, 4]), NewFixture([1, 2, 3])], by="test")
    assert pointers(why.value) == [("/fixtures/1/entries", "players")]
    make_competition(league, "tables", "friendly", parameters={"size": 4}, rated=False)
    assert start(league, (*FOUR, "eva", "fay", "gus"), "friendly").status == "running"


def test_a_round_that_a_withdrawal_would_spoil_is_not_made() -> None:
    league = make_league("barbu", FOUR, slug="cards")
    make_competition(league, "tables", parameters={"size": 4})
    start(league)
    change_entry(league.pk, "cup", 4, {"byes": [{"round": 1, "kind": "zero_bye"}]}, by="test")
    with pytest.raises(Refused, match="Barbu is for 4 players; a fixture would have 3"):
        make_round(league.pk, "cup", by="test")
    change_entry(league.pk, "cup", 4, {"byes": []}, by="test")
    assert make_round(league.pk, "cup", by="test").number == 1


def test_a_format_that_comes_too_late_is_refused_once() -> None:
    league = league_of()
    make_competition(league, "round_robin", parameters={"turns": "double"})
    start(league)
    with pytest.raises(Refused) as late:
        change_competition(league.pk, "cup", {"format": "swiss"}, by="test")
    assert pointers(late.value) == [("/format", "started")]
