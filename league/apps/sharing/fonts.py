"""Text in drawn pictures: the bundled fonts, the letters they have, and fitting text to a width.

The sans has Latin, Greek and Cyrillic letters. Others are left out, so that no picture shows boxes. Titles have the
serif of the pages if it has all their letters.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate, takewhile

from PIL import ImageFont

REGULAR, BOLD, TITLE = range(3)
#: Family and weight of each style.
FACES = (("Rungs Sans", 400), ("Rungs Sans", 700), ("Rungs Serif", 600))
FILES = tuple(str(files("league.apps.sharing") / f"{name}.ttf") for name in ("sans", "sans-bold", "serif"))
MISSING = "\U0010fffe"
#: Letters of a text that are looked at: no picture has room for more.
MAX_LETTERS = 200


@lru_cache(maxsize=64)
def load_font(style: int, size: int) -> ImageFont.FreeTypeFont:
    """Return the font of a style."""
    return ImageFont.truetype(FILES[style], size)


@lru_cache(maxsize=4096)
def has_letter(letter: str, style: int = REGULAR) -> bool:
    """Return whether a font has a letter; it draws missing letters like an unassigned character."""
    font = load_font(style, 20)
    return letter.isspace() or bytes(font.getmask(letter)) not in (b"", bytes(font.getmask(MISSING)))


def keep_drawable(text: str) -> str:
    """Remove the letters of a text that cannot be drawn, and join it in one line."""
    return " ".join("".join(filter(has_letter, unicodedata.normalize("NFC", text[:MAX_LETTERS]))).split())


def choose_title_style(text: str) -> int:
    """Return TITLE if the serif has all letters of a text, else BOLD."""
    return TITLE if all(has_letter(letter, TITLE) for letter in keep_drawable(text)) else BOLD


def is_drawable(text: str) -> bool:
    """Return whether a text is not empty and all its letters and digits can be drawn."""
    letters = (
        character for character in unicodedata.normalize("NFC", text) if unicodedata.category(character)[0] in "LN"
    )
    return all(map(has_letter, letters)) and bool(keep_drawable(text))


def measure_width(text: str, style: int, size: int) -> float:
    """Return how wide a text is."""
    return load_font(style, size).getlength(keep_drawable(text))


def truncate(text: str, style: int, size: int, width: float) -> str:
    """Truncate a text to a width, with … at the end."""
    drawable_text = keep_drawable(text)
    if len(text) <= MAX_LETTERS and measure_width(drawable_text, style, size) <= width:
        return drawable_text
    shorter = [f"{prefix.rstrip()}…" for prefix in accumulate(drawable_text[: MAX_LETTERS - 1], initial="")]
    return list(takewhile(lambda prefix: prefix == "…" or measure_width(prefix, style, size) <= width, shorter))[-1]


def wrap_text(text: str, style: int, size: int, width: float, max_lines: int) -> list[str] | None:
    """Wrap a text between words in at most ``max_lines`` lines; None if it does not fit."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if measure_width(longer, style, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    fits = len(lines) <= max_lines and all(measure_width(line, style, size) <= width for line in lines)
    return [line for line in lines if line] if fits else None


def fit_title(
    text: str, style: int, alone: tuple[int, ...], two: tuple[int, ...], width: float
) -> tuple[int, list[str]]:
    """Return the size and lines of a title: one line as large as possible, else two, else truncated."""
    for max_lines, sizes in ((1, alone), (2, two)):
        for size in sizes:
            lines = wrap_text(text, style, size, width, max_lines) if len(text) <= MAX_LETTERS else None
            if lines:
                return size, lines
    return two[-1], truncate_to_two_lines(keep_drawable(text), style, two[-1], width)


def truncate_to_two_lines(text: str, style: int, size: int, width: float) -> list[str]:
    """Break a text into two lines, and truncate the second."""
    first = truncate(text, style, size, width).removesuffix("…")
    space = first.rfind(" ")
    end = space if space > len(first) // 2 else len(first)
    return [first[:end].rstrip(), truncate(text[end:].lstrip(), style, size, width)]


def fit_texts(texts: Sequence[str], style: int, sizes: Sequence[int], width: float) -> tuple[int, list[str]]:
    """Return the largest size at which all texts fit, else the smallest with truncated texts."""
    for size in sizes:
        if all(len(text) <= MAX_LETTERS and measure_width(text, style, size) <= width for text in texts):
            return size, list(texts)
    return sizes[-1], [truncate(text, style, sizes[-1], width) for text in texts]
