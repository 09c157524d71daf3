"""Workbooks that somebody brings: read as their cells would be pasted; bombs and broken ones are refused."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook

from league.apps.imports.paste import workbook
from league.apps.imports.paste.workbook import format_cell, is_old_workbook, is_workbook, read_workbook
from league.core.errors import Invalid
from league.models import Game, Result
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_messages
from tests.helpers.paste_builders import press, shown, states
from tests.helpers.tiers import long_way

NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def clock_time(*parts: int) -> datetime:
    """Return a time as spreadsheets have it: of no zone."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001 -- spreadsheets know no zones


def packed(*rows: tuple[Any, ...], before: tuple[tuple[Any, ...], ...] | None = None, hidden: bool = False) -> bytes:
    """Return a workbook with such rows; with another sheet before, hidden or not."""
    book = Workbook()
    sheet = book.active
    if before is not None:
        for row in before:
            sheet.append(row)
        sheet.sheet_state = "hidden" if hidden else "visible"
        sheet = book.create_sheet("Evening")
    for row in rows:
        sheet.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, change: Callable[[str, bytes], bytes], **more: bytes) -> bytes:
    """Return a workbook whose parts were changed by hand."""
    out = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(out, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
        for name, text in more.items():
            new.writestr(name, text)
    return out.getvalue()


def with_part(name: str, data: bytes) -> bytes:
    """Return a workbook of which a part is written by hand."""
    return changed(packed(("x",)), lambda part, old: data if part.endswith(name) else old)


def with_sheet(xml: str) -> bytes:
    """Return a workbook whose sheet is written by hand."""
    return with_part("sheet1.xml", f'<worksheet xmlns="{NAMESPACE}"><sheetData>{xml}</sheetData></worksheet>'.encode())


def with_more(**more: bytes) -> bytes:
    """Return a workbook with more parts."""
    return changed(packed(("x",)), lambda part, old: old, **more)


def test_cells_are_read_as_somebody_would_type_them() -> None:
    data = packed(
        ("Date", "Time", "A", "S", "B", "S"),
        (date(2024, 3, 5), time(20, 0), "Anna", 12.5, "Ben", -12.5),
        (clock_time(2024, 3, 6, 21, 30), None, 'An "A" na', 1, "Ben\tBo", 0),
    )
    assert is_workbook(data)
    assert read_workbook(data) == (
        "Date\tTime\tA\tS\tB\tS\n2024-03-05\t20:00\tAnna\t12.5\tBen\t-12.5\n"
        '2024-03-06 21:30\t\t"An ""A"" na"\t1\tBen Bo\t0\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.1 + 0.2, "0.3"),
        # In a text 12.345 might be a number of thousands; a cell leaves nothing open.
        (12.345, "12.3450"),
        (-1.125, "-1.1250"),
        (1e21, "1e+21"),
        (-25, "-25"),
        (True, "True"),
        ("  a \n b ", "a b"),
        # 20:00 as a part of a day, as spreadsheets write it.
        (clock_time(2024, 3, 5, 19, 59, 59, 999_600), "2024-03-05 20:00"),
        (clock_time(2024, 3, 5, 23, 59, 59, 999_600), "2024-03-06"),
        (clock_time(2024, 3, 5, 20, 0, 30), "2024-03-05 20:00:30"),
        (date(2024, 3, 5), "2024-03-05"),
        (time(20, 15), "20:15"),
        (timedelta(hours=25, minutes=5), "25:05"),
        ("#DIV/0!", "#DIV/0!"),
    ],
)
def test_a_cell(value: object, text: str) -> None:
    assert format_cell(value) == text


@pytest.mark.parametrize("hidden", [True, False])
def test_the_first_sheet_that_is_shown_and_says_something_is_read(hidden: bool) -> None:
    secret = (("Total", 5),) if hidden else ((None,),)
    assert read_workbook(packed(("Anna", 1), before=secret, hidden=hidden)) == "Anna\t1\n"


def test_nothing_is_unpacked_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of 40 megabytes of nothing packs into 40 kilobytes: it is refused before any of it is unpacked."""
    zeros = with_more(**{"xl/media/x.xml": bytes(40_000_000)})
    assert len(zeros) < 60_000
    read: list[str] = []
    real = ZipFile.read

    def reading(self: ZipFile, name: Any, pwd: bytes | None = None) -> bytes:
        read.append(str(name))
        return real(self, name, pwd)

    monkeypatch.setattr(ZipFile, "read", reading)
    with pytest.raises(Invalid, match="is too large when unpacked"):
        read_workbook(zeros)
    assert read == []


XML = '<worksheet xmlns="{}"><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData></worksheet>'
DECLARATION = '<?xml version="1.0" encoding="{}" standalone="yes"?>'


def declaring(code: str, said: str) -> bytes:
    """Return a workbook whose sheet is written in a code and says that it is in another."""
    return with_part("sheet1.xml", (DECLARATION.format(said) + XML.format(NAMESPACE)).encode(code))


@pytest.mark.parametrize(("code", "said"), [("utf-8", "UTF-8"), ("utf-16", "UTF-16"), ("ascii", "us-ascii")])
def test_a_part_may_be_in_the_letters_of_workbooks(code: str, said: str) -> None:
    assert read_workbook(declaring(code, said)) == "7\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("cp037", "cp037"),
        ("cp1026", "IBM1026"),
        ("utf-7", "UTF-7"),
        ("utf-32", "UTF-32"),
        ("utf-32-be", "UTF-32"),
        ("utf-16-be", "cp037"),
        ("utf-16", "UTF-7"),
        # The parser took these: what nobody looked through is refused before it.
        ("latin-1", "ISO-8859-1"),
        ("ascii", "hz"),
        ("ascii", "UTF-7"),
    ],
)
def test_a_part_in_other_letters_is_refused_before_the_library_sees_it(
    code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []
    monkeypatch.setattr(workbook, "read_first_sheet", seen.append)
    with pytest.raises(Invalid, match="is not encoded in UTF-8 or UTF-16"):
        read_workbook(declaring(code, said))
    assert seen == []


def far_right(rows: int) -> str:
    """Return rows with a cell each in the last column that there is."""
    return "".join(f'<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>' for row in range(1, rows + 1))


def test_two_rows_may_reach_far_to_the_right() -> None:
    assert len(read_workbook(with_sheet(far_right(2))).split()) == 2


def test_a_cell_at_the_end_of_a_sheet_is_not_reached_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = workbook.refuse_missing_values

    def counting(*rows: Any) -> None:
        asked.append(1)
        real(*rows)

    monkeypatch.setattr(workbook, "refuse_missing_values", counting)
    with pytest.raises(Invalid, match="cells below line 50,000"):
        read_workbook(with_sheet('<row r="2000000000"><c r="A2000000000"><v>1</v></c></row>'))
    assert len(asked) <= 50_000


def broken_zip() -> bytes:
    """Return a workbook whose sheet is damaged."""
    data = bytearray(packed(*[(f"Anna {number}", number) for number in range(200)]))
    at = data.find(b"sheet1.xml") + 40
    data[at : at + 30] = bytes(30)
    return bytes(data)


def with_lzma() -> bytes:
    """Return a workbook with a part packed in a way of which spreadsheets know nothing."""
    out = BytesIO(packed(("x",)))
    with ZipFile(out, "a", ZIP_LZMA) as book:
        book.writestr("more.xml", b"<a/>")
    return out.getvalue()


def many_formats(encoding: str) -> bytes:
    """Return styles of which each costs time."""
    formats = '<xf numFmtId="0"/>' * 20_000
    return f"<styleSheet><!-- sheetData --><cellXfs>{formats}</cellXfs></styleSheet>".encode(encoding)


UNREADABLE, TOO_MUCH, OTHER_LETTERS = workbook.UNREADABLE, "is too large when unpacked", "is not encoded in UTF-8"
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
#: What a workbook is -> what makes it, and what is said.
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "no archive": (lambda: b"PK\x03\x04rest", UNREADABLE),
    "cut off": (lambda: packed(("x",))[:-40], UNREADABLE),
    "of a broken list of sheets": (lambda: with_part("workbook.xml", b"<a"), UNREADABLE),
    "of a broken sheet": (lambda: with_part("sheet1.xml", b"<a"), UNREADABLE),
    "of a row that is no number": (lambda: with_sheet('<row r="x"><c r="A1"><v>1</v></c></row>'), UNREADABLE),
    "of a text that is not there": (lambda: with_sheet('<row r="1"><c r="A1" t="s"><v>99</v></c></row>'), UNREADABLE),
    "of a cell that is nowhere": (lambda: with_sheet('<row r="1"><c r="??"><v>1</v></c></row>'), UNREADABLE),
    "damaged": (lambda: broken_zip(), UNREADABLE),
    "packed as none is": (lambda: with_lzma(), UNREADABLE),
    "with entities": (lambda: with_part("sheet1.xml", BOMB.encode()), UNREADABLE),
    "with entities in UTF-16": (lambda: with_part("sheet1.xml", BOMB.encode("utf-16")), UNREADABLE),
    "with entities in any part": (lambda: with_more(**{"xl/more.BIN": b"<!DOCTYPE x>"}), UNREADABLE),
    "of letters named after blanks": (
        lambda: with_part("sheet1.xml", f'<?xml version="1.0"{" " * 2000}encoding="cp037"?>'.encode()), OTHER_LETTERS,
    ),
    # A declaration in ASCII, entities in EBCDIC behind it: no word of them stands there in letters that are known.
    "of letters that change": (lambda: with_part("", DECLARATION.format("cp037").encode() + BOMB.encode("cp037")),
                               OTHER_LETTERS),
    "of many parts": (lambda: with_more(**{f"a{number}.xml": b"" for number in range(2001)}), TOO_MUCH),
    "of many styles": (lambda: with_part("styles.xml", b"<styleSheet>" + b"<xf/>" * 200_001 + b"</styleSheet>"),
                       TOO_MUCH),
    "of many formats of cells": (lambda: with_part("styles.xml", many_formats("utf-8")), TOO_MUCH),
    "of many formats in UTF-16, called cells": (lambda: with_part("styles.xml", many_formats("utf-16")), TOO_MUCH),
    "of many cells": (lambda: with_sheet('<row r="1"><c r="A1"><v>1</v></c></row>' * 300_000), TOO_MUCH),
    "far to the right": (lambda: with_sheet(far_right(299)), "or far to the right"),
    "of a formula without a value": (lambda: packed(("Anna", 1), ("Ben", "=B1*2")),
                                     "Cell B2 has a formula without a stored value"),
    "empty": (packed, "This workbook is empty"),
}  # fmt: skip


@long_way
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_workbook_or_too_much_of_one_is_refused_in_a_sentence(what: str) -> None:
    make, said = REFUSED[what]
    with pytest.raises(Invalid) as refused:
        read_workbook(make())
    assert said in refused.value.detail


FORMULAS = (
    '<row r="1"><c r="A1" t="str"><f>IF(1,"Anna","")</f><v>Anna</v></c><c r="B1"><f>6*2</f><v>12</v></c>'
    '<c r="C1" t="str"><f>IF(0,"x","")</f><v></v></c></row>'
)
GAP = '<row r="1"><c r="A1"><v>1</v></c></row><row r="4"><c r="B4"><v>2</v></c></row>'


def test_values_of_formulas_gaps_between_lines_and_pictures_are_read_as_they_are_shown() -> None:
    assert read_workbook(with_sheet(FORMULAS)).rstrip() == "Anna\t12"
    assert read_workbook(with_sheet(GAP)).split("\n")[::3][:2] == ["1", "\t2"]
    assert read_workbook(packed(("Anna", 1, "", ""), ("Ben", 0))) == "Anna\t1\nBen\t0\n"
    pictures = {"xl/media/a.png": b"\x89PNG\r\n\x1a\n\xff\xfe", "xl/media/b.bin": b"\0\1\2\xff"}
    assert read_workbook(with_more(**pictures)) == "x\n"


def test_an_old_or_locked_workbook_is_known() -> None:
    assert is_old_workbook(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more")
    assert not is_workbook(b"Anna;1")


@pytest.mark.django_db
def test_an_evening_in_a_workbook_is_shown_and_recorded(olga: Client) -> None:
    make_league()
    data = packed(("Date", "A", "S", "B", "S"), (clock_time(2024, 3, 5, 20), "Anna", 1, "Ben", 0))
    page = shown(olga, "", file=SimpleUploadedFile("evening.xlsx", data))
    assert states(page) == ["new"]
    assert page_messages(press(olga, page, _record="")) == "1 game was recorded: 1."
    assert Game.objects.get().played_at == datetime(2024, 3, 5, 20, tzinfo=UTC)
    assert list(Result.objects.order_by("seat").values_list("player__handle", "score")) == [("anna", 1), ("ben", 0)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04rest", "This workbook cannot be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is protected by a password"),
    ],
)
def test_a_workbook_that_is_none_is_refused_and_the_text_stays(olga: Client, data: bytes, why: str) -> None:
    make_league()
    page = shown(olga, "Anna;1;Ben;0", file=SimpleUploadedFile("evening.xlsx", data))
    assert why in page.content.decode()
    assert page.context["answers"].text == "Anna;1;Ben;0"
    assert "Nothing was recorded." in page.content.decode()
