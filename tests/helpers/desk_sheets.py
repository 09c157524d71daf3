"""A game's sheet on the desk, as a browser reads and sends it."""

from typing import Any

from django.test import Client

from league.models import Game
from tests.helpers.desk_games import game_url, yes_fields


def shown(page: Any) -> dict[str, str]:
    """Return a sheet as the browser would send it back with nothing touched."""
    forms = [page.context["sheet"].form, page.context["sheet"].formset.management_form]
    data: dict[str, str] = {}
    for form in [*forms, *page.context["sheet"].formset.forms]:
        for field in form:
            value = field.field.widget.format_value(field.value())
            value = "" if value is None else value[0] if isinstance(value, list) else str(value)
            # A textarea sends its line breaks as two signs; a field of one line loses them.
            textarea = "<textarea" in str(field)
            data[field.html_name] = value.replace("\n", "\r\n") if textarea else value.replace("\n", "")
    return data


def correct(client: Client, game: Game, **changes: str) -> Game:
    """Correct a game on its sheet, with only these fields touched; returns the game in its place."""
    address = game_url(game.number, "correct")
    page = client.post(address, {**shown(client.get(address)), **changes})
    assert client.post(address, yes_fields(page)).status_code == 302
    return Game.objects.get(replaces=game)
