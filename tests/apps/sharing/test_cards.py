"""Pictures of links: what they show, for whom, how often they are drawn, and that every European name can be read."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from PIL import Image, ImageColor

from league.apps.sharing import previews
from league.apps.sharing.cards import (
    LEFT,
    LINK,
    STORY,
    Canvas,
    CardFigure,
    CardRow,
    LeagueLook,
    PictureCard,
    draw_png,
    fit_figures,
)
from league.apps.sharing.fonts import (
    BOLD,
    REGULAR,
    TITLE,
    choose_title_style,
    fit_texts,
    fit_title,
    keep_drawable,
    measure_width,
    truncate,
)
from league.core.leagues.services.leagues import change_league
from league.core.leagues.services.pictures import set_picture
from league.core.players.services.players import change_player
from league.models import League, Player, Rating, Result
from league.web.public.colours import ACCENT, CHARGE, FIELD, SECOND, compute_tints, convert_oklch_to_hex
from league.web.public.emblem import get_emblem
from league.web.public.emblem_pictures import DEGREES
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

CLUB = "/leagues/club/"


@pytest.fixture
def club() -> League:
    """Return a league with games and a closed month."""
    league = make_league(title="Klub „Żółw”")
    make_ladder(league)
    for day in ("2024-05-10", "2024-05-11", "2024-05-12", "2024-05-13", "2024-05-14"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-05")
    return league


def picture_of(answer: Any) -> Image.Image:
    """Return the picture of an answer."""
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    return Image.open(BytesIO(answer.content))


def kept_in(drawn: list[PictureCard], card: PictureCard, canvas: Canvas) -> bytes:
    """Keep what is to be drawn instead of drawing it."""
    assert canvas == LINK
    drawn.append(card)
    return b"png"


def pixel_of(picture: Image.Image, x: int, y: int) -> tuple[int, ...]:
    """Return the red, green and blue of a pixel."""
    pixel = picture.convert("RGB").getpixel((x, y))
    assert isinstance(pixel, tuple)
    return pixel


@pytest.mark.usefixtures("club")
def test_every_page_names_its_picture(client: Client) -> None:
    for page, card in (
        ("", "card.png"),
        ("players/anna/", "players/anna/card.png"),
        ("games/1/", "games/1/card.png"),
        ("ladders/month/2024-05/", "ladders/month/2024-05/card.png"),
        ("how/", "card.png"),
    ):
        text = client.get(f"{CLUB}{page}").content.decode()
        said = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', text))
        assert said["og:image"] == f"http://testserver{CLUB}{card}"
        assert (said["og:image:width"], said["og:image:height"]) == ("1200", "630")
        assert said["og:image:alt"]
        assert said["twitter:card"] == "summary_large_image"
        picture = picture_of(client.get(f"{CLUB}{card}"))
        assert (picture.format, picture.size) == ("PNG", (1200, 630))
    for path in ("players/zoe/card.png", "games/99/card.png", "ladders/month/2024-07/card.png", "ladders/x/y/card.png"):
        assert client.get(f"{CLUB}{path}").status_code == 404
    assert client.get("/leagues/none/card.png").status_code == 404


@long_way
@pytest.mark.usefixtures("club")
def test_in_another_language_it_is_another_picture(client: Client) -> None:
    text = client.get(f"{CLUB}?lang=de").content.decode()
    assert f'content="http://testserver{CLUB}card.png?lang=de"' in text
    german = client.get(f"{CLUB}games/1/card.png?lang=de")
    assert german["ETag"] != Client().get(f"{CLUB}games/1/card.png")["ETag"]


def test_a_private_league_has_none(club: League, client: Client, admin_client: Client) -> None:
    change_league(club.pk, {"visibility": "private"})
    for path in ("card.png", "players/anna/card.png", "games/1/card.png", "ladders/month/2024-05/card.png"):
        assert {one.get(f"{CLUB}{path}").status_code for one in (client, admin_client)} == {404}
    assert "og:image" not in admin_client.get(CLUB).content.decode()
    assert "card.png" not in admin_client.get(f"{CLUB}players/anna/").content.decode()
    assert "card.png" not in admin_client.get(f"{CLUB}share/").content.decode()


def test_a_shared_cache_asks_again_and_learns_that_the_league_is_private(club: League, client: Client) -> None:
    first = client.get(f"{CLUB}card.png")
    again = {"If-None-Match": first["ETag"]}
    assert client.get(f"{CLUB}card.png", headers=again).status_code == 304
    change_league(club.pk, {"visibility": "private"})
    gone = client.get(f"{CLUB}card.png", headers=again)
    assert (gone.status_code, "public" in gone["Cache-Control"]) == (404, False)


def test_it_is_drawn_once_a_state_of_the_books(club: League, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[PictureCard] = []
    monkeypatch.setattr(previews, "draw_png", lambda *given: kept_in(drawn, *given))
    monkeypatch.setattr(previews, "AN_HOUR", 10**12)
    first = client.get(f"{CLUB}card.png")
    assert client.get(f"{CLUB}card.png").content == b"png"
    assert client.get(f"{CLUB}card.png", headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert (len(drawn), first["Cache-Control"]) == (1, "public, no-cache")
    record(club, duel("ben", "anna", "2024-06-01"))
    change_league(club.pk, {"colour": "teal"})
    assert client.get(f"{CLUB}card.png")["ETag"] != first["ETag"]
    assert [row.name for row in drawn[-1].rows] == ["Anna", "Ben"]
    assert len(drawn) == 2


def test_what_they_say(club: League, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[PictureCard] = []
    monkeypatch.setattr(previews, "draw_png", lambda *given: kept_in(drawn, *given))
    for path in ("", "players/anna/", "games/5/", "ladders/month/2024-05/"):
        client.get(f"{CLUB}{path}card.png")
    league, player, game, period = drawn
    assert (league.title, league.under) == ("Klub „Żółw”", "rated by Elo")
    assert league.address == "testserver/leagues/club/"
    assert [(row.rank, row.name) for row in league.rows] == [(1, "Anna"), (2, "Ben")]
    assert [(one.label, one.value) for one in player.figures][1:] == [
        ("Rank", "1 of 2"),
        ("Games", "5"),
        ("Titles", "1"),
    ]
    assert (player.title, len(player.line)) == ("Anna", 5)
    assert player.line == sorted(player.line)
    assert player.ends == ("1510.0", "1544.6")
    assert (player.day, league.day, game.day) == ("14 May 2024", "14 May 2024", "")
    assert game.under == "Game 5 · Tuesday 14 May 2024"
    results = [(row.rank, row.name, row.figure, row.rises) for row in game.rows]
    assert results == [(None, "Anna", "1", True), (None, "Ben", "0", False)]
    assert game.rows[0].beside == "+" + game.rows[1].beside[1:]
    assert (period.title, period.over) == ("May 2024", "Klub „Żółw” · Month")
    assert period.under.startswith("Final standings · ")
    assert [row.name for row in period.rows] == ["Anna", "Ben"]


def test_a_league_without_rules_or_games_has_one_too(client: Client) -> None:
    League.objects.create(slug="bare", title="Bare")
    assert picture_of(client.get("/leagues/bare/card.png")).size == (1200, 630)
    make_league(slug="other")
    assert picture_of(client.get("/leagues/other/card.png")).size == (1200, 630)


@pytest.mark.usefixtures("club")
def test_only_who_stands_in_the_books_of_a_league_has_one_there(client: Client) -> None:
    other = make_league(slug="other", players=("cleo",))
    record(other, duel("cleo", "anna", "2024-05-10"))
    assert client.get("/leagues/other/players/cleo/card.png").status_code == 200
    assert client.get(f"{CLUB}players/cleo/card.png").status_code == 404
    page = client.get(f"{CLUB}players/cleo/").content.decode()
    assert f'<meta property="og:image" content="http://testserver{CLUB}card.png">' in page
    assert "cleo/card.png" not in page


@long_way
@pytest.mark.usefixtures("club")
def test_a_kept_one_is_not_shown_of_somebody_who_is_not_seen_any_more(client: Client) -> None:
    path = f"{CLUB}players/anna/card.png"
    tag = client.get(path)["ETag"]
    Result.objects.all().delete()
    Rating.objects.all().delete()
    assert client.get(path).status_code == 404
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 404


@pytest.mark.usefixtures("club")
def test_another_name_is_another_picture_at_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[PictureCard] = []
    monkeypatch.setattr(previews, "draw_png", lambda *given: kept_in(drawn, *given))
    paths = ("card.png", "players/anna/card.png", "games/1/card.png", "ladders/month/2024-05/card.png")
    before = [client.get(f"{CLUB}{path}")["ETag"] for path in paths]
    change_player(Player.objects.get(handle="anna"), name="Zed")
    after = [client.get(f"{CLUB}{path}")["ETag"] for path in paths]
    assert not set(before) & set(after)
    assert len(drawn) == 8
    assert drawn[5].title == "Zed"
    assert "Zed" in [row.name for row in drawn[6].rows]


@pytest.mark.usefixtures("club")
def test_other_spellings_lead_to_the_one_address(client: Client) -> None:
    for path, right in (("players/ANNA", "players/anna"), ("games/001", "games/1")):
        answer = client.get(f"{CLUB}{path}/card.png?lang=de")
        assert (answer.status_code, answer["Location"]) == (302, f"{CLUB}{right}/card.png?lang=de")
    assert client.get(f"{CLUB}games/02/card.png")["Location"] == f"{CLUB}games/2/card.png"


@pytest.mark.usefixtures("club")
def test_one_at_a_time_is_drawn_and_none_twice(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []

    def seen(card: PictureCard, canvas: Canvas) -> bytes:
        held.append(previews.DRAWING_LOCK.locked())
        return b"png"

    monkeypatch.setattr(previews, "draw_png", seen)
    first = client.get(f"{CLUB}card.png")
    assert (held, previews.DRAWING_LOCK.locked()) == ([True], False)
    # Another request drew it between the first look and the lock.
    monkeypatch.setattr(previews, "find", lambda *_: None)
    assert client.get(f"{CLUB}card.png").content == b"png"
    assert (first.content, held) == (b"png", [True])


@pytest.mark.usefixtures("club")
def test_a_picture_is_not_packed_again(client: Client) -> None:
    packed = {"Accept-Encoding": "gzip"}
    assert "Content-Encoding" not in client.get(f"{CLUB}card.png", headers=packed)
    assert client.get(f"{CLUB}how/", headers=packed)["Content-Encoding"] == "gzip"


def test_the_league_s_own_picture_stands_on_it(club: League, client: Client) -> None:
    file = BytesIO()
    Image.new("RGB", (200, 200), (255, 0, 0)).save(file, "PNG")
    set_picture(club.pk, file.getvalue())
    pixel = pixel_of(picture_of(client.get(f"{CLUB}card.png")), 1070, 100)
    assert pixel[0] > 240
    assert max(pixel[1:]) < 15


def face() -> LeagueLook:
    """Return the face of a league."""
    return LeagueLook("Club", get_emblem("club"), 45)


def test_the_emblem_is_drawn_in_its_colours() -> None:
    picture = Image.open(BytesIO(draw_png(PictureCard(face(), "Club", "", "", "here"))))
    # "club": halved upright, a spade, rust. The field left of it, the second field right of it.
    left, right = pixel_of(picture, 1050, 90), pixel_of(picture, 1124, 90)
    for found, wanted in ((left, convert_oklch_to_hex(0.41, 0.12, 45)), (right, convert_oklch_to_hex(0.54, 0.125, 45))):
        assert found == ImageColor.getrgb(wanted)


def test_colours_are_those_that_browsers_show() -> None:
    # CSS Color 4, sample values: oklch(0.5197 0.1769 142.5) is green #008000; white; black.
    assert convert_oklch_to_hex(0.51975, 0.17686, 142.495) == "#008000"
    assert convert_oklch_to_hex(1, 0, 0) == "#ffffff"
    assert convert_oklch_to_hex(0, 0, 0) == "#000000"


def luminance(hexed: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = [int(hexed[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_that_old_readers_know_keep_their_contrast() -> None:
    """White letters on a badge are text (4.5 : 1); the charge on both fields is a graphic (3 : 1)."""
    for told in map(compute_tints, DEGREES):
        assert all(re.fullmatch("#[0-9a-f]{6}", one) for one in told)
        assert 1.05 / (luminance(told.accent) + 0.05) >= 4.5
        for field in (told.field, told.second):
            assert (luminance(told.charge) + 0.05) / (luminance(field) + 0.05) >= 3


def test_the_tints_are_the_tokens_of_the_style_sheet() -> None:
    sheet = (Path(__file__).parents[3] / "league/static/rungs/look.css").read_text()
    for token, (light, chroma) in (("accent", ACCENT), ("field", FIELD), ("field-2", SECOND), ("charge", CHARGE)):
        assert re.search(rf"--{token}: (light-dark\()?oklch\({light:g} {chroma:g} ", sheet), token


NAMES = (
    "Łukasz Śmigły-Żółtowski", "Љубомир Ђорђевић", "Александра Преображенская", "Jürgen Groß", "Þóra Ægisdóttir",
    "Νίκος Παπαδόπουλος", "Đoàn Việt", "Zażółć gęślą jaźń",
)  # fmt: skip


def test_every_letter_of_europe_is_drawn_as_itself() -> None:
    for name in NAMES:
        assert keep_drawable(name) == name
        for style in (REGULAR, BOLD):
            assert measure_width(name, style, 30) > 100


def test_a_title_has_the_serif_if_that_has_all_its_letters() -> None:
    for name in ("Łukasz Śmigły-Żółtowski", "Љубомир Ђорђевић", "Александра Преображенская", "Jürgen Groß"):
        assert choose_title_style(name) == TITLE
    for name in ("Νίκος Παπαδόπουλος", "Đoàn Việt"):
        assert choose_title_style(name) == BOLD


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Anna \U0001f468\u200d\U0001f469", "Anna"),
        ("\U0001f1f5\U0001f1f1 Ben \U0001f44b\U0001f3fd Cruz", "Ben Cruz"),
        ("Dan\u200d", "Dan"),
        ("Eva \u6771\u4eac", "Eva"),
        ("e\u0301va\n<b>", "\u00e9va <b>"),
        ("\u0e44\u0e17\u0e22", ""),
    ],
)
def test_what_the_font_lacks_leaves_no_box_and_no_gap(text: str, left: str) -> None:
    assert keep_drawable(text) == left


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u6771\u4eac \u592a\u90ce", "anna"),
        ("\U0001f3b2", "anna"),
        ("Anna \u6771", "anna"),
        ("...", "..."),
        ("Anna \U0001f3b2", "Anna \U0001f3b2"),
        ("Łucja", "Łucja"),
        ("Вера", "Вера"),
    ],
)
def test_who_has_a_name_that_the_font_cannot_write_is_called_by_the_handle(name: str, shown: str) -> None:
    assert previews.choose_drawable_name(name, "anna") == shown


def test_cards_of_such_people_and_leagues_are_drawn(
    club: League, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    Player.objects.filter(handle="anna").update(name="\u6771\u4eac \U0001f3b2")
    League.objects.filter(pk=club.pk).update(title="\u6771\u4eac")
    drawn: list[PictureCard] = []
    monkeypatch.setattr(previews, "draw_png", lambda *given: kept_in(drawn, *given))
    for path in ("card.png", "players/anna/card.png", "games/1/card.png"):
        assert client.get(f"{CLUB}{path}").status_code == 200, path
    assert "\u6771" not in repr(drawn)
    assert [card.face.title for card in drawn] == ["club"] * 3
    assert drawn[1].title == "anna"
    assert "anna" in drawn[2].title.lower()


@pytest.mark.slow("Draws every picture once more.")
@pytest.mark.usefixtures("club")
def test_each_has_a_tall_format_for_stories(client: Client) -> None:
    for path in ("card.png", "players/anna/card.png", "games/1/card.png", "ladders/month/2024-05/card.png"):
        wide, tall = client.get(f"{CLUB}{path}"), client.get(f"{CLUB}{path}?format=story")
        assert (picture_of(wide).size, picture_of(tall).size) == ((1200, 630), (1080, 1350))
        assert wide["ETag"] != tall["ETag"]
    assert client.get(f"{CLUB}players/ANNA/card.png?format=story")["Location"].endswith("/anna/card.png?format=story")


@pytest.mark.parametrize("canvas", [LINK, STORY])
def test_the_parts_of_a_profile_stay_apart(canvas: Canvas) -> None:
    """The line of games begins right of the figures, or below them; all of it is above the foot."""
    left, top, height = canvas.spark
    assert left > LEFT + canvas.column or top > canvas.figure[1]
    assert top + height < canvas.foot
    assert canvas.crest[1] + canvas.crest[2] * 7 // 6 < canvas.rule
    for first, distance, _size in (canvas.rows, canvas.large_rows):
        rows = 5 if first == canvas.rows[0] else 3
        assert first + distance * (rows - 1) < canvas.foot - 20


def test_signs_of_markup_are_drawn_as_letters() -> None:
    shown, plain = (
        draw_png(PictureCard(face(), "Club", "", "", "here", rows=[CardRow(1, name, "5")]))
        for name in ("a<b>&c", "abc")
    )
    assert Image.open(BytesIO(shown)).size == (1200, 630)
    assert shown != plain


def test_long_texts_are_cut_at_a_whole_letter() -> None:
    assert truncate("Anna", REGULAR, 30, 500) == "Anna"
    short = truncate("Annabella Constantinova", REGULAR, 30, 200)
    assert short.endswith("…")
    assert measure_width(short, REGULAR, 30) <= 200
    assert truncate("e\u0301" * 60, REGULAR, 30, 200)[-2:] == "é…"
    assert truncate("W", REGULAR, 30, 1) == "…"
    assert truncate("i" * 5000, REGULAR, 4, 10_000) == "i" * 199 + "…"


def test_titles_take_one_line_two_or_are_cut() -> None:
    sizes = ((70, 62), (50, 38))
    assert fit_title("Club", BOLD, *sizes, 900) == (70, ["Club"])
    size, lines = fit_title("The chess and draughts society of the upper river", BOLD, *sizes, 900)
    assert (size, len(lines)) == (50, 2)
    size, lines = fit_title("word " * 60, BOLD, *sizes, 900)
    assert (size, len(lines), lines[1][-1]) == (38, 2, "…")
    assert all(measure_width(line, BOLD, size) <= 900 for line in lines)
    size, lines = fit_title("W" * 200, BOLD, *sizes, 900)
    assert (len(lines), lines[1][-1]) == (2, "…")
    assert all(measure_width(line, BOLD, size) <= 900 for line in lines)


def test_ranks_beyond_medals_ties_and_missing_ones_are_drawn() -> None:
    rows = [
        CardRow(1, "Anna", "5"),
        CardRow(1, "Ben", "5"),
        CardRow(3, "Cleo", "4"),
        CardRow(1234, "Dan", "3"),
        CardRow(None, "Eva", "–"),
    ]
    assert Image.open(BytesIO(draw_png(PictureCard(face(), "Club", "", "", "here", rows=rows)))).size == (1200, 630)


def test_long_figures_are_smaller_or_cut() -> None:
    assert fit_texts(["5", "12"], BOLD, (36, 28), 100) == (36, ["5", "12"])
    size, _ = fit_texts(["123456"], BOLD, (36, 28), measure_width("123456", BOLD, 28))
    assert size == 28
    size, (text,) = fit_texts(["9" * 400], BOLD, (36, 28), 100)
    assert (size, text[-1], measure_width(text, BOLD, size) <= 100) == (28, "…", True)
    usual = [CardFigure("Rank", "1 of 2"), CardFigure("Games", "5"), CardFigure("Titles", "3")]
    assert [one[1:] for one in fit_figures(usual, LINK)] == [("1 of 2", 46), ("5", 46), ("3", 46)]
    for value in ("123456789012", "9" * 400):
        found = fit_figures([CardFigure("Rank " * 30, value), CardFigure("Games", value), CardFigure("x", value)], LINK)
        wide = [max(measure_width(label, REGULAR, 28), measure_width(text, BOLD, size)) for label, text, size in found]
        assert sum(wide) + 2 * 40 <= 520
    rows = [CardRow(1, "Anna", "9" * 400, "+" + "9" * 400, True)]
    assert Image.open(BytesIO(draw_png(PictureCard(face(), "Club", "", "", "here", rows=rows)))).size == (1200, 630)
