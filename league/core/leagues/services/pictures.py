"""A league's own picture in place of its drawn emblem: checked, encoded again, kept in the database.

What is kept is never what was sent: the picture is decoded within bounds and drawn into a new square PNG, so nothing
else that was in the file (metadata, other frames, whatever hides behind the pixels) gets in.
"""

import logging
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from threading import Lock

from django.conf import settings
from django.utils.translation import gettext as _
from PIL import Image, UnidentifiedImageError

from league.core.errors import Invalid, Problem, RungsError
from league.core.locking import locked, with_league_lock
from league.core.text.numbers import number
from league.models import EmblemPicture, League

#: Bytes of a file, pixels that are decoded, pixels of the shorter side that are needed.
MAX_BYTES, MAX_PIXELS, MIN_SIDE = settings.RUNGS_LIMITS["picture_bytes"], 16_000_000, 32
#: The side of the square that is kept, and how many bytes of it: beyond them it has 256 colours.
SIDE, KEPT_BYTES = 256, 100_000
FORMATS = ("PNG", "JPEG", "WEBP")
#: Scans of a JPEG that are decoded; cameras and programs write a dozen. Each may cost a pass over all pixels.
MAX_SCANS = 100
JPEG, SCAN = b"\xff\xd8\xff", b"\xff\xda"
#: What Pillow raises on files that say more than it would read.
BOMB = (Image.DecompressionBombError, Image.DecompressionBombWarning)
#: The tag of EXIF that says how a photograph is to be turned, and what its values ask for.
ORIENTATION = 0x0112
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
#: A picture of many pixels takes much memory while it is decoded: one at a time in this process.
DECODING = Lock()
logger = logging.getLogger(__name__)


def set_picture(league_id: int, data: bytes, *, by: str = "") -> League:
    """Show a picture in place of a league's drawn emblem; raises Invalid if it is none, and writes nothing."""
    png = square_png(data)
    digest = sha256(png).hexdigest()

    def work(league: League, now: datetime) -> League:
        kept = {"sha256": digest, "png": png, "set_at": now, "set_by": by}
        EmblemPicture.objects.update_or_create(league=league, defaults=kept)
        league.picture = digest
        league.save(update_fields=["picture"])
        return league

    return with_league_lock(league_id, work)


@locked
def drop_picture(league: League, now: datetime) -> League:
    """Show the drawn emblem again."""
    EmblemPicture.objects.filter(league=league).delete()
    league.picture = ""
    league.save(update_fields=["picture"])
    return league


def square_png(data: bytes) -> bytes:
    """Return a picture as a square PNG of at most SIDE pixels, what is not square on no ground; raises Invalid."""
    if len(data) > MAX_BYTES:
        raise refusal(too_heavy(len(data)))
    refuse_size(webp_size(data))
    if data.startswith(JPEG) and data.count(SCAN) > MAX_SCANS:
        raise refusal(damaged())
    try:
        # Only the head is read before the size is known.
        with DECODING, Image.open(BytesIO(data), formats=FORMATS) as picture:
            refuse_size(picture.size)
            return encoded(shown_of(picture))
    except RungsError:
        raise
    except UnidentifiedImageError:
        raise refusal(_("The file is no PNG, JPEG or WebP picture.")) from None
    except BOMB:
        raise refusal(too_many()) from None
    except Exception as error:  # whatever a broken file leads the library to
        logger.info("A picture of %d bytes could not be read", len(data), exc_info=True)
        raise refusal(damaged()) from error


def damaged() -> str:
    """Say that a file cannot be read."""
    return _("The picture is damaged: it cannot be read to its end. Save it anew, as a PNG.")


def too_heavy(size: int) -> str:
    """Say that a file is too large."""
    sentence = _("The picture has {size} MB; at most {most} MB are taken.")
    return sentence.format(size=number(size / 1e6, 1), most=number(MAX_BYTES / 1e6))


def too_many() -> str:
    """Say that a picture has more pixels than are decoded."""
    return _("The picture has more than {most} million pixels; make it smaller.").format(most=MAX_PIXELS // 10**6)


def refusal(sentence: str) -> RungsError:
    """Return what is raised about the file."""
    return Invalid.of([Problem("/picture", "invalid", sentence)])


def refuse_size(size: tuple[int, int] | None) -> None:
    """Raise Invalid if a picture has more pixels than are decoded, or too few to be seen."""
    if size is None:
        return
    width, height = size
    if width * height > MAX_PIXELS:
        raise refusal(too_many())
    if min(size) < MIN_SIDE:
        sentence = _("The picture has {width} × {height} pixels; it needs at least {least} × {least}.")
        raise refusal(sentence.format(width=number(width), height=number(height), least=MIN_SIDE))


def webp_size(data: bytes) -> tuple[int, int] | None:
    """Return the size that a WebP says of itself, None for other files: Pillow takes its memory before it tells."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    kind, body = data[12:16], data[20:30]
    if kind == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF


def shown_of(picture: Image.Image) -> Image.Image:
    """Return the first frame the right way up, small, with its transparency."""
    picture.seek(0)
    if picture.mode.startswith("I"):  # grey of 16 bits
        picture = picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    elif picture.mode not in ("RGB", "RGBA", "L", "CMYK") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    turn = TURNS.get(orientation(picture))
    return (picture if turn is None else picture.transpose(turn)).convert("RGBA")


def orientation(picture: Image.Image) -> int:
    """Return how a photograph is to be turned, by EXIF's number; 1, upright, where what it says makes no sense."""
    try:
        said = picture.getexif().get(ORIENTATION)
    except Exception:  # EXIF may hold anything, and the pixels are whole
        logger.info("The EXIF of a picture could not be read", exc_info=True)
        return 1
    return said if isinstance(said, int) else 1


def encoded(shown: Image.Image) -> bytes:
    """Return a picture in the middle of a new square one, as a PNG that says nothing but its pixels."""
    side = max(shown.size)
    square = Image.new("RGBA", (side, side))
    square.paste(shown, ((side - shown.width) // 2, (side - shown.height) // 2))
    made = encode_png(square)
    return made if len(made) <= KEPT_BYTES else encode_png(square.quantize(256, Image.Quantize.FASTOCTREE))


def encode_png(square: Image.Image) -> bytes:
    """Return a picture as a PNG."""
    file = BytesIO()
    square.save(file, "PNG", optimize=True)
    return file.getvalue()
