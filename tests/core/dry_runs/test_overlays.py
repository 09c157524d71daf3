"""A replay computed in memory says what the one that writes would: over all systems, methods and kinds of change."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.core.dispatch.sweep import run_due_replay
from league.core.dry_runs.services import projection
from league.core.dry_runs.services.diff import Diff, PeriodDiff, RatingDiff, load_diff, store_diff
from league.core.dry_runs.services.run import preview_correction, preview_rule, preview_void
from league.core.errors import Conflict, Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, void_game
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.ladders.selectors.ladders import compute_differences, list_winners, load_live_rows
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.players import add_player
from league.models import Game, League, Period, Rating
from tests.helpers.builders import league_of, make_league, ratings, record, sheet
from tests.helpers.drawn_sheets import SIX, SLUGS, STEPS, WORLDS, make_sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, tables, utc
from tests.helpers.shared import built_once
from tests.helpers.tiers import examples, long_way, mark_slow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("built", "dropped_weng_lin")]
DAYS = 60 * 24 * 9
#: Each ladder: method, cadence, parameters; those that cannot rank a system's games are left out there.
LADDERS: list[tuple[str, str, dict[str, Any]]] = [
    ("points", "month", {}),
    ("points", "all_time", {"ties": "break", "minimum": 2}),
    ("rating_score", "month", {"minimum": 2}),
    ("best_scores", "quarter", {"best": 2, "minimum": 2}),
    ("erf_mean", "month", {}),
    ("fide_performance", "month", {}),
]


def long_suffixes() -> override_settings:
    """Let every replay be a long one, that is left to a worker."""
    return override_settings(RUNGS_INLINE_GAMES=0)


def seen(league: League) -> tuple[dict[str, tuple[str, float]], dict[tuple[str, str], tuple[Period, Any]]]:
    """Return the current ratings and every ranking, read one by one."""
    rows = Rating.objects.filter(league=league).values_list("player__handle", "player__name", "rating")
    periods = Period.objects.filter(ladder__league=league).select_related("ladder", "rule")
    return {handle: (name, rating) for handle, name, rating in rows}, {
        (period.ladder.slug, period.key): (period, load_live_rows(period)) for period in periods
    }


def done(league: League, act: Callable[[], object], games: int) -> Diff:
    """Return what really doing it changes, told row by row; and take it back."""
    old, before = seen(league)
    with transaction.atomic():
        act()
        new, after = seen(league)
        transaction.set_rollback(True)
    names = {**old, **new}
    moved = [
        RatingDiff(who, names[who][0], old[who][1] if who in old else None, new[who][1] if who in new else None)
        for who in sorted(names)
        if old.get(who, ("", None))[1] != new.get(who, ("", None))[1]
    ]
    periods = []
    for where, (period, rows) in after.items():
        first = before[where][1] if where in before else []
        lines = compute_differences(first, rows)
        told = (period.ladder.slug, period.ladder.title, period.key, period.title, period.closed, lines)
        if lines:
            periods.append(PeriodDiff(*told, list_winners(first), list_winners(rows)))
    return Diff(games, moved, sorted(periods, key=lambda one: (one.ladder, one.key)))


def check(league: League, preview: Callable[..., Diff], act: Callable[[], object]) -> Diff:
    """Hold a dry run of a long suffix to what really doing it changes; it writes nothing, and none is left due."""
    before = tables()
    with long_suffixes():
        diff = preview(progress=ignore_progress)
    assert tables() == before
    assert diff == preview()  # the replay that is made and taken back
    assert load_diff(json.loads(json.dumps(store_diff(diff)))) == diff
    in_order = Diff(diff.games_replayed, diff.ratings, sorted(diff.periods, key=lambda one: (one.ladder, one.key)))
    assert in_order == done(league, act, diff.games_replayed)
    return diff


def check_void(league: League, number: int) -> Diff:
    """Hold a dry run of voiding a game to what voiding it changes."""
    act = partial(void_game, league.pk, number, reason="x", username="olga")
    return check(league, partial(preview_void, league, number, "why"), act)


def check_correction(league: League, number: int, new: NewGame) -> Diff:
    """Hold a dry run of correcting a game to what correcting it changes."""
    act = partial(correct_game, league.pk, number, new, reason="x", username="olga")
    return check(league, partial(preview_correction, league, number, new, "why"), act)


def ladders(league: League) -> None:
    """Make the ladders that rank the games of a league."""
    for number, (method, cadence, parameters) in enumerate(LADDERS):
        with suppress(Refused):
            make_ladder(league, f"{number}-{method.replace('_', '-')}", method, cadence, **parameters)


@long_way
@pytest.mark.parametrize("world", mark_slow(WORLDS, "Other systems.", but=["barbu"]))
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=STEPS,
    number=st.integers(1, 8),
    minutes=st.integers(0, 9),
    seats=st.permutations(SIX),
    scores=st.lists(st.integers(0, 300), min_size=5, max_size=5),
)
def test_long_suffixes_in_every_world(
    world: str, steps: list[Any], number: int, minutes: int, seats: list[str], scores: list[int]
) -> None:
    system, parameters, size = WORLDS[world]
    league = make_league(system, SIX, slug=next(SLUGS), parameters=parameters, starts={"anna": 150.0})
    ladders(league)
    assert league.ladders.count() >= 3
    for _, when, who, points, _ in steps:
        record(league, make_sheet(system, size, who, points, when * DAYS))
    if number > len(steps):
        return
    new = make_sheet(system, size, seats, scores, minutes * DAYS)
    check_void(league, number)
    check_correction(league, number, new)


def build() -> None:
    """Make a league of eight games from March to June with every ladder, March closed."""
    league = make_league(parameters={"k": 32})
    ladders(league)
    turns = (("anna", "ben"), ("ben", "cleo"), ("anna", "cleo"), ("cleo", "dan"))
    for number, day in enumerate(("03-05", "03-06", "03-20", "04-05", "04-06", "05-02", "05-05", "06-07")):
        record(league, duel(*turns[number % 4], f"2024-{day}"))
    close(league, "2024-03", "0-points")


built = built_once(build)


@long_way
def test_a_void_and_a_correction_that_names_a_new_player() -> None:
    league = league_of()
    diff = check_void(league, 2)
    assert [(one.ladder, one.key) for one in diff.closed] == [("0-points", "2024-03")]
    assert diff.games_replayed == 6
    new = duel("eva", "anna", "2024-02-05", create_players=True)
    diff = check_correction(league, 4, new)
    assert [one.player for one in diff.ratings if one.before is None] == ["eva"]
    # February had no game: its periods appear.
    assert ("0-points", "2024-02") in {(one.ladder, one.key) for one in diff.periods}


def test_the_only_game_of_a_player_and_the_last_of_a_period() -> None:
    league = league_of()
    add_player("eva", "Eva")
    record(league, duel("eva", "anna", "2024-07-01"))
    number = Game.objects.get(league=league, played_at=utc("2024-07-01")).number
    diff = check_void(league, number)
    assert [one.player for one in diff.ratings if one.after is None] == ["eva"]
    (july,) = [one for one in diff.periods if (one.ladder, one.key) == ("0-points", "2024-07")]
    assert (july.winners_before[0]["player"], july.winners_after) == ("eva", [])


@pytest.mark.slow("Rates hundreds of games again for each rule.")
def test_dated_rules_and_an_earlier_first_one() -> None:
    league = league_of()
    adopt_rule(league.pk, "elo", {"k": 12}, date(2024, 5, 3), username="olga")
    for day in (date(2024, 4, 1), date(2024, 5, 1), date(2024, 6, 1)):
        diff = check(
            league,
            partial(preview_rule, league, "elo", {"k": 64}, day),
            lambda day=day: adopt_rule(league.pk, "elo", {"k": 64}, day, username="olga"),  # type: ignore[misc]
        )
        assert diff.ratings
    check_void(league, 3)


def test_a_replay_that_was_due_already_is_part_of_the_difference() -> None:
    league = league_of()
    with long_suffixes():
        void_game(league.pk, 4, reason="x", username="olga")
        assert Game.objects.filter(league=league, voided_at=None).count() == 7
        diff = preview_void(league, 6, "why", progress=ignore_progress)

    # What stands there says nothing of the void of game 4 yet; the replay begins there.
    def act() -> None:
        void_game(league.pk, 6, reason="x", username="olga")

    league.refresh_from_db()
    assert [one.player for one in diff.ratings] == [one.player for one in done_when_due(league, act).ratings]
    assert sum(len(one.lines) for one in diff.periods) > 0


def done_when_due(league: League, act: Callable[[], object]) -> Diff:
    """Return what doing it changes where a replay is due: with that replay."""
    with override_settings(RUNGS_INLINE_GAMES=1000):
        return done(league, lambda: replay_after(league, act), 0)


def replay_after(league: League, act: Callable[[], object]) -> None:
    """Do it, and what is due then."""
    act()
    run_due_replay(league.pk)


def test_a_shift_for_everybody_that_is_taken_back_moves_everybody() -> None:
    league = make_league("barbu", SIX, slug="pool", parameters={"zero_sum": "league"})
    record(league, sheet(SIX[:4], (0, 0, 0, 0)))
    diff = check_void(league, 1)
    assert ([one.player for one in diff.ratings], diff.periods) == (list(SIX[:4]), []), "there is no ladder yet"
    make_ladder(league, "rating", "rating_score", "month")
    still = ratings(league)
    record(league, sheet(SIX[2:], (90, -30, -30, -30), minutes=1))
    assert ratings(league)["anna"] != still["anna"]
    diff = check_void(league, 2)
    assert {one.player: one.after for one in diff.ratings} == {
        who: still.get(who) for who in SIX if still.get(who) != ratings(league)[who]
    }
    assert "anna" in {one.player for one in diff.ratings}


def test_the_lock_is_free_while_a_long_suffix_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    league = league_of()
    held = []
    depth, compute = len(transaction.get_connection().savepoint_ids), projection.DueReplay.league_state

    def watched(due: projection.DueReplay, progress: Progress) -> Any:
        held.append(len(transaction.get_connection().savepoint_ids) > depth)
        return compute(due, progress)

    monkeypatch.setattr(projection.DueReplay, "league_state", watched)
    with long_suffixes():
        preview_void(league, 2, "why", progress=ignore_progress)
        # FIDE's performance looks up ratings before the period: then the books stay as they are meanwhile.
        league.ladders.filter(slug__contains="fide").delete()
        preview_void(league, 2, "why", progress=ignore_progress)
    assert held == [True, False]


def test_refusals_come_from_the_real_thing() -> None:
    league = league_of()
    with long_suffixes(), pytest.raises(Refused):
        preview_correction(league, 1, NewGame([NewResult("ghost", 1), NewResult("ben", 0)]), "why")
    void_game(league.pk, 1, reason="x", username="olga")
    with long_suffixes(), pytest.raises(Conflict):
        preview_void(league, 1, "why")
