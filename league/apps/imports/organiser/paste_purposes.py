"""What pasted games will be recorded for, in the preview of a paste."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from league.core.games.services.attaching import index_attached
from league.models import Game, League, Result
from league.web.organiser.panels import index_attached_to, load_attached_notes


class GamePurpose(NamedTuple):
    """What a game will be recorded for, as HTML, and what was reported for it and waits, "" for nothing."""

    html: SafeString
    reported: str


def index_by_sheet(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of games (by external_id) by the keys of their sheets."""
    return {name.rsplit("-", 1)[1]: value for name, value in values.items()}


class PurposeReader:
    """Reads what new games are for while a dry run has them; ``found``: external_id -> purpose."""

    def __init__(self, request: HttpRequest, league: League, limit: int) -> None:
        """``limit``: the maximum number of games that are shown."""
        self.league, self.limit = league, limit
        self.found: dict[str, GamePurpose] = {}
        # Read before the dry run, in which the games settle what waits.
        self.notes = load_attached_notes(request, league) if league.attaches_games else {}

    def read(self, games: Sequence[Game]) -> None:
        """Read the purposes of games that are rolled back afterwards."""
        self.found.clear()
        numbers = index_attached(self.league, games)
        attached = [game for game in games if game.order_key in numbers][: self.limit]
        first = {
            line.game_id: line.player.handle
            for line in Result.objects.filter(league=self.league, game__in=attached, seat=1).select_related("player")
        }
        described = index_attached_to(self.league, attached)
        for game in attached:
            note = self.notes.get(numbers[game.order_key])
            reported = note.describe(first.get(game.pk, "")) if note else ""
            html = format_html_join(" ", "{}", ((one,) for one in described[game.order_key]))
            self.found[game.external_id or ""] = GamePurpose(html, reported)
