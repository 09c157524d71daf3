"""Letters for drawn pictures: which fonts this machine has, and texts cut so that they fit.

No font is shipped. Those of the machine are looked for by name: with one of them names of all European alphabets are
drawn as they are written. Without any, Pillow's own letters are left, which know little beyond English: names are
then written in Latin letters without marks, and the picture can still be read. A picture holds no boxes: emoji are
drawn in black where a font has them and left out where none has, and who has a name in letters that this machine
does not know is called by the handle.
"""

import os
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from PIL import ImageFont
from PIL.ImageDraw import ImageDraw

Font = ImageFont.FreeTypeFont
Colour = tuple[int, int, int]
#: Where fonts are, on the systems that we know.
FOLDERS = (
    "~/.fonts", "~/.local/share/fonts", "/usr/local/share/fonts", "/usr/share/fonts",
    "/System/Library/Fonts", "/Library/Fonts", "C:\\Windows\\Fonts",
)  # fmt: skip
#: What is looked for, the first found first, and for a letter that one lacks the next: plain, bold, of titles.
FAMILIES = (
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSerif-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSerif-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif-Bold.ttf"),
    ("Arial.ttf", "Arial Bold.ttf", "Georgia Bold.ttf"),
    ("arial.ttf", "arialbd.ttf", "georgiab.ttf"),
    ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc", "NotoSerifCJK-Bold.ttc"),
    # Emoji and other signs, in black.
    ("NotoEmoji-Regular.ttf",) * 3,
    ("Symbola_hint.ttf",) * 3,
    ("Symbola.ttf",) * 3,
    ("NotoSansSymbols2-Regular.ttf",) * 3,
)  # fmt: skip
PLAIN, BOLD, TITLE = range(3)
#: Where no font of the machine is found: Cyrillic in Latin letters, and signs that Pillow's own font lacks.
PAIRS = (
    "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=j к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h ц=c ч=ch ш=sh щ=shch ъ= "
    "ы=y ь= э=e ю=yu я=ya ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz і=i ї=i є=e ґ=g ѓ=g ќ=k ѕ=dz ў=u "
    '−=- –=- —=- „=" “=" ”=" ‘=\' ’=\' ≈=~ ×=x ł=l ß=ss æ=ae ø=o đ=d þ=th'
)
LATIN = dict(pair.split("=") for pair in PAIRS.split())
#: What gives an emoji another look: as text or in colours, and the colours of skin.
TINTS = frozenset("\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
MISSING = "\U0010fffe"
#: Letters of a text that are looked at: no picture has room for more.
MOST = 200


@cache
def found_files() -> dict[str, str]:
    """Return where the fonts stand that are looked for."""
    wanted = {name for family in FAMILIES for name in family}
    found: dict[str, str] = {}
    for folder in FOLDERS:
        for place, _folders, names in os.walk(Path(folder).expanduser()):
            for name in wanted.intersection(names):
                found.setdefault(name, str(Path(place, name)))
    return found


@lru_cache(maxsize=256)
def fonts_of(style: int, size: int) -> tuple[Font, ...]:
    """Return the fonts of a style, the first one first; Pillow's own where the machine has none."""
    # Serif faces lack scripts that the bold and the plain ones of their family have, and bold ones some signs.
    styles = range(style, -1, -1)
    names = dict.fromkeys(family[one] for one in styles for family in FAMILIES)
    files = [found_files()[name] for name in names if name in found_files()]
    if files:
        return tuple(ImageFont.truetype(file, size) for file in files)
    own = ImageFont.load_default(size)
    return (own,) if isinstance(own, Font) else ()


@lru_cache(maxsize=4096)
def covers(style: int, which: int, letter: str) -> bool:
    """Tell whether a font has a letter: what it lacks it draws as it draws what no font has."""
    font = fonts_of(style, 20)[which]
    return letter.isspace() or bytes(font.getmask(letter)) != bytes(font.getmask(MISSING))


def in_latin(letter: str) -> str:
    """Return a letter as plain Latin ones, itself where it is none that we know."""
    small = LATIN.get(letter) if letter in LATIN else LATIN.get(letter.lower())
    if small is not None:
        return small.capitalize() if letter != letter.lower() else small
    bare = "".join(one for one in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(one))
    return bare or letter


def known_to(style: int, letter: str) -> bool:
    """Tell whether some font of a style has a letter."""
    return any(covers(style, which, letter) for which in range(len(fonts_of(style, 20))))


def joins(text: str, at: int) -> bool:
    """Tell whether a sign without a face of its own stands between two letters of a script that needs it there."""
    beside = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(beside) == 2 and all(unicodedata.category(one)[0] in "LM" for one in beside)


def drawable(text: str, style: int) -> str:
    """Return what can be drawn of a text: no letter that no font has, no sign that would only change such a one."""
    found: list[str] = []
    text = unicodedata.normalize("NFC", "".join(letter for letter in text if letter not in TINTS))
    for at, letter in enumerate(text):
        if unicodedata.category(letter) == "Cf" and not joins(text, at):
            continue
        if known_to(style, letter):
            found.append(letter)
        else:
            found += [one for one in in_latin(letter) if known_to(style, one)]
    return " ".join("".join(found).split())


def can_be_read(text: str) -> bool:
    """Tell whether something of a text can be drawn, and every letter and digit of it, be it in Latin letters."""
    words = (one for one in text if unicodedata.category(one)[0] in "LN")
    return all(drawable(one, style) for one in words for style in (PLAIN, BOLD)) and bool(drawable(text, PLAIN))


def runs(text: str, style: int, size: int) -> Iterator[tuple[str, Font]]:
    """Return a text in pieces, each with the font that has its letters."""
    fonts, text = fonts_of(style, size), drawable(text, style)
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text):
        # The font's engine puts such letters in their order and joins them, over the whole of what it is given.
        best = best_of(text, style, len(fonts))
        yield "".join(letter for letter in text if covers(style, best, letter)), fonts[best]
        return
    piece, chosen = "", 0
    for letter in text:
        best = chosen
        if unicodedata.combining(letter):
            if not covers(style, chosen, letter):
                continue
        else:
            best = next(which for which in range(len(fonts)) if covers(style, which, letter))
        if best != chosen and piece:
            yield piece, fonts[chosen]
            piece = ""
        piece, chosen = piece + letter, best
    if piece:
        yield piece, fonts[chosen]


def best_of(text: str, style: int, count: int) -> int:
    """Return which font has most letters of a text, the first of such."""
    return max(range(count), key=lambda which: sum(covers(style, which, letter) for letter in text))


def shortened(text: str) -> str:
    """Return a text of which no more is looked at than there may be room for."""
    if len(text) <= MOST:
        return text
    end = MOST - 1
    while end and unicodedata.combining(text[end]):
        end -= 1
    return f"{text[:end].rstrip()}…"


@lru_cache(maxsize=2048)
def width_of(text: str, style: int, size: int) -> float:
    """Return how wide a text is."""
    return sum(font.getlength(piece) for piece, font in runs(text, style, size))


def cut(text: str, style: int, size: int, width: float) -> str:
    """Return as much of a text as there is room for, with … where that is not all of it."""
    text = shortened(text)
    if width_of(text, style, size) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width_of(f"{text[:middle].rstrip()}…", style, size) <= width:
            low = middle
        else:
            high = middle - 1
    while low and low < len(text) and unicodedata.combining(text[low]):
        low -= 1
    return f"{text[:low].rstrip()}…"


def lines(text: str, style: int, size: int, width: float, most: int) -> list[str] | None:
    """Return a text in at most so many lines, broken between words; None where it does not fit."""
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        if width_of(longer, style, size) <= width:
            found[-1] = longer
        else:
            found.append(word)
    fits = len(found) <= most and all(width_of(line, style, size) <= width for line in found)
    return [line for line in found if line] if fits else None


def fitted(text: str, style: int, alone: tuple[int, ...], two: tuple[int, ...], width: float) -> tuple[int, list[str]]:
    """Return the size and the lines of a title: one line as large as may be, else two of such sizes, else cut."""
    text = shortened(text)
    for most, sizes in ((1, alone), (2, two)):
        for size in sizes:
            found = lines(text, style, size, width, most)
            if found:
                return size, found
    return two[-1], cut_in_two(text, style, two[-1], width)


def cut_in_two(text: str, style: int, size: int, width: float) -> list[str]:
    """Return a text in two lines, the second one cut; the first is broken where a word has no room."""
    end = len(text)
    while end > 1 and width_of(text[:end].rstrip(), style, size) > width:
        end -= 1
    space = text.rfind(" ", 0, end + 1)
    end = space if space > end // 2 else end
    return [text[:end].rstrip(), cut(text[end:].lstrip(), style, size, width)]


def write(
    draw: ImageDraw, at: tuple[float, float], text: str, style: int, size: int, colour: Colour, *, right: bool = False
) -> float:
    """Write a text on its base line, from a point on or up to it; return how wide it is."""
    width = width_of(text, style, size)
    x, y = at[0] - (width if right else 0), at[1]
    for piece, font in runs(text, style, size):
        draw.text((x, y), piece, font=font, fill=colour, anchor="ls")
        x += font.getlength(piece)
    return width


def level(texts: Sequence[str], style: int, sizes: Sequence[int], width: float) -> tuple[int, list[str]]:
    """Return the largest size in which every text has room, else the last one and the texts cut."""
    for size in sizes:
        if all(width_of(text, style, size) <= width for text in map(shortened, texts)):
            return size, [shortened(text) for text in texts]
    return sizes[-1], [cut(text, style, sizes[-1], width) for text in texts]
