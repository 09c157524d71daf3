"""The rating system of a game, and the message about its rating changes."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.games.selectors.games import load_games
from league.core.leagues.selectors.rules import rule_at, rules_of, system_in_force, system_of
from league.core.text.display_formats import signed
from league.models import Game, League
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


def system_at(league: League, moment: datetime) -> RatingSystem:
    """Return the system in force at a time, else the present one."""
    rule = rule_at(rules_of(league), moment)
    system = system_of(rule) if rule else system_in_force(league)
    assert system is not None, "a league with a game, or a report of one, has a rule"
    return system


def describe_recorded_game(league: League, system: RatingSystem, game: Game) -> str:
    """Return the message that a game was recorded, with its rating changes."""
    done = _("{game} recorded").format(game=game)
    league.refresh_from_db(fields=["stale_from", "stale_key"])
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    if view.status == "unrated":
        kind = _(NOT_PLAYED[Game.Kind(game.kind)])
        return _("{done}: {kind}, not rated.").format(done=done, kind=kind)
    if view.status != "rated":
        return _("{done}; its ratings will appear shortly.").format(done=done)
    changes = [
        f"{line.result.player.name} {signed(line.change.change, system.decimals)}"
        for line in view.results
        if line.change
    ]
    return f"{done}: {', '.join(changes)}."
