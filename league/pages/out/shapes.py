"""Shapes for drawn pictures: colours of a hue, paths as polygons, the emblem, medals, small lines."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from league.emblem import RIM, SHIELD, Emblem
from league.pages.out.letters import Colour

Point = tuple[float, float]
#: As the style sheet has them, by day.
PAPER, INK, SOFT, HAIR = (250, 248, 243), (29, 26, 22), (93, 86, 76), (227, 221, 209)
UP, DOWN = (12, 101, 71), (154, 63, 6)
METALS, METAL_INK = ((226, 187, 75), (198, 201, 204), (217, 154, 104)), (34, 26, 6)
#: Lightness and chroma of what a hue colours: the tokens --accent, --field, --field-2 and --charge of the style sheet.
ACCENT, FIELD, SECOND, CHARGE = (0.43, 0.115), (0.41, 0.12), (0.54, 0.125), (0.985, 0.012)
TOKEN = re.compile(r"[A-Za-z]|-?(?:\d+\.\d+|\.\d+|\d+)")
#: Numbers that a letter of a path takes.
TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
#: Pieces of a curve; how much larger shapes are drawn before they are made small.
PIECES, FINER = 16, 4


class Tints(NamedTuple):
    """Colours of a hue by day, as all readers know them: some that show pictures know nothing newer than hex."""

    accent: str
    field: str
    second: str
    charge: str


@cache
def tints(degrees: int) -> Tints:
    """Return the colours of a hue for pictures that others show."""
    return Tints(
        accent=hexed(oklch(*ACCENT, degrees)),
        field=hexed(oklch(*FIELD, degrees)),
        second=hexed(oklch(*SECOND, degrees)),
        charge=hexed(oklch(*CHARGE, degrees)),
    )


def hexed(colour: Colour) -> str:
    """Write a colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def oklch(light: float, chroma: float, degrees: float) -> Colour:
    """Return a colour of the style sheet as red, green and blue (Björn Ottosson's Oklab)."""
    a, b = chroma * math.cos(math.radians(degrees)), chroma * math.sin(math.radians(degrees))
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    red, green, blue = (round(255 * gamma(min(max(value, 0.0), 1.0))) for value in linear)
    return red, green, blue


def gamma(value: float) -> float:
    """Return linear light as sRGB."""
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Return the commands of a path, repeated ones by themselves."""
    tokens = TOKEN.findall(path)
    at = 0
    while at < len(tokens):
        letter = tokens[at]
        at += 1
        count = TAKES[letter.upper()]
        while True:
            yield letter, [float(one) for one in tokens[at : at + count]]
            at += count
            if not count or at >= len(tokens) or tokens[at].isalpha():
                break
            letter = {"M": "L", "m": "l"}.get(letter, letter)


def polygons(path: str) -> list[list[Point]]:
    """Return the parts of a path as points; curves are broken into straight pieces."""
    found: list[list[Point]] = []
    here: Point = (0.0, 0.0)
    turn: Point = here  # the last control point of a curve, for a smooth one after it
    for letter, numbers in commands(path):
        if letter.upper() == "Z":
            found[-1].append(found[-1][0])
            here = found[-1][0]
            continue
        points, turn = stretch(letter, numbers, here, turn)
        if letter.upper() == "M":
            found.append([])
        found[-1] += points
        here = points[-1]
    return found


def stretch(letter: str, numbers: list[float], here: Point, turn: Point) -> tuple[list[Point], Point]:
    """Return the points of one command, and the control point that the next one may continue."""
    kind, relative = letter.upper(), letter.islower()
    x, y = here if relative else (0.0, 0.0)
    if kind == "H":
        return [(x + numbers[0], here[1])], here
    if kind == "V":
        return [(here[0], y + numbers[0])], here
    if kind == "A":
        end = (x + numbers[5], y + numbers[6])
        return arc(here, end, numbers[0], large=numbers[3] > 0, sweep=numbers[4] > 0), end
    pairs = [(x + numbers[at], y + numbers[at + 1]) for at in range(0, len(numbers), 2)]
    if kind in ("M", "L"):
        return pairs, pairs[-1]
    if kind in ("T", "S"):
        pairs = [(2 * here[0] - turn[0], 2 * here[1] - turn[1]), *pairs]
    return bezier([here, *pairs]), pairs[-2]


def bezier(points: Sequence[Point]) -> list[Point]:
    """Return points of a curve of the second or third order, without its first."""
    order = len(points) - 1
    found = []
    for step in range(1, PIECES + 1):
        t = step / PIECES
        weights = [math.comb(order, k) * t**k * (1 - t) ** (order - k) for k in range(order + 1)]
        found.append(tuple(sum(w * p[axis] for w, p in zip(weights, points, strict=True)) for axis in (0, 1)))
    return [(x, y) for x, y in found]


def arc(start: Point, end: Point, radius: float, *, large: bool, sweep: bool) -> list[Point]:
    """Return points of an arc of a circle, as SVG gives it, without its first."""
    across, down = end[0] - start[0], end[1] - start[1]
    half = math.hypot(across, down) / 2
    radius = max(radius, half)
    off = math.sqrt(max(radius * radius - half * half, 0.0)) / (2 * half)
    side = 1 if large != sweep else -1
    middle = (
        (start[0] + end[0]) / 2 - side * off * down,
        (start[1] + end[1]) / 2 + side * off * across,
    )
    first = math.atan2(start[1] - middle[1], start[0] - middle[0])
    turned = math.atan2(end[1] - middle[1], end[0] - middle[0]) - first
    if sweep and turned < 0:
        turned += 2 * math.pi
    if not sweep and turned > 0:
        turned -= 2 * math.pi
    steps = 2 * PIECES
    angles = [first + turned * step / steps for step in range(1, steps + 1)]
    return [(middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle)) for angle in angles]


def mask_of(path: str, size: tuple[int, int], scale: float, line: float = 0.0) -> Image.Image:
    """Return where a path is: filled, or as a line so wide."""
    mask = Image.new("L", (size[0] * FINER, size[1] * FINER))
    draw, fine = ImageDraw.Draw(mask), scale * FINER
    for polygon in polygons(path):
        points = [(x * fine, y * fine) for x, y in polygon]
        if not line:
            draw.polygon(points, fill=255)
            continue
        stroke(draw, points, line * fine, 255)
    return mask.reduce(FINER)


def stroke(draw: ImageDraw.ImageDraw, points: Sequence[Point], width: float, fill: int | Colour) -> None:
    """Draw a line with round ends and corners."""
    draw.line(list(points), fill=fill, width=max(round(width), 1))
    for x, y in points:
        draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=fill)


def shield(picture: Image.Image, emblem: Emblem, degrees: float, at: tuple[int, int], width: int) -> None:
    """Draw the emblem of a league."""
    scale = width / 48
    size = (width, round(56 * scale))
    charge = oklch(*CHARGE, degrees)
    layers = [(SHIELD, 0.0, oklch(*FIELD, degrees), 1.0)]
    if emblem.division.path:
        layers.append((emblem.division.path, 0.0, oklch(*SECOND, degrees), 1.0))
    layers += [(RIM, 1.1, charge, 0.55), (emblem.charge.path, 2.6 if emblem.charge.line else 0.0, charge, 1.0)]
    for path, line, colour, strength in layers:
        mask = mask_of(path, size, scale, line).point(lambda value, by=strength: value * by)
        picture.paste(colour, at, mask)


def medal(draw: ImageDraw.ImageDraw, middle: Point, rank: int) -> None:
    """Draw the ground of a medal; ranks beyond three have none."""
    x, y = middle
    draw.ellipse((x - 23, y - 23, x + 23, y + 23), fill=METALS[rank - 1])


def spark(
    picture: Image.Image, values: Sequence[float], box: tuple[int, int, int, int], colours: Sequence[Colour]
) -> None:
    """Draw values as a line of its own scale in a box, with a dot at its end; colours of line and dot."""
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    low, high = min(values), max(values)
    spread = (high - low) or 1.0
    across = (width - 24) / (len(values) - 1)
    points = [
        ((12 + index * across) * FINER, (12 + (high - value) / spread * (height - 24)) * FINER)
        for index, value in enumerate(values)
    ]
    for radius, colour in ((0, colours[0]), (9, colours[1])):
        mask = Image.new("L", (width * FINER, height * FINER))
        draw = ImageDraw.Draw(mask)
        if radius:
            x, y = points[-1]
            draw.ellipse([x - radius * FINER, y - radius * FINER, x + radius * FINER, y + radius * FINER], fill=255)
        else:
            stroke(draw, points, 5 * FINER, 255)
        picture.paste(colour, (left, top), mask.reduce(FINER))
