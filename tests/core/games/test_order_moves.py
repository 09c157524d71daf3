"""A game and all that it replaced move together; a dry run counts what is replayed of an evening of one time."""

from typing import Any

import pytest

from league.core.dry_runs.services.diff import serialize_diff
from league.core.dry_runs.services.run import preview_correction, preview_restoration, preview_void
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import EVENING, FOUR, make_league, ratings, record, sheet
from tests.helpers.order_builders import (
    SCORES,
    build_one_time,
    correct_scores,
    move_game,
    numberless,
    restore_right,
    void_friendly,
)

pytestmark = pytest.mark.django_db


def fresh(*evening: tuple[float, ...], system: str = "barbu") -> tuple[list[Any], list[Any]]:
    """Return everything derived of a league in which these sheets were recorded in this order."""
    league = make_league(system, slug="fresh")
    for scores in evening:
        record(league, sheet(FOUR, scores))
    return numberless(league)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("system", ["barbu", "elo"])
def test_a_sheet_that_is_restored_after_a_move_counts_where_its_game_was_moved_to(system: str) -> None:
    league = build_one_time(system)
    wrong = correct_scores(league, 2, (1, 2, 3, -6))
    beside = correct_scores(league, 3, (6, 6, -6, -6))
    # The third of the evening, with all that was written of it, goes before the second.
    move_game(league.pk, beside.number, later=False, by="olga")
    diff = serialize_diff(preview_restoration(league, 2, "it was right"))
    before = ratings(league)
    back = restore_right(league, 2)
    after = ratings(league)
    assert diff["games_replayed"] == 3  # the second where it stands now, and what follows it
    assert {line["player"]: line["after"] for line in diff["ratings"]} == {
        player: after[player] for player in after if after[player] != before[player]
    }
    assert dict(Game.objects.values_list("number", "order_key")) == {1: 1, 2: 3, 3: 2, 4: 4, 5: 5, 6: 3, 7: 2, 8: 3}
    restore_right(league, 3)
    assert numberless(league) == fresh(SCORES[0], SCORES[2], SCORES[1], SCORES[3], SCORES[4], system=system)
    # And the other sheets, after another move: nothing of the order is lost by what is restored.
    move_game(league.pk, back.number, later=True, by="olga")
    restore_right(league, wrong.number)
    League.objects.filter(slug="fresh").update(slug="first")
    assert numberless(league) == fresh(SCORES[0], SCORES[2], SCORES[3], (1, 2, 3, -6), SCORES[4], system=system)
    assert not verify_league(league.pk).differences


def test_a_void_game_keeps_its_place_while_others_of_its_time_move_past_it() -> None:
    league = build_one_time()
    void_friendly(league, 3)
    move_game(league.pk, 2, later=True, by="olga")
    restore_right(league, 3)
    assert numberless(league) == fresh(SCORES[0], SCORES[3], SCORES[2], SCORES[1], SCORES[4])
    assert not verify_league(league.pk).differences


def test_a_sheet_of_another_time_keeps_that_time_and_the_key_of_its_game() -> None:
    league = build_one_time(games=3)
    record(league, sheet(FOUR, SCORES[3], minutes=5))
    late = correct_scores(league, 2, SCORES[1], minutes=5)
    move_game(league.pk, late.number, later=True, by="olga")
    back = restore_right(league, 2)
    assert (back.played_at, back.order_key) == (EVENING, 4)
    # Games 1, 3 and it: it stands among those of its time by the key that it got by the move.
    expected = make_league("barbu", slug="fresh")
    for scores, minutes in ((SCORES[0], 0), (SCORES[2], 0), (SCORES[1], 0), (SCORES[3], 5)):
        record(expected, sheet(FOUR, scores, minutes=minutes))
    assert numberless(league) == numberless(expected)
    assert not verify_league(league.pk).differences


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    ("preview", "count"),
    [
        (lambda league: preview_correction(league, 5, sheet(FOUR, SCORES[0]), "misread"), 1),
        (lambda league: preview_correction(league, 2, sheet(FOUR, SCORES[0]), "misread"), 4),
        (lambda league: preview_correction(league, 4, sheet(FOUR, SCORES[0], minutes=5), "misread"), 2),
        (lambda league: preview_correction(league, 4, sheet(FOUR, SCORES[0], minutes=-5), "misread"), 5),
        (lambda league: preview_void(league, 4, "friendly"), 1),
    ],
)
def test_a_dry_run_counts_the_games_of_one_time_that_are_replayed_and_no_others(preview: Any, count: int) -> None:
    assert serialize_diff(preview(build_one_time()))["games_replayed"] == count
