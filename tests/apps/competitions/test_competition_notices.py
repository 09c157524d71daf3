"""Notices of competitions: each once, also after a worker slept: pairings, deadlines, standings, decisions."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from league.apps.competitions.organiser.panels import build_home_panel
from league.apps.competitions.selectors.decisions import list_competitions_to_decide
from league.apps.competitions.services.competitions import finish_competition, revise_standings
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round, undo_round
from league.apps.notices.models import Notice
from league.apps.notices.selectors.due import find_leagues_with_news
from league.apps.notices.services.render import render_notice
from league.core.capabilities import Messages
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, void_game
from league.core.permissions import ANONYMOUS
from league.models import League
from tests.helpers.builders import league_of, make_league
from tests.helpers.notice_builders import facts, told
from tests.helpers.running_competitions import run_competition, scores
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(lambda: make_league(players=("anna", "ben", "cleo")))
NOW = timezone.now()


def kinds(league: League, now: Any = None) -> list[str]:
    """Write the notices of a time; return the new kinds without those of games."""
    return [kind.partition(".")[2] for kind, _subject in told(league, now or timezone.now()) if "evening" not in kind]


def text() -> list[str]:
    """Return the title and lines of the newest notice."""
    words = render_notice(Notice.objects.order_by("-number")[0], league_of())
    return [words.title, *words.text.split("\n")]


def test_a_published_round_is_announced_once_and_again_when_it_was_made_again() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben", "cleo"), "swiss", rounds=3, tie_breaks=["BH"], title="Club Swiss")
    starts = timezone.now().replace(year=2030, month=3, day=7, hour=19, minute=30)
    make_round(league.pk, "cup", by="olga", starts_at=starts)
    assert kinds(league) == []
    publish_round(league.pk, "cup", 1, by="olga")
    assert league in find_leagues_with_news(timezone.now())
    assert kinds(league) == ["round_published"]
    assert kinds(league) == []
    lines = text()
    assert lines[:4] == ["Club: Club Swiss, pairings of round 1", "Thursday 7 March 2030, 19:30", "", "Round 1"]
    assert len(lines) == 6, lines
    assert lines[4].startswith("Table 1: ") and lines[5].startswith("Bye: ")
    assert sorted(name for name in ("Anna", "Ben", "Cleo") if name in lines[4] + lines[5]) == ["Anna", "Ben", "Cleo"]
    undo_round(league.pk, "cup", 1, by="olga")
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    assert kinds(league, timezone.now() + timedelta(days=2)) == ["round_published"]
    assert kinds(league, timezone.now() + timedelta(days=4)) == []


def test_old_rounds_and_rounds_that_were_played_are_no_news() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "swiss", rounds=1)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    assert kinds(league, timezone.now() + timedelta(days=4)) == []
    record_result(league.pk, 1, scores(1, 0), by="olga")
    assert kinds(league) == []


def test_a_deadline_is_announced_once_within_48_hours() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben", "cleo"), "free")
    deadline = timezone.now().replace(year=2030, month=3, day=7, hour=19, minute=30, second=0, microsecond=0)
    fixtures = [NewFixture([1, 2], deadline=deadline), NewFixture([2, 3], deadline=deadline), NewFixture([1, 3])]
    add_fixtures(league.pk, "cup", fixtures, by="olga")
    record_result(league.pk, 2, scores(1, 0), by="olga")
    assert kinds(league, deadline - timedelta(hours=49)) == []
    assert kinds(league, deadline) == []
    assert kinds(league, deadline - timedelta(hours=47)) == ["deadline_near"]
    assert text() == ["Club: 1 game of Cup must be played by Thursday 7 March 2030, 19:30", "Anna – Ben"]
    assert kinds(league, deadline - timedelta(hours=1)) == []
    change_fixture(league.pk, 1, {"deadline": deadline + timedelta(days=7)}, by="olga")
    assert kinds(league, deadline + timedelta(days=6)) == ["deadline_near"]


def test_final_standings_are_announced_and_a_correction_asks_for_a_decision() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben", "cleo"), "free", tie_breaks=["WIN"])
    add_fixtures(league.pk, "cup", [NewFixture([1, 2]), NewFixture([1, 3])], by="olga")
    record_result(league.pk, 1, scores(1, 0), by="olga")
    record_result(league.pk, 2, scores(1, 1), by="olga")
    finish_competition(league.pk, "cup", by="olga")
    assert kinds(league) == ["final_standings"]
    assert text()[0] == "Club: Cup is finished"
    assert text()[1:] == ["Anna wins.", "", "Final standings", "1. Anna 1.5", "2. Cleo 0.5", "3. Ben 0"]
    assert not list_competitions_to_decide(league).exists()
    again = NewGame([NewResult("anna", 1), NewResult("ben", 0)], note="Long.")
    correct_game(league.pk, 1, again, reason="A note.", username="olga")
    assert not list_competitions_to_decide(league).exists(), "the standings are the same"
    swapped = NewGame([NewResult("anna", 0), NewResult("ben", 1)])
    correct_game(league.pk, 3, swapped, reason="Swapped.", username="olga")
    assert [one.slug for one in list_competitions_to_decide(league)] == ["cup"]
    assert build_home_panel(league, ANONYMOUS).due == 1
    assert kinds(league, timezone.now() + timedelta(minutes=11)) == ["decision_due"]
    assert facts() == {"count": 1, "reports": 0, "periods": [], "competitions": 1}
    assert text()[1] == (
        "1 competition waits: the deadline of a game has passed, or a correction changed its final standings."
    )
    revise_standings(league.pk, "cup", by="olga", reason="Game 1 was swapped.")
    assert not list_competitions_to_decide(league).exists()
    assert kinds(league) == ["final_standings"]
    assert text()[0] == "Club: The final standings of Cup were published again, edition 2"
    assert text()[1:4] == ["Ben wins.", "Reason: Game 1 was swapped.", ""]
    void_game(league.pk, 4, reason="Never played.", username="olga")
    assert [one.slug for one in list_competitions_to_decide(league)] == ["cup"]


@pytest.mark.parametrize(("action", "asked"), [("ask", ["cup"]), ("wait", []), ("forfeit", [])])
def test_a_passed_deadline_asks_the_organiser_if_they_decide(action: str, asked: list[str]) -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "free", deadline_action=action)
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], deadline=NOW - timedelta(days=1))], by="olga")
    assert [one.slug for one in list_competitions_to_decide(league_of())] == asked


def test_without_competitions_there_is_no_news_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "swiss", rounds=1)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    monkeypatch.setattr(apps.get_app_config("competitions"), "messages", Messages())
    assert find_leagues_with_news(timezone.now()) == []
    assert kinds(league) == []
