"""Figures that stand side by side add up as they are shown, and what rounds to nothing is neither red nor negative."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from league.core.text.display_formats import (
    MINUS,
    count_decimals,
    format_brief,
    format_day,
    format_days,
    format_exact,
    format_full_day,
    format_local_time,
    format_number,
    format_signed,
    get_direction_class,
    round_shares,
)
from league.models import Game, Rating, RatingChange
from league.templatetags.rungs import direction, long_words, moment, movement
from ratings.describe.explaining import format_signed as explained_number
from ratings.laboratory.sentences import format_decimal
from ratings.texts import round_as_printed
from tests.helpers.builders import FOUR, make_league, record, sheet

FRACTIONS = st.one_of(
    st.fractions(max_denominator=10**6),
    # Halves of the last digits.
    st.integers(-(10**9), 10**9).map(lambda whole: Fraction(whole, 2 * 10**4)),
)
MILLIONTHS = st.integers(-3_000_000_000, 3_000_000_000).map(lambda whole: whole / 1e6)


def test_a_brief_figure_has_two_decimals_or_four_digits() -> None:
    figures = (1601.00188074, 3.70446386296, -21.7796875822, 0.759746926648, 0.0512, 1500.0, -7, None)
    assert list(map(format_brief, figures)) == ["1601.00", "3.70", "−21.78", "0.7597", "0.0512", "1500", "−7", "–"]


def test_a_time_on_a_page_that_names_its_zone_once_has_no_zone() -> None:
    shown = format_local_time(datetime(2024, 11, 29, 22, 35, tzinfo=UTC), "Europe/Berlin")
    assert shown.endswith(">29 Nov 2024, 23:35</time>")
    only_day = format_local_time(datetime(2024, 11, 29, 22, 35, tzinfo=UTC), "Europe/Berlin", only_day=True)
    assert only_day.endswith(">29 Nov 2024</time>")


def test_a_game_after_midnight_belongs_to_the_evening_before_and_one_without_a_time_to_its_date() -> None:
    league = SimpleNamespace(time_zone="Europe/Berlin")
    shown = [
        moment(datetime(2024, 11, 29, *time, tzinfo=UTC), league, "evening") for time in ((0, 30), (5, 30), (23, 0))
    ]
    assert [day.rpartition(">29 Nov")[1] or day.rpartition(">28 Nov")[1] for day in shown[:2]] == [">28 Nov", ">29 Nov"]
    assert ">30 Nov 2024</time>" in shown[2]


def test_what_rounds_to_nothing_has_no_sign_and_no_colour() -> None:
    for value in (-0.0, 0.0, -0.004, 0.004, -1e-9):
        assert (format_number(value, 2), format_signed(value, 2), direction(value, 2)) == ("0.00", "±0.00", "level")
    left = {-0.005001: "down", 0.005001: "up", -3.0: "down", None: "level"}
    assert {value: direction(value, 2) for value in left} == left
    # Without decimals the sign alone counts.
    assert (direction(0.001), direction(-0.001), direction(0.0)) == ("up", "down", "level")
    assert format_exact(-0.0) == "0"


@given(value=FRACTIONS, decimals=st.integers(0, 6))
def test_every_real_number_is_rounded_exactly(value: Fraction, decimals: int) -> None:
    """A half goes away from zero, as school has it, by whole numbers alone."""
    size = abs(value) * 10**decimals
    units = (2 * size.numerator + size.denominator) // (2 * size.denominator)
    expected = Fraction(-units if value < 0 else units, 10**decimals)
    assert Fraction(round_as_printed(value, decimals)) == expected
    # Halves of fractions are exact as decimals too, and so are whole numbers and halves of numpy.
    whole = round(value)
    for kind in (int, float, Decimal, Fraction, np.int64, np.float64, np.float32):
        if abs(whole) < 2**23:
            assert Fraction(round_as_printed(kind(whole), decimals)) == whole
    for kind in (float, Decimal, np.float64, np.float32):
        if abs(whole) < 2**22:
            assert Fraction(round_as_printed(kind(whole + 0.5), 0)) == (whole + 1 if whole >= 0 else whole)


def test_what_is_hardly_less_than_a_half_is_not_one() -> None:
    assert round_as_printed(Fraction(1, 2) - Fraction(1, 10**2000), 0) == 0
    assert round_as_printed(Fraction(1, 2) + Fraction(1, 10**2000), 0) == 1


@pytest.mark.parametrize("kind", [float, Decimal, np.float64, np.float32])
def test_what_is_no_number_or_endless_is_printed_the_same_everywhere(kind: Any) -> None:
    shown = {"inf": ("∞", "+∞", "up"), "-inf": (f"{MINUS}∞", f"{MINUS}∞", "down"), "nan": ("–", "–", "level")}
    for text, (number, signed, way) in shown.items():
        value = kind(text)
        assert (format_number(value, 2), format_brief(value), format_signed(value, 2)) == (number, number, signed)
        assert format_decimal(value, 2).digits == number
        assert explained_number(value, 2).replace("-", MINUS) == signed
        assert get_direction_class(value, 2) == get_direction_class(value) == way


@pytest.mark.parametrize("kind", [int, float, Fraction, np.int64, np.float32])
def test_numbers_of_every_kind_are_printed_the_same(kind: Any) -> None:
    value = kind(1234)
    # What is whole by its kind is a count.
    brief = "1,234" if kind in (int, np.int64) else "1234"
    assert (format_number(value, 1), format_brief(value), format_signed(value)) == ("1234.0", brief, "+1234")
    assert format_decimal(value, 1).digits == "1,234.0"
    assert round_shares(0, [value, value], 2 * value) == [1234.0, 1234.0]


def test_a_half_is_rounded_away_from_zero_on_every_page() -> None:
    """Each of these is exact as a binary number, so that it lies in the middle."""
    halves = [(0.625, 2, "0.63"), (0.125, 2, "0.13"), (2.5, 0, "3"), (1512.5, 0, "1513"), (0.375, 2, "0.38")]
    for value, decimals, printed in halves:
        assert format_number(value, decimals) == explained_number(value, decimals).lstrip("+") == printed
        assert format_number(-value, decimals) == f"\u2212{printed}"
        assert format_signed(-value, decimals) == f"\u2212{printed}"
    # 1.005 is less than its decimals say, and 2.675 too.
    assert (format_number(1.005, 2), format_number(2.675, 2)) == ("1.00", "2.67")
    assert format_number(1e22, 1) == "10\u202f000\u202f000\u202f000\u202f000\u202f000\u202f000\u202f000.0".replace(
        "\u202f", ","
    )
    assert direction(0.05, 0) == "level" and direction(0.5, 0) == "up"


@pytest.mark.parametrize(
    ("parts", "total", "places"),
    [
        ((17.306, -0.052), 17.254, 3),  # 17.31 − 0.05 is not 17.25
        ((17.31, -0.06), 17.25, 2),
        ((1200.0, -27.0), 1173.0, 2),
        ((0.3333, 0.3333, 0.3333), 0.9999, 4),  # 0.33 × 3 is not 1.00
        ((1.0, None), 1.0, 2),
        ((1.0,), None, 2),
        ((1.0, 1.0), 3.0, 2),  # nothing helps: then as usual
    ],
)
def test_one_digit_more_is_shown_where_figures_do_not_add_up(parts: Any, total: Any, places: int) -> None:
    assert count_decimals(2, parts, total) == places


@given(before=MILLIONTHS, change=MILLIONTHS)
def test_a_rating_and_its_change_add_up_as_shown(before: float, change: float) -> None:
    after = before + change
    places = count_decimals(2, [before, change], after)
    shown = [format_number(before, places), format_signed(change, places), format_number(after, places)]
    first, middle, last = (
        round(float(text.translate({0x2212: "-", 0x202F: "", 0xB1: ""}).replace(",", "")) * 10**places)
        for text in shown
    )
    assert first + middle == last


def figure(text: str) -> Decimal:
    """Return a figure of a page as a number."""
    return Decimal(re.sub(r"<[^>]*>", "", text).strip().translate({0x2212: "-", 0x202F: "", 0xB1: ""}).replace(",", ""))


def rows_of(page: str, heads: str) -> list[list[str]]:
    """Return the cells of the body of the table whose heads hold some words, in their order."""
    for table in re.findall(r"<table.*?</table>", page, re.S):
        if re.search(heads, table.split("<tbody>")[0], re.S):
            body = table.split("<tbody>")[1].split("</tbody>")[0]
            return [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr.*?</tr>", body, re.S)]
    raise AssertionError(heads)


@pytest.fixture
def evening(client: Client) -> Client:
    """Return an organiser's browser, and record games whose figures have many digits."""
    league = make_league("barbu", FOUR)
    for index in range(6):
        scores = (55 - index, 31, 9 + 3 * index, -20 - 2 * index)
        record(league, sheet(FOUR, scores, minutes=index))
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.mark.django_db
def test_a_games_page_prints_changes_as_they_are_and_parts_that_add_up_to_them(evening: Client) -> None:
    for game in Game.objects.all():
        page = evening.get(f"/leagues/club/games/{game.number}/").content.decode()
        rows = rows_of(page, "Change.*Strength")
        lines = RatingChange.objects.filter(number=game.number).select_related("player")
        made = {(format_signed(line.change, 2), format_number(line.after, 2)) for line in lines}
        assert {tuple(re.sub(r"<[^>]*>", "", cell) for cell in cells[2:4]) for cells in rows} == made
        # Before, change and after never stand side by side: each rounded by itself, they would not add up.
        assert "Before" not in page.partition("<table")[2].partition("</table>")[0]
        seats = re.findall(r'<span class="change \w+">(\S+)</span></h3>.*?<p class="meta words">(.*?)</p>', page, re.S)
        assert len(seats) == 4
        for change, words in seats:
            parts = [figure(part.rpartition(" ")[2]) for part in words.split(" · ")]
            assert sum(parts) == figure(change), (change, words)


@given(parts=st.lists(MILLIONTHS, min_size=1, max_size=6), places=st.integers(0, 3))
def test_printed_parts_add_up_and_none_is_moved_by_a_digit(parts: list[float], places: int) -> None:
    total = sum(parts)
    printed = [Decimal(f"{part:.{places}f}") for part in round_shares(places, parts, total)]
    assert sum(printed) == Decimal(f"{total:.{places}f}")
    assert all(
        abs(shown - Decimal(part)) < Decimal(1).scaleb(-places) for shown, part in zip(printed, parts, strict=True)
    )


def test_the_digit_that_is_missing_goes_to_the_largest_remainder() -> None:
    assert round_shares(2, [0.333, 0.333, 0.334], 1.0) == [0.33, 0.33, 0.34]
    assert round_shares(2, [0.2076, 0.1132, -0.3427], -0.0219) == [0.21, 0.11, -0.34]
    assert round_shares(0, [0.5, 0.5, 0.0], 1.0) == [1.0, 0.0, 0.0]
    assert round_shares(2, [], 0.0) == []


@pytest.mark.django_db
def test_a_change_that_rounds_to_nothing_is_not_red(evening: Client) -> None:
    for model in (RatingChange, Rating):
        model.objects.filter(player__handle="anna").update(change=-0.0049)
    for path in ("", "games/", "players/anna/"):
        page = evening.get(f"/leagues/club/{path}").content.decode()
        shown = re.findall(r'<(?:a|span) class="change (\w+)"[^>]*>([^<]*)<', page)
        assert ("level", "±0.00") in shown
        assert {name for name, text in shown if "0.00" in text} == {"level"}


@pytest.mark.django_db
def test_the_history_in_the_admin_is_written_without_the_last_bits_of_sums(evening: Client) -> None:
    RatingChange.objects.filter(number=6, player__handle="anna").update(
        before=17.306, change=-0.052, after=17.306 - 0.052
    )
    page = evening.get("/admin/league/ratingchange/").content.decode()
    assert "field-state" not in page  # nobody here keeps more than a rating
    assert '<td class="field-before_shown">17.306</td>' in page
    assert f'<td class="field-change_shown">{MINUS}0.052</td>' in page
    assert '<td class="field-after_shown">17.254</td>' in page
    row = RatingChange.objects.get(number=6, player__handle="anna")
    assert "17.254<" in evening.get(f"/admin/league/ratingchange/{row.pk}/change/").content.decode()


def test_a_day_is_written_as_its_zone_and_language_have_it() -> None:
    """Days are written once and kept: a moment equal to another may be a different day."""
    moment = datetime(2026, 7, 9, 23, 30, tzinfo=UTC)
    for _again in range(2):
        assert (format_day(moment), format_day(moment.astimezone(ZoneInfo("Asia/Tokyo")))) == (
            "9 Jul 2026",
            "10 Jul 2026",
        )
        with translation.override("de"):
            assert format_full_day(moment) == "9. Juli 2026"


def test_a_change_of_rank_is_drawn_in_the_readers_language_with_its_own_words() -> None:
    for _again in range(2):
        assert ("new" in movement(None, 2), "Up 2 on" in movement(4, 2), "Up" in movement(4, 2, "2026-07-09")) == (
            True,
            True,
            False,
        )
        with translation.override("de"):
            assert "neu" in movement(None, 2)
            assert "Up 2 on" not in movement(4, 2)


def test_long_words_of_a_name_may_break_in_parts_of_one_length() -> None:
    assert long_words("Anna Kim") == "Anna Kim"
    assert long_words("<George> Featherstonehaugh") == (
        '&lt;George&gt; <span class="word">Feathe<wbr>rstone<wbr>haugh</span>'
    )
    assert long_words("Cholmondeley-Lee") == '<span class="word">Cholmo<wbr>ndeley-</span>Lee'


@pytest.mark.parametrize(
    ("first", "last", "written"),
    [
        (date(2026, 10, 1), date(2026, 10, 31), "1–31 October 2026"),
        (date(2026, 9, 3), date(2026, 10, 9), "3 September – 9 October 2026"),
        (date(2026, 9, 3), date(2027, 4, 9), "3 September 2026 – 9 April 2027"),
        (date(2026, 9, 3), date(2026, 9, 3), "3 September 2026"),
    ],
)
def test_days_from_a_first_to_a_last_one_name_month_and_year_once(first: date, last: date, written: str) -> None:
    assert format_days(first, last) == written
