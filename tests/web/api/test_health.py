"""``manage.py health``: sentences about a league's ratings, or JSON; nothing is written."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from league.core.games.services.record import void_game
from league.models import League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.experiment_builders import club
from tests.helpers.ladder_builders import tables

pytestmark = pytest.mark.django_db


def told(*arguments: str) -> str:
    """Return what the command writes."""
    out = StringIO()
    call_command("health", "club", *arguments, stdout=out)
    return out.getvalue()


def test_it_says_in_sentences_how_a_leagues_ratings_are() -> None:
    league = club(60)
    record(league, sheet(("eva", "finn"), (1, 0), minutes=1, create_players=True))
    before = tables()
    text = told()
    assert tables() == before
    lines = text.splitlines()
    assert lines[0] == "61 games of 6 players."
    assert lines[1].startswith("There are 2 groups that have never played each other; the largest has 4 of 6 players.")
    assert lines[2].startswith(
        "Each game adds 0.000 to the sum of all ratings (0.000 – 0.000). As far as these games show, what some"
    )
    # The better of two sits first there, and wins four games of five: 48 of 60, and the one of the other two: 49 of 61.
    assert lines[4] == "The sides are not equal: the first side wins 80.3% of the points."
    assert lines[5].startswith("Seat 1 of 2 wins 80.3% of the points (")
    assert lines[5].endswith("Advantage: an advantage.")
    assert lines[6].endswith("Advantage: a disadvantage.")
    assert lines[7] == "No player with 20 games or more met the same opponent in 50% of them."
    assert lines[-1].startswith("2024-03: 1 games, 2 players, 2 of them new, mean rating 1,500.0")


def test_names_stand_beside_the_figures_of_json() -> None:
    make_league(players=("anna", "ben"))
    league = League.objects.get()
    for minute in range(21):
        record(league, sheet(("ben", "anna"), (1, 0), minutes=minute))
    void_game(league.pk, 21, reason="a test", username="test")
    found = json.loads(told("--json"))
    assert (found["games"], found["islands"], found["drift"]["low"]) == (20, [2], None)
    assert {found["names"][str(one["player"])]: one["together"] for one in found["habits"]} == {"ben": 20, "anna": 20}
    text = told()
    assert "ben met anna in 20 of 20 games, and gained +" in text
    assert "All players are connected by games" in text
    assert "Every player took part in every game, so everyone meets everyone." in text
    assert "too few days of play for an interval" in text


def test_what_cannot_be_looked_at_is_said() -> None:
    league = make_league(players=("anna", "ben"))
    with pytest.raises(CommandError, match="The league has no rated games yet"):
        told()
    record(league, sheet(("anna", "ben"), (1, 0)))
    League.objects.update(stale_from=timezone.now())
    with pytest.raises(CommandError, match="are being recalculated"):
        told()


def test_ratings_that_rise_as_a_whole_are_told() -> None:
    league = make_league("durak", ("anna", "ben", "cleo"), parameters={"inflation": 1})
    for day in range(1, 15):
        record(league, sheet(("anna", "ben", "cleo"), places=(1, 2, 3), minutes=1440 * day))
    assert "Ratings rise overall." in told()
