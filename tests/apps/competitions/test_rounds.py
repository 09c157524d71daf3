"""Rounds: proposed, made, published and undone."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from league.apps.competitions.models import Entry, Fixture, Round
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.pairing import propose_round
from league.apps.competitions.services.results import forfeit_fixture, record_result
from league.apps.competitions.services.rounds import (
    NewFixture,
    RoundDates,
    add_fixtures,
    list_round_starts,
    make_all_rounds,
    make_round,
    publish_round,
    undo_round,
)
from league.core.errors import Conflict, Refused
from league.core.games.services.record import void_game
from league.core.locking import run_with_league_lock
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import all_said, make_league
from tests.helpers.running_competitions import loaded_cup, meetings, play_round, run_competition, scores

pytestmark = pytest.mark.django_db
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")


def make_cup(players: tuple[str, ...] = SIX, format_key: str = "swiss", **settings: object) -> League:
    """Make a league whose competition ``cup`` is running."""
    league = make_league(players=players)
    run_competition(league, players, format_key, **settings)
    return league


def test_a_swiss_round_is_made_published_played_and_the_next_one_made() -> None:
    league = make_cup(rounds=3, parameters={"first_colour": "white"})
    made = make_round(league.pk, "cup", by="arbiter", number=1)
    # By the Dutch system the first of the upper half meets the first of the lower half, colours alternate.
    assert meetings(league, 1) == [(1, 4), (5, 2), (3, 6)]
    assert [one.table for one in loaded_cup(league).list_fixtures(1)] == [1, 2, 3]
    assert made.published_at is None
    assert loaded_cup(league).data.rounds == ()
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2, 3):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    make_round(league.pk, "cup", by="arbiter", number=2)
    # The winners 1, 5 and 3 meet as far as they can: one meets a loser.
    assert len(meetings(league, 2)) == 3
    assert not {frozenset(pair) for pair in meetings(league, 1)} & {frozenset(pair) for pair in meetings(league, 2)}
    (reason,) = Round.objects.get(number=2).reasons
    assert reason["text"] == "Their points differ: no opponent with the same points was left for one of them."
    kinds = [kind for kind, _ in all_said(league) if kind.split(".")[0] in ("round", "fixture")]
    assert kinds == ["round.made", "round.published", *["fixture.played"] * 3, "round.made"]
    assert verify_league(league.pk).state == "is right"


def test_the_next_round_waits_for_publication_and_for_every_result() -> None:
    league = make_cup(rounds=2)
    make_round(league.pk, "cup", by="arbiter")
    with pytest.raises(Refused, match="Round 1 is not published: publish or undo it first"):
        make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 1, by="arbiter")
    record_result(league.pk, 1, scores(1, 0), by="arbiter")
    forfeit_fixture(league.pk, 2, [loaded_cup(league).list_fixtures(1)[1].entries[0]], "no_show", by="arbiter")
    with pytest.raises(Refused, match=r"Round 1: .* – .* have no result yet") as error:
        make_round(league.pk, "cup", by="arbiter")
    assert [problem.pointer for problem in error.value.problems] == ["/fixtures/3"]
    record_result(league.pk, 3, scores(0.5, 0.5), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 2, by="arbiter")
    for fixture in loaded_cup(league).list_fixtures(2):
        record_result(league.pk, fixture.number, scores(1, 0), by="arbiter")
    with pytest.raises(Refused, match="The competition has 2 rounds, and all of them were made"):
        make_round(league.pk, "cup", by="arbiter")


def test_two_organisers_make_one_round() -> None:
    league = make_cup()
    make_round(league.pk, "cup", by="one", number=1)
    with pytest.raises(Conflict, match="Round 1 is already made"):
        make_round(league.pk, "cup", by="other", number=1)
    with pytest.raises(Conflict, match="The next round is 2, not 5"):
        make_round(league.pk, "cup", by="other", number=5)
    publish_round(league.pk, "cup", 1, by="one")
    with pytest.raises(Conflict, match="Round 1 is already published"):
        publish_round(league.pk, "cup", 1, by="other")
    assert (Round.objects.count(), Fixture.objects.count()) == (1, 3)


def test_the_reason_why_the_rules_pair_nothing_is_said() -> None:
    league = make_cup(("anna", "ben"), rounds=2)
    play_round(league, 1, (1, 0))
    with pytest.raises(Refused, match="Round 2 cannot be paired: everyone who may meet has met"):
        make_round(league.pk, "cup", by="arbiter")
    other = make_league(players=("anna", "ben"), slug="other")
    run_competition(other, ("anna", "ben"), "free")
    with pytest.raises(Refused, match="This competition has free fixtures"):
        make_round(other.pk, "cup", by="arbiter")
    assert Round.objects.count() == 1


def test_withdrawn_byes_and_absent_entries_are_not_paired() -> None:
    league = make_cup()
    Entry.objects.filter(number=1).update(status="withdrawn", withdrawn_after=0)
    Entry.objects.filter(number=2).update(byes=[{"round": 1, "kind": "half_bye"}, {"round": 2, "kind": "zero_bye"}])
    Entry.objects.exclude(number=3).update(checked_in_at=timezone.now())
    proposal = propose_round(loaded_cup(league))
    kinds = {tuple(seat.entry for seat in fixture.seats): fixture.kind for fixture in proposal.fixtures}
    assert {entries: kind for entries, kind in kinds.items() if kind != "planned"} == {
        (2,): "half_bye", (3,): "zero_bye", (6,): "pairing_bye",
    }  # fmt: skip
    assert {frozenset(entries) for entries, kind in kinds.items() if kind == "planned"} == {frozenset((4, 5))}
    texts = {reason.entries: str(reason.text) for reason in proposal.reasons}
    assert texts[3,] == "Not checked in for this round."
    assert texts[2,] == "The entry asked for this bye."
    assert not Fixture.objects.exists()


def test_entries_that_must_not_meet_do_not() -> None:
    league = make_cup(("anna", "ben", "cleo", "dan"))
    Entry.objects.filter(number=1).update(not_against=[3])
    make_round(league.pk, "cup", by="arbiter")
    assert {frozenset(pair) for pair in meetings(league, 1)} == {frozenset((1, 4)), frozenset((2, 3))}


def test_the_last_round_is_undone_until_a_game_of_it_was_played() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0))
    with pytest.raises(Refused, match=r"Round 1 has results: .*Void game 1 first"):
        undo_round(league.pk, "cup", 1, by="arbiter")
    void_game(league.pk, 1, reason="Typing error", username="arbiter")
    undo_round(league.pk, "cup", 1, by="arbiter")
    assert not Round.objects.exists()
    assert not Fixture.objects.exists()
    kind, said = all_said(league)[-1]
    assert (kind, said["removed"]) == ("round.undone", {"fixtures": [1, 2, 3], "rounds": [1]})
    make_round(league.pk, "cup", by="arbiter", number=1)
    assert verify_league(league.pk).state == "is right"


def test_only_the_last_round_is_undone() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    make_round(league.pk, "cup", by="arbiter")
    with pytest.raises(Conflict, match="Round 1 is not the last one: undo round 2 first"):
        undo_round(league.pk, "cup", 1, by="arbiter")


def test_a_round_robin_has_all_its_rounds_at_once() -> None:
    start, end = datetime(2024, 3, 5, 18, tzinfo=UTC), datetime(2024, 5, 5, tzinfo=UTC)
    league = make_cup(SIX[:5], "round_robin", starts_at=start, ends_at=end, rounds=5)

    def make(league: League, now: datetime) -> list[Round]:
        return make_all_rounds(league, now, find_competition(league, "cup"), "arbiter", RoundDates(interval_days=7))

    made = run_with_league_lock(league.pk, make)
    assert [one.number for one in made] == [1, 2, 3, 4, 5]
    assert [one.starts_at for one in made[:2]] == [start, start + timedelta(days=7)]
    # Five entries: two games and one bye without points a round, everyone meets everyone.
    loaded = loaded_cup(league)
    games = [one for one in loaded.fixtures if one.kind == "game"]
    assert {frozenset(one.entries) for one in games} == {
        frozenset((one, other)) for one in range(1, 6) for other in range(1, one)
    }
    assert sorted(one.entries[0] for one in loaded.fixtures if one.kind == "zero_bye") == [1, 2, 3, 4, 5]
    assert {one.deadline for one in games} == {end}
    assert all(one.published_at for one in loaded.rounds.values())
    assert verify_league(league.pk).state == "is right"


def test_a_best_of_three_ends_when_it_is_decided() -> None:
    league = make_cup(SIX[:4], "knockout", parameters={"games": 3}, rounds=2)
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 1, by="arbiter")
    # Matches 1–4 and 2–3, three games each at one table, colours alternate.
    assert meetings(league, 1) == [(1, 4), (4, 1), (1, 4), (2, 3), (3, 2), (2, 3)]
    assert [one.table for one in loaded_cup(league).list_fixtures(1)] == [1, 1, 1, 2, 2, 2]
    for number, result in ((1, (1, 0)), (2, (0, 1)), (4, (1, 0)), (5, (1, 0))):
        record_result(league.pk, number, scores(*result), by="arbiter")
    # 1 has won twice, so that game 3 is needless; 2 and 3 have won once each.
    with pytest.raises(Refused) as error:
        make_round(league.pk, "cup", by="arbiter")
    assert [problem.pointer for problem in error.value.problems] == ["/fixtures/6"]
    record_result(league.pk, 6, scores(0, 1), by="arbiter")
    make_round(league.pk, "cup", by="arbiter")
    assert set(meetings(league, 2)) == {(1, 3), (3, 1)}
    assert [one.status for one in loaded_cup(league).list_fixtures(1)] == [
        "played", "played", "cancelled", "played", "played", "played",
    ]  # fmt: skip
    assert verify_league(league.pk).state == "is right"


def test_tables_of_four_are_paired_without_repeats() -> None:
    players = tuple(f"p{number:02}" for number in range(1, 17))
    league = make_league("weng_lin", players)
    run_competition(league, players, "tables", tie_breaks=["SCORE"])
    for number in (1, 2):
        play_round(league, number, *[(4, 3, 2, 1)] * 4)
    tables = [{*entries} for number in (1, 2) for entries in meetings(league, number)]
    assert [len(table) for table in tables] == [4] * 8
    assert all(len(first & second) <= 1 for first in tables[:4] for second in tables[4:])
    # A winner has three points, one for each place below.
    points = compute_standings(loaded_cup(league)).rows
    assert sum(float(line.points) for line in points) == 2 * 4 * (3 + 2 + 1)


def test_fixtures_are_added_all_or_none() -> None:
    league = make_cup(SIX, "free")
    with pytest.raises(Refused) as error:
        add_fixtures(
            league.pk, "cup",
            [NewFixture([1, 2], 1), NewFixture([1, 9], 1), NewFixture([2, 2], 1), NewFixture([3], 1),
             NewFixture([3], kind="half_bye"), NewFixture([3, 4], kind="duel")],
            by="arbiter",
        )  # fmt: skip
    assert [(problem.pointer, problem.code) for problem in error.value.problems] == [
        ("/fixtures/1/entries/1", "unknown_entry"), ("/fixtures/2/entries/1", "twice"),
        ("/fixtures/3/entries", "count"), ("/fixtures/4/round", "missing"), ("/fixtures/5/kind", "unknown_kind"),
    ]  # fmt: skip
    assert not Fixture.objects.exists()
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], 2), NewFixture([3, 4]), NewFixture([5], 2, "half_bye")], by="a")
    assert [(one.number, one.round, one.status) for one in loaded_cup(league).fixtures] == [
        (1, 2, "planned"), (3, 2, "bye"), (2, None, "planned"),
    ]  # fmt: skip
    assert verify_league(league.pk).state == "is right"


def test_an_entry_has_one_fixture_in_a_swiss_round() -> None:
    league = make_cup()
    make_round(league.pk, "cup", by="arbiter")
    with pytest.raises(Refused, match="Anna already has a fixture in round 1"):
        add_fixtures(league.pk, "cup", [NewFixture([1, 2], 1)], by="arbiter")
    with pytest.raises(Refused, match="The competition has no round 2"):
        add_fixtures(league.pk, "cup", [NewFixture([1, 2], 2)], by="arbiter")


def test_a_competition_that_is_not_running_makes_no_rounds() -> None:
    league = make_cup(status="finished")
    with pytest.raises(Conflict, match="The competition has ended"):
        make_round(league.pk, "cup", by="arbiter")


def test_rounds_are_dated_past_blocked_days_and_a_change_of_clocks() -> None:
    """Each Sunday evening at seven in Belgrade: the second is blocked, and clocks change on 31 March 2024."""
    start = datetime(2024, 3, 17, 18, tzinfo=UTC)
    league = make_cup(SIX[:4], "round_robin", starts_at=start, rounds=3, time_zone="Europe/Belgrade")
    dates = RoundDates(7, frozenset({date(2024, 3, 24)}))
    starts = list_round_starts(find_competition(league, "cup"), 3, dates)
    assert starts == [start, datetime(2024, 3, 31, 17, tzinfo=UTC), datetime(2024, 4, 7, 17, tzinfo=UTC)]
