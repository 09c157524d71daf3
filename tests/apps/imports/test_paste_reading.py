"""What people paste, read: cells, figures, days, columns, games. Expected values are written, or read by others."""

from collections import Counter
from contextlib import suppress
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.apps.imports.organiser.paste import choose_example
from league.apps.imports.paste import notes, roles
from league.apps.imports.paste.games import PasteClock, PastedGame
from league.apps.imports.paste.roles import SheetFields, guess_roles
from league.apps.imports.paste.scores import suggest_correction
from league.apps.imports.paste.text import MAX_LINES, Grid, make_grid, split_parts
from league.core.errors import Invalid
from league.core.text import numbers
from league.core.text import written_days as days
from league.core.text.names import build_name_key
from league.core.text.numbers import UnclearText, parse_place, parse_score
from ratings.systems.elo import Elo
from tests.helpers.paste_builders import read_text
from tests.helpers.tiers import examples, long_way

TODAY = date(2026, 11, 22)
SCORES = SheetFields(scores=True, places=False)
PARIS = PasteClock("Europe/Paris", TODAY, day=TODAY)


def read(text: str, system_fields: SheetFields = SCORES, clock: PasteClock = PARIS) -> list[PastedGame]:
    """Return the games of a text."""
    return read_text(text, system_fields, clock, ["Anna", "Ben", "Cleo"]).games


def cut(text: str) -> Grid:
    """Return the cells of a text that is one table."""
    (part,) = split_parts(text)
    return make_grid(part)


def seats(game: PastedGame) -> list[tuple[str, float | None]]:
    """Return who sat in a game with which score."""
    return [(seat.name, seat.score) for seat in game.seats]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("25", 25), ("+25", 25), ("-25", -25), ("−25", -25), ("–25", -25), ("— 25", -25), ("12,5", 12.5),
        ("12.5", 12.5), ("-0", 0),
        ("½", 0.5), ("1½", 1.5), ("1/2", 0.5), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1 234", 1234),
        ("0,125", 0.125), ("1234", 1234), (",5", 0.5), ("5.", 5),
    ],
)  # fmt: skip
def test_a_score_as_people_write_it(text: str, score: float) -> None:
    found = parse_score(text)
    assert found == score
    assert str(found)[0] == ("-" if score < 0 else str(float(score))[0])  # no −0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(25)", "“(25)” may be 25 or −25. Write one of them."),
        ("25-", "“25-” has its minus at the end. Write −25 if you mean that."),
        ("=1+1", "“=1+1” is a formula, not a score. Paste its result."),
        ("+A1", "“+A1” is a formula, not a score. Paste its result."),
        ("@SUM(A1)", "“@SUM(A1)” is a formula, not a score. Paste its result."),
        ("-cmd|' /C calc'!A0", "is a formula, not a score."),
        ("1,234", "“1,234” may contain a thousands separator or a decimal. Write it without the sign."),
        ("1.234", "may contain a thousands separator"),
        ("nan", "“nan” is not a number."),
        ("1e5", "“1e5” is not a number."),
        ("1_000", "is not a number."),
        ("٣", "is not a number."),
        ("12 5", "is not a number."),
        ("", "is not a number."),
        ("9" * 60, "is not a number."),
    ],
)
def test_a_score_that_may_mean_something_else_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnclearText) as refused:
        parse_score(text)
    assert why in str(refused.value)


@settings(max_examples=examples(200))
@given(st.integers(-99_999, 99_999), st.integers(0, 99), st.sampled_from(numbers.MINUSES), st.sampled_from(".,"))
def test_a_number_written_with_any_minus_and_sign_comes_back(whole: int, part: int, minus: str, sign: str) -> None:
    text = f"{minus if whole < 0 else ''}{abs(whole)}{sign}{part:02}"
    assert parse_score(text) == float(f"{whole}.{part:02}")


@long_way
@settings(max_examples=examples(300))
@given(st.text(max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    for reader in (parse_score, parse_place, days.parse_clock, lambda one: days.parse_day(one, "", TODAY)):
        with suppress(UnclearText):
            reader(text)
    assert all(game.played_at is not None or game.problems for game in read(text))


@pytest.mark.parametrize(("text", "place"), [("1", 1), ("2.", 2), ("1st", 1), ("22nd", 22), ("3=", 3)])
def test_a_place_as_people_write_it(text: str, place: int) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["0", "first", "-1", "1.5", ""])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(UnclearText, match="is not a place such as 1 or 2"):
        parse_place(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-06", date(2026, 11, 6)), ("2026/11/06", date(2026, 11, 6)), ("06.11.2026", date(2026, 11, 6)),
        ("6.11.26", date(2026, 11, 6)), ("6. 11. 2026", date(2026, 11, 6)), ("6.11.", date(2026, 11, 6)),
        ("6.11", date(2026, 11, 6)), ("24.12.", date(2025, 12, 24)), ("23.11.", date(2025, 11, 23)),
        ("22.11.", date(2026, 11, 22)),
        ("24.11.", date(2025, 11, 24)), ("29.2.", date(2024, 2, 29)), ("6 Nov", date(2026, 11, 6)),
        ("6 November 2026", date(2026, 11, 6)), ("November 6, 2026", date(2026, 11, 6)), ("Nov 6th", date(2026, 11, 6)),
        ("6th of November", date(2026, 11, 6)), ("Thu 6 Nov", date(2026, 11, 6)),
        ("Do., 06.11.2026", date(2026, 11, 6)),
        ("6. Dezember 2025", date(2025, 12, 6)), ("3 août", date(2026, 8, 3)), ("mar 6 Nov", date(2026, 11, 6)),
        ("mar 6", date(2026, 3, 6)), ("6 mei 2026", date(2026, 5, 6)), ("6-Nov-26", date(2026, 11, 6)),
        ("16/07/2026", date(2026, 7, 16)), ("07/16/2026", date(2026, 7, 16)), ("11/11", date(2026, 11, 11)),
        ("6.11.99", date(1999, 11, 6)), ("2026 Nov 6", date(2026, 11, 6)), ("4. März", date(2026, 3, 4)),
    ],
)  # fmt: skip
def test_a_day_as_people_write_it(text: str, day: date) -> None:
    assert days.parse_day(text, "", TODAY) == day
    assert days.looks_like_day(text) or text == "6.11"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("11/06", "“11/06” may be 11.6. or 6.11. Choose which comes first, day or month."),
        ("11/06/2026", "may be 11.6. or 6.11."),
        ("11-06-26", "“11-06-26” may begin with the year. Write the year with four digits."),
        ("31.11.2026", "“31.11.2026” is not a date in the calendar."),
        ("31.4.", "is not a date in the calendar."),
        ("29.2.2025", "is not a date in the calendar."),
        ("6.13.", "is not a date in the calendar."),
        ("0026-11-06", "a typing error"),
        ("Novak", "is not a date such as 6 Nov, 06.11.2026 or 2026-11-06."),
        ("6 Nov Dec", "is not a date such as"),
        ("6 Nov 123", "is not a date such as"),
        ("", "is not a date such as"),
    ],
)
def test_a_day_that_is_none_or_two_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnclearText) as refused:
        days.parse_day(text, "", TODAY)
    assert why in str(refused.value)


def test_what_comes_first_is_said_or_seen() -> None:
    assert days.parse_day("11/06/2026", "day", TODAY) == date(2026, 6, 11)
    assert days.parse_day("11/06/2026", "month", TODAY) == date(2026, 11, 6)
    assert days.find_day_order(["11/06", "16/07 20:00"]) == "day"
    assert days.find_day_order(["11/06", "07/16"]) == "month"
    assert days.find_day_order(["16/07", "07/16"]) == days.find_day_order(["11/06"]) == ""
    with pytest.raises(UnclearText, match="not a date in the calendar"):
        days.parse_day("07/16", "day", TODAY)


@settings(max_examples=examples(200))
@given(
    st.dates(date(1990, 1, 1), date(2026, 11, 22)), st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%B %d, %Y"])
)
def test_a_day_written_by_a_program_comes_back(day: date, form: str) -> None:
    assert days.parse_day(day.strftime(form), "", TODAY) == day


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("20:00", time(20)), ("20.00", time(20)), ("20h30", time(20, 30)), ("8 pm", time(20)),
        ("8:15 p.m.", time(20, 15)),
        ("12 am", time(0)), ("20 Uhr", time(20)), ("20:00:30", time(20, 0, 30)), ("9h", time(9)),
    ],
)  # fmt: skip
def test_a_time_as_people_write_it(text: str, clock: time) -> None:
    assert days.parse_clock(text) == clock


@pytest.mark.parametrize("text", ["25:00", "20", "late", "13 pm", "20:61", ""])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UnclearText, match="is not a time such as"):
        days.parse_clock(text)


@settings(max_examples=examples(200))
@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2026, 11, 21)),  # noqa: DTZ001 -- what a wall shows
    st.sampled_from(["Europe/Paris", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe"]),
)
def test_a_time_by_the_leagues_clock_is_that_instant(wall: datetime, zone: str) -> None:
    text = f"{wall:%Y-%m-%d %H:%M}"
    day, clock, offset = days.split_day_and_time(text)
    wall = wall.replace(second=0, microsecond=0)
    meanings = {wall.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1)}
    try:
        found = days.convert_to_utc(days.parse_day(day, "", TODAY), days.parse_clock(clock), zone, offset)
    except UnclearText:
        assert len(meanings) == 2  # shown twice, or never
    else:
        assert meanings == {found}


def test_the_hour_that_came_twice_is_asked_for_and_an_offset_answers() -> None:
    (game,) = read("25.10.2026 02:30;Anna;1;Ben;0")
    assert game.problems == [(1, "02:30 occurred twice on 2026-10-25. Add the offset, such as +01:00.")]
    (game,) = read("2026-10-25 02:30+01:00;Anna;1;Ben;0")
    assert game.played_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    (game,) = read("29.3.2026 02:30;Anna;1;Ben;0")
    assert game.problems == [(1, "02:30 did not exist on 2026-03-29: the clocks went forward.")]


EVENING = [("Anna", 12.5), ("Ben", -12.5)]


@pytest.mark.parametrize(
    "text",
    [
        "6.11.2026;Anna;12,5;Ben;-12,5",
        "6 Nov\tAnna\t12,5\tBen\t−12,5",
        "Date,A,Points,B,Points\n2026-11-06,Anna,12.5,Ben,-12.5",
        "Date;Player;Score\n6.11.;Anna;12,5\n6.11.;Ben;–12,5",
        "6.11.;Anna;12,5\n;Ben;–12,5",
        "Datum;Anna;Ben;Cleo\n06.11.2026;12,5;-12,5;",
        "Datum;Cleo;Anna;Ben;Summe\n06.11.2026;-;12,5;-12,5;0\nSumme;0;12,5;-12,5;0",
        "6 Nov  Anna  12,5  Ben  -12,5",
        "game_id,played_at,player,score\nx,2026-11-06,Anna,12.5\nx,2026-11-06,Ben,-12.5",
        '"6 Nov","Anna","12,5","Ben","-12,5"',
        "6.11.2026|Anna|12,5|Ben|-12,5",
    ],
)
def test_every_form_of_a_list_says_the_same_game(text: str) -> None:
    (game,) = read(text)
    assert (seats(game), game.day, game.problems) == (EVENING, date(2026, 11, 6), [])
    assert game.played_at == datetime(2026, 11, 5, 23, tzinfo=UTC)  # a day alone is its first instant in Paris


def test_a_chat_without_day_is_of_the_day_that_is_said() -> None:
    first, second = read("Anna 12,5\nBen -12,5\n\nAnna 3\nCleo -3")
    assert (seats(first), first.lines, first.day) == (EVENING, [1, 2], TODAY)
    assert (seats(second), second.lines) == ([("Anna", 3), ("Cleo", -3)], [4, 5])
    (game, _) = read("Anna 1\nBen 0\nAnna 1\nCleo 0", clock=PasteClock("Europe/Paris", TODAY))
    assert game.problems == [(1, "there is no date. Enter the date above.")]


def test_an_empty_cell_of_a_wide_list_did_not_play() -> None:
    first, second = read("Tag;Anna;Ben;Cleo\n6.11.;1;;0\n7.11.;;1;x")
    assert (seats(first), seats(second)) == ([("Anna", 1), ("Cleo", 0)], [("Ben", 1)])


def test_places_where_the_system_asks_for_places() -> None:
    (game,) = read("Date;Name;Rank\n6.11.;Anna;2.\n6.11.;Ben;1st", SheetFields(scores=False, places=True))
    assert [(seat.name, seat.place, seat.score) for seat in game.seats] == [("Anna", 2, None), ("Ben", 1, None)]
    (game,) = read("Date;Anna;Ben\n6.11.;2;1", SheetFields(scores=False, places=True))
    assert [(seat.name, seat.place) for seat in game.seats] == [("Anna", 2), ("Ben", 1)]


def test_a_games_own_fields_are_read_by_their_label() -> None:
    (game,) = read(
        "Date;Bula;Player;Score\n6.11.;20;Anna;1\n6.11.;20;Ben;0", SheetFields(True, False, {"bula": "Bula"})
    )
    assert (game.fields, game.problems) == ({"bula": 20}, [])
    (game,) = read("Date;Bula;Player;Score\n6.11.;=1;Anna;1", SheetFields(True, False, {"bula": "Bula"}))
    assert "is a formula" in game.problems[0][1]


def test_what_is_wrong_is_named_with_its_line() -> None:
    games = read("Day;A;S;B;S\n6.11.;Anna;(25);Ben;1\n6.11.;Anna;1;;2\n6.11.;Anna;1;Ben;2;3\n31.11.;Anna;1;Ben;2")
    assert [game.problems for game in games] == [
        [(2, "Anna: “(25)” may be 25 or −25. Write one of them.")],
        [(3, "no player is next to 2.")],
        [(4, "“3” is in a column without a meaning. Choose its meaning above.")],
        [(5, "“31.11.” is not a date in the calendar.")],
    ]


def test_games_are_called_by_what_they_say_wherever_they_stand() -> None:
    text = "6.11.;Anna;1;Ben;0"
    (one,) = read(text)
    other, again = read(f"7.11.;Anna;1;Ben;0\n{text}")
    first, second = read(f"{text}\n{text}")
    assert one.key == again.key == first.key
    assert len({one.key, other.key, second.key}) == 3


def test_a_decimal_comma_among_commas_is_not_cut_off() -> None:
    (game,) = read("6 Nov,Anna,12,5,Ben,-12,5")
    assert (seats(game), game.problems) == (EVENING, [])


def test_more_than_a_page_is_for_is_refused_with_the_way_to_go() -> None:
    with pytest.raises(Invalid) as refused:
        cut("6.11.;Anna;1\n" * (MAX_LINES + 1))
    assert refused.value.detail == (
        "These are 10,001 lines; a paste can have at most 10,000. Import them as a file, which runs in the background. "
        "Nothing was recorded."
    )
    with pytest.raises(Invalid, match="These are 210,000 cells; a paste can have at most 200,000"):
        cut("1;" * 20 + "1\n" + ("1;" * 20 + "1\n") * 9_999)
    with pytest.raises(Invalid, match="There are 301 columns; a paste can have at most 300"):
        cut(";".join("a" * 301))
    with pytest.raises(Invalid, match="Line 2 is longer than 10,000 characters"):
        cut("a;1\n" + "x" * 10_001)
    with pytest.raises(Invalid, match="These notes have 50,000 words; a paste can have at most 20,000"):
        read("Anna Berg - Ben Adler 1\n" * 10_000)


def test_a_long_game_of_many_lines_is_read_in_time_that_grows_with_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    folded = Counter[str]()

    def fold(text: str) -> str:
        folded[text] += 1
        return build_name_key(text)

    monkeypatch.setattr(notes, "build_name_key", fold)
    names = [f"A{'abcdefghij'[number // 100]}{number} Berg" for number in range(1000)]
    read("\n".join(f"{name} {number}" for number, name in enumerate(names)))
    assert max(folded.values()) <= 3


def test_a_quotation_mark_that_nothing_closes_is_a_letter() -> None:
    assert [row.cells for row in cut('a;"b\nc;d').rows] == [("a", '"b'), ("c", "d")]
    rows = cut('a;"b\nx"\nc;d').rows
    assert [(row.line, row.cells) for row in rows] == [(1, ("a", "b x")), (3, ("c", "d"))]


def test_columns_that_say_nothing_known_are_left_aside() -> None:
    grid = cut("Date;Note;Player;Score;Remark;Total\n6.11.;late;Anna;1;won;3")
    assert guess_roles(grid, SCORES).roles == (roles.DAY, "", roles.PLAYER, roles.SCORE, "", "")
    assert read("") == []
    assert guess_roles(cut("3;Anna;1"), SCORES).roles == (roles.GAME, roles.PLAYER, roles.SCORE)


@pytest.mark.parametrize(
    ("scores", "match"),
    [
        ([110, 10, -25, -59], (3, -95)),
        ([25, 25, -40, -60], None),
        ([30, 20], None),
        ([25, 25], None),
        ([30, -10, 20, 20], (0, -30)),
        ([10, -10], None),
        ([40, 35, -70], None),
        ([12.5, 10, -21.5], None),
        ([130, -20, 20, -13], None),
        ([130, -77, -5], (2, -53)),
        ([1, None], None),
    ],
)
def test_the_one_slip_that_makes_the_total_come_out_is_proposed(
    scores: list[float | None], match: tuple[int, float] | None
) -> None:
    assert suggest_correction(scores, 0) == match


@pytest.mark.parametrize(("system", "figures"), [(Elo(), [1, 0]), (Elo(margin="wide"), [3, 1])])
def test_the_example_of_a_game_of_two_is_read_as_it_is_meant(system: Elo, figures: list[float]) -> None:
    example = choose_example(system, 2)
    (game,) = read_text(example, SCORES, PARIS, ["Novak", "Mira"]).games
    assert [seat.score for seat in game.seats] == figures
    assert choose_example(system, 4).count(";") == 8
