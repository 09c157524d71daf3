"""ETags of games: a strong tag of the answer, and If-Match before a change."""

import hashlib
import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from rest_framework.request import Request

from league.api.core.problems import Failed
from league.api.games.render import render_game
from league.models import Game, League
from league.selectors.games import shown


def tag(body: dict[str, Any]) -> str:
    """Return the strong ETag of an answer, whatever host it was asked from."""
    content = {name: value for name, value in body.items() if name != "url"}
    text = json.dumps(content, cls=DjangoJSONEncoder, sort_keys=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def check_match(request: Request, league: League, game: Game) -> None:
    """Raise 412 where If-Match names another state of the game than the present one."""
    wanted = request.headers.get("If-Match", "").strip()
    if not wanted or wanted == "*":
        return
    (view,) = shown(league, Game.objects.filter(pk=game.pk))
    # Packing an answer (gzip) makes its tag a weak one; it still names the same state of the game.
    named = [part.strip().removeprefix("W/") for part in wanted.split(",")]
    if tag(render_game(request, league, view)) not in named:
        raise Failed(412, "The game has changed since you read it; read it again. Nothing was written.")
