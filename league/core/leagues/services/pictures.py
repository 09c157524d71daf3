"""Pictures uploaded to replace a league's emblem: checked, re-encoded and stored in the database.

The uploaded file itself is never stored: it is decoded within limits and drawn into a new square PNG, so that metadata,
other frames and hidden data are dropped.
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
from league.core.locking import locked
from league.core.text.display_formats import format_number
from league.models import EmblemPicture, League

#: Maximum size of a file in bytes, maximum number of pixels, minimum length of the shorter side.
MAX_BYTES, MAX_PIXELS, MIN_SIDE = settings.RUNGS_LIMITS["picture_bytes"], 16_000_000, 32
#: The side of the stored square, and its size in bytes above which it is reduced to 256 colours.
SIDE, KEPT_BYTES = 256, 100_000
FORMATS = ("PNG", "JPEG", "WEBP")
#: Maximum number of scans in a JPEG; usual files have up to a dozen. Each may cost a pass over all pixels.
MAX_SCANS = 100
JPEG, SCAN = b"\xff\xd8\xff", b"\xff\xda"
#: Raised by Pillow for files that declare too many pixels.
BOMB = (Image.DecompressionBombError, Image.DecompressionBombWarning)
#: The EXIF tag for the orientation of a photograph, and the transformations for its values.
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
#: Decoding a large picture takes much memory: one at a time per process.
DECODING = Lock()
logger = logging.getLogger(__name__)


def set_picture(league_id: int, data: bytes, *, username: str = "") -> League:
    """Set the picture of a league; raises Invalid if it is not valid."""
    png = convert_to_square_png(data)
    digest = sha256(png).hexdigest()
    return _set_picture(league_id, username, digest, png)


@locked
def _set_picture(league: League, now: datetime, username: str, digest: str, png: bytes) -> League:
    defaults = {"sha256": digest, "png": png, "set_at": now, "set_by": username}
    EmblemPicture.objects.update_or_create(league=league, defaults=defaults)
    league.picture = digest
    league.save(update_fields=["picture"])
    return league


@locked
def drop_picture(league: League, now: datetime) -> League:
    """Remove the picture of a league."""
    EmblemPicture.objects.filter(league=league).delete()
    league.picture = ""
    league.save(update_fields=["picture"])
    return league


def convert_to_square_png(data: bytes) -> bytes:
    """Return a picture as a square PNG of at most SIDE pixels, padded with transparency; raises Invalid."""
    if len(data) > MAX_BYTES:
        raise _build_refusal(format_size_message(len(data)))
    refuse_size(_read_webp_size(data))
    if data.startswith(JPEG) and data.count(SCAN) > MAX_SCANS:
        raise _build_refusal(format_damaged_message())
    try:
        # Only the header is read before the size is checked.
        with DECODING, Image.open(BytesIO(data), formats=FORMATS) as picture:
            refuse_size(picture.size)
            return _encode_png(prepare_frame(picture))
    except RungsError:
        raise
    except UnidentifiedImageError:
        raise _build_refusal(_("The file is not a PNG, JPEG or WebP picture.")) from None
    except BOMB:
        raise _build_refusal(_format_pixels_message()) from None
    except Exception as error:  # broken files may raise anything
        logger.info("A picture of %d bytes could not be read", len(data), exc_info=True)
        raise _build_refusal(format_damaged_message()) from error


def format_damaged_message() -> str:
    """Return the message for an unreadable file."""
    return _("The picture is damaged. Save it again as a PNG.")


def format_size_message(size: int) -> str:
    """Return the message for a file that is too large."""
    template = _("The picture has {size} MB; the maximum is {most} MB.")
    return template.format(size=format_number(size / 1e6, 1), most=format_number(MAX_BYTES / 1e6))


def _format_pixels_message() -> str:
    """Return the message for too many pixels."""
    return _("The picture has more than {most} million pixels; make it smaller.").format(most=MAX_PIXELS // 10**6)


def _build_refusal(message: str) -> RungsError:
    """Return the exception for a file."""
    return Invalid.of([Problem("/picture", "invalid", message)])


def refuse_size(size: tuple[int, int] | None) -> None:
    """Raise Invalid if a picture has too many or too few pixels."""
    if size is None:
        return
    width, height = size
    if width * height > MAX_PIXELS:
        raise _build_refusal(_format_pixels_message())
    if min(size) < MIN_SIDE:
        template = _("The picture has {width} × {height} pixels; the minimum is {least} × {least}.")
        raise _build_refusal(template.format(width=format_number(width), height=format_number(height), least=MIN_SIDE))


def _read_webp_size(data: bytes) -> tuple[int, int] | None:
    """Return the declared size of a WebP, None for other files; Pillow allocates memory before reporting it."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    kind, body = data[12:16], data[20:30]
    if kind == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF


def prepare_frame(picture: Image.Image) -> Image.Image:
    """Return the first frame, scaled down and correctly oriented, with transparency."""
    picture.seek(0)
    if picture.mode.startswith("I"):  # 16-bit greyscale
        picture = picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    elif picture.mode not in ("RGB", "RGBA", "L", "CMYK") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    turn = TURNS.get(_read_orientation(picture))
    return (picture if turn is None else picture.transpose(turn)).convert("RGBA")


def _read_orientation(picture: Image.Image) -> int:
    """Return the EXIF orientation of a photograph; 1 (upright) if missing or invalid."""
    try:
        value = picture.getexif().get(ORIENTATION)
    except Exception:  # EXIF may contain anything, and the pixels are fine
        logger.info("The EXIF of a picture could not be read", exc_info=True)
        return 1
    return value if isinstance(value, int) else 1


def _encode_png(picture: Image.Image) -> bytes:
    """Return a picture centred in a new square one, as a PNG without metadata."""
    side = max(picture.size)
    square = Image.new("RGBA", (side, side))
    square.paste(picture, ((side - picture.width) // 2, (side - picture.height) // 2))
    png = encode_png(square)
    return png if len(png) <= KEPT_BYTES else encode_png(square.quantize(256, Image.Quantize.FASTOCTREE))


def encode_png(square: Image.Image) -> bytes:
    """Return a picture as a PNG."""
    file = BytesIO()
    square.save(file, "PNG", optimize=True)
    return file.getvalue()
