"""Opens a list: plain, or the only file of a ZIP archive, and finds its format."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, is_zipfile

from league.apps.rating_lists.reading.fide_text import read_fide_text
from league.apps.rating_lists.reading.fide_xml import read_fide_xml
from league.apps.rating_lists.reading.listed_people import ListedValues, ListProblem, UnreadablePerson
from league.apps.rating_lists.reading.table import read_table

#: Bytes that show the format.
BEGINNING = 400


@contextmanager
def open_list(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a file, or what a ZIP archive has, with its size in bytes; raises ListProblem."""
    if not is_zipfile(path):
        with path.open("rb") as source:
            yield source, path.stat().st_size
        return
    try:
        with ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            if len(members) != 1:
                raise ListProblem(f"The archive must have one file, the list; it has {len(members)}.")
            with archive.open(members[0]) as source:
                yield source, members[0].file_size
    except BadZipFile:
        raise ListProblem("The archive is damaged; download it again.") from None


def read_list(source: IO[bytes], columns: Mapping[str, str]) -> Iterator[tuple[int, ListedValues] | UnreadablePerson]:
    """Return the people of a list of any format; ``columns``: of CSV, meaning -> title. Raises ListProblem."""
    text = source.read(BEGINNING).removeprefix(BOM_UTF8).lstrip()
    source.seek(0)
    if columns:
        return read_table(source, columns)
    if text.startswith(b"<"):
        return read_fide_xml(source)
    if text.startswith(b"ID Number"):
        return read_fide_text(source)
    raise ListProblem("The file is not FIDE's list as TXT or XML. For CSV, name its columns: --column number=TITLE …")
