"""A correction keeps its place; there and back gives the same bits; what rates nothing replays nothing.

A game and all that it replaced move together.
"""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.dry_runs.services.diff import serialize_diff
from league.core.dry_runs.services.run import preview_correction, preview_order, preview_restoration, preview_void
from league.core.errors import Conflict, NotFound
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, record_game
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.players.services.players import set_initial_rating
from league.core.replay.services.inline import mark_stale, replay_from
from league.core.transfer.selectors.exports_csv import iter_csv_lines
from league.core.verify.run import verify_league
from league.models import Game, League, Player, RatingChange
from tests.helpers.builders import EVENING, FOUR, derived, league_of, make_league, ratings, record, sheet
from tests.helpers.ladder_builders import close, state
from tests.helpers.order_builders import (
    SCORES,
    build_one_time,
    correct_scores,
    move_game,
    numberless,
    restore_right,
    void_friendly,
)
from tests.helpers.shared import built_once
from tests.helpers.tiers import examples, long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_one_time)


def test_a_note_moves_no_rating_of_an_evening_of_one_time_and_replays_nothing() -> None:
    league = league_of()
    before, replays = numberless(league), League.objects.get(pk=league.pk).replays
    noted = sheet(FOUR, SCORES[1], note="at Pedja's")
    diff = serialize_diff(preview_correction(league, 2, noted, "a note"))
    assert diff == {"games_replayed": 0, "ratings": [], "standings": [], "closed_periods": [], "winners_changed": []}
    game = correct_game(league.pk, 2, noted, reason="a note", username="olga").game
    assert (game.number, game.order_key) == (6, 2)
    assert numberless(league) == before
    assert League.objects.get(pk=league.pk).replays == replays
    # The last game that a rating names is the one that counts after a note.
    assert {line[-1] for line in derived(league)[1]} == {5}
    correct_scores(league, 5, SCORES[4], note="at Pedja's")
    assert {line[-1] for line in derived(league)[1]} == {7}
    lines = RatingChange.objects.filter(number=6)
    assert {line.game_id for line in lines} == {game.pk} and len(lines) == 4
    assert not RatingChange.objects.filter(number=2).exists()
    assert serialize_diff(preview_restoration(league, 2, "no note"))["games_replayed"] == 0
    assert restore_right(league, 2).note == ""
    assert not verify_league(league.pk).differences


def test_a_correction_of_the_time_takes_its_key_along() -> None:
    league = league_of()
    before = numberless(league)
    later = correct_scores(league, 2, SCORES[1], minutes=5)
    assert numberless(league) != before
    back = correct_scores(league, later.number, SCORES[1])
    assert back.order_key == 2
    assert numberless(league) == before


def test_a_void_game_that_is_restored_counts_in_its_place() -> None:
    league = league_of()
    before = numberless(league)
    void_friendly(league, 2)
    assert numberless(league) != before
    game = restore_right(league, 2)
    assert (game.number, game.order_key, game.replaces and game.replaces.number) == (6, 2, 2)
    assert game.voided_at is None and Game.objects.get(number=2).voided_at is not None
    with pytest.raises(Conflict, match="Game 6 is not void"):
        restore_right(league, 6)
    with pytest.raises(NotFound, match="no game 9"):
        restore_right(league, 9)
    assert numberless(league) == before
    assert not verify_league(league.pk).differences


def test_a_replaced_game_that_is_restored_voids_what_counted_instead() -> None:
    league = league_of()
    before = numberless(league)
    wrong = correct_scores(league, 2, SCORES[0])
    with pytest.raises(Conflict, match="Game 2 is already void; game 6 replaced it"):
        void_friendly(league, 2)
    game = restore_right(league, 2)
    wrong.refresh_from_db()
    assert (wrong.voided_at is not None, wrong.void_reason) == (True, "it was right")
    assert (game.number, game.replaces and game.replaces.number) == (7, 2)
    assert numberless(league) == before
    again = restore_right(league, wrong.number)
    assert (again.order_key, Game.objects.filter(order_key=2, voided_at=None).count()) == (2, 1)


def test_a_restoration_keeps_the_external_id_the_note_and_the_kind() -> None:
    league = make_league(slug="other")
    forfeit = NewGame([NewResult("anna", 1), NewResult("ben", 0)], EVENING, "s/1", kind="forfeit", note="late")
    record(league, forfeit)
    void_friendly(league, 1)
    game = restore_right(league, 1)
    assert (game.external_id, game.note, game.kind, game.played_at) == ("s/1", "late", "forfeit", EVENING)
    assert not RatingChange.objects.filter(league=league).exists()


def test_a_game_is_not_restored_where_another_one_bears_its_external_id() -> None:
    league = make_league(slug="other")
    record(league, sheet(("anna", "ben"), (1, 0), external_id="s/1"))
    changed = sheet(("anna", "ben"), (1, 0), external_id="s/2")
    correct_game(league.pk, 1, changed, reason="the id", username="olga")
    other = record(league, sheet(("anna", "ben"), (0, 1)))
    Game.objects.filter(pk=other.pk).update(external_id="s/1")
    with pytest.raises(Conflict, match="belongs to game 3"):
        restore_right(league, 1)
    assert league.games.get(number=2).voided_at is None


def test_a_note_in_a_closed_month_asks_for_no_decision() -> None:
    league = league_of()
    create_ladder(league.pk, "month", "Month", RankingRule("erf_mean", "month", {}), username="olga")
    close(league, "2024-03")
    diff = serialize_diff(preview_correction(league, 2, sheet(FOUR, SCORES[1], note="x"), "a note"))
    assert (diff["closed_periods"], diff["standings"]) == ([], [])
    correct_scores(league, 2, SCORES[1], note="x")
    assert state(league, "2024-03") == (True, False)
    diff = serialize_diff(preview_correction(league, 6, sheet(FOUR, SCORES[0]), "misread"))
    assert [entry["period"] for entry in diff["closed_periods"]] == ["2024-03"]


def test_a_note_while_a_replay_is_due_is_left_to_the_replay() -> None:
    league = league_of()
    before = numberless(league)
    books = League.objects.get(pk=league.pk)
    mark_stale(books, (EVENING, 1))
    correct_scores(league, 2, SCORES[1], note="at Pedja's")
    books.refresh_from_db()
    assert (books.stale_key, books.touched_key) == (1, 1)
    replay_from(books, None)
    assert numberless(league) == before


def test_a_note_before_what_waits_for_a_replay_needs_none() -> None:
    league = league_of()
    before = numberless(league)
    books = League.objects.get(pk=league.pk)
    mark_stale(books, (EVENING, 4))
    correct_scores(league, 2, SCORES[1], note="at Pedja's")
    books.refresh_from_db()
    assert books.stale_key == 4
    assert numberless(league) == before


def test_a_game_moves_past_its_neighbour_of_the_same_time_and_back() -> None:
    league = league_of()
    before = numberless(league)
    wrong = correct_scores(league, 3, SCORES[0])
    game = correct_scores(league, wrong.number, SCORES[2])
    move_game(league.pk, game.number, later=False, by="olga")
    assert list(Game.objects.order_by("number").values_list("order_key", flat=True)) == [1, 3, 2, 4, 5, 2, 2]
    assert numberless(league) != before
    expected = make_league(slug="expected", system="barbu")
    for scores in (SCORES[0], SCORES[2], SCORES[1], *SCORES[3:]):
        record(expected, sheet(FOUR, scores))
    assert numberless(league) == numberless(expected)
    assert not verify_league(league.pk).differences
    move_game(league.pk, game.number, later=True, by="olga")
    assert numberless(league) == before
    assert restore_right(league, 3).order_key == 3


def test_what_a_move_would_change_is_what_it_changes() -> None:
    league = build_one_time("elo", slug="elo")
    before = ratings(league)
    diff = serialize_diff(preview_order(league, [1, 3, 2, 4, 5]))
    assert ratings(league) == before
    move_game(league.pk, 2, later=True, by="olga")
    after = ratings(league)
    assert {line["player"]: line["after"] for line in diff["ratings"]} == {
        player: after[player] for player in after if before[player] != after[player]
    }
    assert diff["ratings"]


def test_a_start_reaches_a_first_game_that_was_corrected() -> None:
    league = build_one_time("elo", slug="elo")
    correct_scores(league, 1, SCORES[1])
    set_initial_rating(league.pk, Player.objects.get(handle="anna"), 1700)
    first = RatingChange.objects.get(league=league, player__handle="anna", games=1, step=1)
    assert (first.order_key, first.number, first.before) == (1, 6, 1700.0)
    assert not verify_league(league.pk).differences


def test_an_export_as_csv_brings_corrected_games_back_in_their_order() -> None:
    league = build_one_time("elo", slug="elo")
    correct_scores(league, 2, SCORES[3])
    move_game(league.pk, 4, later=True, by="olga")
    copy = make_league("elo", slug="copy")
    text = "\n".join(iter_csv_lines(league.pk))
    import_games(copy.pk, BytesIO(text.encode()), ImportOptions(media="csv", by="olga"))
    assert ratings(copy) == ratings(league)


def test_forfeits_change_places_without_a_replay() -> None:
    league = make_league(slug="other")
    for _ in range(2):
        record(league, NewGame([NewResult("anna", 1), NewResult("ben", 0)], EVENING, kind="forfeit"))
    replays = League.objects.get(pk=league.pk).replays
    move_game(league.pk, 1, later=True, by="olga")
    assert dict(league.games.values_list("number", "order_key")) == {1: 2, 2: 1}
    assert League.objects.get(pk=league.pk).replays == replays


def test_the_database_lets_one_game_a_place_count() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Game.objects.filter(number=2).update(order_key=1)


ACTS = st.lists(
    st.tuples(st.sampled_from(["correct", "note", "void", "restore", "later"]), st.integers(0, 4), st.integers(0, 4)),
    max_size=9,
)


@long_way
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS, system=st.sampled_from(["barbu", "elo"]))
def test_whatever_was_corrected_voided_restored_and_moved_the_same_sheets_give_the_same_bits(
    acts: list[tuple[str, int, int]], system: str
) -> None:
    with transaction.atomic():
        league = build_one_time(system, slug="drawn")
        # Places in the order: the scores that count there (None: void), and every number that ever counted there.
        sheets: list[tuple[float, ...] | None] = list(SCORES)
        numbers = [[number] for number in range(1, 6)]
        for act, where, which in acts:
            carry_out(league, sheets, numbers, act, where, which)
        assert not verify_league(league.pk).differences
        expected = make_league(system, slug="expected")
        for scores in sheets:
            if scores is not None:
                record(expected, sheet(FOUR, scores))
        assert numberless(league) == numberless(expected)
        transaction.set_rollback(True)


def carry_out(
    league: League,
    sheets: list[tuple[float, ...] | None],
    numbers: list[list[int]],
    act: str,
    where: int,
    which: int,
) -> None:
    """Do something to the game at a place where that is possible, and keep the model beside it."""
    scores, there = sheets[where], numbers[where]
    if act == "restore":
        old = Game.objects.get(league=league, number=there[which % len(there)])
        if old.voided_at is not None:
            there.append(restore_right(league, old.number).number)
            sheets[where] = tuple(old.results.order_by("seat").values_list("score", flat=True))  # type: ignore[arg-type]
    elif scores is None:
        return
    elif act == "later":
        others = [place for place in range(where + 1, 5) if sheets[place] is not None]
        if others:
            move_game(league.pk, there[-1], later=True, by="olga")
            rows: tuple[list[Any], list[Any]] = (sheets, numbers)
            for row in rows:
                row[where], row[others[0]] = row[others[0]], row[where]
    elif act == "void":
        void_friendly(league, there[-1])
        sheets[where] = None
    else:
        sheets[where] = SCORES[which] if act == "correct" else scores
        there.append(correct_scores(league, there[-1], sheets[where] or scores, note=act).number)


def test_a_game_recorded_late_at_the_same_time_comes_last() -> None:
    league = league_of()
    correct_scores(league, 1, SCORES[3])
    game = record_game(league.pk, sheet(FOUR, SCORES[4]), by="olga").game
    assert game.order_key == game.number == 7
    counting = Game.objects.filter(voided_at=None).order_by("played_at", "order_key")
    assert [game.number for game in counting] == [6, 2, 3, 4, 5, 7]
    record_game(league.pk, sheet(FOUR, SCORES[0], played_at=EVENING - timedelta(hours=1)), by="olga")
    assert not verify_league(league.pk).differences


def fresh(*evening: tuple[float, ...], system: str = "barbu") -> tuple[list[Any], list[Any]]:
    """Return everything derived of a league in which these sheets were recorded in this order."""
    league = make_league(system, slug="fresh")
    for scores in evening:
        record(league, sheet(FOUR, scores))
    return numberless(league)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("system", ["barbu", "elo"])
def test_a_sheet_that_is_restored_after_a_move_counts_where_its_game_was_moved_to(system: str) -> None:
    league = build_one_time(system, slug="moved")
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
    assert dict(league.games.values_list("number", "order_key")) == {1: 1, 2: 3, 3: 2, 4: 4, 5: 5, 6: 3, 7: 2, 8: 3}
    restore_right(league, 3)
    assert numberless(league) == fresh(SCORES[0], SCORES[2], SCORES[1], SCORES[3], SCORES[4], system=system)
    # And the other sheets, after another move: nothing of the order is lost by what is restored.
    move_game(league.pk, back.number, later=True, by="olga")
    restore_right(league, wrong.number)
    League.objects.filter(slug="fresh").update(slug="first")
    assert numberless(league) == fresh(SCORES[0], SCORES[2], SCORES[3], (1, 2, 3, -6), SCORES[4], system=system)
    assert not verify_league(league.pk).differences


def test_a_void_game_keeps_its_place_while_others_of_its_time_move_past_it() -> None:
    league = league_of()
    void_friendly(league, 3)
    move_game(league.pk, 2, later=True, by="olga")
    restore_right(league, 3)
    assert numberless(league) == fresh(SCORES[0], SCORES[3], SCORES[2], SCORES[1], SCORES[4])
    assert not verify_league(league.pk).differences


def test_a_sheet_of_another_time_keeps_that_time_and_the_key_of_its_game() -> None:
    league = build_one_time(games=3, slug="three")
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
    assert serialize_diff(preview(league_of()))["games_replayed"] == count
