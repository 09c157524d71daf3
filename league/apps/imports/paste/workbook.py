"""Converts workbooks (.xlsx) to text, as if their cells were copied.

Workbooks are untrusted: unpacked size, extent and XML are checked before the library reads them.
"""

import csv
import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO, StringIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from league.apps.imports.paste.text import MAX_LINES, drop_empty_tail
from league.core.errors import Invalid
from league.core.text.wording import format_with_separators, gettext_noop
from league.core.text.wording import gettext as _

#: Limits of unpacked bytes and of parts, far above those of any list of games.
MAX_UNPACKED_BYTES, MAX_PARTS = 30_000_000, 2000
#: Limits of XML elements in all parts, in a part without cells or texts, and in one with styles, and of cells including
#: empty ones: the library makes an object of each, and of styles costly ones.
MAX_TAGS, MAX_OTHER_TAGS, MAX_STYLE_TAGS, MAX_CELLS = 1_500_000, 200_000, 20_000, 2_000_000
STYLES = re.compile(rb"[<:](?:cellXfs|cellStyleXfs|cellStyles|fonts|fills|borders|numFmts|dxfs|colors|definedNames)\b")
#: Rows that are searched; lines may be below empty rows.
MAX_ROWS_SEARCHED = 5 * MAX_LINES
#: Declarations that XML must not contain, in each searched encoding, and the encodings that it may declare.
SEARCHED_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
FORBIDDEN_DECLARATIONS = tuple(word.encode(code) for word in ("<!DOCTYPE", "<!ENTITY") for code in SEARCHED_ENCODINGS)
ALLOWED_ENCODINGS = ("utf-8", "utf-16", "us-ascii")
ENCODING_DECLARATION = re.compile(r"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
MAX_HEAD_LENGTH = 2000
#: Beginnings of XML in encodings that some parsers detect: EBCDIC, UTF-32.
OTHER_ENCODINGS = (b"\x4c\x6f\xa7\x94", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\0\0\0<", b"<\0\0\0")
UNREADABLE = gettext_noop(
    "This workbook cannot be read. Save it as .xlsx or CSV in a spreadsheet program, or "
    "copy and paste its cells. Nothing was recorded."
)
WRONG_ENCODING = gettext_noop(
    "Part of this workbook is not encoded in UTF-8 or UTF-16. Save it as .xlsx in a "
    "spreadsheet program, or copy and paste its cells. Nothing was recorded."
)
OLD_WORKBOOK_MESSAGE = gettext_noop(
    "This workbook has an old format or is protected by a password. Save it as .xlsx "
    "without a password, or copy and paste its cells."
)
TOO_LARGE = gettext_noop("This workbook is too large when unpacked. Copy and paste the cells with the games.")
TOO_MANY_CELLS = gettext_noop(
    "The workbook has cells below line {line}, or far to the right. Copy and paste the cells with the games."
)
#: Numbers with three decimals, which are ambiguous in text: the dot may be a thousands separator.
THREE_DECIMALS = re.compile(r"-?[0-9]+\.[0-9]{3}")


def is_workbook(data: bytes) -> bool:
    """Return whether a file is a zip archive, as workbooks are."""
    return data[:4] == b"PK\x03\x04"


def is_old_workbook(data: bytes) -> bool:
    """Return whether a file is a workbook from before 2007 or with a password."""
    return data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read_workbook(data: bytes) -> str:
    """Return the first sheet with content as text with tabs; raises Invalid."""
    try:
        refuse_bombs(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unsupported styles, checks and pictures
            return read_first_sheet(data)
    except Invalid:
        raise
    except Exception:  # noqa: BLE001 -- the library raises any exception for a broken file
        raise Invalid(_(UNREADABLE)) from None


def refuse_bombs(data: bytes) -> None:
    """Raise Invalid if a workbook is too large when unpacked, has a forbidden encoding, or declares entities."""
    with ZipFile(BytesIO(data)) as packed:
        parts = packed.infolist()
        # The library unpacks no more of a part than this declared size.
        if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
            raise Invalid(_(TOO_LARGE))
        if any(part.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for part in parts):
            raise Invalid(_(UNREADABLE))
        tags = 0
        # Check every part: the library finds sheets by references, not by their names.
        for part in parts:
            text = packed.read(part)
            refuse_encoding(text)
            if any(declaration in text for declaration in FORBIDDEN_DECLARATIONS):
                raise Invalid(_(UNREADABLE))
            part_tags = text.count(b"<")
            tags += part_tags
            has_cells = b"sheetData" in text or b"sst" in text
            has_many_styles = part_tags > MAX_STYLE_TAGS and STYLES.search(text.replace(b"\0", b""))
            if has_many_styles or tags > MAX_TAGS or (not has_cells and part_tags > MAX_OTHER_TAGS):
                raise Invalid(_(TOO_LARGE))


def refuse_encoding(text: bytes) -> None:
    """Raise Invalid if a part is XML in an encoding that cannot be searched here."""
    head = text[:MAX_HEAD_LENGTH]
    if head.startswith(OTHER_ENCODINGS):
        raise Invalid(_(WRONG_ENCODING))
    marked = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    code = "utf-16" if marked else {0: "utf-16-be", 1: "utf-16-le"}.get(head[:2].find(b"\0"), "utf-8-sig")
    beginning = head.decode(code, "replace").lstrip()
    if beginning.startswith("<?xml"):
        declared = ENCODING_DECLARATION.match(beginning)
        if "?>" not in beginning or (declared is not None and declared[1].casefold() not in ALLOWED_ENCODINGS):
            raise Invalid(_(WRONG_ENCODING))


def read_first_sheet(data: bytes) -> str:
    """Return the cells of the first visible sheet with content; raises Invalid if a formula has no value."""
    values, formulas = open_workbook(data, values=True), open_workbook(data, values=False)
    try:
        for sheet, formula_sheet in zip(values.worksheets, formulas.worksheets, strict=True):
            if sheet.sheet_state != "visible":
                continue
            out = StringIO()
            writer = csv.writer(out, delimiter="\t", lineterminator="\n")
            for row, formula_row in zip(iter_rows(sheet), iter_rows(formula_sheet), strict=True):
                refuse_missing_values(row, formula_row)
                writer.writerow(drop_empty_tail([format_cell(cell.value) for cell in row]))
            if out.getvalue().strip():
                return out.getvalue()
    finally:
        values.close()
        formulas.close()
    raise Invalid(_("This workbook is empty. Nothing was recorded."))


def open_workbook(data: bytes, *, values: bool) -> Any:
    """Open a workbook for streaming, with the values of formulas or with the formulas."""
    # Import the library only when it is needed.
    from openpyxl import load_workbook

    return load_workbook(BytesIO(data), read_only=True, data_only=values, keep_links=False)


def iter_rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Yield all rows of a sheet, ignoring its declared size; raises Invalid."""
    sheet.reset_dimensions()
    cells = 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells += len(row)
        if number > MAX_ROWS_SEARCHED or cells > MAX_CELLS:
            raise Invalid(_(TOO_MANY_CELLS).format(line=format_with_separators(MAX_ROWS_SEARCHED)))
        yield row


def refuse_missing_values(row: tuple[Any, ...], formulas: tuple[Any, ...]) -> None:
    """Raise Invalid if a formula has no stored value; some programs do not write them."""
    for cell, formula in zip(row, formulas, strict=True):
        if cell.value is None and cell.data_type != "str" and formula.value is not None:
            raise Invalid(
                _(
                    "Cell {coordinate} has a formula without a stored value. Open the workbook in a "
                    "spreadsheet program, save it and upload it again. Nothing was recorded."
                ).format(coordinate=formula.coordinate)
            )


def format_cell(value: Any) -> str:
    """Return a cell's value as a user would type it."""
    if value is None:
        return ""
    if isinstance(value, float):
        text = f"{value:.15g}"
        return f"{text}0" if THREE_DECIMALS.fullmatch(text) else text
    if isinstance(value, timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    if isinstance(value, time):
        return f"{value:%H:%M:%S}".removesuffix(":00")
    if isinstance(value, datetime):
        # Spreadsheets store times as fractions of a day, which are rounded to seconds here.
        rounded = (value + timedelta(microseconds=500_000)).replace(microsecond=0)
        return f"{rounded:%Y-%m-%d}" if rounded.time() == time() else f"{rounded:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
    return value.isoformat() if isinstance(value, date) else " ".join(str(value).split())
