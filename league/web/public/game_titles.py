"""Titles of games, such as "Anna & Ben – Cleo & Dan 3–1" or "Anna wins"."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext

from league.core.capabilities import load_declared
from league.core.finish import Finisher, group_lines_by_side, read_game_of_two
from league.core.games.selectors.games import ShownGame
from league.core.text.display_formats import format_exact
from league.core.text.names import isolate_direction, join_partners
from league.models import Game, League

#: Maximum number of joint winners named; if there are more, they are counted.
MAX_NAMED_WINNERS = 4
#: Titles of games with a single seat, by kind.
ALONE = {
    Game.Kind.FULL_BYE: gettext_noop("{name} has a bye"),
    Game.Kind.HALF_BYE: gettext_noop("{name} has a half-point bye"),
    Game.Kind.ZERO_BYE: gettext_noop("{name} has a zero-point bye"),
    Game.Kind.PAIRING_BYE: gettext_noop("{name} has no opponent"),
}


def load_unrated_titles(league: League, games: Sequence[Game]) -> dict[int, str]:
    """Return order key -> title of what a game was played for, if that is why the game is not rated."""
    unrated = [game for game in games if game.kind == Game.Kind.FRIENDLY]
    return select_unrated_titles(unrated, load_game_events(league, unrated)) if unrated else {}


def load_game_events(league: League, games: Sequence[Game]) -> dict[int, tuple[str, bool]]:
    """Return order key -> title of what a game was played for, and whether that is rated."""
    loaders = load_declared(lambda app: app.pages.game_events) if games else []
    return {key: event for load in loaders for key, event in load(league, games).items()}


def select_unrated_titles(games: Sequence[Game], events: Mapping[int, tuple[str, bool]]) -> dict[int, str]:
    """Return the titles of those events because of which a game is not rated."""
    unrated = {game.order_key for game in games if game.kind == Game.Kind.FRIENDLY}
    return {key: title for key, (title, is_rated) in events.items() if key in unrated and not is_rated}


def format_status(view: ShownGame, purpose: str) -> str:
    """Return a game's status: of a friendly, its kind, unless it is unrated because of its ``purpose``."""
    is_friendly = view.status == "unrated" and view.game.kind == Game.Kind.FRIENDLY and not purpose
    return str(view.game.get_kind_display()) if is_friendly else view.status_word


def format_title(view: ShownGame, lines: Sequence[Finisher], purpose: str = "") -> str:
    """Return a game's title: its result or kind, or that it is void; ``purpose``: its unrated event."""
    number = view.game.number
    if view.status == "void":
        void = _("Game {number} was corrected") if view.replaced_by else _("Game {number} is void")
        return void.format(number=number)
    return name_game(view.game, lines, purpose)


def name_game(game: Game, lines: Sequence[Finisher], purpose: str = "") -> str:
    """Return a game's result or kind; its number if nothing is known."""
    return format_kind(game, lines, purpose) or _("Game {number}").format(number=game.number)


def format_kind(game: Game, lines: Sequence[Finisher], purpose: str = "") -> str:
    """Return a game's result, or its kind if it was not played; empty if nothing is known.

    ``purpose``: the title of the unrated event of a game, which is then no friendly.
    """
    if game.kind in ALONE:
        return _(ALONE[Game.Kind(game.kind)]).format(name=format_names([line.result.player.name for line in lines]))
    result = format_result(lines)
    if game.kind == Game.Kind.FORFEIT:
        return _("Forfeit: {result}").format(result=result) if result else _("A forfeit")
    if game.kind == Game.Kind.FRIENDLY and not purpose:
        return _("Friendly: {result}").format(result=result) if result else _("A friendly")
    return result


def format_result(lines: Sequence[Finisher]) -> str:
    """Return the result of a game with its lines in finishing order; empty if unknown."""
    if not lines or lines[0].finish is None:
        return ""
    pair = read_game_of_two(lines)
    if pair:
        names = [format_side([line.result.player.name for line in side]) for side in pair.sides]
        return f"{names[0]} – {names[1]} {pair.result}"
    winners = [line.result.player.name for line in lines if line.winner]
    if winners:
        return _format_winners(winners, lines[0].result.score, as_one=lines[0].won)
    if len(lines) == 1:
        return _("{name} plays alone").format(name=format_names([lines[0].result.player.name]))
    count = len(group_lines_by_side(lines))
    return ngettext("All {count} tie", "All {count} tie", count).format(count=count)


def _format_winners(winners: Sequence[str], score: float | None, *, as_one: bool) -> str:
    """Return the result of a game of more than two sides by its winners; ``as_one``: they are one side."""
    if len(winners) == 1:
        template = _("{name} wins") if score is None else _("{name} wins with {score}")
    elif as_one:
        template = _("{names} win") if score is None else _("{names} win with {score}")
    else:
        template = _("{names} share first place") if score is None else _("{names} share first place with {score}")
    names = format_side(winners) if as_one else format_names(winners)
    return template.format(name=isolate_direction(winners[0]), names=names, score=format_exact(score))


def format_side(names: Sequence[str]) -> str:
    """Return the names of a side: Anna & Ben; many are counted."""
    return format_names(names) if len(names) > MAX_NAMED_WINNERS else join_partners(map(isolate_direction, names))


def format_names(names: Sequence[str]) -> str:
    """Return names as one phrase: Anna; Anna and Ben; Anna, Ben and 3 more."""
    names = [isolate_direction(name) for name in names]
    if len(names) > MAX_NAMED_WINNERS:
        first, more_count = ", ".join(names[: MAX_NAMED_WINNERS - 1]), len(names) - MAX_NAMED_WINNERS + 1
        return ngettext("{names} and {count} more", "{names} and {count} more", more_count).format(
            names=first, count=more_count
        )
    if len(names) < 2:
        return "".join(names)
    return pgettext("names", "{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


def format_lead(lines: Sequence[Finisher]) -> str:
    """Return the winner's lead in points in a game of more than two; "" if unknown or tied."""
    if len(lines) < 3 or not lines[0].won:
        return ""
    behind = [line for line in lines if line.finish == 2]
    first, second = lines[0].result.score, behind[0].result.score if behind else None
    if len(group_lines_by_side(lines)) < 3 or first is None or second is None or first == second:
        return ""
    names = [line.result.player.name for line in behind]
    return _("{points} ahead of {names}.").format(points=format_exact(abs(first - second)), names=format_names(names))
