"""Draws QR codes as one path of an SVG; the library only computes the matrix."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import segno

#: The quiet zone around a code, in squares (ISO/IEC 18004).
QUIET = 4


@dataclass(frozen=True)
class QrCode:
    """A code in a picture of ``size`` by ``size`` squares."""

    size: int
    path: str


@lru_cache(maxsize=256)
def encode_qr_code(text: str) -> QrCode:
    """Return the code of a text, cached."""
    return draw(text)


def draw(text: str) -> QrCode:
    """Return the code of a text; a quarter of it may be damaged (level Q)."""
    return _render_path(segno.make(text, error="q", micro=False))


def draw_small(text: str) -> QrCode:
    """Return the code of a text for a sheet with many: fewer squares (level M), drawn in a fifth of the time.

    The mask is fixed, as comparing all eight takes most of the time and makes no difference for random letters.
    """
    return _render_path(segno.make(text, error="m", mask=0, micro=False))


def _render_path(code: segno.QRCode) -> QrCode:
    """Return the picture of a code."""
    rows = code.matrix
    path = "".join(
        f"M{start} {line}h{length}v1h-{length}z"
        for line, row in enumerate(rows, start=QUIET)
        for start, length in _find_dark_runs(bytes(row))
    )
    return QrCode(len(rows) + 2 * QUIET, path)


def _find_dark_runs(row: bytes) -> list[tuple[int, int]]:
    """Return (start, length) of the runs of dark squares in a row."""
    runs, column = [], QUIET
    for dark, squares in groupby(row):
        length = len(list(squares))
        if dark:
            runs.append((column, length))
        column += length
    return runs
