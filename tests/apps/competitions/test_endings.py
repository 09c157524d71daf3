"""Withdrawals while a competition runs, its end, and corrections after it."""

import json

import pytest

from league.apps.competitions.models import Competition, Entry, FinalStandings, Fixture
from league.apps.competitions.selectors.final_standings import standings_differ
from league.apps.competitions.services.competitions import finish_competition, revise_standings, start_competition
from league.apps.competitions.services.entries import change_entry, withdraw_entry
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.record import correct_game, void_game
from league.core.log.chain import compute_digest
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import league_of, make_league, sheet
from tests.helpers.competition_builders import enter, list_entries, make_competition, start
from tests.helpers.running_competitions import loaded_cup, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(make_league)


def play(league: League, *results: tuple[int, tuple[float, float]]) -> None:
    """Record results of fixtures by their numbers."""
    for number, values in results:
        record_result(league.pk, number, scores(*values), by="olga")


def list_statuses() -> list[tuple[int, str, tuple[int, ...]]]:
    """Return round, status and entries of each fixture that is not a bye."""
    fixtures = loaded_cup(league_of()).fixtures
    return [(fixture.round or 0, fixture.status, fixture.entries) for fixture in fixtures if fixture.status != "bye"]


def find_edition(number: int) -> FinalStandings:
    """Return an edition of the final standings."""
    return FinalStandings.objects.get(competition__slug="cup", number=number)


def test_a_round_robin_has_all_its_rounds_from_the_start() -> None:
    league = league_of()
    make_competition(league)
    start(league)
    # The Berger table of four.
    assert list_statuses() == [
        (1, "planned", (1, 4)), (1, "planned", (2, 3)), (2, "planned", (4, 3)), (2, "planned", (1, 2)),
        (3, "planned", (2, 4)), (3, "planned", (3, 1)),
    ]  # fmt: skip
    with pytest.raises(Refused):
        enter(league, "eva")
    assert verify_league(league.pk).state == "is right"


def test_who_leaves_a_round_robin_loses_the_open_games() -> None:
    league = league_of()
    make_competition(league)
    start(league)
    play(league, (1, (1, 0)), (2, (1, 0)))
    entry = withdraw_entry(league.pk, "cup", 4, by="olga")
    assert (entry.status, entry.withdrawn_after) == ("withdrawn", 1)
    assert list_statuses() == [
        (1, "played", (1, 4)), (1, "played", (2, 3)), (2, "forfeited", (4, 3)), (2, "planned", (1, 2)),
        (3, "forfeited", (2, 4)), (3, "planned", (3, 1)),
    ]  # fmt: skip
    forfeits = Fixture.objects.filter(game__kind="forfeit").order_by("number")
    assert list(forfeits.values_list("forfeit", flat=True)) == ["retired", "retired"]
    lines = Game.objects.get(fixtures=forfeits[0]).results.order_by("seat").values_list("player__handle", "place")
    assert list(lines) == [("dan", 2), ("cleo", 1)]
    assert verify_league(league.pk).state == "is right"


def test_who_leaves_a_swiss_system_is_not_paired_any_more_and_may_return() -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=3)
    start(league)
    make_round(league.pk, "cup", by="olga")
    with pytest.raises(Refused) as refused:
        withdraw_entry(league.pk, "cup", 4, by="olga")
    assert [problem.code for problem in refused.value.problems] == ["unpublished"]
    publish_round(league.pk, "cup", 1, by="olga")
    with pytest.raises(Invalid):
        withdraw_entry(league.pk, "cup", 4, by="olga", after_round=4)
    later = withdraw_entry(league.pk, "cup", 3, by="olga", after_round=2)
    assert (later.status, later.withdrawn_after) == ("entered", 2)
    gone = withdraw_entry(league.pk, "cup", 4, by="olga")
    assert (gone.status, gone.withdrawn_after) == ("withdrawn", 1)
    assert [status for _, status, _ in list_statuses()] == ["planned", "planned"]
    again = change_entry(league.pk, "cup", 4, {"status": "entered"}, by="olga")
    assert (again.status, again.withdrawn_after) == ("entered", None)
    # After no round at all: the game of the first round is lost.
    withdraw_entry(league.pk, "cup", 4, by="olga", after_round=0)
    assert sorted(status for _, status, entries in list_statuses() if 4 in entries) == ["forfeited"]
    assert verify_league(league.pk).state == "is right"


def test_a_late_entry_is_on_the_list_of_a_swiss_system_but_in_no_bracket() -> None:
    league = make_league(slug="other", players=("eva", "finn"))
    for format in ("swiss", "knockout"):
        make_competition(league, format, slug=format)
        enter(league, "anna", "ben", "cleo", slug=format)
        start_competition(league.pk, format, by="olga")
        make_round(league.pk, format, by="olga")
    assert [entry.number for entry in enter(league, "eva", slug="swiss")] == [4]
    with pytest.raises(Refused):
        enter(league, "eva", slug="knockout")
    assert list_entries("swiss")[-1] == (4, "eva", "entered")


@long_way
def test_finished_standings_are_an_edition_and_corrections_another() -> None:
    league = league_of()
    make_competition(league, tie_breaks=["DE"])
    start(league, ("anna", "ben", "cleo"))
    # Rounds of three: 2-3, 3-1, 1-2, each with a bye.
    numbers = {
        fixture.entries: fixture.number for fixture in loaded_cup(league).fixtures if fixture.status == "planned"
    }
    assert set(numbers) == {(2, 3), (3, 1), (1, 2)}
    play(league, (numbers[1, 2], (1, 0)), (numbers[2, 3], (1, 0)))
    with pytest.raises(Refused) as refused:
        finish_competition(league.pk, "cup", by="olga")
    assert refused.value.detail == "1 fixture has no result: Cleo – Anna"
    play(league, (numbers[3, 1], (0.5, 0.5)))
    edition = finish_competition(league.pk, "cup", by="olga", reason="Prizes at nine.")
    assert (edition.number, edition.reason, league_of().attaches_games) == (1, "Prizes at nine.", False)
    document = json.loads(edition.document)
    assert compute_digest(edition.document) == edition.sha256
    assert [(row["rank"], row["entry"], row["points"]) for row in document["results"]] == [
        (1, 1, 1.5), (2, 2, 1), (3, 3, 0.5),
    ]  # fmt: skip
    assert verify_league(league.pk).state == "is right"
    with pytest.raises(Conflict):
        finish_competition(league.pk, "cup", by="olga")
    with pytest.raises(Conflict):
        revise_standings(league.pk, "cup", by="olga", reason="Why not?")
    game = Fixture.objects.select_related("game").get(number=numbers[3, 1]).game
    assert game is not None
    new = sheet(("cleo", "anna"), (1, 0), played_at=game.played_at)
    correct_game(league.pk, game.number, new, reason="Misread.", username="olga")
    assert standings_differ(Competition.objects.get())
    with pytest.raises(Invalid):
        revise_standings(league.pk, "cup", by="olga", reason=" ")
    revised = revise_standings(league.pk, "cup", by="olga", reason="Misread.")
    results = json.loads(revised.document)["results"]
    assert (revised.number, [(row["rank"], row["points"]) for row in results]) == (2, [(1, 1), (1, 1), (1, 1)])
    assert not standings_differ(Competition.objects.get())
    assert json.loads(find_edition(1).document) == document
    assert verify_league(league.pk).state == "is right"


def test_a_voided_game_of_a_finished_competition_is_noticed() -> None:
    league = league_of()
    make_competition(league)
    start(league, ("anna", "ben"))
    play(league, (1, (1, 0)))
    finish_competition(league.pk, "cup", by="olga")
    void_game(league.pk, 1, reason="Not played.", username="olga")
    assert standings_differ(Competition.objects.get())
    assert Entry.objects.count() == 2
