"""Splits a player who was two persons: some of the games are reassigned to another player, all or none.

Facts stay as recorded. Each game is voided and rewritten in its place with the other player, like a manual
correction, in one transaction under the league's lock. A split can be undone as a whole.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.games.services.record import Expectation
from league.core.games.services.rewrite_games import GameRewrite, copy_lines, rewrite_games, seat_of
from league.core.locking import locked
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import find_player, resolve_players
from league.core.players.selectors.search import find_name_fault
from league.core.players.services.add_players import log_added_players
from league.core.players.services.affected_leagues import Permission
from league.core.players.services.players import create_player_by_name
from league.core.reasons import require_reason
from league.core.replay.services.inline import rate_again
from league.models import Game, League, Player

#: Maximum number of games of a split, and of numbers named in a message.
MAX_GAMES, MAX_NAMED_GAMES = 500, 10


@dataclass(frozen=True)
class Split:
    """A requested split: the current player, the actual player, and the numbers of the games.

    ``into`` is a handle; ``name`` is the name of a player to add instead.
    """

    player: str
    numbers: Sequence[int]
    into: str = ""
    name: str = ""


@dataclass(frozen=True)
class SplitResult:
    """A completed split: both players, and the numbers of the games before and after."""

    player: Player
    into: Player
    numbers: list[tuple[int, int]]


def split_player(
    league_id: int,
    split: Split,
    *,
    reason: str,
    username: str,
    viewer: Viewer,
    allow: Permission,
    precondition: Expectation | None = None,
) -> SplitResult:
    """Reassign games of one player to another, all or none, and replay from the first of them.

    ``allow`` receives the league and ``precondition`` the first game, under the lock; both may raise. Raises Invalid
    (no games, too many, or the same player), NotFound (a player or game), Conflict (a game is void, or the new name
    exists) and Refused (the other player is already in one of the games).
    """
    reason = require_reason(reason)
    check_numbers(split.numbers)
    return _split_player(league_id, split, reason, username, viewer, allow, precondition)


@locked
def _split_player(
    league: League,
    now: datetime,
    split: Split,
    reason: str,
    username: str,
    viewer: Viewer,
    allow: Permission,
    precondition: Expectation | None,
) -> SplitResult:
    allow([league])
    player = find_known_player(split.player, "/player", viewer, league)
    games = _find_games_of_player(league, player, split.numbers)
    if precondition is not None:
        precondition(league, games[0])
    if split.into:
        target = find_known_player(split.into, "/into", viewer, league)
    else:
        target = add_named_player(league, split.name, now, username, viewer)
    refuse_together(player, target, games)
    lines = copy_lines(games)
    anew = [
        GameRewrite(
            game, [seat_of(line, target) if line.player_id == player.pk else line for line in lines[game.pk]], game
        )
        for game in games
    ]
    new_games = rewrite_games(league, now, anew, reason=reason, username=username, restored=False)
    rate_again(league, games)
    return SplitResult(player, target, [(old.number, new.number) for old, new in zip(games, new_games, strict=True)])


def undo_split(
    league_id: int,
    numbers: Sequence[tuple[int, int]],
    *,
    reason: str,
    username: str,
    allow: Permission,
    precondition: Expectation | None = None,
) -> int:
    """Undo a split: restore each game, all or none, and return their number.

    ``numbers``: before and after the split. Raises NotFound, and Conflict if a game has changed since.
    """
    reason = require_reason(reason)
    check_numbers([old for old, new in numbers])
    return _undo_split(league_id, numbers, reason, username, allow, precondition)


@locked
def _undo_split(
    league: League,
    now: datetime,
    numbers: Sequence[tuple[int, int]],
    reason: str,
    username: str,
    allow: Permission,
    precondition: Expectation | None,
) -> int:
    allow([league])
    pairs = _load_game_pairs(league, numbers)
    if precondition is not None:
        precondition(league, pairs[0][1])
    lines = copy_lines([old for old, instead in pairs])
    anew = [GameRewrite(old, lines[old.pk], instead) for old, instead in pairs]
    restored = rewrite_games(league, now, anew, reason=reason, username=username, restored=True)
    rate_again(league, restored)
    return len(restored)


def _load_game_pairs(league: League, numbers: Sequence[tuple[int, int]]) -> list[tuple[Game, Game]]:
    """Return the games before and after a split; raises Conflict if one has changed since."""
    games_by_number = {
        game.number: game
        for game in league.games.filter(number__in={game_number for pair in numbers for game_number in pair})
    }
    places = [game.order_key for game in games_by_number.values()]
    counts = {game.order_key: game for game in league.games.counting().filter(order_key__in=places)}
    pairs = []
    for number, new in sorted(numbers):
        old = games_by_number.get(number)
        instead = None if old is None else counts.get(old.order_key)
        if old is None or instead is None or instead.number != new or old.voided_at is None:
            template = _("Game {number} was changed after the split. Nothing was undone.")
            raise Conflict(template.format(number=new))
        pairs.append((old, instead))
    return pairs


def check_numbers(numbers: Sequence[int]) -> None:
    """Raise Invalid if there are no games or too many."""
    if not numbers:
        raise Invalid.of([Problem("/numbers", "missing", _("Choose the games that another person played."))])
    if len(set(numbers)) > MAX_GAMES:
        message = _("You can split off at most {limit} games at once.").format(limit=MAX_GAMES)
        raise Invalid.of([Problem("/numbers", "too_many", message)])


def find_known_player(text: str, pointer: str, viewer: Viewer, league: League) -> Player:
    """Return the player whom a text names; raises NotFound or Refused at the field."""
    try:
        return find_player(text, viewer, league)
    except Refused as error:
        raise Refused.of([replace(problem, pointer=pointer) for problem in error.problems]) from None
    except NotFound as error:
        raise NotFound.of([Problem(pointer, "unknown_player", error.detail)]) from None


def add_named_player(league: League, name: str, now: datetime, username: str, viewer: Viewer) -> Player:
    """Add a player with that name; raises Conflict if the name exists, Refused if it is invalid."""
    for existing, _recorded_as in resolve_players([name], league, viewer)[name].found:
        template = _("“{name}” already means {player} ({handle}): choose that player, or enter another name.")
        message = template.format(name=name, player=existing.name, handle=existing.handle)
        raise Conflict.of([Problem("/name", "taken", message)])
    if fault := find_name_fault(name):
        raise Refused.of([replace(fault, pointer="/name")])
    player = create_player_by_name(name, frozenset(), league, viewer)
    log_added_players(league, now, username, [player.handle])
    return player


def _find_games_of_player(league: League, player: Player, numbers: Collection[int]) -> list[Game]:
    """Return the games with these numbers in order; raises Conflict if one is void or not the player's."""
    player_games = league.games.counting().filter(number__in=set(numbers), results__player=player)
    games = sorted(player_games, key=lambda game: game.position)
    if missing_numbers := sorted(set(numbers) - {game.number for game in games}):
        template = ngettext(
            "{player} did not play game {games}, or it is void now. Nothing was changed.",
            "{player} did not play games {games}, or they are void now. Nothing was changed.",
            len(missing_numbers),
        )
        raise Conflict(template.format(player=player.name, games=join_numbers(missing_numbers)))
    return games


def refuse_together(player: Player, target: Player, games: Sequence[Game]) -> None:
    """Raise Invalid if both are the same player, and Refused if the other one is in one of the games."""
    if player.pk == target.pk:
        template = _("These games already belong to {player}.").format(player=player.name)
        raise Invalid.of([Problem("/into", "itself", template)])
    shared_games = Game.objects.filter(pk__in=[game.pk for game in games], results__player=target).order_by("number")
    if numbers := list(shared_games.values_list("number", flat=True)):
        template = ngettext(
            "{other} also plays in game {games}, with {player}. Leave it out.",
            "{other} also plays in games {games}, with {player}. Leave them out.",
            len(numbers),
        )
        message = template.format(other=target.name, games=join_numbers(numbers), player=player.name)
        raise Refused.of([Problem("/into", "same_game", message)])


def join_numbers(numbers: Sequence[int]) -> str:
    """Join numbers of games for a sentence."""
    first = ", ".join(map(str, numbers[:MAX_NAMED_GAMES]))
    if len(numbers) <= MAX_NAMED_GAMES:
        return first
    return pgettext("games", "{list} and {count} more").format(list=first, count=len(numbers) - MAX_NAMED_GAMES)
