"""What became of a game in one line: the result first."""

from collections.abc import Sequence

from league.figures import exact
from league.models import Game
from league.selectors.finish import Finisher

#: Names that stand in a headline; of more winners only how many there are is said.
MOST_NAMES = 3


def headline(game: Game, lines: Sequence[Finisher]) -> str:
    """Return the result of a game as its title; ``lines`` are its lines, the best first.

    Two people: “Vietnam 3 : 0 Bangladesh”. More: “Willem Dvorak wins with 25”. Without a winner: its number.
    """
    if len(lines) == 2 and game.kind in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        return pair(lines[0], lines[1])
    winners = [line for line in lines if line.won]
    if not winners:
        return f"Game {game.number}"
    names = joined([line.result.player.name for line in winners])
    score = winners[0].result.score
    verb = "wins" if len(winners) == 1 else "share first place"
    return f"{names} {verb}" + (f" with {exact(score)}" if score is not None else "")


def pair(first: Finisher, second: Finisher) -> str:
    """Return the result of two people."""
    one, two = first.result, second.result
    if one.score is not None and two.score is not None:
        return f"{one.player.name} {exact(one.score)} : {exact(two.score)} {two.player.name}"
    verb = "beats" if first.won else "and"
    level = "" if first.won else " are level"
    return f"{one.player.name} {verb} {two.player.name}{level}"


def joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    if len(names) > MOST_NAMES:
        return f"{len(names)} players"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
