"""A league's own picture: what is taken, what of it is kept, who sees it, and what is refused with nothing written."""

import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from league.core.accounts.services.members import set_member
from league.core.errors import Invalid
from league.core.leagues.services import pictures
from league.core.leagues.services.pictures import convert_to_square_png, drop_picture, set_picture
from league.models import EmblemPicture, League
from tests.helpers.builders import make_league
from tests.helpers.report_builders import link_of, reporting_club
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

PAGE, DESK = "/leagues/club/", "/admin/leagues/club/settings/"
RED, BLUE = (255, 0, 0), (0, 0, 255)


def file_of(picture: Image.Image, kind: str = "PNG", **more: Any) -> bytes:
    """Return a picture as a file."""
    file = BytesIO()
    picture.save(file, kind, **more)
    return file.getvalue()


def halves(size: tuple[int, int] = (200, 100), mode: str = "RGB") -> Image.Image:
    """Return a picture whose left half is red and whose right half is blue."""
    picture = Image.new(mode, size, RED)
    picture.paste(BLUE, (size[0] // 2, 0, *size))
    return picture


def opened(png: bytes) -> Any:
    """Return what was made of a picture."""
    made = Image.open(BytesIO(png))
    assert made.format == "PNG"
    return made.convert("RGBA")


def near(pixel: Any, colour: tuple[int, ...]) -> bool:
    """Tell whether a pixel has about such a colour: JPEG loses some."""
    return all(abs(one - other) < 12 for one, other in zip(pixel, (*colour, 255), strict=True))


def owner(client: Client) -> League:
    """Sign an owner in."""
    league = make_league()
    client.force_login(User.objects.create_user("olga"))
    set_member(league.pk, "olga", "owner")
    return league


def upload(client: Client, data: bytes, name: str = "club.png") -> Any:
    """Send a picture from the desk."""
    return client.post(f"{DESK}picture/", {"picture": SimpleUploadedFile(name, data)}, follow=True)


def png_head(width: int, height: int) -> bytes:
    """Return a PNG that says it has such a size, and holds next to nothing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("kind", "more"),
    [("PNG", {}), ("JPEG", {"quality": 95}), ("WEBP", {"lossless": True}), ("WEBP", {"quality": 90})],
)
def test_a_picture_is_kept_square_with_what_it_lacks_see_through(kind: str, more: dict[str, Any]) -> None:
    made = opened(convert_to_square_png(file_of(halves(), kind, **more)))
    assert made.size == (200, 200)
    assert [made.getpixel((100, y))[3] for y in (10, 190)] == [0, 0]
    assert near(made.getpixel((40, 100)), RED)
    assert near(made.getpixel((160, 100)), BLUE)


def test_a_large_one_is_made_small_and_a_small_one_stays() -> None:
    assert opened(convert_to_square_png(file_of(halves((3000, 1500))))).size == (256, 256)
    assert opened(convert_to_square_png(file_of(halves((40, 32))))).size == (40, 40)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_every_kind_of_pixel_is_read(mode: str) -> None:
    white = Image.new("L", (64, 64), 255).convert("RGB" if mode == "CMYK" else "L")
    picture = Image.new("I;16", (64, 64), 65_535) if mode == "I;16" else white.convert(mode)
    made = opened(convert_to_square_png(file_of(picture, "JPEG" if mode == "CMYK" else "PNG")))
    assert near(made.getpixel((32, 32)), (255, 255, 255))


def test_what_is_see_through_stays_so() -> None:
    picture = halves((64, 64), "RGBA")
    picture.putpixel((0, 0), (0, 0, 0, 0))
    assert opened(convert_to_square_png(file_of(picture))).getpixel((0, 0))[3] == 0
    keyed = opened(convert_to_square_png(file_of(halves((64, 64)), transparency=RED)))
    assert (keyed.getpixel((8, 8))[3], keyed.getpixel((50, 8))[3]) == (0, 255)
    palette = halves((64, 64)).quantize(2)
    index = palette.getpixel((0, 0))
    seen = opened(convert_to_square_png(file_of(palette, transparency=index)))
    assert (seen.getpixel((8, 8))[3], seen.getpixel((50, 8))[3]) == (0, 255)


def test_a_photograph_is_turned_upright_and_says_nothing_of_where_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    exif[0x010F] = "Camera of Olga"
    made = convert_to_square_png(file_of(halves(), "JPEG", quality=95, exif=exif, comment="Secret Street 1"))
    shown = opened(made)
    # What was left is above.
    assert near(shown.getpixel((100, 40)), RED)
    assert near(shown.getpixel((100, 160)), BLUE)
    told = PngInfo()
    told.add_text("Author", "Olga of Secret Street")
    for data in (
        made,
        convert_to_square_png(file_of(halves(), pnginfo=told, exif=exif, icc_profile=b"Secret profile")),
    ):
        assert b"Secret" not in data
        assert b"Camera" not in data
        kinds = {data[at : at + 4] for at in chunks(data)}
        assert kinds <= {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}


def exif_of(*entries: tuple[int, int, int, bytes]) -> bytes:
    """Return EXIF of such entries: tag, type, count, value."""
    fields = b"".join(struct.pack("<HHI", *entry[:3]) + entry[3].ljust(4, b"\0") for entry in entries)
    return b"Exif\0\0II*\0" + struct.pack("<IH", 8, len(entries)) + fields + b"\0" * 4


def turned(way: int) -> tuple[int, int, int, bytes]:
    """Return an entry of EXIF that says how a picture is turned."""
    return (0x0112, 3, 1, bytes((way, 0)))


#: What EXIF says -> where the corner that the file has at its top left is shown. EXIF 2.3, 4.6.4: the first row and the
#: first column belong top left, top right, bottom right, bottom left, left top, right top, right bottom, left bottom.
TURNED = [([turned(way)], corner) for way, corner in enumerate(("tl", "tr", "br", "bl", "tl", "tr", "br", "bl"), 1)]
TURNED += [
    ([(0x010F, 3, 1, b"\x07\0"), turned(6)], "tr"),  # a maker that is a number
    ([turned(6), (0x011A, 2, 3, b"72\0")], "tr"),  # a resolution that is a text
    ([turned(6), (0x011A, 8, 1, b"\xfd\xff")], "tr"),  # one below nothing
    ([turned(6), (0x0132, 4, 1, b"\0\0\0\0")], "tr"),  # a time that is a number
    ([turned(6), (0x8769, 4, 1, struct.pack("<I", 999_999))], "tr"),  # more that stands beyond the end
    ([(0x0112, 2, 2, b"6\0")], "tl"),  # a turn that is a text, two turns, and one that there is not
    ([(0x0112, 3, 2, b"\x06\0\x06\0")], "tl"),
    ([turned(0x63)], "tl"),
]


@pytest.mark.parametrize(("entries", "corner"), TURNED)
def test_it_is_turned_as_exif_says_whatever_else_that_says(
    entries: list[tuple[int, int, int, bytes]], corner: str
) -> None:
    picture = Image.new("RGB", (128, 128), BLUE)
    picture.paste(RED, (0, 0, 64, 64))
    shown = opened(convert_to_square_png(file_of(picture, "JPEG", quality=95, exif=exif_of(*entries))))
    places = {"tl": (20, 20), "tr": (108, 20), "bl": (20, 108), "br": (108, 108)}
    assert [name for name, at in places.items() if near(shown.getpixel(at), RED)] == [corner]


def test_exif_that_cannot_be_read_turns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Image.Image) -> Any:
        raise TypeError("odd")

    monkeypatch.setattr(Image.Image, "getexif", broken)
    assert near(opened(convert_to_square_png(file_of(halves()))).getpixel((40, 100)), RED)


def test_whatever_a_file_leads_the_library_to_it_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Image.Image, *told: Any) -> Any:
        raise AttributeError("odd")

    monkeypatch.setattr(Image.Image, "thumbnail", broken)
    with pytest.raises(Invalid) as refused:
        convert_to_square_png(file_of(halves()))
    assert "damaged" in refused.value.problems[0].detail


def test_a_jpeg_of_very_many_scans_is_refused_before_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = file_of(halves(), "JPEG", progressive=True, quality=95)
    assert near(opened(convert_to_square_png(usual)).getpixel((40, 100)), RED)
    start = usual.rindex(b"\xff\xda")
    many = usual[:-2] + usual[start:-2] * 101 + usual[-2:]

    def unopened(*told: Any, **more: Any) -> Any:
        raise AssertionError("it must not be opened")

    monkeypatch.setattr(Image, "open", unopened)
    with pytest.raises(Invalid) as refused:
        convert_to_square_png(many)
    assert "damaged" in refused.value.problems[0].detail


def test_one_picture_at_a_time_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    held = []

    def seen(picture: Image.Image) -> Image.Image:
        held.append(pictures.DECODING.locked())
        return picture.convert("RGBA")

    monkeypatch.setattr(pictures, "prepare_frame", seen)
    convert_to_square_png(file_of(halves()))
    assert (held, pictures.DECODING.locked()) == ([True], False)


def chunks(data: bytes) -> list[int]:
    """Return where the kinds of the chunks of a PNG stand."""
    found, at = [], 8
    while at < len(data):
        found.append(at + 4)
        at += 12 + int.from_bytes(data[at : at + 4])
    return found


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_of_one_that_moves_the_first_frame_is_kept(kind: str) -> None:
    frames = [Image.new("RGB", (64, 64), RED), Image.new("RGB", (64, 64), BLUE)]
    data = file_of(frames[0], kind, save_all=True, append_images=frames[1:], duration=50)
    made = convert_to_square_png(data)
    assert near(opened(made).getpixel((32, 32)), RED)
    assert getattr(Image.open(BytesIO(made)), "n_frames", 1) == 1


def test_noise_is_kept_within_bounds() -> None:
    made = convert_to_square_png(file_of(Image.effect_noise((600, 600), 100).convert("RGB")))
    assert len(made) <= 100_000
    bands = [Image.effect_noise((300, 300), 90) for _ in range(3)]
    assert len(convert_to_square_png(file_of(Image.merge("RGB", bands)))) <= 100_000


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_what_is_no_picture_or_too_much_of_one_is_refused() -> None:
    league = make_league()
    for data, why in (
        (b"", "not a PNG, JPEG or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "not a PNG, JPEG or WebP"),
        (file_of(halves(), "GIF"), "not a PNG, JPEG or WebP"),
        (file_of(halves(), "BMP"), "not a PNG, JPEG or WebP"),
        (b"RIFF\0\0\0\0WEBP", "not a PNG, JPEG or WebP"),
        (file_of(halves((400, 400)))[:300], "damaged"),
        (file_of(halves((400, 400)), "JPEG")[:700], "damaged"),
        (png_head(400, 400), "damaged"),
        (png_head(4000, 4001), "more than 16 million pixels"),
        (png_head(12_000, 12_000), "more than 16 million pixels"),
        (png_head(2**31 - 1, 2**31 - 1), "more than 16 million pixels"),
        (file_of(halves((31, 200))), "the minimum is 32 × 32"),
        (b"\0" * 2_000_001, "the maximum is 2 MB"),
    ):
        with pytest.raises(Invalid) as refused:
            set_picture(league.pk, data)
        assert why in refused.value.problems[0].detail
    assert not EmblemPicture.objects.exists()
    assert League.objects.get().picture == ""


def test_a_webp_that_is_too_large_is_refused_before_it_takes_memory() -> None:
    # VP8X: canvas of 16,000 x 16,000; VP8L: 16,000 in 14 bits each; VP8: the same.
    side = (15_999).to_bytes(3, "little")
    packed = (15_999 | 15_999 << 14).to_bytes(4, "little")
    lossy = b"\0\0\0\x9d\x01\x2a" + (16_000).to_bytes(2, "little") * 2
    for kind, body in ((b"VP8X", b"\0\0\0\0" + side * 2), (b"VP8L", b"\x2f" + packed), (b"VP8 ", lossy)):
        data = b"RIFF" + struct.pack("<I", 40) + b"WEBP" + kind + struct.pack("<I", 10) + body + b"\0" * 12
        with pytest.raises(Invalid) as refused:
            convert_to_square_png(data)
        assert "more than 16 million pixels" in refused.value.problems[0].detail


@long_way
def test_an_owner_uploads_it_everybody_sees_it_and_one_key_takes_it_back(client: Client) -> None:
    league = owner(client)
    done = upload(client, file_of(halves()))
    assert [str(one) for one in done.context["messages"]] == ["The picture now replaces the generated emblem."]
    league.refresh_from_db()
    kept = EmblemPicture.objects.get()
    assert (kept.sha256, kept.set_by, len(league.picture)) == (league.picture, "olga", 64)
    address = f"{PAGE}emblem/{league.picture[:16]}.png"
    stranger = Client()
    for path in (PAGE, "/?all", f"{PAGE}wall/", f"/embed{PAGE}"):
        assert f'src="{address}"' in stranger.get(path).content.decode()
    assert f'<link rel="icon" type="image/png" href="{address}">' in stranger.get(PAGE).content.decode()
    assert stranger.get(f"{PAGE}emblem.svg")["Location"] == address
    feed = stranger.get(f"{PAGE}games.atom").content.decode()
    assert f"<icon>http://testserver{PAGE}emblem.svg</icon>" in feed
    answer = stranger.get(address)
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    assert answer.content == bytes(kept.png)
    assert stranger.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert stranger.get(f"{PAGE}emblem/0123456789abcdef.png")["Location"] == f"{PAGE}emblem.svg"
    done = client.post(f"{DESK}picture/drop/", follow=True)
    assert [str(one) for one in done.context["messages"]] == ["The generated emblem is shown again."]
    assert not EmblemPicture.objects.exists()
    assert "<svg" in stranger.get(f"{PAGE}emblem.svg").content.decode()
    assert address not in stranger.get(PAGE).content.decode()


def test_a_refused_one_is_told_at_its_field_and_the_one_before_stays(client: Client) -> None:
    league = owner(client)
    upload(client, file_of(halves()))
    before = League.objects.get().picture
    page = upload(client, b"<svg/>", "club.svg")
    assert page.status_code == 200
    assert "The file is not a PNG, JPEG or WebP picture." in page.content.decode()
    assert "Nothing was changed." in page.content.decode()
    assert "2 MB" in upload(client, b"\0" * 2_000_001).content.decode()
    assert "Choose a picture." in client.post(f"{DESK}picture/").content.decode()
    league.refresh_from_db()
    assert league.picture == before


def test_only_owners_upload_and_take_back(client: Client) -> None:
    league = make_league()
    client.force_login(User.objects.create_user("gus"))
    set_member(league.pk, "gus", "organiser")
    for path in ("picture/", "picture/drop/"):
        assert client.post(f"{DESK}{path}").status_code == 403
        assert client.get(f"{DESK}{path}").status_code in (403, 405)
    assert 'type="file"' not in client.get(DESK).content.decode()


def test_the_picture_of_a_private_league_is_for_its_members(client: Client) -> None:
    league = owner(client)
    set_picture(league.pk, file_of(halves()), username="olga")
    League.objects.update(visibility="private")
    address = f"{PAGE}emblem/{League.objects.get().picture[:16]}.png"
    answer = client.get(address)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-store")
    assert Client().get(address).status_code == 404
    drop_picture(league.pk)
    assert Client().get(address).status_code == 404


def test_pages_that_a_link_opens_show_the_drawn_emblem_of_a_private_league(client: Client) -> None:
    league = reporting_club()
    set_picture(league.pk, file_of(halves()))
    address = f"/report/{link_of(league, 'anna')}/"
    shown = f"{PAGE}emblem/{League.objects.get().picture[:16]}.png"
    assert shown in client.get(address).content.decode()
    League.objects.update(visibility="private")
    page = client.get(address).content.decode()
    assert shown not in page
    assert '<svg class="crest small"' in page
