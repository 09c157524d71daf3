"""Splits of players in a league: games reassigned to another player and otherwise unchanged.

They are derived from the facts: games that replace others, written by one user in one action, with the same player
exchanged in each. So every organiser can see them, also in restored leagues.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from league.models import Game, League, Player, Result
from league.models.facts import SHEET, said_by

#: Maximum number of a player's corrected games considered, newest first, and of splits listed.
MAX_CORRECTIONS, MAX_SPLITS = 2000, 10


@dataclass(frozen=True)
class SplitGames:
    """Games reassigned from one player to another: their numbers before and after, in the order played."""

    player: Player
    into: Player
    at: datetime
    by: str
    numbers: list[tuple[int, int]]
    first: Game
    last: Game

    @property
    def number(self) -> int:
        """Return the number of one of its games, which identifies it."""
        return min(new for _, new in self.numbers)


def splits_of(league: League, player: Player) -> list[SplitGames]:
    """Return the splits in force in which a player lost or received games, newest first."""
    new = league.games.filter(voided_at__isnull=True, replaces__isnull=False)
    theirs = new.filter(results__player=player).order_by("-number")[:MAX_CORRECTIONS]
    lost = new.filter(replaces__results__player=player).order_by("-number")[:MAX_CORRECTIONS]
    found = group_splits({game.pk: game for game in [*theirs, *lost]}.values())
    return [one for one in found if player in (one.player, one.into)][:MAX_SPLITS]


def split_of(league: League, number: int) -> SplitGames | None:
    """Return the split that a game belongs to, with all of its games that still count; None if there is none."""
    new = league.games.filter(voided_at__isnull=True, replaces__isnull=False)
    game = new.filter(number=number).first()
    if game is None:
        return None
    beside = new.filter(recorded_at=game.recorded_at, recorded_by=game.recorded_by)
    return next((one for one in group_splits(beside) if number in {new for _, new in one.numbers}), None)


def group_splits(games: Iterable[Game]) -> list[SplitGames]:
    """Group reassigned games by action, newest first."""
    new = {game.pk: game for game in games}
    old = Game.objects.in_bulk({game.replaces_id for game in new.values() if game.replaces_id is not None})
    lines: dict[int, list[Result]] = {}
    seats = Result.objects.filter(league__in={game.league_id for game in new.values()}, game__in=[*new, *old])
    for line in seats.select_related("player").order_by("game", "seat"):
        lines.setdefault(line.game_id, []).append(line)
    acts: dict[tuple[datetime, str, Player, Player], list[tuple[Game, Game]]] = {}
    for game in new.values():
        before = old[game.replaces_id or 0]
        pair = exchanged_players(before, game, lines)
        if pair is not None:
            acts.setdefault((game.recorded_at, game.recorded_by, *pair), []).append((before, game))
    found = [summarize_split(*act, games) for act, games in acts.items()]
    return sorted(found, key=lambda one: (one.at, one.number), reverse=True)


def exchanged_players(old: Game, new: Game, lines: Mapping[int, list[Result]]) -> tuple[Player, Player] | None:
    """Return the previous and the new player of a game, if nothing else differs; else None."""
    before, after = lines.get(old.pk, []), lines.get(new.pk, [])
    if len(before) != len(after) or any(getattr(old, name) != getattr(new, name) for name in SHEET):
        return None
    pairs = list(zip(before, after, strict=True))
    if any((one.seat, *said_by(one)) != (two.seat, *said_by(two)) for one, two in pairs):
        return None
    others = [(one.player, two.player) for one, two in pairs if one.player_id != two.player_id]
    return others[0] if len(others) == 1 else None


def summarize_split(at: datetime, by: str, player: Player, into: Player, games: list[tuple[Game, Game]]) -> SplitGames:
    """Return the split of one action."""
    games.sort(key=lambda pair: pair[1].position)
    numbers = [(old.number, new.number) for old, new in games]
    return SplitGames(player, into, at, by, numbers, games[0][1], games[-1][1])
