"""Who played whom: a table of the players with the most games, shaded by their games together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from league.models import Player
from ratings.laboratory.health import Meetings

#: Number of shades above white.
SHADES = 6


@dataclass(frozen=True)
class HeatCell:
    """The games with an opponent; ``shade`` is from 0 (none) to SHADES (most), None for the player itself."""

    opponent: Player
    games: int
    shade: int | None


@dataclass(frozen=True)
class HeatRow:
    """A player with the games against each of the players."""

    player: Player
    cells: Sequence[HeatCell]


def build_heat_map(meetings: Meetings, players: Mapping[int, Player]) -> list[HeatRow]:
    """Return the rows of the table; [] for fewer than three players, whose meetings need no picture."""
    most = max((games for row in meetings.games for games in row), default=0)
    if len(meetings.players) < 3 or not most:
        return []
    return [
        HeatRow(
            players[number],
            [
                HeatCell(players[other], games, None if other == number else ceil(SHADES * games / most))
                for other, games in zip(meetings.players, row, strict=True)
            ],
        )
        for number, row in zip(meetings.players, meetings.games, strict=True)
    ]
