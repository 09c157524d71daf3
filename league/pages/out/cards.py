"""Pictures for chats: what a link to a league, a player, a period or a game shows, 1200 × 630, drawn by Pillow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image, ImageDraw, ImageOps

from league.emblem import Emblem
from league.pages.out.letters import BOLD, PLAIN, TITLE, Colour, cut, fitted, level, width_of, write
from league.pages.out.shapes import (
    ACCENT,
    DOWN,
    HAIR,
    INK,
    METAL_INK,
    PAPER,
    SOFT,
    UP,
    medal,
    oklch,
    shield,
    spark,
    stroke,
)

WIDTH, HEIGHT = 1200, 630
LEFT, RIGHT, FOOT = 64, WIDTH - 64, 566
#: Rows of a ranking or a game; the line on which the first stands, and from one to the next.
ROWS, FIRST, APART = 5, 300, 60
#: The same of few rows, which are larger; and the sizes of their letters: name and figure, change.
FEW, FEW_FIRST, FEW_APART = 3, 324, 90
#: Values of a line that it needs, so that it says something.
LEAST_SPARK = 5
#: Room for the figures of rows and what stands beside them; how much smaller they may get.
FIGURES, BESIDE, SMALLER = 380, 200, (1, 0.8, 0.64)
#: Sizes of a player's figures, the first one and the others, the largest that has room; room of each where none has.
SIZES, ROOMS, BETWEEN = ((84, 60), (70, 50), (56, 40), (44, 32)), (460, 234), 72


@dataclass(frozen=True)
class Face:
    """How a league shows itself: its name, its emblem, the degrees of its hue, its own picture as PNG or nothing."""

    title: str
    emblem: Emblem
    degrees: float
    picture: bytes = b""

    @property
    def accent(self) -> Colour:
        """Return the colour of what is told first."""
        return oklch(*ACCENT, self.degrees)


@dataclass(frozen=True)
class Row:
    """A line of a ranking or a game; ``beside`` is a change, ``rises`` whether it is one upward, None for neither."""

    rank: int | None
    name: str
    figure: str
    beside: str = ""
    rises: bool | None = None


@dataclass(frozen=True)
class Figure:
    """A figure with its label."""

    label: str
    value: str


@dataclass(frozen=True)
class Card:
    """What a picture shows. title: large. over: above it. under: below it."""

    face: Face
    title: str
    over: str
    under: str
    address: str
    rows: Sequence[Row] = field(default=())
    figures: Sequence[Figure] = field(default=())
    line: Sequence[float] = field(default=())
    empty: str = ""


def png_of(card: Card) -> bytes:
    """Draw a picture."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, WIDTH, 11), fill=card.face.accent)
    head(picture, draw, card)
    if card.figures:
        profile(picture, draw, card)
    elif card.rows:
        ranking(draw, card)
    elif card.empty:
        write(draw, (LEFT, FIRST + 20), cut(card.empty, PLAIN, 34, RIGHT - LEFT), PLAIN, 34, SOFT)
    foot(draw, card)
    file = BytesIO()
    picture.quantize(128, dither=Image.Dither.NONE).save(file, "PNG", compress_level=6)
    return file.getvalue()


def head(picture: Image.Image, draw: ImageDraw.ImageDraw, card: Card) -> None:
    """Draw the emblem, and the title between what stands over and under it."""
    emblem(picture, card.face)
    left = LEFT + 156
    size, lines = fitted(card.title, TITLE, (70, 62, 54), (50, 44, 38), RIGHT - left)
    words = [(card.over, PLAIN, 27, SOFT, 38), *((line, TITLE, size, INK, size + 8) for line in lines)]
    words += [(card.under, PLAIN, 27, SOFT, 42)]
    words = [one for one in words if one[0]]
    y = 26 + (196 - sum(one[4] for one in words)) / 2
    for text, style, letters, colour, high in words:
        y += high
        write(draw, (left, y - 8), cut(text, style, letters, RIGHT - left), style, letters, colour)
    draw.rectangle((LEFT, 232, RIGHT, 235), fill=INK)


def emblem(picture: Image.Image, face: Face) -> None:
    """Draw the emblem of the league, or its own picture."""
    if not face.picture:
        shield(picture, face.emblem, face.degrees, (LEFT - 8, 44), 142)
        return
    with Image.open(BytesIO(face.picture), formats=("PNG",)) as own:
        shown = ImageOps.contain(own.convert("RGBA"), (128, 150), Image.Resampling.LANCZOS)
    picture.paste(shown, (LEFT, 44 + (166 - shown.height) // 2), shown)


def ranking(draw: ImageDraw.ImageDraw, card: Card) -> None:
    """Draw rows: rank, name, change, figure."""
    rows = card.rows[:ROWS]
    few = len(rows) <= FEW
    first, apart, size = (FEW_FIRST, FEW_APART, 48) if few else (FIRST, APART, 36)
    large, scores = level([row.figure for row in rows], BOLD, [round(size * by) for by in SMALLER], FIGURES)
    small, changes = level([row.beside for row in rows], PLAIN, [round((size - 6) * by) for by in SMALLER], BESIDE)
    figures = max(width_of(score, BOLD, large) for score in scores)
    beside = max(width_of(change, PLAIN, small) for change in changes)
    room = RIGHT - LEFT - 76 - figures - (beside + 40 if beside else 0) - 24
    for at, row in enumerate(rows):
        y = first + at * apart
        if at:
            line = y - apart + (31 if few else 18)
            draw.line((LEFT, line, RIGHT, line), fill=HAIR, width=2)
        place(draw, row, y - (4 if few else 0))
        style = BOLD if row.rank == 1 else PLAIN
        write(draw, (LEFT + 76, y), cut(row.name, style, size, room), style, size, INK)
        write(draw, (RIGHT, y), scores[at], BOLD, large, INK, right=True)
        colour = SOFT if row.rises is None else UP if row.rises else DOWN
        write(draw, (RIGHT - figures - 40, y), changes[at], PLAIN, small, colour, right=True)


def place(draw: ImageDraw.ImageDraw, row: Row, y: int) -> None:
    """Draw the rank of a row: a medal for the first three."""
    text = "–" if row.rank is None else str(row.rank)
    colour = SOFT
    if row.rank is not None and row.rank < 4:
        medal(draw, (LEFT + 30, y - 13), row.rank)
        colour = METAL_INK
    size = 28 if len(text) < 3 else 22
    write(draw, (LEFT + 30 - width_of(text, BOLD, size) / 2, y - 3), text, BOLD, size, colour)


def profile(picture: Image.Image, draw: ImageDraw.ImageDraw, card: Card) -> None:
    """Draw a player's figures, the first one in the league's colour, and the line of the last games."""
    x: float = LEFT
    for at, (label, value, size) in enumerate(sized(card.figures)):
        write(draw, (x, 288), label, PLAIN, 27, SOFT)
        wide = write(draw, (x, 376), value, BOLD, size, card.face.accent if at == 0 else INK)
        x += max(wide, width_of(label, PLAIN, 27)) + BETWEEN
    if len(card.line) >= LEAST_SPARK:
        colours = (oklch(0.6, 0.105, card.face.degrees), card.face.accent)
        spark(picture, card.line, (LEFT, 408, RIGHT, 548), colours)
    elif card.empty:
        write(draw, (LEFT, 460), cut(card.empty, PLAIN, 30, RIGHT - LEFT), PLAIN, 30, SOFT)


def sized(figures: Sequence[Figure]) -> list[tuple[str, str, int]]:
    """Return label, value and size of figures so that all have room: smaller where they are long, else cut."""
    for sizes in SIZES:
        found = [(one.label, one.value, sizes[min(at, 1)]) for at, one in enumerate(figures)]
        wide = [max(width_of(label, PLAIN, 27), width_of(value, BOLD, size)) for label, value, size in found]
        if sum(wide) + BETWEEN * (len(wide) - 1) <= RIGHT - LEFT:
            return found
    rooms = [ROOMS[min(at, 1)] for at in range(len(figures))]
    return [
        (cut(label, PLAIN, 27, room), cut(value, BOLD, size, room), size)
        for (label, value, size), room in zip(found, rooms, strict=True)
    ]


def foot(draw: ImageDraw.ImageDraw, card: Card) -> None:
    """Draw where the page is, and by whom the books are kept."""
    draw.line((LEFT, FOOT, RIGHT, FOOT), fill=HAIR, width=2)
    name = width_of("Rungs", TITLE, 30)
    x = RIGHT - name - 36
    for path in ((0, 0, 0, 26), (14, 0, 14, 26), (0, 6, 14, 6), (0, 13, 14, 13), (0, 20, 14, 20)):
        stroke(draw, [(x + path[0], 584 + path[1]), (x + path[2], 584 + path[3])], 3, INK)
    write(draw, (RIGHT, 608), "Rungs", TITLE, 30, INK, right=True)
    write(draw, (LEFT, 607), cut(card.address, PLAIN, 25, x - LEFT - 40), PLAIN, 25, SOFT)
