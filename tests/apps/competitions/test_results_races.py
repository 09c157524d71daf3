"""Several people enter the result of one fixture at once: it has one."""

from collections.abc import Callable

import pytest

from league.apps.competitions.models import FixtureSeat
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.errors import Conflict
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import FOUR, make_league
from tests.helpers.running_competitions import run_competition, scores
from tests.helpers.threads import in_threads

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]


def attempt(act: Callable[[], object]) -> Callable[[], str]:
    """Return an act that answers with its conflict, or "done"."""

    def run() -> str:
        try:
            act()
        except Conflict as error:
            return error.detail
        return "done"

    return run


def make_cup() -> League:
    league = make_league()
    run_competition(league, FOUR)
    return league


def test_a_result_that_two_enter_at_once_is_one_game() -> None:
    league = make_cup()
    make_round(league.pk, "cup", by="organiser")
    publish_round(league.pk, "cup", 1, by="organiser")
    answers = in_threads([attempt(lambda: record_result(league.pk, 1, scores(1, 0), by="arbiter"))] * 2)
    assert sorted(answers) == ["Fixture 1 already has a result: game 1. Correct that game instead.", "done"]
    seats = FixtureSeat.objects.filter(fixture__number=2).order_by("seat")
    first, second = (seat.entry.players.get().player.handle for seat in seats)
    by_pad = NewGame([NewResult(first, 1), NewResult(second, 0)])
    # A pad and a link at once: both are recorded, one is for the fixture.
    recorded = in_threads([lambda: record_game(league.pk, by_pad, by="pad").fixture] * 2)
    assert sorted(recorded, key=str) == [2, None]
    assert Game.objects.count() == 3
    assert verify_league(league.pk).state == "is right"
