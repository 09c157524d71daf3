"""Reports of fixtures whose scores are computed: from sets, and from worksheets."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.reports.models import Report
from league.apps.reports.services.answering import confirm_report
from league.core.errors import Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.similar_games import ContradictingGame, record_unless_alike
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import make_league
from tests.helpers.report_builders import link_of, report_fields, reported
from tests.helpers.running_competitions import run_competition

pytestmark = [pytest.mark.django_db]
#: What Anna and Ben have in their sets: she won 2–1, he won 2–0.
ANNA, BEN = ([11, 9, 11], [9, 11, 7]), ([4, 8], [11, 11])
#: Worksheets of three, and the scores that follow from them.
PAPERS = ((-20, 320, 160), (4, 120, 60), (16, 20, 60))
CARDS = ("pedja", "marko", "johnny")


def league_of_sets() -> League:
    """Return a league of sets with a fixture of Anna and Ben."""
    league = make_league(players=("anna", "ben"), reporting="by_link", sets={"best_of": 3, "to": 11})
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    return league


def league_of_cards() -> League:
    """Return a league of worksheets with a fixture of three."""
    league = make_league("preferans", CARDS, reporting="by_link")
    run_competition(league, CARDS, "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2, 3])], by="olga")
    return league


def of_sets(sets: tuple[list[int], list[int]], **more: Any) -> NewGame:
    """Return a game of Anna and Ben by its sets."""
    lines = [NewResult(name, sets=points) for name, points in zip(("anna", "ben"), sets, strict=True)]
    return NewGame(lines, played_at=timezone.now() - timedelta(hours=1), **more)


def of_cards(**more: Any) -> NewGame:
    """Return a game of three by its worksheets."""
    lines = [
        NewResult(name, worksheet=dict(zip(("middle", "left", "right"), paper, strict=True)))
        for name, paper in zip(CARDS, PAPERS, strict=True)
    ]
    return NewGame(lines, details={"bula": 30}, played_at=timezone.now() - timedelta(hours=1), **more)


def states() -> list[tuple[str, int | None]]:
    """Return the state of each report, the earliest first, and the number of its game."""
    found = Report.objects.select_related("game").order_by("entered_at")
    return [(report.state, None if report.game is None else report.game.number) for report in found]


def test_sets_that_name_a_fixture_are_reported_and_confirmed() -> None:
    league = league_of_sets()
    report = reported(link_of(league, "anna"), of_sets(ANNA, fixture=1))
    confirm_report(link_of(league, "ben"), report.pk)
    assert states() == [("confirmed", 1)]
    assert list(Game.objects.get().results.order_by("seat").values_list("score", flat=True)) == [2.0, 1.0]
    assert verify_league(league.pk).state == "is right"


def test_sets_of_a_fixture_are_reported_on_the_page_of_a_link() -> None:
    league = league_of_sets()
    fields = {
        f"seats-{seat}-set_{number}": points
        for seat, one in enumerate(ANNA)
        for number, points in enumerate(one, start=1)
    }
    address = f"/report/{link_of(league, 'anna')}/"
    page = Client().post(address, {**report_fields(("anna", "ben"), ("", ""), fixture=1), **fields}, follow=True)
    assert page.status_code == 200
    assert states() == [("waiting", None)]
    assert Report.objects.get().sheet["fixture"] == 1


def test_worksheets_that_name_a_fixture_are_reported_and_confirmed() -> None:
    league = league_of_cards()
    report = reported(link_of(league, "pedja"), of_cards(fixture=1))
    confirm_report(link_of(league, "marko"), report.pk)
    assert states() == [("confirmed", 1)]
    assert verify_league(league.pk).state == "is right"


def test_a_report_without_any_result_is_refused_still() -> None:
    league = league_of_sets()
    lines = [NewResult("anna"), NewResult("ben")]
    with pytest.raises(Refused):
        reported(link_of(league, "anna"), NewGame(lines, fixture=1))


def test_sets_are_compared_by_the_scores_that_follow_from_them() -> None:
    league = league_of_sets()
    reported(link_of(league, "anna"), of_sets(ANNA, fixture=1))
    reported(link_of(league, "ben"), of_sets(BEN, fixture=1))
    with pytest.raises(ContradictingGame) as asked:
        record_unless_alike(league.pk, of_sets(ANNA), username="olga", confirmed_number=None)
    # Ben's alone says otherwise.
    assert len(asked.value.marks) == 1
    assert "Ben reported" in asked.value.detail
    lines = [replace(line, player="") for line in of_sets(ANNA).results]
    record_result(league.pk, 1, NewGame(lines), by="olga")
    assert states() == [("confirmed", 1), ("refused", None)]


def test_worksheets_are_compared_by_the_scores_that_follow_from_them() -> None:
    league = league_of_cards()
    reported(link_of(league, "pedja"), of_cards(fixture=1))
    record_unless_alike(league.pk, of_cards(), username="olga", confirmed_number=None)
    assert states() == [("confirmed", 1)]
