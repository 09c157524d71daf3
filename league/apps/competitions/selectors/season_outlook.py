"""What can still happen in a division: the zones that each player can reach, and what is enough for them.

Always sound: nothing is called certain or enough that an outcome of the open games could refute.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from ratings.contract.competition import PointsTable
from ratings.seasons.borders import FinalDivision, Zone
from ratings.seasons.rules import DivisionRule
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import Standings


@dataclass(frozen=True)
class Borders:
    """The last rank that rises (in the first level, of the champion) and the last that does not fall.

    ``to_rise``, ``to_stay``: how many ranks next to them play off, inside of them.
    """

    up: int
    staying: int
    is_first: bool
    to_rise: int = 0
    to_stay: int = 0

    def find_zone(self, rank: int) -> Zone:
        """Return the zone of a rank."""
        if rank <= self.up:
            return "champion" if self.is_first else "up"
        if rank <= self.up + self.to_rise:
            return "play_off"
        if rank <= self.staying - self.to_stay:
            return "stays"
        return "play_down" if rank <= self.staying else "down"


@dataclass(frozen=True)
class ZoneNeed:
    """What is enough for a zone, whatever the others do: so many more points, or (None) to win all ``games``."""

    zone: Zone
    points: Fraction | None
    games: int


@dataclass(frozen=True)
class Reach:
    """The best and the worst zone that a player can still reach, and what is enough to avoid worse ones."""

    best: Zone
    worst: Zone
    needs: tuple[ZoneNeed, ...] = ()


def find_borders(
    rule: DivisionRule, division: FinalDivision, moves: Mapping[str, int], zones: Mapping[str, Zone]
) -> Borders | None:
    """Return the borders of a division, None if they can still move; ``moves``: by how many levels each player moves.

    ``zones``: what the places lead to now.
    Players of parallel divisions are compared with one another, and those who withdraw or play too little move the
    borders.
    """
    if division.letter or any(place.withdrawn or place.played < rule.min_played for place in division.places):
        return None
    is_first = division.level == 1
    crossing = [moves.get(place.player, 0) for place in division.places]
    up, falling = 1 if is_first else crossing.count(-1), crossing.count(1)
    words = [zones[place.player] for place in division.places]
    return Borders(up, len(division.places) - falling, is_first, words.count("play_off"), words.count("play_down"))


def find_reach(
    borders: Borders, loaded: LoadedCompetition, standings: Standings, entry: int, possible: PossibleRanks
) -> Reach:
    """Return what an entry of a division can still reach; ``possible``: its ranks."""
    best, worst = borders.find_zone(possible.best), borders.find_zone(possible.worst)
    if best == worst:
        return Reach(best, worst)
    goals: list[tuple[Zone, int]] = [(best, borders.up)] if best in ("champion", "up") else []
    if worst in ("play_down", "down") and best not in ("play_down", "down"):
        goals.append(("stays", borders.staying - borders.to_stay))
    race = _build_race(loaded, standings, entry)
    needs = [_find_need(race, zone, last) for zone, last in goals] if race else []
    return Reach(best, worst, tuple(need for need in needs if need))


@dataclass(frozen=True)
class _Race:
    """The points of an entry, and the most that each rival can end with.

    ``if_winning``: the same if the entry wins all its ``games``.
    """

    points: Fraction
    games: int
    table: PointsTable
    highest: list[Fraction]
    if_winning: list[Fraction]


def _build_race(loaded: LoadedCompetition, standings: Standings, entry: int) -> _Race | None:
    """Return what an entry needs to know of its rivals; None unless only games of two are open, and points rank."""
    data = loaded.data
    games = [
        [seat.entry for seat in one.seats] for each in data.rounds for one in each.fixtures if one.kind == "planned"
    ]
    own = [game for game in games if entry in game]
    if not own or standings.choices[0].code != "PTS" or len(data.rounds) < data.planned_rounds:
        return None
    if any(len(game) != 2 for game in games):
        return None
    table = data.points
    most = max(table.win, table.draw, table.loss, table.forfeit_win)
    points = {row.entry: row.points for row in standings.rows}
    rivals = [rival for rival in points if rival != entry]
    open_games = {rival: sum(rival in game for game in games) for rival in rivals}
    against = {rival: sum(rival in game for game in own) for rival in rivals}
    beaten = max(table.loss, table.forfeit_loss)
    return _Race(
        points[entry],
        len(own),
        table,
        sorted((points[rival] + open_games[rival] * most for rival in rivals), reverse=True),
        sorted(
            (points[rival] + (open_games[rival] - against[rival]) * most + against[rival] * beaten for rival in rivals),
            reverse=True,
        ),
    )


def _find_need(race: _Race, zone: Zone, last: int) -> ZoneNeed | None:
    """Return what is enough for a rank or better; None if no result of the entry's own is.

    Fewer than ``last`` rivals may reach its points, as tie-breaks count against it.
    """
    if not 1 <= last <= len(race.highest):
        return None
    table = race.table
    sums = {Fraction(0)}
    for _ in range(race.games):
        sums = {total + one for total in sums for one in (table.win, table.draw, table.loss)}
    missing = race.highest[last - 1] - race.points
    enough = min((total for total in sums if total > missing), default=None)
    if enough is not None:
        return ZoneNeed(zone, enough, race.games)
    reached = race.points + race.games * min(table.win, table.forfeit_win)
    return ZoneNeed(zone, None, race.games) if reached > race.if_winning[last - 1] else None
