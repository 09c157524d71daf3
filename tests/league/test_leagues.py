"""Leagues and their dated rules."""

import zoneinfo
from datetime import UTC, date, datetime

import pytest

from league.calendar import start_of_day
from league.errors import Conflict, Invalid, NotFound, Refused
from league.models import League, Rule
from league.services.leagues.leagues import adopt_rule, change_league, create_league
from tests.helpers.builders import ELO, derived, make_league, ratings, record, sheet


@pytest.mark.django_db
def test_a_league_is_made_with_its_first_rule_in_force_always() -> None:
    league = create_league("club", "The Club", system="elo", parameters={"k": 24}, by="olga")
    rule = league.rules.get()
    assert (rule.system, rule.parameters, rule.from_date, rule.created_by) == (
        "elo",
        {**ELO, "k": 24},
        date(1800, 1, 1),
        "olga",
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "pointer"),
    [
        ({"time_zone": "Europe/Atlantis"}, "/time_zone"),
        ({"visibility": "secret"}, "/visibility"),
        ({"min_games": 0}, "/min_games"),
        ({"inactive_after_days": 0}, "/inactive_after_days"),
        ({"title": "x" * 121}, "/title"),
    ],
)
def test_settings_that_cannot_be_are_refused_at_their_field(settings: dict[str, object], pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        create_league("club", "Club", settings=settings)
    assert [problem.pointer for problem in caught.value.problems] == [pointer]
    assert League.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["", "no spaces", "-x", "x" * 51])
def test_an_unusable_slug_is_refused(slug: str) -> None:
    with pytest.raises(Invalid) as caught:
        create_league(slug, "Club")
    assert {problem.pointer for problem in caught.value.problems} == {"/slug"}


@pytest.mark.django_db
def test_a_slug_is_given_once() -> None:
    create_league("club", "One")
    with pytest.raises(Conflict, match="already"):
        create_league("club", "Two")
    assert League.objects.get().title == "One"


@pytest.mark.django_db
def test_a_league_with_a_bad_rule_is_not_made() -> None:
    with pytest.raises(Invalid, match="no rating system “chess”"):
        create_league("club", "Club", system="chess")
    with pytest.raises(Invalid) as caught:
        create_league("club", "Club", system="elo", parameters={"k": -1, "z": 2})
    assert {problem.pointer for problem in caught.value.problems} == {"/parameters/k", "/parameters/z"}
    assert League.objects.count() == 0


@pytest.mark.django_db
def test_settings_are_changed_and_the_rest_stays() -> None:
    league = create_league("club", "Club", settings={"game": "Barbu"})
    change_league(league.pk, {"title": "The Club", "min_games": 5})
    league.refresh_from_db()
    assert (league.title, league.game, league.min_games) == ("The Club", "Barbu", 5)
    with pytest.raises(NotFound):
        change_league(league.pk + 1, {"title": "Ghost"})


@pytest.mark.django_db
def test_a_rule_dated_back_replays_what_was_played_since() -> None:
    league = make_league(parameters={"k": 20})
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0), played_at=datetime(2024, 3, 6, tzinfo=UTC)))
    before = derived(league)[0][:2]
    adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 3, 6), by="olga")
    assert ratings(league) == {"anna": 1510.0, "ben": 1490.0, "cleo": 1520.0, "dan": 1480.0}
    assert derived(league)[0][:2] == before


@pytest.mark.django_db
def test_a_second_rule_of_one_day_is_a_conflict() -> None:
    league = make_league()
    adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 3, 6), by="olga")
    with pytest.raises(Conflict, match="rule from 2024-03-06 already"):
        adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 3, 6), by="olga")
    assert Rule.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("day", [date(2023, 1, 1), date(2024, 3, 6)])
def test_newcomers_start_at_one_rating_under_all_rules_of_a_league(day: date) -> None:
    league = create_league("club", "Club", system="elo", parameters={"initial": 1200}, from_date=date(2024, 1, 1))
    for parameters in ({"initial": 2000}, {}):
        with pytest.raises(Refused, match="Newcomers of this league start at 1200") as caught:
            adopt_rule(league.pk, "elo", parameters, day, by="olga")
        assert [problem.pointer for problem in caught.value.problems] == ["/parameters/initial"]
    adopt_rule(league.pk, "elo", {"initial": 1200.0, "k": 40}, day, by="olga")
    assert Rule.objects.count() == 2


@pytest.mark.django_db
def test_a_first_rule_that_comes_late_is_in_force_always_and_a_second_from_today() -> None:
    league = create_league("club", "Club", settings={"time_zone": "Pacific/Kiritimati"})
    assert adopt_rule(league.pk, "elo", {}, by="olga").from_date == date(1800, 1, 1)
    today = datetime.now(UTC).astimezone(zoneinfo.ZoneInfo("Pacific/Kiritimati")).date()
    assert adopt_rule(league.pk, "elo", {"k": 10}, by="olga").from_date == today


@pytest.mark.django_db
@pytest.mark.parametrize("day", [date(1, 1, 1), date(1799, 12, 31), date(2201, 1, 1), date(9999, 12, 31)])
def test_a_rule_at_the_end_of_the_calendar_is_refused(day: date) -> None:
    league = make_league()
    with pytest.raises(Invalid) as caught:
        adopt_rule(league.pk, "elo", {}, day, by="olga")
    assert [problem.pointer for problem in caught.value.problems] == ["/from"]
    assert Rule.objects.count() == 1


@pytest.mark.parametrize("day", [date(1, 1, 1), date(9999, 12, 31)])
def test_days_at_the_end_of_the_calendar_have_no_instant(day: date) -> None:
    with pytest.raises(ValueError, match="end of the calendar"):
        start_of_day(day, "UTC")


@pytest.mark.parametrize(
    ("day", "zone", "instant"),
    [
        (date(2024, 3, 5), "UTC", datetime(2024, 3, 5, 0, 0, tzinfo=UTC)),
        (date(2024, 3, 5), "Europe/Belgrade", datetime(2024, 3, 4, 23, 0, tzinfo=UTC)),
        (date(2024, 7, 1), "Pacific/Kiritimati", datetime(2024, 6, 30, 10, 0, tzinfo=UTC)),
        # Beirut's clocks went from 24:00 to 01:00: the day began at 01:00 summer time.
        (date(2024, 3, 31), "Asia/Beirut", datetime(2024, 3, 30, 22, 0, tzinfo=UTC)),
        # Havana's clocks went back from 01:00 to 00:00: the first of two midnights.
        (date(2026, 11, 1), "America/Havana", datetime(2026, 11, 1, 4, 0, tzinfo=UTC)),
        # Apia had no 30 December 2011 at all: the next instant is the first of the 31st.
        (date(2011, 12, 30), "Pacific/Apia", datetime(2011, 12, 30, 10, 0, tzinfo=UTC)),
        # Toronto, 30 March 1919: from 23:30 on the 30th straight to 00:30 on the 31st.
        (date(1919, 3, 31), "America/Toronto", datetime(1919, 3, 31, 4, 30, tzinfo=UTC)),
    ],
)
def test_a_day_begins_at_its_first_instant(day: date, zone: str, instant: datetime) -> None:
    assert start_of_day(day, zone) == instant
