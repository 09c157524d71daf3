"""Challenge ladders, and ladders by rating less deviations: live, at a date, under ``verify``, after a replay."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client, override_settings

from league.core.dispatch import sweep
from league.core.dry_runs.services.rollback import run_dry
from league.core.errors import Refused
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.selectors.ladders import compute_rows_at, list_edition_rows, load_live_rows
from league.core.leaderboard.selectors.current_board import load_board_state
from league.core.verify.run import verify_league
from league.models import League, RatingChange, Standing
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.drawn_sheets import replay_from_nothing
from tests.helpers.ladder_builders import close, duel, make_ladder, period, ranking, standings, state, utc
from tests.helpers.tiers import long_way, mark_slow

pytestmark = pytest.mark.django_db

PEOPLE = ("anna", "ben", "cleo", "dan", "eva", "finn", "gus")
GAMES = (
    ("anna", "ben", "2024-03-01T20:00"),  # anna ben
    ("cleo", "dan", "2024-03-02"),  # anna ben cleo dan
    ("dan", "ben", "2024-03-08"),  # anna dan ben cleo
    ("ben", "dan", "2024-03-10"),  # two days later: they rest
    ("cleo", "anna", "2024-03-12"),  # three places up: beyond reach
    ("cleo", "dan", "2024-03-25"),  # anna cleo dan ben
)


def club(*games: tuple[str, str, str]) -> League:
    """Return a league whose challenge ladder has a reach of two places and a week of rest."""
    league = make_league()
    make_ladder(league, method="challenge", places=2, cooldown=7)
    for winner, loser, day in games or GAMES:
        record(league, duel(winner, loser, day))
    return league


def order(league: League, key: str = "2024-03") -> list[str]:
    """Return who stands on the ladder, from the top down."""
    rows = ranking(league, key)
    assert [(rank, score) for rank, _, score in rows] == [(at + 1, len(rows) - 1 - at) for at in range(len(rows))]
    return [player for _, player, _ in rows]


def test_with_rest_and_absence_every_game_moves_the_order_at_once() -> None:
    league = make_league()
    make_ladder(league, method="challenge", cadence="all_time", cooldown=7, absence=14)
    games = [
        ("anna", "ben", "2024-03-01", "anna ben"),
        ("cleo", "dan", "2024-03-02", "anna ben cleo dan"),
        ("dan", "ben", "2024-03-08", "anna dan ben cleo"),
        ("dan", "cleo", "2024-03-09", "anna dan ben cleo"),  # a week later: no more
        ("ben", "dan", "2024-03-14", "anna dan ben cleo"),  # six days later: whoever may have to rest
        ("ben", "cleo", "2024-03-15", "anna dan ben cleo"),  # a fortnight is not more than one
        ("dan", "anna", "2024-03-15T00:00:01", "dan ben cleo anna"),  # anna was sent to the end, and lost
        ("dan", "cleo", "2024-04-01", "ben dan cleo anna"),  # all were, as ben cleo dan anna, before dan won
    ]
    for winner, loser, day, expected in games:
        record(league, duel(winner, loser, day))
        assert " ".join(order(league, "all")) == expected, day
    for _, _, day, expected in games:
        then = compute_rows_at(league, period(league, "all"), utc(day) + timedelta(microseconds=1))
        assert " ".join(row["player"] for row in then) == expected, day
    now = standings(league)
    replay_from_nothing(league)
    assert standings(league) == now
    assert verify_league(league.pk).differences == []


@override_settings(RUNGS_INLINE_GAMES=3)
def test_a_period_of_more_games_is_ranked_after_the_commit(
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[list[Any]]],
) -> None:
    league = club(*GAMES[:3])
    make_ladder(league, "points")
    assert order(league) == ["anna", "dan", "ben", "cleo"]
    with patch("league.core.jobs.queue.pass_to_sender") as sent, django_capture_on_commit_callbacks(execute=True):
        record(league, duel("cleo", "anna", "2024-03-12"))
        record(league, duel("cleo", "dan", "2024-03-25"))
    assert [call.args[0] for call in sent.call_args_list] == [("league.replay", (league.pk,))] * 2
    # Readers see the last ranking; a ladder on which a game moves only its players is ranked at once.
    assert order(league) == ["anna", "dan", "ben", "cleo"]
    assert ranking(league, "2024-03", "points")[0] == (1, "cleo", 3.0)
    verdict = verify_league(league.pk)
    assert (verdict.state, verdict.differences) == ("waits for a replay", [])
    assert verdict.notes == ["1 period is about to be ranked, so its standings were not compared."]
    state_before = load_board_state(league.slug)
    assert sweep.enqueue_due() == [league.pk]
    sweep.run_due_replay(league.pk)
    assert order(league) == ["anna", "cleo", "dan", "ben"]
    assert load_board_state(league.slug) != state_before, "pages that are kept are thrown away"
    assert (sweep.enqueue_due(), League.objects.get().unranked_from) == ([], None)
    verdict = verify_league(league.pk)
    assert (verdict.state, verdict.notes) == ("is right", [])
    now = standings(league)
    replay_from_nothing(league)
    assert standings(league) == now


@override_settings(RUNGS_INLINE_GAMES=3)
def test_a_ranking_that_waits_hides_no_wrong_standing_of_a_ladder_that_never_waits() -> None:
    league = club()
    make_ladder(league, "points")
    record(league, duel("cleo", "anna", "2024-03-12"))
    assert League.objects.get().unranked_from is not None
    Standing.objects.filter(period__ladder__slug="points", player__handle="anna").update(score=99.0)
    verdict = verify_league(league.pk)
    assert (verdict.state, len(verdict.differences)) == ("differs", 1)
    assert "99" in verdict.differences[0]


@override_settings(RUNGS_INLINE_GAMES=3)
def test_a_period_that_waits_is_ranked_before_it_closes_and_before_a_dry_run_compares_it() -> None:
    league = club()
    assert order(league) != ["anna", "cleo", "dan", "ben"]
    (moved,) = run_dry(league.pk, None, lambda: record(league, duel("ben", "cleo", "2024-03-26"))).periods
    assert {(one.player, one.rank_before, one.rank_after) for one in moved.lines} == {
        ("ben", 4, 2), ("cleo", 2, 3), ("dan", 3, 4),
    }  # fmt: skip
    assert League.objects.get().unranked_from is not None, "a dry run writes nothing"
    edition = close(league, "2024-03")
    assert [row["player"] for row in list_edition_rows(edition)] == ["anna", "cleo", "dan", "ben"]
    assert (state(league, "2024-03"), verify_league(league.pk).state) == ((True, False), "is right")
    # The newest game of all may fall into the period that was published.
    record(league, duel("ben", "cleo", "2024-03-30"))
    sweep.run_due_replay(league.pk)
    assert state(league, "2024-03") == (True, True)


@long_way
@pytest.mark.parametrize("number", mark_slow(range(6), "Other reaches and absences.", but=[1]))
def test_a_league_recorded_game_by_game_stands_as_worked_through_at_once(number: int) -> None:
    random, moment = Random(number), utc("2024-03-25")
    league = make_league("barbu", PEOPLE)
    make_ladder(league, "good", "challenge", "all_time", places=number % 3, cooldown=3, absence=6)
    make_ladder(league, slug="month", method="challenge", absence=2 + number)
    for _ in range(20):
        moment += timedelta(hours=random.choice([0, 0, 5, 24, 48, 72, 144]))
        table = random.sample(PEOPLE, 4)
        record(league, sheet(table, random.sample((10, 40, -20, -30), 4), played_at=moment))
    now = standings(league)
    assert sum(row[9] > 0 for row in now) > 2, "somebody was sent away"
    replay_from_nothing(league)
    assert standings(league) == now
    assert verify_league(league.pk).differences == []


def test_a_late_game_and_a_void_one_move_all_that_follows() -> None:
    league = club()
    # Played before all others, entered last: dan cleo, then anna ben below them. cleo and dan rest on the 2nd, ben and
    # dan are three places apart on the 8th and the 10th, cleo stands above anna on the 12th and passes dan on the 25th.
    record(league, duel("dan", "cleo", "2024-03-01T10:00"))
    assert order(league) == ["cleo", "dan", "anna", "ben"]
    now = standings(league)
    void_game(league.pk, 7, reason="a friendly", username="olga")
    assert order(league) == ["anna", "cleo", "dan", "ben"]
    assert standings(league) != now
    assert verify_league(league.pk).differences == []


def test_an_edition_stays_a_correction_asks_and_every_month_begins_afresh() -> None:
    league = club(*GAMES, ("dan", "ben", "2024-04-02"), ("anna", "dan", "2024-04-03"))
    assert order(league, "2024-04") == ["anna", "dan", "ben"]
    edition = close(league, "2024-03")
    assert list_edition_rows(edition) == load_live_rows(period(league, "2024-03"))
    assert state(league, "2024-03") == (True, False)
    correct_game(league.pk, 6, duel("dan", "cleo", "2024-03-25"), reason="misread", username="olga")
    assert state(league, "2024-03") == (True, True)
    assert [row["player"] for row in list_edition_rows(edition)] == ["anna", "cleo", "dan", "ben"]
    assert order(league) == ["anna", "dan", "ben", "cleo"]
    assert verify_league(league.pk).differences == []


def test_api_and_pages_say_what_moved_whom(client: Client) -> None:
    league = club()
    found = Api().get("leagues/club/ladders/month/periods/2024-03/").data
    assert found["standings"][1] == {
        "rank": 2, "player": "cleo", "name": "Cleo", "score": 2.0, "games": 3, "qualified": True, "why_not": "",
        "decided_by": "", "columns": {"entered": 3.0, "won": 2.0, "lost": 1.0, "away": 0.0, "counted": 2.0},
    }  # fmt: skip
    page = client.get(f"/leagues/{league.slug}/ladders/month/2024-03/").content.decode()
    plain = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    for words in ("Players below you", "Entered at", "Places won", "challenges: up to 2 places above"):
        assert words in plain
    told = client.get("/ladder-methods/challenge/").content.decode()
    assert "Every period starts empty" in told


DUELS = (("anna", "ben", "2024-03-01"), ("ben", "cleo", "2024-03-09"), ("anna", "ben", "2024-03-31T23:59"))


def told(league: League, deviations: float = 2.0) -> dict[str, tuple[float | None, float]]:
    """Return the score and the deviation of each player of March, and hold them to the history."""
    rows = {row["player"]: row for row in load_live_rows(period(league, "2024-03"))}
    for player, row in rows.items():
        last = RatingChange.objects.filter(league=league, player__handle=player, at__lt="2024-04-01T00:00Z").order_by(
            "at"
        )
        line = last.last()
        assert line is not None
        assert row["columns"] == {"rating": line.after, "deviation": line.state_1}
        assert row["score"] == line.after - deviations * line.state_1
    return {player: (row["score"], row["columns"]["deviation"]) for player, row in rows.items()}


@pytest.mark.parametrize(
    "system", mark_slow(["glicko", "glicko2", "trueskill", "weng_lin"], "Compiles a system's kernel.", but=["glicko"])
)
def test_every_game_moves_it_at_once_and_later_months_do_not(system: str) -> None:
    league = make_league(system)
    make_ladder(league, method="conservative_rating")
    deviations = []
    for winner, loser, day in DUELS:
        record(league, duel(winner, loser, day))
        deviations.append(told(league)["ben"][1])
    assert deviations == sorted(deviations, reverse=True)
    assert len(set(deviations)) == 3
    march = told(league)
    record(league, duel("anna", "ben", "2024-06-01"))
    assert told(league) == march
    now = standings(league)
    replay_from_nothing(league)
    assert standings(league) == now
    void_game(league.pk, 2, reason="a friendly", username="olga")
    assert set(told(league)) == {"anna", "ben"}
    assert verify_league(league.pk).differences == []


def test_newcomers_of_glicko_stand_below_who_has_played() -> None:
    league = make_league("glicko")
    make_ladder(league, method="conservative_rating", deviations=3)
    for winner, loser, day in DUELS:
        record(league, duel(winner, loser, day))
    march = told(league, 3.0)
    # cleo lost once, ben twice, but of cleo less is known.
    assert [row["player"] for row in load_live_rows(period(league, "2024-03"))] == ["anna", "ben", "cleo"]
    assert march["cleo"][1] > march["ben"][1]


def test_a_league_without_deviations_is_refused() -> None:
    league = make_league("elo")
    with pytest.raises(Refused) as caught:
        make_ladder(league, method="conservative_rating")
    (problem,) = caught.value.problems
    assert (problem.pointer, problem.code) == ("/method", "other_system")
    assert problem.detail == "Conservative rating subtracts deviations from the rating; Elo has none."
    assert not league.ladders.exists()
