"""``verify`` beside the living: a replay on its way, games recorded meanwhile, history that differs under standings."""

from datetime import date

import pytest
from django.db.models import F
from django.test import override_settings

from league.core.errors import NotFound
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import carry_period, reopen_period
from league.core.verify.run import verify_league
from league.models import League, Period, Player, Rating, RatingChange, Standing
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, utc
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way
from tests.helpers.verify_builders import build_editions, march, set_line

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def waiting() -> League:
    """Return books in which what followed from the game of April waits for a replay."""
    league = build_editions()
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 2, reason="friendly", username="olga")
    return league


def test_what_waits_may_say_anything() -> None:
    league = waiting()
    set_line(2, after=1234.5, games=9)()
    Rating.objects.filter(player__handle="cleo").update(peak=9.0)
    Standing.objects.filter(period__key="2024-04").update(score=7.0)
    assert verify_league(league.pk).differences == []


def test_standings_are_not_measured_by_history_that_differs() -> None:
    league = build_editions()
    set_line(2, player=Player.objects.get(handle="dan"), games=9)()
    Standing.objects.filter(period=march(), player__handle="anna").update(score=7.0)
    found = verify_league(league.pk).differences
    assert any(one.startswith("The standing of anna in month, 2024-03 is score 7.0") for one in found), found
    # April and the machine's present month, of both ladders.
    assert found[-1] == "The standings of 4 periods were not compared, because the history they depend on differs."


def test_the_moves_of_a_pool_are_compared() -> None:
    league = make_league("barbu", tuple("abcdefgh"), parameters={"zero_sum": "league"})
    for day, seats in enumerate(("abcd", "efgh", "aceg", "bdfh")):
        record(league, sheet(tuple(seats), (60, -10, 5, 20), played_at=utc(f"2024-03-0{day + 1}")))
    assert verify_league(league.pk).differences == []
    move = RatingChange.objects.filter(step=0).order_by("number", "seat")[0]
    RatingChange.objects.filter(pk=move.pk).update(change=F("change") + 1)
    found = verify_league(league.pk).differences
    where = f"in game {move.number} (seat {move.seat}, the player's game {move.games})"
    name = f"The change of {move.player.handle} by the zero-sum correction {where}"
    assert found[0].startswith(f"{name} is change "), found


@long_way
def test_what_was_carried_and_reopened_and_what_no_period_ranks_is_right() -> None:
    league = build_editions()
    make_ladder(league, "spring", from_date=date(2024, 4, 1))
    record(league, duel("dan", "cleo", "2024-03-14"))
    assert march().awaits
    carry_period(league.pk, "month", "2024-03", username="olga")
    close(league, "2024-04")
    reopen_period(league.pk, "month", "2024-04", reason="Too early.", username="olga")
    assert verify_league(league.pk).differences == []
    Period.objects.filter(key="2024-04", ladder__slug="month").update(closed=True)
    assert verify_league(league.pk).differences == ["The period month, 2024-04 is closed; it must be open."]


def test_a_league_that_is_not_there_is_said() -> None:
    with pytest.raises(NotFound, match="There is no such league"):
        verify_league(4711)


@long_way
@pytest.mark.django_db(transaction=True)
def test_games_are_recorded_while_it_runs_and_it_sees_one_state_of_the_books() -> None:
    league = build_editions()
    steps: list[tuple[int, int]] = []

    def meanwhile(what: str, done: int, total: int) -> None:
        steps.append((done, total))
        (answer,) = in_threads([lambda: record(league, duel("ben", "cleo", f"2024-04-{len(steps):02}"))])
        assert answer.number == 3 + len(steps)

    verdict = verify_league(league.pk, meanwhile)
    # 6 stages and 6 periods, each with a game recorded by another connection, then the end.
    assert [done for done, _ in steps] == list(range(13))
    assert {total for _, total in steps} == {12}
    assert (verdict.games, verdict.differences, verdict.notes) == (3, [], [])
    assert verify_league(league.pk).games == 16
