"""Splits of players in a league: games reassigned to another player and otherwise unchanged.

They are derived from the facts: games that replace others, written by one user in one action, with the same player
exchanged in each. So every organiser can see them, also in restored leagues.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from league.models import Game, League, Player, Result
from league.models.facts import SHEET, list_recorded_values

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


def load_splits(league: League, player: Player) -> list[SplitGames]:
    """Return the splits in force in which a player lost or received games, newest first."""
    new = league.games.counting().filter(replaces__isnull=False)
    player_games = new.filter(results__player=player).order_by("-number")[:MAX_CORRECTIONS]
    lost = new.filter(replaces__results__player=player).order_by("-number")[:MAX_CORRECTIONS]
    splits = group_splits({game.pk: game for game in [*player_games, *lost]}.values())
    return [split for split in splits if player in (split.player, split.into)][:MAX_SPLITS]


def split_of(league: League, number: int) -> SplitGames | None:
    """Return the split that a game belongs to, with all of its games that still count; None if there is none."""
    new = league.games.counting().filter(replaces__isnull=False)
    game = new.filter(number=number).first()
    if game is None:
        return None
    batch = new.filter(recorded_at=game.recorded_at, recorded_by=game.recorded_by)
    return next((split for split in group_splits(batch) if number in {new for _, new in split.numbers}), None)


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
        old_game = old[game.replaces_id or 0]
        pair = _find_exchanged_players(old_game, game, lines)
        if pair is not None:
            acts.setdefault((game.recorded_at, game.recorded_by, *pair), []).append((old_game, game))
    splits = [summarize_split(*key, games) for key, games in acts.items()]
    return sorted(splits, key=lambda split: (split.at, split.number), reverse=True)


def _find_exchanged_players(old: Game, new: Game, lines: Mapping[int, list[Result]]) -> tuple[Player, Player] | None:
    """Return the previous and the new player of a game, if nothing else differs; else None."""
    old_lines, new_lines = lines.get(old.pk, []), lines.get(new.pk, [])
    if len(old_lines) != len(new_lines) or any(getattr(old, name) != getattr(new, name) for name in SHEET):
        return None
    pairs = list(zip(old_lines, new_lines, strict=True))
    if any(
        (old_line.seat, *list_recorded_values(old_line)) != (new_line.seat, *list_recorded_values(new_line))
        for old_line, new_line in pairs
    ):
        return None
    exchanged = [
        (old_line.player, new_line.player) for old_line, new_line in pairs if old_line.player_id != new_line.player_id
    ]
    return exchanged[0] if len(exchanged) == 1 else None


def summarize_split(
    recorded_at: datetime, username: str, player: Player, target: Player, games: list[tuple[Game, Game]]
) -> SplitGames:
    """Return the split of one action."""
    games.sort(key=lambda pair: pair[1].position)
    numbers = [(old.number, new.number) for old, new in games]
    return SplitGames(player, target, recorded_at, username, numbers, games[0][1], games[-1][1])
