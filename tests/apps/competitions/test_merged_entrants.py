"""Two entrants who turn out to be one person: the merge is refused with what to do, or there is one entry."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import cancel_competition, finish_competition
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, withdraw_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round
from league.core.errors import Forbidden, Refused, RungsError
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import FOUR, make_league, player_of
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition, scores
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way

SIX = (*FOUR, "eva", "finn")


def merge(player: str, survivor: str, **more: Any) -> None:
    merge_players(player_of(player), player_of(survivor), username="olga", **more)


@pytest.mark.django_db
@pytest.mark.parametrize("order", [("dan", "anna"), ("anna", "dan")])
@pytest.mark.parametrize("status", ["draft", "open", "running"])
def test_a_merge_of_two_entrants_names_the_competition_and_what_to_do(order: tuple[str, str], status: str) -> None:
    league = make_league()
    make_competition(league, "swiss", rounds=3)
    enter(league, *FOUR)
    Competition.objects.update(status=status)
    with pytest.raises(Refused, match=r"are both in Cup \(Club\), as entries 1 and 4\. Withdraw one of them") as error:
        merge(*order)
    assert [(one.pointer, one.code) for one in error.value.problems] == [("/into", "both_entered")]
    withdraw_entry(league.pk, "cup", 4, by="olga")
    merge(*order)
    active = [entry.number for entry in Entry.objects.exclude(status="withdrawn").order_by("number")]
    assert active == [1, 2, 3]


@pytest.mark.django_db
def test_who_may_not_see_the_league_learns_nothing_of_its_competition() -> None:
    league = make_league()
    run_competition(league, FOUR)

    def refuse(leagues: Any) -> None:
        if leagues:
            raise Forbidden("No.")

    with pytest.raises(Forbidden):
        merge("dan", "anna", allow=refuse)


@pytest.mark.django_db
def test_a_fixture_of_the_two_is_cancelled_first() -> None:
    league = make_league()
    run_competition(league, FOUR, "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 4]), NewFixture([1, 2]), NewFixture([4, 3])], by="arbiter")
    Entry.objects.filter(number=4).update(status="withdrawn", withdrawn_after=0)
    with pytest.raises(Refused, match=r"meet in fixture 1 of Cup \(Club\)\. Cancel that fixture first"):
        merge("dan", "anna")
    change_fixture(league.pk, 1, {"cancelled": True}, by="arbiter", reason="One person.")
    merge("dan", "anna")
    with pytest.raises(Refused, match="is in another entry of this fixture"):
        add_fixtures(league.pk, "cup", [NewFixture([1, 4])], by="arbiter")
    with pytest.raises(Refused, match="is in two entries: 1 and 4"):
        change_entry(league.pk, "cup", 4, {"status": "entered"}, by="arbiter")
    # The withdrawn entry's fixture can still be played, by the one person.
    record_result(league.pk, 3, scores(1, 0), by="arbiter")
    record_result(league.pk, 2, scores(0, 1), by="arbiter")
    assert {one.number: one.status for one in loaded_cup(league).fixtures} == {
        1: "cancelled", 2: "played", 3: "played"
    }  # fmt: skip


@pytest.mark.django_db
def test_the_merged_person_cannot_enter_again_under_either_name() -> None:
    league = make_league()
    make_competition(league, "swiss", rounds=3)
    enter(league, "dan")
    merge("dan", "anna")
    for name in ("dan", "anna"):
        with pytest.raises(Refused, match="is in two entries"):
            add_entries(league.pk, "cup", [NewEntry([name])], by="olga")


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["finished", "cancelled"])
def test_in_a_competition_that_has_ended_both_entries_stay_and_unmerging_changes_nothing(end: str) -> None:
    league = make_league(players=SIX)
    run_competition(league, SIX, rounds=1)
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    if end == "finished":
        finish_competition(league.pk, "cup", by="olga")
    else:
        cancel_competition(league.pk, "cup", by="olga")
    first, second = next((one, other) for one in (1, 2) for other in (5, 6) if not meet(league, one, other))
    before = read_standings(league)
    merge(SIX[second - 1], SIX[first - 1])
    assert read_standings(league) == before
    unmerge_player(player_of(SIX[second - 1]), username="olga")
    assert read_standings(league) == before
    assert verify_league(league.pk).state == "is right"


def meet(league: League, first: int, second: int) -> bool:
    return any({first, second} <= set(one.entries) for one in loaded_cup(league).fixtures)


def read_standings(league: League) -> list[Any]:
    return [(row.rank, row.entry, row.points) for row in compute_standings(loaded_cup(league)).rows]


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(6))
def test_whatever_the_order_nobody_plays_twice_in_a_round(seed: int) -> None:
    """Enter, merge, withdraw and come back in drawn order; each round seats a person once."""
    random, league = Random(seed), make_league(players=SIX)
    make_competition(league, "swiss", rounds=5)
    enter(league, "anna", "ben", "cleo")
    Competition.objects.update(status="running")
    acts: list[Callable[[], object]] = [
        lambda: add_entries(league.pk, "cup", [NewEntry([random.choice(SIX)])], by="olga"),
        lambda: merge(*random.sample(SIX, 2)),
        lambda: withdraw_entry(league.pk, "cup", random.randint(1, 6), by="olga"),
        lambda: change_entry(league.pk, "cup", random.randint(1, 6), {"status": "entered"}, by="olga"),
    ]
    for _step in range(14):
        # What is refused, and why, the other tests say.
        with suppress(RungsError):
            random.choice(acts)()
    active = [entry for entry in Entry.objects.prefetch_related("players__player__merged_into")
              if entry.status == "entered"]  # fmt: skip
    people = [line.survivor.pk for entry in active for line in entry.players.all()]
    assert len(people) == len(set(people))
    if len(active) > 1:
        make_round(league.pk, "cup", by="olga")
        publish_round(league.pk, "cup", 1, by="olga")
        seated = [entry for fixture in loaded_cup(league).list_fixtures(1) for entry in fixture.entries]
        assert len(seated) == len(set(seated))


@long_way
@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_merging_beside_entering_leaves_one_active_entry_of_a_person() -> None:
    league = make_league()
    make_competition(league, "swiss", rounds=3)

    def attempt(act: Callable[[], object]) -> Callable[[], str]:
        def run() -> str:
            try:
                act()
            except Refused as error:
                return error.detail
            return "done"

        return run

    for turn in range(5):
        slug = f"cup-{turn}"
        make_competition(league, "swiss", slug=slug, rounds=3)
        add_entries(league.pk, slug, [NewEntry(["anna"])], by="olga")
        in_threads(
            [attempt(lambda: merge("dan", "anna")),
             attempt(lambda slug=slug: add_entries(league.pk, slug, [NewEntry(["dan"])], by="olga"))]  # type: ignore[misc]
        )  # fmt: skip
        entries = Entry.objects.filter(competition__slug=slug).prefetch_related("players__player__merged_into")
        people = [line.survivor.pk for entry in entries for line in entry.players.all()]
        assert len(people) == len(set(people)), turn
        if player_of("dan").merged_into is not None:
            unmerge_player(player_of("dan"), username="olga")
        Competition.objects.filter(slug=slug).update(status="cancelled")
