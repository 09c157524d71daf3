"""Any order of entry, with voids and corrections between, ends as a replay from nothing does."""

from typing import Any

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, given, settings

from league.core.dispatch import sweep
from league.core.errors import Conflict
from league.core.games.services.record import correct_game, void_game
from league.models import Game, League
from tests.helpers.builders import derived, make_league, record
from tests.helpers.drawn_sheets import SIX, SLUGS, STEPS, WORLDS, make_sheet, replay_from_nothing
from tests.helpers.tiers import examples, mark_slow

pytestmark = [pytest.mark.engine, pytest.mark.django_db, pytest.mark.usefixtures("dropped_weng_lin")]


def play(league: League, world: str, steps: list[Any]) -> None:
    """Do the steps; those that hit a game that is void or not there are left out."""
    system, _, size = WORLDS[world]
    for what, minutes, seats, scores, number in steps:
        new = make_sheet(system, size, seats, scores, minutes)
        if what == "record":
            record(league, new)
        elif Game.objects.filter(league=league, number=number).exists():
            try:
                if what == "void":
                    void_game(league.pk, number, reason="a friendly", username="test")
                else:
                    correct_game(league.pk, number, new, reason="misread", username="test")
            except Conflict:
                assert Game.objects.get(league=league, number=number).voided_at is not None


@pytest.mark.parametrize("world", mark_slow(WORLDS, "Other systems.", but=["elo", "barbu", "durak"]))
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_any_order_of_entry_ends_as_a_replay_from_nothing(world: str, steps: list[Any]) -> None:
    system, parameters, _ = WORLDS[world]
    league = make_league(system, SIX, slug=next(SLUGS), parameters=parameters, starts={"anna": 1234.0})
    play(league, world, steps)
    incremental = derived(league)
    replay_from_nothing(league)
    assert derived(league) == incremental
    # Every history is a chain.
    last: dict[str, float] = {}
    for handle, _, _, _, _, _, _, before, change, after, *_ in incremental[0]:
        assert last.get(handle, before) == before
        assert before + change == after
        last[handle] = after


@pytest.mark.parametrize("world", mark_slow(WORLDS, "The order is that of every system.", but=["elo", "barbu"]))
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_entry_in_playing_order_ends_in_the_same_ratings(world: str, steps: list[Any]) -> None:
    system, parameters, size = WORLDS[world]
    recorded = [step for step in steps if step[0] == "record"]
    anyhow = make_league(system, SIX, slug=next(SLUGS), parameters=parameters)
    for _, minutes, seats, scores, _ in recorded:
        record(anyhow, make_sheet(system, size, seats, scores, minutes))
    ordered = make_league(system, SIX, slug=next(SLUGS), parameters=parameters)
    # A stable sort: games of one minute stay in the order of their numbers.
    for _, minutes, seats, scores, _ in sorted(recorded, key=lambda step: step[1]):
        record(ordered, make_sheet(system, size, seats, scores, minutes))
    without_numbers = [[line[:1] + line[2:] for line in derived(league)[0]] for league in (anyhow, ordered)]
    assert without_numbers[0] == without_numbers[1]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.slow("Compiles kernels.")
def test_the_compiled_replay_gives_the_same_bits(world: str) -> None:
    system, parameters, size = WORLDS[world]
    league = make_league(system, SIX, parameters=parameters)
    for turn in range(30):
        seats = list(SIX[turn % 6 :] + SIX[: turn % 6])
        scores = [(turn * 37 + seat * 91) % 211 for seat in range(5)]
        record(league, make_sheet(system, size, seats, scores, turn))
    plain = derived(league)
    replay_from_nothing(league, compiled=True)
    assert derived(league) == plain


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_replays_left_to_celery_end_in_the_same_books(steps: list[Any]) -> None:
    league = make_league("elo", SIX, slug=next(SLUGS))
    with override_settings(RUNGS_INLINE_GAMES=0):
        play(league, "elo", steps)
    sweep.run_due_replay(league.pk)
    deferred = derived(league)
    league.refresh_from_db()
    assert league.stale_from is None
    replay_from_nothing(league)
    assert derived(league) == deferred
