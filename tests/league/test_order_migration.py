"""Migration 0016: corrected games that stand take the places of those that they replace."""

import importlib

import pytest
from django.apps import apps
from django.db.models import F

from league.models import Game, League
from league.services.recording.games import correct_game
from league.services.replay.inline import replay_from
from league.services.verify.run import verify_league
from tests.helpers.builders import EVENING, derived, make_league, record, sheet
from tests.helpers.order_builders import SCORES, build_one_time, correct_scores, numberless

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def as_before_order_keys(league: League) -> None:
    """Write and rate the games of a league as if corrections came last among those of their time."""
    Game.objects.filter(league=league).update(order_key=F("number"))
    replay_from(League.objects.get(pk=league.pk), None)


def test_the_migration_gives_corrected_games_their_places_and_has_what_that_moves_replayed() -> None:
    league = build_one_time()
    before = numberless(league)
    wrong = correct_scores(league, 2, SCORES[0])
    correct_scores(league, wrong.number, SCORES[1])
    as_before_order_keys(league)
    assert numberless(league) != before
    importlib.import_module("league.migrations.0016_order_key").give_keys(apps, None)
    assert list(Game.objects.order_by("number").values_list("order_key", flat=True)) == [1, 2, 3, 4, 5, 2, 2]
    league.refresh_from_db()
    assert (league.stale_from, league.stale_key) == (EVENING, 2)
    replay_from(league, (EVENING, 2))
    assert numberless(league) == before
    assert not verify_league(league.pk).differences


def test_the_migration_leaves_alone_what_it_does_not_move() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=5))
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", by="olga")
    before = derived(league)
    as_before_order_keys(league)
    importlib.import_module("league.migrations.0016_order_key").give_keys(apps, None)
    league.refresh_from_db()
    assert league.stale_from is None
    assert derived(league) == before
    assert not verify_league(league.pk).differences
