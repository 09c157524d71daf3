"""Letters of drawn pictures that no font has: emoji, scripts of elsewhere; no picture has boxes in their place."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.test import Client

from league.models import League, Player
from league.pages.out import letters, previews
from league.pages.out.cards import Card
from league.pages.out.letters import BOLD, PLAIN, TITLE
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel

pytestmark = pytest.mark.django_db

CLUB = "/leagues/club/"


@contextmanager
def only(monkeypatch: pytest.MonkeyPatch, *families: str) -> Iterator[None]:
    """Let the machine have the fonts of some families only."""
    found = {name: file for name, file in letters.found_files().items() if name.startswith(families or ("-",))}
    with monkeypatch.context() as patched:
        patched.setattr(letters, "found_files", lambda: found)
        kept = (letters.fonts_of, letters.covers, letters.width_of)
        for one in kept:
            one.cache_clear()
        try:
            yield
        finally:
            for one in kept:
                one.cache_clear()


def drawn(text: str, style: int = PLAIN) -> str:
    """Return what is drawn of a text, after a look at every letter of it: no font draws a box."""
    pieces = list(letters.runs(text, style, 20))
    for piece, font in pieces:
        boxes = bytes(font.getmask(letters.MISSING))
        assert all(bytes(font.getmask(one)) != boxes for one in piece if not one.isspace())
    return "".join(piece for piece, _ in pieces)


FAMILY, FLAG, WAVE = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1f5\U0001f1f1", "\U0001f44b\U0001f3fd"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Anna {FAMILY}", "Anna"), (f"{FLAG} Ben {FLAG}", "Ben"), (f"Cleo {WAVE} Cruz", "Cleo Cruz"),
        ("Dan\u200d\ufe0f", "Dan"), ("\U0001f3b2\U0001f3b2", ""), ("Eva \u6771\u4eac", "Eva"),
        ("\u0e44\u0e17\u0e22", ""),
        ("e\u0301va", "\u00e9va"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("style", [PLAIN, BOLD, TITLE])
def test_what_no_font_has_leaves_no_box_and_no_gap(
    text: str, left: str, style: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the fonts of the docker image before Symbola: Liberation and DejaVu."""
    with only(monkeypatch, "Liberation", "DejaVu"):
        assert drawn(text, style) == left


def test_emoji_are_drawn_in_black_where_a_font_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """DejaVu Sans has faces and hearts, its bold and its serif face have not: the plain one is taken."""
    with only(monkeypatch, "Liberation", "DejaVu"):
        for style in (PLAIN, BOLD, TITLE):
            assert drawn("Anna \U0001f600\u2764\ufe0f", style) == "Anna \U0001f600\u2764"


def test_letters_between_which_a_joiner_stands_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with only(monkeypatch, "Liberation", "DejaVu"):
        assert (
            drawn("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")
            == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
        )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u6771\u4eac \u592a\u90ce", "anna"), ("\U0001f3b2", "anna"), ("Anna \u6771", "anna"), ("...", "..."),
        ("Anna \U0001f3b2", "Anna \U0001f3b2"), ("Łucja", "Łucja"), ("Вера", "Вера"),
    ],
)  # fmt: skip
def test_who_has_a_name_without_letters_here_is_called_by_the_handle(
    name: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with only(monkeypatch, "Liberation", "DejaVu"):
        assert previews.called(name, "anna") == shown
    with only(monkeypatch):
        assert previews.called(name, "anna") == shown


def test_cards_of_people_without_letters_here_are_drawn(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    record(make_league(), duel("anna", "ben", "2024-05-10"))
    Player.objects.filter(handle="anna").update(name="\u6771\u4eac \U0001f3b2")
    League.objects.update(title="\u6771\u4eac")
    cards: list[Card] = []

    def kept(card: Card) -> bytes:
        cards.append(card)
        return b"png"

    monkeypatch.setattr(previews, "png_of", kept)
    with only(monkeypatch, "Liberation", "DejaVu"):
        for path in ("card.png", "players/anna/card.png", "games/1/card.png"):
            assert client.get(f"{CLUB}{path}").status_code == 200, path
    texts = repr(cards)
    assert "\u6771" not in texts
    assert [card.face.title for card in cards] == ["club"] * 3
    assert cards[1].title == "anna"
    assert "anna" in cards[2].title.lower()
    assert Player.objects.get(handle="anna").name.startswith("\u6771")
