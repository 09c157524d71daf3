"""What a game is called: by its result, in words."""

from collections.abc import Sequence

from league.figures import exact
from league.models import Game
from league.selectors.finish import Finisher
from league.selectors.games import ShownGame

#: So many people who share a first place are named; beyond that they are counted.
NAMED = 4
#: What is said of a game that was not played; of those with two seats somebody has won.
ALONE = {
    Game.Kind.FULL_BYE: "{} has a bye",
    Game.Kind.HALF_BYE: "{} has a bye for half a point",
    Game.Kind.ZERO_BYE: "{} has a bye without a point",
    Game.Kind.PAIRING_BYE: "{} has nobody to play",
}


def title_of(view: ShownGame, lines: Sequence[Finisher]) -> str:
    """Return a game's title: its result, what it was instead of a game, or that it is void."""
    number = view.game.number
    if view.status == "void":
        return f"Game {number} was corrected" if view.replaced_by else f"Game {number} is void"
    return kind_of(view.game, lines) or f"Game {number}"


def kind_of(game: Game, lines: Sequence[Finisher]) -> str:
    """Return what a game says, void or not: its result or what it was instead; empty where nothing is known."""
    if game.kind in ALONE:
        return ALONE[Game.Kind(game.kind)].format(together([line.result.player.name for line in lines]))
    said = result_of(lines)
    if game.kind == Game.Kind.FORFEIT:
        return f"Forfeit: {said}" if said else "A forfeit"
    if game.kind == Game.Kind.FRIENDLY:
        return f"Friendly: {said}" if said else "A friendly"
    return said


def result_of(lines: Sequence[Finisher]) -> str:
    """Return the result of a game, whose lines are in finishing order; empty where none is known."""
    if not lines or lines[0].finish is None:
        return ""
    names = [line.result.player.name for line in lines]
    scores = [line.result.score for line in lines]
    if len(lines) == 2 and None not in scores:
        return f"{names[0]} – {names[1]} {exact(scores[0])}\u202f:\u202f{exact(scores[1])}"
    winners = [line.result.player.name for line in lines if line.won]
    if len(lines) == 2:
        return f"{names[0]} beats {names[1]}" if winners else f"{names[0]} and {names[1]} draw"
    each = "" if scores[0] is None else f" with {exact(scores[0])}"
    if not winners:
        return f"All {len(lines)} finish level" if len(lines) > 1 else f"{names[0]} plays alone"
    if len(winners) == 1:
        return f"{winners[0]} wins{each}"
    return f"{together(winners)} share first place{each}"


def together(names: Sequence[str]) -> str:
    """Return names as one phrase: Anna; Anna and Ben; Anna, Ben and 3 more."""
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def remark_of(lines: Sequence[Finisher]) -> str:
    """Return by how much the winner of more than two is ahead, where scores say so."""
    scores = [line.result.score for line in lines]
    if len(lines) < 3 or sum(line.won for line in lines) != 1:
        return ""
    first, second = scores[0], scores[1]
    if first is None or second is None or first == second:
        return ""
    behind = [line.result.player.name for line in lines if line.finish == 2]
    return f"{exact(abs(first - second))} ahead of {together(behind)}."
