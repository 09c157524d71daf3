"""Periods open and close by the calendar, step after step, or by an organiser's hand; closed ones ask."""

from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest
from django.test import override_settings

from league.core.dispatch import sweep
from league.core.errors import Conflict, Invalid, NotFound, Refused
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.selectors.ladders import load_closed_periods_at, load_periods_awaiting_decision
from league.core.ladders.services.decisions import (
    CalendarStep,
    advance,
    carry_period,
    decide_all,
    is_due,
    reopen_period,
)
from league.core.ladders.services.ladders import change_ladder
from league.models import Decision, Edition, Game, League, Period
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import (
    clock,
    close,
    duel,
    keys,
    make_ladder,
    period,
    ranking,
    record_as_played,
    refusal,
    refused_problems,
    state,
    tables,
    utc,
)

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def played(*days: str, **settings: Any) -> League:
    """Return a league of 2023 with a monthly ladder and a game on each day, recorded then and won by Anna."""
    with clock(utc("2023-12-31T12:00")):
        league = make_league(**settings)
        make_ladder(league)
    record_as_played(league, *(duel("anna", "ben", day) for day in days))
    return league


def numbers(league: League) -> list[tuple[str, int]]:
    """Return the editions of a league: period and number, in the order of publication."""
    return list(Edition.objects.filter(ladder__league=league).order_by("pk").values_list("key", "number"))


def test_a_period_opens_at_its_first_instant() -> None:
    league = played(time_zone="Europe/Paris")
    start = utc("2026-12-31T23:00")
    early = advance(league.pk, start - timedelta(microseconds=1))
    assert early == [CalendarStep(utc("2026-11-30T23:00"), "open", "month", "2026-12")]
    assert advance(league.pk, start) == [CalendarStep(start, "open", "month", "2027-01")]
    assert ranking(league, "2027-01") == []


def test_the_grace_time_ends_to_the_microsecond_over_a_clock_change() -> None:
    league = played("2024-03-10", close_after_hours=36, time_zone="Europe/Paris")
    due = utc("2024-03-31T22:00") + timedelta(hours=36)
    assert [step.what for step in advance(league.pk, due - timedelta(microseconds=1))] == ["open"]
    assert advance(league.pk, due) == [CalendarStep(due, "close", "month", "2024-03")]
    edition = Edition.objects.get()
    assert (edition.number, edition.due_at, edition.published_at, edition.published_by) == (1, due, due, "the calendar")
    assert state(league, "2024-03") == (True, False)


def test_a_step_is_taken_once_however_often_it_is_tried() -> None:
    league = played("2024-03-10")
    now = utc("2024-04-05")
    assert [(step.what, step.key) for step in advance(league.pk, now)] == [("open", "2024-04"), ("close", "2024-03")]
    before = tables()
    assert (advance(league.pk, now), advance(league.pk, now + timedelta(days=1))) == ([], [])
    assert not is_due(league, now)
    assert tables() == before


def test_what_was_missed_is_caught_up_in_order() -> None:
    with clock(utc("2024-03-01")):
        league = make_league()
        make_ladder(league, "week", cadence="week")
        make_ladder(league, "month")
    days = ("2024-03-05", "2024-03-12", "2024-03-26", "2024-04-02")
    record_as_played(league, *(duel("anna", "ben", day) for day in days))
    steps = advance(league.pk, utc("2024-04-30T12:00"))
    assert [(step.ladder, step.key, step.what, step.due_at) for step in steps] == [
        ("week", "2024-W10", "close", utc("2024-03-12")),
        ("week", "2024-W11", "close", utc("2024-03-19")),
        ("week", "2024-W13", "close", utc("2024-04-02")),
        ("month", "2024-03", "close", utc("2024-04-02")),
        ("week", "2024-W14", "close", utc("2024-04-09")),
        ("week", "2024-W18", "open", utc("2024-04-29")),
    ]
    assert [key for key, _ in numbers(league)] == ["2024-W10", "2024-W11", "2024-W13", "2024-03", "2024-W14"]


def test_a_period_without_a_game_goes_away_without_an_edition() -> None:
    league = played()
    advance(league.pk, utc("2024-03-10"))
    record_as_played(league, duel("anna", "ben", "2024-03-11"))
    with clock(utc("2024-03-12")):
        void_game(league.pk, 1, reason="friendly", username="olga")
    assert keys(league) == ["2024-03"]
    assert [step.what for step in advance(league.pk, utc("2024-04-10"))] == ["open"]
    assert (keys(league), numbers(league)) == (["2024-04"], [])
    with clock(utc("2024-04-10")):
        record(league, duel("anna", "ben", "2024-03-12"))
    assert [(step.what, step.key) for step in advance(league.pk, utc("2024-04-11"))] == [("close", "2024-03")]


def test_a_ladder_that_ended_opens_nothing_and_closes_what_ran() -> None:
    league = played("2024-03-10")
    change_ladder(league.pk, "month", {"ended_on": date(2024, 4, 1)})
    assert [(step.what, step.key) for step in advance(league.pk, utc("2024-04-10"))] == [("close", "2024-03")]


@pytest.mark.slow("Waits for a writer that holds the league.")
def test_nothing_closes_while_a_replay_is_on_its_way() -> None:
    league = played("2024-03-10", "2024-03-11")
    with override_settings(RUNGS_INLINE_GAMES=0), clock(utc("2024-03-12")):
        void_game(league.pk, 1, reason="friendly", username="olga")
    assert [step.what for step in advance(league.pk, utc("2024-04-10"))] == ["open"]
    assert "The league is being recalculated" in refusal(lambda: close(league, "2024-03"), Refused).detail
    sweep.run_due_replay(league.pk)
    assert [step.what for step in advance(league.pk, utc("2024-04-10"))] == ["close"]
    assert ranking(league, "2024-03")[0] == (1, "anna", 1.0)


def test_an_organiser_closes_an_ended_period_at_once_and_in_order() -> None:
    league = played("2024-03-10", "2024-04-10")
    assert refusal(lambda: close(league, "2024-04"), Refused).detail == (
        "March 2024 comes before April 2024 and is still open; close it first."
    )
    edition = close(league, "2024-03")
    assert (edition.number, edition.published_by, edition.reason) == (1, "olga", "")
    close(league, "2024-04")
    assert numbers(league) == [("2024-03", 1), ("2024-04", 1)]


def test_an_open_period_before_without_a_game_does_not_stand_in_the_way() -> None:
    league = played("2024-03-10", "2024-04-10")
    void_game(league.pk, 1, reason="friendly", username="olga")
    assert close(league, "2024-04").number == 1
    assert (
        refusal(lambda: close(league, "2024-03"), Refused).detail
        == "No games were played in March 2024, so there is nothing to publish."
    )


def test_a_period_that_runs_or_never_ends_cannot_be_closed() -> None:
    league = make_league()
    make_ladder(league, "year", cadence="year")
    make_ladder(league, "ever", cadence="all_time")
    record(league, duel("anna", "ben", "2026-03-05"))
    assert (
        refusal(lambda: close(league, "2026", "year"), Refused).detail
        == "2026 runs until 2027-01-01 00:00 UTC; it can be closed after that."
    )
    assert "An all-time ladder has no end" in refusal(lambda: close(league, "all", "ever"), Refused).detail
    assert advance(league.pk, utc("2026-12-01")) == []


def test_what_is_not_there_is_not_found() -> None:
    league = played("2024-03-10")
    for key, slug in (("2024-02", "month"), ("nonsense", "month"), ("2024-03", "week")):
        for act in (
            partial(close, league, key, slug),
            partial(reopen_period, league.pk, slug, key, reason="why", username="olga"),
            partial(carry_period, league.pk, slug, key, username="olga"),
        ):
            refusal(act, NotFound)


def test_a_closed_period_that_says_the_same_is_not_published_again() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    assert refusal(lambda: close(league, "2024-03", reason="again"), Conflict).detail == (
        "March 2024 is closed, and edition 1 matches its games."
    )


def late(league: League) -> None:
    """Record a late game that puts Cleo above Ben."""
    record(league, duel("cleo", "ben", "2024-03-20"))


def test_a_late_a_corrected_and_a_voided_game_ask_the_organiser() -> None:
    league = played("2024-03-10", "2024-03-11", "2024-04-10")
    close(league, "2024-03")
    acts = (
        lambda: late(league),
        lambda: correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="olga"),
        lambda: void_game(league.pk, 2, reason="friendly", username="olga"),
    )
    for act in acts:
        act()
        assert state(league, "2024-03") == (True, True)
        assert [one.key for one in load_periods_awaiting_decision(league)] == ["2024-03"]
        carry_period(league.pk, "month", "2024-03", reason="Agreed.", username="olga")
        assert (state(league, "2024-03"), load_periods_awaiting_decision(league)) == ((True, False), [])
    assert state(league, "2024-04") == (False, False)
    assert numbers(league) == [("2024-03", 1)]
    # The unrated kinds, and a game in April, say nothing about March.
    record(league, sheet(("anna",), (1,), played_at=utc("2024-03-12"), kind="full_bye"))
    record(league, duel("dan", "ben", "2024-04-11"))
    assert state(league, "2024-03") == (True, False)


def test_a_change_that_is_taken_back_asks_no_more() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    late(league)
    void_game(league.pk, 2, reason="wrong month", username="olga")
    assert state(league, "2024-03") == (True, False)


def test_a_carried_change_asks_again_when_the_games_change_again() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    late(league)
    assert carry_period(league.pk, "month", "2024-03", reason=" Too late. ", username="olga").awaits is False
    decision = Decision.objects.get()
    assert (decision.kind, decision.edition, decision.reason, decision.by) == ("carry", 1, "Too late.", "olga")
    late(league)
    assert state(league, "2024-03") == (True, True)


def test_a_second_edition_needs_a_reason_and_ends_the_question() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    late(league)
    problems = refused_problems(lambda: close(league, "2024-03", reason="  "), Invalid)
    assert problems == [("/reason", "missing", "Give a reason for edition 2 of March 2024.")]
    edition = close(league, "2024-03", reason=" A sheet came late. ")
    assert (edition.number, edition.reason, edition.log_position) == (2, "A sheet came late.", 8)
    assert state(league, "2024-03") == (True, False)


def test_a_period_whose_games_are_all_void_can_be_published_empty_or_carried() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    void_game(league.pk, 1, reason="never played", username="olga")
    assert state(league, "2024-03") == (True, True)
    edition = close(league, "2024-03", reason="The only game was never played.")
    assert (edition.number, edition.winners, state(league, "2024-03")) == (2, [], (True, False))


def test_a_closed_period_is_opened_again_and_closed_again() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    assert reopen_period(league.pk, "month", "2024-03", reason="Protest.", username="olga").closed is False
    late(league)
    assert (state(league, "2024-03"), load_periods_awaiting_decision(league)) == ((False, False), [])
    assert advance(league.pk, utc("2024-06-01")) == [CalendarStep(utc("2024-06-01"), "open", "month", "2024-06")]
    assert refused_problems(lambda: close(league, "2024-03"), Invalid)[0][:2] == ("/reason", "missing")
    close(league, "2024-03", reason="The protest was heard.")
    assert (numbers(league), state(league, "2024-03")) == ([("2024-03", 1), ("2024-03", 2)], (True, False))
    reopen_period(league.pk, "month", "2024-03", reason="Again.", username="olga")
    close(league, "2024-03", reason="Nothing was found.")
    assert numbers(league)[-1] == ("2024-03", 3)


def test_only_closed_periods_are_opened_and_only_changed_ones_carried() -> None:
    league = played("2024-03-10")
    assert refusal(
        lambda: reopen_period(league.pk, "month", "2024-03", reason="x", username="olga"), Conflict
    ).detail == ("March 2024 is open.")
    for _ in range(2):
        assert refusal(lambda: carry_period(league.pk, "month", "2024-03", username="olga"), Conflict).detail == (
            "No decision about March 2024 is due."
        )
        if not numbers(league):
            close(league, "2024-03")
    reopen_period(league.pk, "month", "2024-03", reason="x", username="olga")
    refusal(lambda: reopen_period(league.pk, "month", "2024-03", reason="x", username="olga"), Conflict)


def test_reasons_have_a_form() -> None:
    league = played("2024-03-10")
    close(league, "2024-03")
    late(league)
    for reason in ("", "  ", "x" * 501, "a\0b"):
        acts = [
            lambda said: reopen_period(league.pk, "month", "2024-03", reason=said, username="olga"),
            lambda said: decide_all(league.pk, "publish", reason=said, username="olga"),
        ]
        if reason.strip():
            acts += [
                lambda said: close(league, "2024-03", reason=said),
                lambda said: carry_period(league.pk, "month", "2024-03", reason=said, username="olga"),
                lambda said: decide_all(league.pk, "carry", reason=said, username="olga"),
            ]
        for act in acts:
            refused_problems(partial(act, reason), Invalid)


def test_all_questions_are_answered_at_once() -> None:
    league = played("2024-03-10", "2024-04-10")
    make_ladder(league, "quarter", cadence="quarter")
    for key, slug in (("2024-03", "month"), ("2024-04", "month"), ("2024-Q1", "quarter")):
        close(league, key, slug)
    assert refusal(lambda: decide_all(league.pk, "carry", reason="", username="olga"), NotFound).detail == (
        "No decisions about closed periods are due in this league."
    )
    late(league)
    assert [one.key for one in load_periods_awaiting_decision(league)] == ["2024-Q1", "2024-03"]
    assert [one.key for one in decide_all(league.pk, "carry", reason="", username="olga")] == ["2024-Q1", "2024-03"]
    assert (load_periods_awaiting_decision(league), len(numbers(league))) == ([], 3)
    void_game(league.pk, 1, reason="friendly", username="olga")
    with override_settings(RUNGS_INLINE_GAMES=0):
        late(league)
    refusal(lambda: decide_all(league.pk, "publish", reason="Late.", username="olga"), Refused)
    sweep.run_due_replay(league.pk)
    settled = decide_all(league.pk, "publish", reason="Late sheets.", username="olga")
    assert [(one.key, one.awaits) for one in settled] == [("2024-Q1", False), ("2024-03", False)]
    assert numbers(league)[3:] == [("2024-Q1", 2), ("2024-03", 2)]


def test_the_closed_periods_around_an_instant_are_told() -> None:
    league = played("2024-03-10", "2024-04-10")
    close(league, "2024-03")
    found = [load_closed_periods_at(league, utc(when)) for when in ("2024-03-01", "2024-03-31T23:59", "2024-04-01")]
    assert [[one.key for one in periods] for periods in found] == [["2024-03"], ["2024-03"], []]
    assert Period.objects.filter(closed=True).count() == 1
    assert Game.objects.count() == 2
    assert period(league, "2024-03").closed
