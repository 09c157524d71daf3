"""The league's system of now, and the sentence that tells what a recorded game did."""

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.models import Game, League, RatingChange
from league.selectors.games import shown
from league.selectors.rules import rules_of, system_of
from ratings.contract.system import RatingSystem

#: What a game that was not played is, in a sentence.
NOT_PLAYED = {
    Game.Kind.FORFEIT: gettext_noop("a forfeit"),
    Game.Kind.FULL_BYE: gettext_noop("a full bye"),
    Game.Kind.HALF_BYE: gettext_noop("a half bye"),
    Game.Kind.ZERO_BYE: gettext_noop("a zero bye"),
    Game.Kind.PAIRING_BYE: gettext_noop("a pairing bye"),
    Game.Kind.FRIENDLY: gettext_noop("a friendly"),
}


def present_system(league: League) -> RatingSystem | None:
    """Return the system of the league's last rule."""
    rules = rules_of(league)
    return system_of(rules[-1]) if rules else None


def recorded_words(game: Game) -> str:
    """Return how the sentence about a game that was recorded begins."""
    return _("{game} recorded").format(game=game)


def sentence_about(
    league: League, system: RatingSystem, game: Game, done: str, tell: Callable[[RatingChange, int], str]
) -> str:
    """Return the sentence that tells what a game did to the ratings; it begins with ``done``.

    ``tell`` writes a change with its decimals.
    """
    league.refresh_from_db(fields=["stale_from", "stale_key"])
    (view,) = shown(league, Game.objects.filter(pk=game.pk))
    if view.status == "unrated":
        kind = _(NOT_PLAYED[Game.Kind(game.kind)])
        return _("{done}: {kind}, which is not rated.").format(done=done, kind=kind)
    if view.status != "rated":
        return _("{done}; its ratings follow in a moment.").format(done=done)
    changes = [(line.result.player.name, line.change) for line in view.results if line.change is not None]
    return f"{done}: {', '.join(f'{name} {tell(change, system.decimals)}' for name, change in changes)}."
