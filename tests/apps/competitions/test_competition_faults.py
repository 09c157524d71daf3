"""Competitions when processes are killed, and when two organisers do the same at once: one round, nothing half done."""

from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry, Fixture, FixtureSeat, Round
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round, undo_round
from league.core.errors import Conflict, Refused, RungsError
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry, Player
from tests.helpers.builders import FOUR, league_of, make_league
from tests.helpers.processes import die
from tests.helpers.running_competitions import run_competition, scores
from tests.helpers.threads import in_threads

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]
TABLES = (Competition, Entry, Round, Fixture, FixtureSeat, Game, Player, LogEntry)


def count_rows() -> dict[str, int]:
    """Return the number of rows of each table that a competition may write to."""
    return {table.__name__: table.objects.count() for table in TABLES}


def start_cup() -> League:
    """Return a league with a running Swiss of four."""
    league = make_league()
    run_competition(league, FOUR, rounds=2)
    return league


def attempt(work: Any) -> str:
    """Return what became of a call."""
    try:
        work()
    except (Conflict, Refused) as error:
        return type(error).__name__
    return "done"


@pytest.mark.slow("A process is started for each; the next tests hold the same rows.")
@pytest.mark.parametrize("act", ["make", "publish", "import"])
def test_a_process_that_is_killed_leaves_nothing_half_done(act: str) -> None:
    league = start_cup()
    if act == "publish":
        make_round(league.pk, "cup", by="olga")
    before = count_rows()
    die("compete", str(league.pk), act)
    assert count_rows() == before
    assert verify_league(league.pk).state == "is right"
    if act != "publish":
        assert make_round(league.pk, "cup", by="olga").number == 1
    assert publish_round(league.pk, "cup", 1, by="olga").published_at
    assert verify_league(league.pk).state == "is right"


def test_of_two_organisers_who_pair_at_once_one_makes_the_round() -> None:
    league = start_cup()

    def make() -> str:
        return attempt(lambda: make_round(league.pk, "cup", by="olga", number=1))

    assert sorted(in_threads([make] * 2)) == ["Conflict", "done"]
    assert (Round.objects.count(), Fixture.objects.count(), FixtureSeat.objects.count()) == (1, 2, 4)
    # Without the number that they expect, the second is told to publish the first one's round.
    publish_round(league.pk, "cup", 1, by="olga")
    assert verify_league(league.pk).state == "is right"


def test_a_round_that_is_undone_while_its_result_arrives_is_either_there_with_it_or_gone() -> None:
    league = start_cup()
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    number = Fixture.objects.order_by("number")[0].number

    def undo() -> bool:
        return attempt(lambda: undo_round(league.pk, "cup", 1, by="olga")) == "done"

    def enter() -> bool:
        try:
            record_result(league.pk, number, scores(1, 0), by="ron")
        except RungsError:
            return False
        return True

    undone, entered, again = in_threads([undo, enter, enter])
    assert [undone, entered, again].count(True) == 1
    assert (Round.objects.count(), Game.objects.count()) == ((0, 0) if undone else (1, 1))
    assert league_of().last_number == (0 if undone else 1)
    assert verify_league(league.pk).state == "is right"
