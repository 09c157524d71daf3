"""What a browser without script sends of the page on which an evening is pasted."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from django.test import Client

from league.apps.imports.paste.games import PasteClock, PastedGame
from league.apps.imports.paste.read import ParsedText, read_blocks, split_blocks
from league.apps.imports.paste.roles import SheetFields
from league.apps.imports.paste.text import Lexicon

PASTE = "/admin/leagues/club/paste/"
#: A league that takes whatever a sheet can say, and a Thursday there.
EITHER = SheetFields(scores=True, places=True, sides=True, weights=True)
TODAY = date(2026, 11, 26)
HERE = PasteClock("Europe/Paris", TODAY, day=TODAY)
EVENING = "Date;Time;A;S;B;S\n5.3.2024;20:00;Anna;1;Ben;0\n5.3.2024;21:00;Cleo;½;Dan;½"


def fields(page: Any) -> dict[str, Any]:
    """Return what the form of a page would send, as a browser without script has it."""
    html = page.content.decode()
    data: dict[str, Any] = {name: value for name, value in hidden(html) if name not in ("who", "is")}
    data["who"] = [value for name, value in hidden(html) if name == "who"]
    count = len(data["who"])
    data["is"] = [""] * count
    for number, name in [*page.context.get("to_decide", []), *page.context.get("settled", [])]:
        data["is"][number] = page.context["said"].get(name.key, "") if name.is_decided else ""
    data["text"] = page.context["answers"].text
    for column in page.context.get("columns", []):
        data[f"role-{column.number}"] = column.role
    return data


def hidden(html: str) -> list[tuple[str, str]]:
    """Return the hidden fields of a page."""
    return re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html)


def shown(browser: Client, text: str, **more: Any) -> Any:
    """Return the page of a text that was read."""
    return browser.post(PASTE, {"text": text, **more})


def states(page: Any) -> list[str]:
    """Return what would become of each game."""
    return [one.sheet.state for one in page.context["cards"]]


def press(browser: Client, page: Any, **button: str) -> Any:
    """Return the page that a button of a page leads to."""
    return browser.post(PASTE, {**fields(page), **button}, follow=True)


def read_text(text: str, system_fields: SheetFields, clock: PasteClock, known: Iterable[str] = ()) -> ParsedText:
    """Return what a text says to a league of these players."""
    lexicon = Lexicon.from_names(known)
    return read_blocks(split_blocks(text, system_fields, clock, lexicon), system_fields, clock, lexicon)


def scores_of(game: PastedGame) -> dict[str, float | None]:
    """Return player -> score."""
    return {seat.name: seat.score for seat in game.seats}
