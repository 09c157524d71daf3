"""Leagues and their dated rules."""

import zoneinfo
from datetime import UTC, date, datetime

import pytest

from league.core.calendar import start_of_day
from league.core.errors import Conflict, Invalid, NotFound, Refused
from league.core.leagues.services.leagues import adopt_rule, change_league, create_league
from league.models import League, Rule
from tests.helpers.builders import ELO, derived, make_league, ratings, record, sheet

pytestmark = pytest.mark.django_db


def test_what_cannot_be_is_refused_at_its_field_and_makes_no_league() -> None:
    bad: dict[str, object] = {
        "time_zone": "Europe/Atlantis", "visibility": "secret", "min_games": 0, "inactive_after_days": 0,
        "title": "x" * 121,
    }  # fmt: skip
    for name, value in bad.items():
        with pytest.raises(Invalid) as caught:
            create_league("club", "Club", settings={name: value})
        assert [problem.pointer for problem in caught.value.problems] == [f"/{name}"]
    for slug in ("", "no spaces", "-x", "x" * 51):
        with pytest.raises(Invalid) as caught:
            create_league(slug, "Club")
        assert {problem.pointer for problem in caught.value.problems} == {"/slug"}
    with pytest.raises(Invalid, match="no rating system “chess”"):
        create_league("club", "Club", system="chess")
    with pytest.raises(Invalid) as caught:
        create_league("club", "Club", system="elo", parameters={"k": -1, "z": 2})
    assert {problem.pointer for problem in caught.value.problems} == {"/parameters/k", "/parameters/z"}
    assert League.objects.count() == 0


def test_a_rule_dated_back_replays_what_was_played_since() -> None:
    league = make_league(parameters={"k": 20})
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0), played_at=datetime(2024, 3, 6, tzinfo=UTC)))
    before = derived(league)[0][:2]
    adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 3, 6), username="olga")
    assert ratings(league) == {"anna": 1510.0, "ben": 1490.0, "cleo": 1520.0, "dan": 1480.0}
    assert derived(league)[0][:2] == before


@pytest.mark.parametrize("day", [date(2023, 1, 1), date(2024, 3, 6)])
def test_newcomers_start_at_one_rating_under_all_rules_of_a_league(day: date) -> None:
    league = create_league("club", "Club", system="elo", parameters={"initial": 1200}, from_date=date(2024, 1, 1))
    for parameters in ({"initial": 2000}, {}):
        with pytest.raises(Refused, match="New players of this league start at 1200") as caught:
            adopt_rule(league.pk, "elo", parameters, day, username="olga")
        assert [problem.pointer for problem in caught.value.problems] == ["/parameters/initial"]
    adopt_rule(league.pk, "elo", {"initial": 1200.0, "k": 40}, day, username="olga")
    assert Rule.objects.count() == 2


def test_a_first_rule_that_comes_late_is_in_force_always_and_a_second_from_today() -> None:
    league = create_league("club", "Club", settings={"time_zone": "Pacific/Kiritimati"})
    assert adopt_rule(league.pk, "elo", {}, username="olga").from_date == date(1800, 1, 1)
    today = datetime.now(UTC).astimezone(zoneinfo.ZoneInfo("Pacific/Kiritimati")).date()
    assert adopt_rule(league.pk, "elo", {"k": 10}, username="olga").from_date == today


def test_a_rule_at_the_end_of_the_calendar_or_of_a_day_that_has_one_is_refused() -> None:
    league = make_league()
    for day in (date(1, 1, 1), date(1799, 12, 31), date(2201, 1, 1), date(9999, 12, 31)):
        with pytest.raises(Invalid) as caught:
            adopt_rule(league.pk, "elo", {}, day, username="olga")
        assert [problem.pointer for problem in caught.value.problems] == ["/from"]
    adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 3, 6), username="olga")
    with pytest.raises(Conflict, match="already has a rule from 2024-03-06"):
        adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 3, 6), username="olga")
    assert Rule.objects.count() == 2


def test_a_day_begins_at_its_first_instant() -> None:
    # Toronto, 30 March 1919: from 23:30 on the 30th straight to 00:30 on the 31st.
    assert start_of_day(date(1919, 3, 31), "America/Toronto") == datetime(1919, 3, 31, 4, 30, tzinfo=UTC)
    for day in (date(1, 1, 1), date(9999, 12, 31)):
        with pytest.raises(ValueError, match="end of the calendar"):
            start_of_day(day, "UTC")


def test_a_league_is_made_once_with_its_first_rule_in_force_always_and_changed_in_part() -> None:
    settings = {"game": "Barbu"}
    league = create_league("club", "Club", system="elo", parameters={"k": 24}, settings=settings, by="olga")
    rule = league.rules.get()
    assert (rule.system, rule.parameters) == ("elo", {**ELO, "k": 24})
    assert (rule.from_date, rule.created_by) == (date(1800, 1, 1), "olga")
    with pytest.raises(Conflict, match="already"):
        create_league("club", "Two")
    change_league(league.pk, {"title": "The Club", "min_games": 5})
    league = League.objects.get()
    assert (league.title, league.game, league.min_games) == ("The Club", "Barbu", 5)
    with pytest.raises(NotFound):
        change_league(league.pk + 1, {"title": "Ghost"})
