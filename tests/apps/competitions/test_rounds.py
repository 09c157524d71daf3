"""Rounds: proposed, made, published and undone."""

import pytest

from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import (
    make_round,
    publish_round,
)
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import all_said, make_league
from tests.helpers.running_competitions import loaded_cup, meetings, run_competition, scores

pytestmark = pytest.mark.django_db
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")


def play_round(league: League, number: int, *results: tuple[float, float]) -> None:
    """Make and publish a round, and record its games in the order of the tables."""
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", number, by="arbiter")
    for fixture, result in zip(loaded_cup(league).list_fixtures(number), results, strict=False):
        record_result(league.pk, fixture.number, scores(*result), by="arbiter")


def test_a_swiss_round_is_made_published_played_and_the_next_one_made() -> None:
    league = make_league(players=SIX)
    run_competition(league, SIX, rounds=3, parameters={"first_colour": "white"})
    made = make_round(league.pk, "cup", by="arbiter", number=1)
    # By the Dutch system the first of the upper half meets the first of the lower half, colours alternate.
    assert meetings(league, 1) == [(1, 4), (5, 2), (3, 6)]
    assert made.published_at is None
    assert loaded_cup(league).data.rounds == ()
    publish_round(league.pk, "cup", 1, by="arbiter")
    for number in (1, 2, 3):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    make_round(league.pk, "cup", by="arbiter", number=2)
    assert len(meetings(league, 2)) == 3
    assert not {frozenset(pair) for pair in meetings(league, 1)} & {frozenset(pair) for pair in meetings(league, 2)}
    kinds = [kind for kind, _ in all_said(league) if kind.split(".")[0] in ("round", "fixture")]
    assert kinds == ["round.made", "round.published", *["fixture.played"] * 3, "round.made"]
    assert verify_league(league.pk).state == "is right"
