"""A stale mark silences nothing: ``verify`` asks the log what is due, and says "is right" of nothing else.

Seen was that a mark planted in the league's row hid every planted rating, and that ``verify`` said "is right" of
books whose replay was still to come.
"""

from collections.abc import Callable
from datetime import date
from io import StringIO
from itertools import cycle
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from league.core.dispatch.sweep import request_replay, run_due_replay
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import set_initial_rating
from league.core.verify.run import verify_league
from league.models import Game, League, Player, Rating
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.ladder_builders import duel, make_ladder, tables, utc
from tests.helpers.log_reading import rehash_log
from tests.helpers.order_builders import move_game
from tests.helpers.tiers import long_way, mark_slow
from tests.helpers.verify_builders import build_editions, league_row, set_edition, set_line, set_standing

pytestmark = pytest.mark.django_db

#: Marks as they may be planted: from the first game, from its first half on, long before it, with its touched half.
MARKS: dict[str, dict[str, Any]] = {
    "from the first game": {"stale_from": utc("2024-03-10"), "stale_key": 1},
    "from long ago on": {"stale_from": utc("1990-01-01"), "stale_key": 0},
    "as a change leaves it": {
        "stale_from": utc("2024-03-10"), "stale_key": 1, "touched_from": utc("2024-03-10"), "touched_key": 1,
    },
}  # fmt: skip


def raw(sql: str) -> Callable[[], object]:
    """Return what changes a table by SQL alone."""

    def plant() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            assert cursor.rowcount > 0

    return plant


#: What is planted beside a mark, and how a sentence begins that names it.
PLANTED: dict[str, tuple[Callable[[], object], str]] = {
    "a history line": (set_line(2, after=1234.5), "The rating change of cleo in game 2 "),
    "a current rating": (
        raw("UPDATE league_rating SET rating = rating + 1, settled = settled + 1"),
        "The rating of anna is rating ",
    ),
    "a display score": (raw("UPDATE league_rating SET score = 9999"), "The rating of anna is score 9999.0"),
    "a standing": (set_standing(score=7.0), "The standing of anna in month, 2024-03 is score 7.0"),
    "an edition": (set_edition(winners=[]), "Edition 1 of month 2024-03 disagrees with its own ranking."),
    "a score": (raw("UPDATE league_result SET score = 0.5 WHERE seat = 1"), "Seat 1 of game 1 has score 0.5; entry"),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(("name", "mark"), list(zip(PLANTED, cycle(MARKS), strict=False)))
def test_a_planted_mark_hides_nothing_that_is_planted_beside_it(name: str, mark: str) -> None:
    league = build_editions()
    plant, sentence = PLANTED[name]
    plant()
    league_row(**MARKS[mark])()
    before = tables()
    verdict = verify_league(league.pk)
    assert any(one.startswith(sentence) for one in verdict.differences), verdict.differences
    assert (verdict.state, tables()) == ("differs", before)


def test_a_mark_of_which_the_log_knows_nothing_is_said_where_all_else_is_right() -> None:
    league = build_editions()
    request_replay(league.pk)
    verdict = verify_league(league.pk)
    note = "A recalculation is due, but the history is complete: everything was compared."
    assert (verdict.state, verdict.differences, verdict.notes) == ("is right", [], [note])


def evening() -> League:
    """Return a league with a ladder, games of one time, void and corrected ones, and a merge, all rated."""
    league = make_league(players=("anna", "ben", "cleo", "dan", "eva", "finn"), time_zone="Europe/Paris")
    make_ladder(league)
    for one, other in (("anna", "ben"), ("cleo", "dan"), ("anna", "cleo"), ("eva", "dan")):
        record(league, duel(one, other, "2024-03-10"))
    void_game(league.pk, 2, reason="A friendly.", username="olga")
    merge_players(Player.objects.get(handle="eva"), Player.objects.get(handle="finn"), username="olga")
    record(league, duel("dan", "anna", "2024-04-10"))
    record(league, sheet(("ben",), (1.0,), kind="full_bye", played_at=utc("2024-04-13")))
    return league


#: Changes of an evening's books that make a replay due, each from another game on.
CHANGES: dict[str, Callable[[League], object]] = {
    "a void game": lambda league: void_game(league.pk, 3, reason="No.", username="olga"),
    "a correction": lambda league: correct_game(
        league.pk, 3, duel("cleo", "anna", "2024-03-10"), reason="So.", username="o"
    ),
    "a correction to another day": lambda league: correct_game(
        league.pk, 5, duel("dan", "anna", "2024-02-10"), reason="Sooner.", username="o"
    ),
    "a restored game": lambda league: restore_game(league.pk, 2, reason="Yes.", username="olga"),
    "games that are moved": lambda league: move_game(league.pk, 1, later=True, by="olga"),
    "a late game": lambda league: record(league, duel("ben", "dan", "2024-03-01")),
    "a merge": lambda league: merge_players(player_of("cleo"), player_of("ben"), username="olga"),
    "the end of a merge": lambda league: unmerge_player(player_of("eva"), username="olga"),
    "a start": lambda league: set_initial_rating(league.pk, player_of("cleo"), 1700.0, username="olga"),
    "a start of who was merged into": lambda league: set_initial_rating(
        league.pk, player_of("finn"), 1700.0, username="olga"
    ),
    "a rule": lambda league: adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 4, 1), username="olga"),
}


@long_way
@pytest.mark.parametrize("name", mark_slow(CHANGES, "Another change.", but=["a void game", "a merge", "a rule"]))
def test_what_the_log_makes_due_is_waited_for_and_not_called_wrong(name: str, settings: Any) -> None:
    league = evening()
    settings.RUNGS_INLINE_GAMES = 0
    CHANGES[name](league)
    verdict = verify_league(league.pk)
    assert (verdict.differences, verdict.waits) == ([], True), verdict.differences
    assert len(verdict.notes) == 1
    record(league, duel("anna", "dan", "2024-05-01"))
    assert verify_league(league.pk).state == "waits for a replay"
    assert run_due_replay(league.pk)
    assert verify_league(league.pk).state == "is right"


@long_way
def test_another_time_zone_may_wait(settings: Any) -> None:
    league = evening()
    adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 4, 10), username="olga")
    assert verify_league(league.pk).state == "is right"
    settings.RUNGS_INLINE_GAMES = 0
    # In Paris the day has begun at 22 hours UTC of the day before; in New York it begins four hours after the game.
    change_league(league.pk, {"time_zone": "America/New_York"}, username="olga")
    assert verify_league(league.pk).state == "waits for a replay"
    assert run_due_replay(league.pk)
    assert verify_league(league.pk).state == "is right"


def test_a_mark_that_was_moved_back_hides_nothing_before_what_is_due(settings: Any) -> None:
    league = evening()
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, 5, reason="No.", username="olga")
    set_line(1, after=1234.5)()
    league_row(stale_from=utc("2024-03-01"), stale_key=0)()
    found = verify_league(league.pk).differences
    assert any(one.startswith("The rating change of anna in game 1 ") for one in found), found


def test_a_replay_that_will_change_nothing_leaves_nothing_unverified(settings: Any) -> None:
    league = evening()
    settings.RUNGS_INLINE_GAMES = 0
    adopt_rule(league.pk, "elo", {}, date(2024, 4, 1), username="olga")
    verdict = verify_league(league.pk)
    note = "A recalculation from game 5 (2024-04-10 00:00 UTC) is due, but will change nothing."
    assert (verdict.state, verdict.differences, verdict.notes) == ("is right", [], [note])
    Rating.objects.filter(player__handle="dan").update(peak=9.0)
    assert verify_league(league.pk).state == "waits for a replay"


def test_the_command_fails_otherwise_where_a_replay_is_due(settings: Any) -> None:
    league = evening()
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, 5, reason="No.", username="olga")
    out = StringIO()
    with pytest.raises(CommandError, match="1 league waits for a replay") as caught:
        call_command("verify", stdout=out)
    assert caught.value.returncode == 3
    assert "Club waits for a replay: 3 games" in out.getvalue()
    assert "A recalculation from game 5 (2024-04-10 00:00 UTC) is due; later results were not" in out.getvalue()
    Game.objects.filter(number=1).update(note="Planted.")
    with pytest.raises(CommandError, match="1 difference found") as caught:
        call_command("verify", stdout=out)
    assert caught.value.returncode == 1


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"touched_from": utc("2024-03-10")},
            "The league has noted changes since 2024-03-10 00:00 UTC for a running",
        ),
        (
            {"touched_from": utc("2024-03-10"), "stale_from": utc("2024-04-10")},
            "The league has noted changes since 2024-03-10 00:00 UTC for a running recalculation, but it "
            "only begins at 2024-04-10 00:00 UTC.",
        ),
        ({"stale_key": 3}, "The league has stale_key 3, but no stale_from"),
        ({"touched_key": 3}, "The league has touched_key 3, but no touched_from"),
    ],
)
def test_marks_that_no_service_leaves_are_found(fields: dict[str, Any], sentence: str) -> None:
    league = build_editions()
    league_row(**fields)()
    found = verify_league(league.pk).differences
    assert any(one.startswith(sentence) for one in found), found


@pytest.mark.parametrize("payload", mark_slow(["[]", "{}", "no JSON", "7"], "Another text.", but=["{}", "no JSON"]))
def test_entries_that_cannot_be_read_make_nothing_due_and_stop_nothing(payload: str) -> None:
    league = build_editions()
    rehash_log(league, lambda kind, before: payload)
    league_row(**MARKS["from the first game"])()
    set_line(2, after=1234.5)()
    found = verify_league(league.pk).differences
    for sentence in (
        "Entry 2 of the log does not have the contents of its kind.",
        "The rating change of cleo in game 2 ",
    ):
        assert any(one.startswith(sentence) for one in found), found
