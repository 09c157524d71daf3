"""Pictures of leagues, players, periods and games, drawn by resvg: for links (1200 × 630) and stories (1080 × 1350)."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from xml.sax.saxutils import escape

import resvg_py
from django.template.loader import render_to_string
from PIL import Image

from league.apps.sharing.fonts import (
    BOLD,
    FACES,
    FILES,
    REGULAR,
    TITLE,
    choose_title_style,
    fit_texts,
    fit_title,
    keep_drawable,
    measure_width,
    truncate,
)
from league.web.public.colours import compute_tints, convert_oklch_to_hex
from league.web.public.emblem import RIM, SHIELD, Emblem

#: The light colours of the style sheet.
PAPER, INK, SOFT, HAIR, UP, DOWN = "#faf8f3", "#1d1a16", "#5d564c", "#e3ddd1", "#0c6547", "#9a3f06"
METALS, METAL_INK = ("#e2bb4b", "#c6c9cc", "#d99a68"), "#221a06"
#: Margin, maximum number of rows of a ranking or game, and of those that are drawn larger.
LEFT, MAX_ROWS, MAX_LARGE_ROWS = 64, 5, 3
#: Colours of a picture.
COLOURS = 128
#: Minimum number of values for a sparkline.
MIN_SPARK_VALUES = 5
#: Widths of a row's score and change, and the scales tried until the text fits.
SCORE_WIDTH, CHANGE_WIDTH, TEXT_SCALES, NAME_SCALES = 380, 200, (1, 0.8, 0.64), (1, 0.86, 0.74, 0.64, 0.56)
#: Width of a player's smaller figures if no size fits, and the gap between them.
SMALL_FIGURE_WIDTH, FIGURE_GAP = 120, 40


@dataclass(frozen=True)
class Canvas:
    """The size of a picture and the positions of its parts."""

    width: int
    height: int
    crest: tuple[int, int, int]
    """Left, top and width of the emblem."""
    rule: int
    """Where the head ends."""
    titles: tuple[tuple[int, ...], tuple[int, ...]]
    """Sizes of a title in one line, and in two."""
    rows: tuple[int, int, int]
    """Baseline of the first row, distance between two, size; then the same for few rows."""
    large_rows: tuple[int, int, int]
    figure: tuple[int, int, tuple[int, ...]]
    """Baselines of the large figure and of the others, and sizes of the large one."""
    small_figures: tuple[int, ...]
    """Sizes of the other figures, largest first."""
    text: int
    """Size of labels."""
    column: int
    """Width of the figures."""
    spark: tuple[int, int, int]
    """Left, top and height of the sparkline, which ends at the right margin."""

    @property
    def right(self) -> int:
        """Return the right margin."""
        return self.width - LEFT

    @property
    def foot(self) -> int:
        """Return where the foot begins."""
        return self.height - 64


LINK = Canvas(
    width=1200,
    height=630,
    crest=(1014, 48, 136),
    rule=212,
    titles=((72, 64, 56), (50, 44, 38)),
    rows=(284, 60, 36),
    large_rows=(306, 90, 48),
    figure=(390, 528, (160, 130, 100, 76, 56)),
    small_figures=(46, 38, 30, 24),
    text=32,
    column=520,
    spark=(640, 296, 200),
)
STORY = Canvas(
    width=1080,
    height=1350,
    crest=(747, 64, 300),
    rule=468,
    titles=((92, 80, 68, 58), (64, 56, 48, 40)),
    rows=(592, 134, 54),
    large_rows=(640, 200, 68),
    figure=(730, 886, (220, 180, 140, 110, 80)),
    small_figures=(68, 56, 44, 32),
    text=46,
    column=952,
    spark=(LEFT, 978, 250),
)


@dataclass(frozen=True)
class LeagueLook:
    """A league's name, emblem, hue in degrees, and own picture (PNG, or empty)."""

    title: str
    emblem: Emblem
    degrees: float
    picture: bytes = b""

    @property
    def accent(self) -> str:
        """Return the colour of what is shown first."""
        return compute_tints(self.degrees).accent


@dataclass(frozen=True)
class CardRow:
    """A line of a ranking or a game; ``beside`` is the change, ``rises`` its direction or None.

    ``has_medal``: whether the first three ranks have one; else ``rank`` is only a number.
    """

    rank: int | None
    name: str
    figure: str
    beside: str = ""
    rises: bool | None = None
    has_medal: bool = True


@dataclass(frozen=True)
class CardFigure:
    """A figure with its label."""

    label: str
    value: str


@dataclass(frozen=True)
class PictureCard:
    """The contents of a picture; ``over`` and ``under`` are lines above and below the title."""

    face: LeagueLook
    title: str
    over: str
    under: str
    address: str
    rows: Sequence[CardRow] = field(default=())
    figures: Sequence[CardFigure] = field(default=())
    line: Sequence[float] = field(default=())
    ends: tuple[str, str] = ("", "")
    """The first and the last value of the line."""
    day: str = ""
    """The day of the last game."""
    empty: str = ""


def draw_png(card: PictureCard, canvas: Canvas = LINK) -> bytes:
    """Draw a picture."""
    elements = [
        _render_svg_box(0, 0, canvas.width, canvas.height, PAPER),
        _render_svg_box(0, 0, canvas.width, 12, card.face.accent),
        *draw_head(card, canvas),
    ]
    if card.figures:
        elements += draw_profile(card, canvas)
    elif card.rows:
        elements += draw_ranking(card, canvas)
    elif card.empty:
        text = truncate(card.empty, REGULAR, 34, canvas.right - LEFT)
        elements.append(_render_svg_text((LEFT, canvas.rows[0] + 20), text, REGULAR, 34, SOFT))
    elements += draw_foot(card, canvas)
    size = f'width="{canvas.width}" height="{canvas.height}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(elements)}</svg>'
    return _reduce_colours(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(FILES)))


def _reduce_colours(png: bytes) -> bytes:
    """Return a picture with at most COLOURS colours, which has less than half the bytes."""
    reduced = BytesIO()
    with Image.open(BytesIO(png)) as picture:
        picture.convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
            reduced, "PNG", optimize=True
        )
    return reduced.getvalue()


def _render_svg_text(
    point: tuple[float, float], text: str, style: int, size: int, colour: str, *, right: bool = False
) -> str:
    """Return an SVG text that starts, or ends if ``right``, at a point on its base line."""
    (family, weight), anchor = FACES[style], "end" if right else "start"
    return (
        f'<text x="{point[0]:.1f}" y="{point[1]:.1f}" font-family="{family}" font-weight="{weight}" font-size="{size}" '
        f'text-anchor="{anchor}" fill="{colour}">{escape(keep_drawable(text))}</text>'
    )


def _render_svg_box(x: float, y: float, width: float, height: float, colour: str) -> str:
    """Return a filled rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def draw_head(card: PictureCard, canvas: Canvas) -> Iterator[str]:
    """Draw the emblem, and the title with the lines above and below it."""
    yield draw_emblem(card.face, canvas)
    style, room = choose_title_style(card.title), canvas.crest[0] - LEFT - 24
    in_one, in_two = canvas.titles
    # Two lines of a title with a line above and one below are a little smaller.
    size, lines = fit_title(card.title, style, in_one, in_two[1:] if card.over and card.under else in_two, room)
    text = canvas.text
    texts = [(card.over, REGULAR, text, SOFT, text + 12), *((line, style, size, INK, size + 6) for line in lines)]
    texts += [(card.under, REGULAR, text, SOFT, text + 18)]
    texts = [entry for entry in texts if entry[0]]
    y = canvas.rule - 24.0 - sum(entry[4] for entry in texts)
    for line, face, letters, colour, high in texts:
        y += high
        yield _render_svg_text((LEFT, y - 2), truncate(line, face, letters, room), face, letters, colour)
    yield _render_svg_box(LEFT, canvas.rule, canvas.right - LEFT, 4, INK)


def draw_emblem(face: LeagueLook, canvas: Canvas) -> str:
    """Draw the emblem of the league, or its own picture."""
    left, top, width = canvas.crest
    if face.picture:
        kind, data = "png", face.picture
        size = canvas.right - left
        placement = f'x="{left}" y="40" width="{size}" height="{size}" preserveAspectRatio="xMaxYMin meet"'
    else:
        context = {"emblem": face.emblem, "shield": SHIELD, "rim": RIM, **compute_tints(face.degrees)._asdict()}
        kind, data = "svg+xml", render_to_string("web/public/emblem.svg", context).encode()
        placement = f'x="{left}" y="{top}" width="{width}" height="{width * 7 // 6}"'
    return f'<image {placement} href="data:image/{kind};base64,{b64encode(data).decode()}"/>'


def draw_ranking(card: PictureCard, canvas: Canvas) -> Iterator[str]:
    """Draw rows: rank, name, change, figure."""
    rows, right = card.rows[:MAX_ROWS], canvas.right
    first, row_height, size = canvas.large_rows if len(rows) <= MAX_LARGE_ROWS else canvas.rows
    large, scores = fit_texts(
        [row.figure for row in rows], BOLD, [round(size * scale) for scale in TEXT_SCALES], SCORE_WIDTH
    )
    small, changes = fit_texts(
        [row.beside for row in rows], REGULAR, [round((size - 6) * scale) for scale in TEXT_SCALES], CHANGE_WIDTH
    )
    score_width = max(measure_width(score, BOLD, large) for score in scores)
    change_width = max(measure_width(change, REGULAR, small) for change in changes)
    ranked = any(row.rank is not None for row in rows)
    indent = size + 40 if ranked else 0
    room = right - LEFT - indent - score_width - (change_width + 40 if change_width else 0) - 24
    for index, row in enumerate(rows):
        y = first + index * row_height
        if index:
            yield _render_svg_box(LEFT, y - size * 0.36 - row_height / 2, right - LEFT, 2, HAIR)
        if ranked:
            yield from draw_rank(row, y, size)
        style = choose_title_style(row.name) if row.has_medal and row.rank == 1 else REGULAR
        # A long name is smaller before it is cut.
        letters, (name,) = fit_texts([row.name], style, [round(size * scale) for scale in NAME_SCALES], room)
        yield _render_svg_text((LEFT + indent, y), name, style, letters, INK)
        yield _render_svg_text((right, y), scores[index], BOLD, large, INK, right=True)
        colour = SOFT if row.rises is None else UP if row.rises else DOWN
        yield _render_svg_text((right - score_width - 40, y), changes[index], REGULAR, small, colour, right=True)


def draw_rank(row: CardRow, y: int, size: int) -> Iterator[str]:
    """Draw the rank or number of a row: on a medal for the first three ranks."""
    text = "–" if row.rank is None else str(row.rank)
    colour, radius, middle = SOFT, round(size * 0.62), y - round(size * 0.35)
    if row.has_medal and row.rank is not None and row.rank < 4:
        yield f'<circle cx="{LEFT + radius}" cy="{middle}" r="{radius}" fill="{METALS[row.rank - 1]}"/>'
        colour = METAL_INK
    letters = round(size * (0.76 if len(text) < 3 else 0.58))
    x = LEFT + radius - measure_width(text, BOLD, letters) / 2
    yield _render_svg_text((x, middle + letters * 0.34), text, BOLD, letters, colour)


def draw_profile(card: PictureCard, canvas: Canvas) -> Iterator[str]:
    """Draw a player's first figure large and in colour, the others below it, and the line of the last games."""
    main, *others = card.figures
    baseline, lower, sizes = canvas.figure
    size, (value,) = fit_texts([main.value], BOLD, sizes, canvas.column)
    label = truncate(main.label, REGULAR, canvas.text, canvas.column)
    yield _render_svg_text((LEFT, canvas.rule + 2 * canvas.text), label, REGULAR, canvas.text, SOFT)
    yield _render_svg_text((LEFT - size * 0.04, baseline), value, BOLD, size, card.face.accent)
    x: float = LEFT
    for name, text, letters in fit_figures(others, canvas):
        yield _render_svg_text((x, lower - canvas.small_figures[0] - 6), name, REGULAR, canvas.text, SOFT)
        yield _render_svg_text((x, lower), text, BOLD, letters, INK)
        x += max(measure_width(text, BOLD, letters), measure_width(name, REGULAR, canvas.text)) + FIGURE_GAP
    if len(card.line) >= MIN_SPARK_VALUES:
        yield from draw_sparkline(card, canvas)
    elif card.empty:
        left, top, height = canvas.spark
        room = canvas.right - left
        yield _render_svg_text((left, top + height / 2), truncate(card.empty, REGULAR, 30, room), REGULAR, 30, SOFT)


def draw_sparkline(card: PictureCard, canvas: Canvas) -> Iterator[str]:
    """Draw values as a filled line with a dot at its end, and the first and last value."""
    values, (left, top, height) = card.line, canvas.spark
    low, high = min(values), max(values)
    across, right = (canvas.right - 12 - left) / (len(values) - 1), canvas.right - 12
    # The lowest value is above the bottom, as the fill ends there.
    points = [
        (left + index * across, top + (high - value) / ((high - low) or 1.0) * height * 0.8)
        for index, value in enumerate(values)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    bottom = top + height
    fill = convert_oklch_to_hex(0.925, 0.028, card.face.degrees)
    line = 'fill="none" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"'
    yield f'<polygon points="{left},{bottom} {path} {right},{bottom}" fill="{fill}"/>'
    yield f'<polyline points="{path}" {line} stroke="{convert_oklch_to_hex(0.6, 0.105, card.face.degrees)}"/>'
    yield f'<circle cx="{points[-1][0]:.1f}" cy="{points[-1][1]:.1f}" r="11" fill="{card.face.accent}"/>'
    first, last = card.ends
    yield _render_svg_text((left, points[0][1] - 20), first, REGULAR, canvas.text, SOFT)
    yield _render_svg_text((canvas.right, points[-1][1] - 24), last, BOLD, canvas.text, card.face.accent, right=True)


def fit_figures(figures: Sequence[CardFigure], canvas: Canvas) -> list[tuple[str, str, int]]:
    """Return label, value and size of figures so that all fit: smaller if needed, else truncated."""
    for size in canvas.small_figures:
        wide = [
            max(measure_width(figure.label, REGULAR, canvas.text), measure_width(figure.value, BOLD, size))
            for figure in figures
        ]
        if sum(wide) + FIGURE_GAP * (len(wide) - 1) <= canvas.column:
            return [(figure.label, figure.value, size) for figure in figures]
    width = SMALL_FIGURE_WIDTH
    return [
        (truncate(figure.label, REGULAR, canvas.text, width), truncate(figure.value, BOLD, size, width), size)
        for figure in figures
    ]


def draw_foot(card: PictureCard, canvas: Canvas) -> Iterator[str]:
    """Draw the page's address, the day, and the program's name."""
    y, right = canvas.foot, canvas.right
    yield _render_svg_box(LEFT, y - 1, right - LEFT, 2, HAIR)
    x = right - measure_width("Rungs", TITLE, 30) - 36
    ladder = f"M{x:.1f} {y + 18}v26m14-26v26m-14-20h14m-14 7h14m-14 7h14"
    yield f'<path d="{ladder}" fill="none" stroke="{INK}" stroke-width="3" stroke-linecap="round"/>'
    yield _render_svg_text((right, y + 42), "Rungs", TITLE, 30, INK, right=True)
    text = " · ".join(part for part in (card.day, card.address) if part)
    yield _render_svg_text((LEFT, y + 41), truncate(text, REGULAR, 25, x - LEFT - 40), REGULAR, 25, SOFT)
