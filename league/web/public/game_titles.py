"""Titles of games, such as "Anna beats Ben"."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext

from league.core.games.selectors.finish import Finisher, sides_of
from league.core.games.selectors.games import ShownGame
from league.core.text.display_formats import exact
from league.core.text.names import isolated
from league.models import Game

#: Maximum number of joint winners named; if there are more, they are counted.
MAX_NAMED_WINNERS = 4
#: Titles of games with a single seat, by kind.
ALONE = {
    Game.Kind.FULL_BYE: gettext_noop("{name} has a bye"),
    Game.Kind.HALF_BYE: gettext_noop("{name} has a half-point bye"),
    Game.Kind.ZERO_BYE: gettext_noop("{name} has a zero-point bye"),
    Game.Kind.PAIRING_BYE: gettext_noop("{name} has no opponent"),
}


def title_of(view: ShownGame, lines: Sequence[Finisher]) -> str:
    """Return a game's title: its result or kind, or that it is void."""
    number = view.game.number
    if view.status == "void":
        void = _("Game {number} was corrected") if view.replaced_by else _("Game {number} is void")
        return void.format(number=number)
    return kind_of(view.game, lines) or _("Game {number}").format(number=number)


def kind_of(game: Game, lines: Sequence[Finisher]) -> str:
    """Return a game's result, or its kind if it was not played; empty if nothing is known."""
    if game.kind in ALONE:
        return _(ALONE[Game.Kind(game.kind)]).format(name=together([line.result.player.name for line in lines]))
    result = result_of(lines)
    if game.kind == Game.Kind.FORFEIT:
        return _("Forfeit: {result}").format(result=result) if result else _("A forfeit")
    if game.kind == Game.Kind.FRIENDLY:
        return _("Friendly: {result}").format(result=result) if result else _("A friendly")
    return result


def result_of(lines: Sequence[Finisher]) -> str:
    """Return the result of a game with its lines in finishing order; empty if unknown."""
    if not lines or lines[0].finish is None:
        return ""
    sides = sides_of(lines)
    names = [together([line.result.player.name for line in side]) for side in sides]
    scores = [side[0].result.score for side in sides]
    if len(sides) == 2 and None not in scores:
        return f"{names[0]} – {names[1]} {exact(scores[0])}\u202f:\u202f{exact(scores[1])}"
    winners = [line for line in lines if line.winner]
    if len(sides) == 2:
        return between_two(sides, drawn=not winners).format(one=names[0], two=names[1])
    if winners:
        return won_by([line.result.player.name for line in winners], scores[0], as_one=winners[0].won)
    if len(lines) == 1:
        return _("{name} plays alone").format(name=names[0])
    return ngettext("All {count} tie", "All {count} tie", len(sides)).format(count=len(sides))


def between_two(sides: Sequence[Sequence[Finisher]], *, drawn: bool) -> str:
    """Return the template of the result between two sides, the better one first."""
    if drawn:
        # Translators: "with" where one of the two is several partners: Anna and Ben draw with Cleo and Dan.
        return _("{one} and {two} draw") if len(sides[0]) == len(sides[1]) == 1 else _("{one} draw with {two}")
    # Translators: several partners beat one or several others: Anna and Ben beat Cleo and Dan.
    return _("{one} beats {two}") if len(sides[0]) == 1 else _("{one} beat {two}")


def won_by(winners: Sequence[str], score: float | None, *, as_one: bool) -> str:
    """Return the result of a game of more than two sides by its winners; ``as_one``: they are one side."""
    if len(winners) == 1:
        template = _("{name} wins") if score is None else _("{name} wins with {score}")
    elif as_one:
        template = _("{names} win") if score is None else _("{names} win with {score}")
    else:
        template = _("{names} share first place") if score is None else _("{names} share first place with {score}")
    return template.format(name=isolated(winners[0]), names=together(winners), score=exact(score))


def together(names: Sequence[str]) -> str:
    """Return names as one phrase: Anna; Anna and Ben; Anna, Ben and 3 more."""
    names = [isolated(name) for name in names]
    if len(names) > MAX_NAMED_WINNERS:
        first, more = ", ".join(names[: MAX_NAMED_WINNERS - 1]), len(names) - MAX_NAMED_WINNERS + 1
        return ngettext("{names} and {count} more", "{names} and {count} more", more).format(names=first, count=more)
    if len(names) < 2:
        return "".join(names)
    return pgettext("names", "{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


def remark_of(lines: Sequence[Finisher]) -> str:
    """Return the winner's lead in points in a game of more than two; "" if unknown or tied."""
    if len(lines) < 3 or not lines[0].won:
        return ""
    behind = [line for line in lines if line.finish == 2]
    first, second = lines[0].result.score, behind[0].result.score if behind else None
    if len(sides_of(lines)) < 3 or first is None or second is None or first == second:
        return ""
    names = [line.result.player.name for line in behind]
    return _("{points} ahead of {names}.").format(points=exact(abs(first - second)), names=together(names))
