"""The message that a game was recorded."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.games.selectors.games import ShownGame, load_games
from league.core.text.display_formats import format_signed
from league.models import Game, League
from league.web.public.game_titles import load_game_events
from ratings.contract.system import RatingSystem

#: The kinds of unrated games, for a sentence.
NOT_PLAYED = {
    Game.Kind.FORFEIT: gettext_noop("a forfeit"),
    Game.Kind.FULL_BYE: gettext_noop("a full-point bye"),
    Game.Kind.HALF_BYE: gettext_noop("a half-point bye"),
    Game.Kind.ZERO_BYE: gettext_noop("a zero-point bye"),
    Game.Kind.PAIRING_BYE: gettext_noop("a pairing bye"),
    Game.Kind.FRIENDLY: gettext_noop("a friendly"),
}


def describe_recorded_game(league: League, system: RatingSystem, game: Game) -> str:
    """Return the message that a game was recorded, with its rating changes."""
    message = _("{game} recorded").format(game=game)
    league.refresh_from_db(fields=["stale_from", "stale_key"])
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    if view.status == "unrated":
        return _describe_unrated_game(league, game, message)
    if view.status != "rated":
        return _("{done}; its ratings will appear shortly.").format(done=message)
    return f"{message}: {', '.join(_list_changes(view, system))}."


def _describe_unrated_game(league: League, game: Game, message: str) -> str:
    """Return the message of a game that is not rated, with its kind; a game of an event is no friendly.

    What an unrated event is called, and that it is unrated, stands beside it (``panels.list_attached_to``).
    """
    events = load_game_events(league, [game]) if game.kind == Game.Kind.FRIENDLY else {}
    if events:
        is_rated = events[game.order_key][1]
        return _("{done}; it is not rated.").format(done=message) if is_rated else f"{message}."
    return _("{done}: {kind}, not rated.").format(done=message, kind=_(NOT_PLAYED[Game.Kind(game.kind)]))


def _list_changes(view: ShownGame, system: RatingSystem) -> list[str]:
    return [
        f"{line.result.player.name} {format_signed(line.change.change, system.decimals)}"
        for line in view.results
        if line.change
    ]
