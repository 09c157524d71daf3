"""Periods of the calendar: keys, edges, and that consecutive ones leave no gap in any zone."""

import zoneinfo
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest
from django.utils import translation

from league.core.calendar import (
    ALL_TIME,
    compute_bounds,
    compute_local_date,
    compute_span,
    format_period_key,
    get_time_zone,
    make_dated_span,
    parse_span,
    start_of_day,
)
from league.core.errors import UnknownZone
from tests.helpers.tiers import examples

ZONES = sorted(zoneinfo.available_timezones())


@pytest.mark.parametrize(
    ("cadence", "day", "key", "title", "first", "after"),
    [
        ("week", date(2024, 12, 31), "2025-W01", "Week 1, 2025", date(2024, 12, 30), date(2025, 1, 6)),
        ("week", date(2021, 1, 3), "2020-W53", "Week 53, 2020", date(2020, 12, 28), date(2021, 1, 4)),
        ("month", date(2024, 2, 29), "2024-02", "February 2024", date(2024, 2, 1), date(2024, 3, 1)),
        ("month", date(2023, 12, 1), "2023-12", "December 2023", date(2023, 12, 1), date(2024, 1, 1)),
        ("quarter", date(2024, 3, 31), "2024-Q1", "Quarter 1, 2024", date(2024, 1, 1), date(2024, 4, 1)),
        ("quarter", date(2024, 10, 1), "2024-Q4", "Quarter 4, 2024", date(2024, 10, 1), date(2025, 1, 1)),
        ("year", date(2024, 7, 4), "2024", "2024", date(2024, 1, 1), date(2025, 1, 1)),
    ],
)
def test_a_day_lies_in_its_period(cadence: str, day: date, key: str, title: str, first: date, after: date) -> None:
    span = compute_span(cadence, day, day, None)
    assert span is not None
    assert (span.cadence, span.key, span.title, span.first, span.after) == (cadence, key, title, first, after)
    assert parse_span(key) == span


def test_a_dated_period_is_one_and_has_both_its_days() -> None:
    first, last = date(2024, 6, 1), date(2024, 8, 31)
    assert compute_span("dated", date(2024, 5, 31), first, last) is None
    assert compute_span("dated", date(2024, 6, 1), first, last) == make_dated_span(first, last)
    span = compute_span("dated", date(2024, 8, 31), first, last)
    assert span is not None
    assert (span.key, span.after) == ("2024-06-01--2024-08-31", date(2024, 9, 1))
    assert compute_span("dated", date(2024, 9, 1), first, last) is None
    assert compute_span("all_time", date(2024, 6, 1), first, None) == ALL_TIME == parse_span("all")


@pytest.mark.parametrize(
    "key", ["", "2024-13", "2024-00", "2024-Q5", "2024-Q0", "2024-W54", "2023-W53", "24", "1799", "2201", "2024-3",
            "٢٠٢٤", "2024-03-01", "ALL"],
)  # fmt: skip
def test_other_texts_name_no_period(key: str) -> None:
    assert parse_span(key) is None


def test_a_zone_that_is_not_known_is_named() -> None:
    for name in ("Mars/Olympus", "", "../etc/passwd"):
        with pytest.raises(UnknownZone, match="is unknown"):
            get_time_zone(name)


@pytest.mark.parametrize(
    ("zone", "day", "instant"),
    [
        # Havana struck midnight of 1 November 2026 twice: the first counts.
        ("America/Havana", date(2026, 11, 1), datetime(2026, 11, 1, 4, tzinfo=UTC)),
        # Both clock changes of a European zone, and zones east of +12.
        ("Europe/Paris", date(2024, 4, 1), datetime(2024, 3, 31, 22, tzinfo=UTC)),
        ("Europe/Paris", date(2024, 11, 1), datetime(2024, 10, 31, 23, tzinfo=UTC)),
        ("Pacific/Kiritimati", date(2024, 3, 1), datetime(2024, 2, 29, 10, tzinfo=UTC)),
        ("Pacific/Chatham", date(2024, 3, 1), datetime(2024, 2, 29, 10, 15, tzinfo=UTC)),
        # Asunción had no midnight on 1 October 2023: the day began at one o'clock.
        ("America/Asuncion", date(2023, 10, 1), datetime(2023, 10, 1, 4, tzinfo=UTC)),
        # Samoa left out 30 December 2011: that day begins, empty, with the next one.
        ("Pacific/Apia", date(2011, 12, 30), datetime(2011, 12, 30, 10, tzinfo=UTC)),
        ("Pacific/Apia", date(2011, 12, 31), datetime(2011, 12, 30, 10, tzinfo=UTC)),
    ],
)
def test_a_day_begins_at_the_first_instant_that_bears_its_date(zone: str, day: date, instant: datetime) -> None:
    assert start_of_day(day, zone) == instant


def test_every_month_of_every_zone_begins_where_its_date_begins() -> None:
    """62 (zone, month) pairs have no midnight on the first, 14 have two; a sample of all zones and years."""
    random = Random(20)
    for _ in range(examples(4000)):
        zone = random.choice(ZONES)
        day = date(random.randint(1970, 2037), random.randint(1, 12), 1)
        start = start_of_day(day, zone)
        assert compute_local_date(start, zone) >= day
        assert compute_local_date(start - timedelta(microseconds=1), zone) < day


@pytest.mark.parametrize("zone", ["America/Havana", "Europe/Paris", "Pacific/Kiritimati", "Pacific/Apia", "Asia/Gaza"])
@pytest.mark.parametrize("cadence", ["week", "month", "quarter", "year"])
def test_consecutive_periods_leave_no_gap_and_no_instant_is_in_two(zone: str, cadence: str) -> None:
    span = compute_span(cadence, date(2009, 1, 1), date(2009, 1, 1), None)
    while span is not None and span.first < date(2013, 1, 1):
        following = compute_span(cadence, span.after, span.after, None)
        assert following is not None
        assert following.first == span.after
        assert compute_bounds(span, zone)[1] == compute_bounds(following, zone)[0]
        assert compute_bounds(span, zone)[0] < compute_bounds(span, zone)[1]
        span = following


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("2024-03", "March 2024"),
        ("2024-W09", "Week 9, 2024"),
        ("2024-Q4", "Quarter 4, 2024"),
        ("2024", "2024"),
        ("all", "All time"),
        ("2024-03-02--2024-03-09", "2024-03-02 to 2024-03-09"),
        ("2024-03-09--2024-03-02", "2024-03-09 to 2024-03-02"),
        ("2024-13", "2024-13"),
        ("2024-03-02--soon", "2024-03-02--soon"),
        ("2024-03-02--9999-12-31", "2024-03-02--9999-12-31"),
    ],
)
def test_period_is_called_in_english_as_its_title_says(key: str, title: str) -> None:
    assert format_period_key(key) == title
    span = parse_span(key)
    assert span is None or span.title == title


def test_period_is_called_in_the_readers_language_and_its_title_stays_english() -> None:
    span = parse_span("2024-03")
    assert span is not None
    with translation.override("de"):
        assert (span.name, span.title, format_period_key("2024-10")) == ("März 2024", "March 2024", "Oktober 2024")
