"""Link pictures of leagues, players, periods and games, drawn by resvg: 1200 × 630."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

import resvg_py
from django.template.loader import render_to_string

from league.apps.sharing.fonts import (
    BOLD,
    FACES,
    FILES,
    REGULAR,
    choose_title_style,
    fit_texts,
    fit_title,
    keep_drawable,
    measure_width,
    truncate,
)
from league.core.leagues.emblem import RIM, SHIELD, Emblem
from league.web.public.colours import compute_tints, convert_oklch_to_hex

#: The light colours of the style sheet.
PAPER, INK, SOFT, HAIR, UP, DOWN = "#faf8f3", "#1d1a16", "#5d564c", "#e3ddd1", "#0c6547", "#9a3f06"
METALS, METAL_INK = ("#e2bb4b", "#c6c9cc", "#d99a68"), "#221a06"
WIDTH, HEIGHT = 1200, 630
LEFT, RIGHT, FOOT = 64, WIDTH - 64, 566
#: Rows of a ranking or game: maximum number, baseline of the first one, distance between two.
MAX_ROWS, FIRST_BASELINE, ROW_HEIGHT = 5, 300, 60
#: The same for up to three rows, which are drawn larger.
MAX_LARGE_ROWS, LARGE_FIRST_BASELINE, LARGE_ROW_HEIGHT = 3, 324, 90
#: Minimum number of values for a sparkline.
MIN_SPARK_VALUES = 5
#: Widths of a row's score and change, and the scales tried until the text fits.
SCORE_WIDTH, CHANGE_WIDTH, TEXT_SCALES = 380, 200, (1, 0.8, 0.64)
#: Font sizes of a player's first number and of the others, largest first; their widths if no size fits; the gap.
FIGURE_SIZES, FIGURE_WIDTHS, FIGURE_GAP = ((84, 60), (70, 50), (56, 40), (44, 32)), (460, 234), 72


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
    """A line of a ranking or a game; ``beside`` is the change, ``rises`` its direction or None."""

    rank: int | None
    name: str
    figure: str
    beside: str = ""
    rises: bool | None = None


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
    empty: str = ""


def draw_png(card: PictureCard) -> bytes:
    """Draw a picture."""
    elements = [
        _render_svg_box(0, 0, WIDTH, HEIGHT, PAPER),
        _render_svg_box(0, 0, WIDTH, 12, card.face.accent),
        *draw_head(card),
    ]
    if card.figures:
        elements += draw_profile(card)
    elif card.rows:
        elements += draw_ranking(card)
    elif card.empty:
        elements.append(
            _render_svg_text(
                (LEFT, FIRST_BASELINE + 20), truncate(card.empty, REGULAR, 34, RIGHT - LEFT), REGULAR, 34, SOFT
            )
        )
    elements += draw_foot(card)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join(elements)}</svg>'
    return resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(FILES))


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


def draw_head(card: PictureCard) -> Iterator[str]:
    """Draw the emblem, and the title with the lines above and below it."""
    yield draw_emblem(card.face)
    left = LEFT + 156
    style = choose_title_style(card.title)
    size, lines = fit_title(card.title, style, (70, 62, 54), (50, 44, 38), RIGHT - left)
    texts = [(card.over, REGULAR, 27, SOFT, 38), *((line, style, size, INK, size + 8) for line in lines)]
    texts += [(card.under, REGULAR, 27, SOFT, 42)]
    texts = [entry for entry in texts if entry[0]]
    y = 26 + (196 - sum(entry[4] for entry in texts)) / 2
    for line, face, letters, colour, high in texts:
        y += high
        yield _render_svg_text((left, y - 8), truncate(line, face, letters, RIGHT - left), face, letters, colour)
    yield _render_svg_box(LEFT, 232, RIGHT - LEFT, 4, INK)


def draw_emblem(face: LeagueLook) -> str:
    """Draw the emblem of the league, or its own picture."""
    if face.picture:
        kind, data, placement = "png", face.picture, 'x="64" y="52" width="128" height="150"'
    else:
        context = {"emblem": face.emblem, "shield": SHIELD, "rim": RIM, **compute_tints(face.degrees)._asdict()}
        kind, data = "svg+xml", render_to_string("web/public/emblem.svg", context).encode()
        placement = 'x="56" y="44" width="142" height="166"'
    address = f"data:image/{kind};base64,{b64encode(data).decode()}"
    return f'<image {placement} preserveAspectRatio="xMinYMid meet" href="{address}"/>'


def draw_ranking(card: PictureCard) -> Iterator[str]:
    """Draw rows: rank, name, change, figure."""
    rows = card.rows[:MAX_ROWS]
    few = len(rows) <= MAX_LARGE_ROWS
    first, row_height, size = (LARGE_FIRST_BASELINE, LARGE_ROW_HEIGHT, 48) if few else (FIRST_BASELINE, ROW_HEIGHT, 36)
    large, scores = fit_texts(
        [row.figure for row in rows], BOLD, [round(size * scale) for scale in TEXT_SCALES], SCORE_WIDTH
    )
    small, changes = fit_texts(
        [row.beside for row in rows], REGULAR, [round((size - 6) * scale) for scale in TEXT_SCALES], CHANGE_WIDTH
    )
    score_width = max(measure_width(score, BOLD, large) for score in scores)
    change_width = max(measure_width(change, REGULAR, small) for change in changes)
    room = RIGHT - LEFT - 76 - score_width - (change_width + 40 if change_width else 0) - 24
    for index, row in enumerate(rows):
        y = first + index * row_height
        if index:
            yield _render_svg_box(LEFT, y - row_height + (30 if few else 17), RIGHT - LEFT, 2, HAIR)
        yield from draw_rank(row, y - (4 if few else 0))
        style = BOLD if row.rank == 1 else REGULAR
        yield _render_svg_text((LEFT + 76, y), truncate(row.name, style, size, room), style, size, INK)
        yield _render_svg_text((RIGHT, y), scores[index], BOLD, large, INK, right=True)
        colour = SOFT if row.rises is None else UP if row.rises else DOWN
        yield _render_svg_text((RIGHT - score_width - 40, y), changes[index], REGULAR, small, colour, right=True)


def draw_rank(row: CardRow, y: int) -> Iterator[str]:
    """Draw the rank of a row: on a medal for the first three."""
    text = "–" if row.rank is None else str(row.rank)
    colour = SOFT
    if row.rank is not None and row.rank < 4:
        yield f'<circle cx="{LEFT + 30}" cy="{y - 13}" r="23" fill="{METALS[row.rank - 1]}"/>'
        colour = METAL_INK
    size = 28 if len(text) < 3 else 22
    yield _render_svg_text((LEFT + 30 - measure_width(text, BOLD, size) / 2, y - 3), text, BOLD, size, colour)


def draw_profile(card: PictureCard) -> Iterator[str]:
    """Draw a player's figures, the first one in the league's colour, and the line of the last games."""
    x: float = LEFT
    for index, (label, value, size) in enumerate(fit_figures(card.figures)):
        yield _render_svg_text((x, 288), label, REGULAR, 27, SOFT)
        yield _render_svg_text((x, 376), value, BOLD, size, card.face.accent if index == 0 else INK)
        x += max(measure_width(value, BOLD, size), measure_width(label, REGULAR, 27)) + FIGURE_GAP
    if len(card.line) >= MIN_SPARK_VALUES:
        yield from draw_sparkline(card.line, card.face)
    elif card.empty:
        yield _render_svg_text((LEFT, 460), truncate(card.empty, REGULAR, 30, RIGHT - LEFT), REGULAR, 30, SOFT)


def draw_sparkline(values: Sequence[float], face: LeagueLook) -> Iterator[str]:
    """Draw values as a line with a dot at its end."""
    low, high = min(values), max(values)
    across = (RIGHT - LEFT - 24) / (len(values) - 1)
    points = [
        (LEFT + 12 + index * across, 420 + (high - value) / ((high - low) or 1.0) * 116)
        for index, value in enumerate(values)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    line = 'fill="none" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"'
    yield f'<polyline points="{path}" {line} stroke="{convert_oklch_to_hex(0.6, 0.105, face.degrees)}"/>'
    yield f'<circle cx="{points[-1][0]:.1f}" cy="{points[-1][1]:.1f}" r="9" fill="{face.accent}"/>'


def fit_figures(figures: Sequence[CardFigure]) -> list[tuple[str, str, int]]:
    """Return label, value and size of figures so that all fit: smaller if needed, else truncated."""
    for sizes in FIGURE_SIZES:
        fitted = [(figure.label, figure.value, sizes[min(index, 1)]) for index, figure in enumerate(figures)]
        wide = [
            max(measure_width(label, REGULAR, 27), measure_width(value, BOLD, size)) for label, value, size in fitted
        ]
        if sum(wide) + FIGURE_GAP * (len(wide) - 1) <= RIGHT - LEFT:
            return fitted
    rooms = [FIGURE_WIDTHS[min(index, 1)] for index in range(len(figures))]
    return [
        (truncate(label, REGULAR, 27, room), truncate(value, BOLD, size, room), size)
        for (label, value, size), room in zip(fitted, rooms, strict=True)
    ]


def draw_foot(card: PictureCard) -> Iterator[str]:
    """Draw the page's address and the program's name."""
    yield _render_svg_box(LEFT, FOOT - 1, RIGHT - LEFT, 2, HAIR)
    x = RIGHT - measure_width("Rungs", BOLD, 30) - 36
    ladder = f"M{x:.1f} 584v26m14-26v26m-14-20h14m-14 7h14m-14 7h14"
    yield f'<path d="{ladder}" fill="none" stroke="{INK}" stroke-width="3" stroke-linecap="round"/>'
    yield _render_svg_text((RIGHT, 608), "Rungs", BOLD, 30, INK, right=True)
    yield _render_svg_text((LEFT, 607), truncate(card.address, REGULAR, 25, x - LEFT - 40), REGULAR, 25, SOFT)
