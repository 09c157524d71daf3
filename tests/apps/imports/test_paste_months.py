"""Days as Poles, Russians and Serbs write them in lists, by the names that Unicode's CLDR has for them."""

from datetime import date, time
from typing import Any

import pytest
from babel.dates import get_day_names, get_month_names

from league.apps.imports.paste.games import PasteClock
from league.apps.imports.paste.roles import SheetFields, guess_roles
from league.apps.imports.paste.text import make_grid, split_parts
from league.core.text import written_days as days
from tests.helpers.paste_builders import read_text

TODAY = date(2026, 11, 22)
LANGUAGES = ["pl", "ru", "sr_Cyrl", "sr_Latn"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", ["wide", "abbreviated"])
@pytest.mark.parametrize("use", ["format", "stand-alone"])
def test_every_name_of_a_month_is_understood(language: str, width: Any, use: Any) -> None:
    for month, name in get_month_names(width, use, language).items():
        for text in (f"6 {name} 2025", f"6. {name.upper()} 2025.", f"6 {name.capitalize()}, 2025"):
            assert days.parse_day(text, "", TODAY) == date(2025, month, 6)
            assert days.looks_like_day(text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", ["wide", "abbreviated"])
def test_every_weekday_may_stand_before(language: str, width: Any) -> None:
    for name in get_day_names(width, "format", language).values():
        assert days.parse_day(f"{name}, 06.11.2025", "", TODAY) == date(2025, 11, 6)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("6 ноября 2026 г.", date(2026, 11, 6)), ("6 ноября 2026 года", date(2026, 11, 6)),
        ("чт, 6 ноя", date(2026, 11, 6)), ("6 мая", date(2026, 5, 6)), ("6.11.2026 г.", date(2026, 11, 6)),
        ("6 listopada 2026 r.", date(2026, 11, 6)), ("6 pazdziernika", date(2026, 10, 6)),
        ("środa 6 wrzesnia", date(2026, 9, 6)), ("31 sie 26", date(2026, 8, 31)), ("6.11.2026 r.", date(2026, 11, 6)),
        ("6. novembra 2026.", date(2026, 11, 6)), ("06.11.2026.", date(2026, 11, 6)), ("6. avg", date(2026, 8, 6)),
        ("четвртак, 6. новембра 2026. године", date(2026, 11, 6)), ("6. јула", date(2026, 7, 6)),
        ("6. juna", date(2026, 6, 6)), ("6 маи\u0306 2026", date(2026, 5, 6)),
        ("6 wrzes\u0301nia 2026", date(2026, 9, 6)), ("06.11.2026. god.", date(2026, 11, 6)),
    ],
)  # fmt: skip
def test_days_as_they_stand_in_lists(text: str, day: date) -> None:
    assert days.parse_day(text, "", TODAY) == day
    assert days.looks_like_day(text)


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("6 ноября 2026 г. в 20:00", ("6 ноября 2026 г.", "20:00", "")),
        ("6 ноя 20:00", ("6 ноя", "20:00", "")),
        ("6 listopada o 20:00", ("6 listopada", "20:00", "")),
        ("6 lis 2026 godz. 20:00", ("6 lis 2026", "20:00", "")),
        ("6. новембра у 20h", ("6. новембра", "20h", "")),
        ("06.11.2026. u 20:30", ("06.11.2026.", "20:30", "")),
    ],
)
def test_a_time_behind_a_day(cell: str, parts: tuple[str, str, str]) -> None:
    assert days.split_day_and_time(cell) == parts
    assert days.parse_clock(parts[1]) in (time(20), time(20, 30))
    assert days.parse_day(parts[0], "", TODAY) == date(2026, 11, 6)


@pytest.mark.parametrize("cell", ["Lisa 2", "Grunwald 7", "Стас 6", "Лисица 6", "Марта"])
def test_names_that_begin_as_a_month_does_are_no_days(cell: str) -> None:
    assert not days.looks_like_day(cell)


@pytest.mark.parametrize(
    "head",
    ["Data;Gracz;Wynik", "Дата;Игрок;Очки", "Датум;Играч;Поени", "Datum;Igrač;Poeni"],
)
def test_a_list_with_its_head(head: str) -> None:
    text = f"{head}\n6 ноября 2026 г.;Вера;12\n;Ольга;-12\nИтого;;0\n\n7 stycznia 2026 r.;Вера;3\n;Ольга;-3\n"
    system_fields = SheetFields(scores=True, places=False)
    assert guess_roles(make_grid(split_parts(text)[0]), system_fields).roles == ("day", "player", "score")
    read = read_text(text, system_fields, PasteClock("Europe/Belgrade", TODAY))
    assert [(game.day, game.problems) for game in read.games] == [(date(2026, 11, 6), []), (date(2026, 1, 7), [])]
    assert [[(seat.name, seat.score) for seat in game.seats] for game in read.games] == [
        [("Вера", 12.0), ("Ольга", -12.0)],
        [("Вера", 3.0), ("Ольга", -3.0)],
    ]
    assert read.ignored_lines == [4]
