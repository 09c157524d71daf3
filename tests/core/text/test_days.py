"""Days and times as people write them."""

from datetime import date, timedelta
from random import Random

import pytest

from league.core.text.numbers import UnclearText
from league.core.text.written_days import UnclearOrder, find_day_order, read_moment
from ratings.trf.day_texts import parse_day

TODAY = date(2026, 11, 28)
#: How a day is written, by the order of its parts.
FORMS = {
    "ymd": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%y/%m/%d", "%Y%m%d"),
    "dmy": ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%d %b %Y", "%d %B %Y", "%a, %d %b %Y", "%d-%b-%y"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%b %d, %Y", "%B %d %Y", "%m/%d/%y"),
}


@pytest.mark.parametrize("order", FORMS)
def test_every_day_is_read_in_its_order(order: str) -> None:
    random = Random(order)
    for _example in range(300):
        day = date(1970, 1, 1) + timedelta(days=random.randrange(36000))
        for form in FORMS[order]:
            assert parse_day(day.strftime(form), order) == day, day.strftime(form)


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("7. 4. 2013", "dmy"), ("07.04.13", "dmy"), ("7.4.2013.", "dmy"), ("20130407", "ymd"), ("2013.04.07", "ymd"),
        ("2013-04-07", "ymd"), ("07/04/2013", "dmy mdy"), ("7 4 2013", "dmy mdy"), ("7 / 4 / 2013", "dmy mdy"),
    ],
)  # fmt: skip
def test_how_a_day_is_written_tells_its_order(text: str, orders: str) -> None:
    assert " ".join(order for order in ("ymd", "dmy", "mdy") if parse_day(text, order)) == orders
    assert str(parse_day(text, orders[:3])) == "2013-04-07"


def read(*texts: str) -> list[str]:
    """Return the texts of a file as times in UTC."""
    order = find_day_order(texts)
    return [f"{read_moment(text, 'UTC', order, TODAY):%Y-%m-%d %H:%M}".removesuffix(" 00:00") for text in texts]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("24. März 2010", "2010-03-24"), ("Freitag, 24. September 2010", "2010-09-24"),
        ("24 września 2010 r.", "2010-09-24"), ("5 listopada 2010", "2010-11-05"), ("24 wrz 2010", "2010-09-24"),
        ("24 мая 2010 г.", "2010-05-24"), ("24. септембар 2010", "2010-09-24"), ("24 mars 2010", "2010-03-24"),
        ("24 de mayo de 2010", "2010-05-24"), ("24 août 2010", "2010-08-24"), ("24. rujna 2010", ""),
    ],
)  # fmt: skip
def test_months_and_weekdays_have_names_in_several_languages(text: str, day: str) -> None:
    assert str(parse_day(text, "dmy") or "") == day
    if day:
        assert read(text) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "24 Sept 2010", "Sept. 24, 2010", "24.9.2010", "2010/9/24", "24th of September 2010", "24/9/2010", "9/24/2010",
        "2010-9-24", "24 września 2010", "24 сентября 2010 г.", "24. September 2010", "Fri 24.09.10",
    ],
)  # fmt: skip
def test_other_ways_to_write_a_day(text: str) -> None:
    assert read(text) == ["2010-09-24"]


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "2010", "Sept 2010", "24/09", "24.09.", "31.02.2010", "25/13/1", "12", "Friday", "x" * 99]
)
def test_what_is_no_whole_day_is_no_day(text: str) -> None:
    assert parse_day(text, "dmy") is None
    with pytest.raises(UnclearText):
        read(text)


def test_the_other_days_of_a_file_decide_the_order() -> None:
    with pytest.raises(UnclearOrder):
        read("02/10/2010")
    assert read("02/10/2010", "24/09/2010") == ["2010-10-02", "2010-09-24"]
    assert read("02/10/2010", "09/24/2010") == ["2010-02-10", "2010-09-24"]
    assert read("02.10.2010 19:30", "2010-01-02T03:04:05") == ["2010-10-02 19:30", "2010-01-02 03:04"]
