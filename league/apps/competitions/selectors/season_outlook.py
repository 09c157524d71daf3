"""What can still happen in a division: the zones that each player can reach, and what is enough for them.

Always sound: nothing is called certain or enough that an outcome of the open games could refute.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from ratings.contract.competition import PointsTable
from ratings.seasons.borders import FinalDivision, Zone
from ratings.seasons.rules import DivisionRule
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import Standings

#: Up to so many combinations of results are looked at one by one: six games that give win, draw, loss or nothing.
MAX_ENDINGS = 4**6


@dataclass(frozen=True)
class Borders:
    """The last rank that rises (in the first level, of the champion) and the last that does not fall.

    ``to_rise``, ``to_stay``: how many ranks next to them play off, inside of them. ``anybody_falls``: or plays off to
    stay.
    """

    up: int
    staying: int
    is_first: bool
    to_rise: int = 0
    to_stay: int = 0
    anybody_falls: bool = True

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
    """The best and the worst zone that a player can still reach, and what is enough to avoid worse ones.

    ``anybody_falls``: from the division.
    """

    best: Zone
    worst: Zone
    needs: tuple[ZoneNeed, ...] = ()
    anybody_falls: bool = True


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
    to_rise, to_stay = words.count("play_off"), words.count("play_down")
    return Borders(up, len(division.places) - falling, is_first, to_rise, to_stay, falling + to_stay > 0)


@dataclass(frozen=True)
class DivisionRace:
    """The points of a division and its open games, in whole units (``scale``); ``entries``: in the order of columns.

    ``endings``: a line for each combination of results, with the points that each entry ends with; None if there are
    too many.
    """

    table: PointsTable
    scale: int
    entries: list[int]
    points: list[int]
    games: list[tuple[int, int]]
    endings: npt.NDArray[np.int64] | None

    @property
    def most(self) -> int:
        """The most that a game can give."""
        return self.count_units(max(max(pair) for pair in self.table.list_pairs(unplayed=True)))

    def count_units(self, points: Fraction) -> int:
        """Return points in units."""
        return int(points * self.scale)


def build_race(loaded: LoadedCompetition, standings: Standings) -> DivisionRace | None:
    """Return what is open in a division; None unless only games of two are, and points rank."""
    data = loaded.data
    seats = [one.seats for each in data.rounds for one in each.fixtures if one.kind == "planned"]
    if not seats or standings.choices[0].code != "PTS" or len(data.rounds) < data.planned_rounds:
        return None
    if any(len(both) != 2 for both in seats):
        return None
    pairs = data.points.list_pairs(unplayed=True)
    exact = [*(one for pair in pairs for one in pair), *(row.points for row in standings.rows)]
    scale = lcm(*(one.denominator for one in exact))
    entries = [row.entry for row in standings.rows]
    points = [int(row.points * scale) for row in standings.rows]
    games = [(entries.index(first.entry), entries.index(second.entry)) for first, second in seats]
    in_units = [(int(own * scale), int(other * scale)) for own, other in sorted(pairs)]
    return DivisionRace(data.points, scale, entries, points, games, _list_endings(points, games, in_units))


def _list_endings(
    points: Sequence[int], games: Sequence[tuple[int, int]], pairs: Sequence[tuple[int, int]]
) -> npt.NDArray[np.int64] | None:
    """Return the points of all entries (columns) after each combination of results, None if there are too many."""
    if len(pairs) ** len(games) > MAX_ENDINGS:
        return None
    endings = np.array([points], np.int64)
    for game in games:
        gained = np.zeros((len(pairs), len(points)), np.int64)
        gained[:, game] = pairs
        endings = (endings[:, None] + gained).reshape(-1, len(points))
    return endings


def find_reach(borders: Borders, race: DivisionRace | None, entry: int, possible: PossibleRanks) -> Reach:
    """Return what an entry of a division can still reach; ``possible``: its ranks."""
    best, worst = borders.find_zone(possible.best), borders.find_zone(possible.worst)
    if best == worst or race is None:
        return Reach(best, worst, anybody_falls=borders.anybody_falls)
    goals: list[tuple[Zone, int]] = [(best, borders.up)] if best in ("champion", "up") else []
    if worst in ("play_down", "down") and best not in ("play_down", "down"):
        goals.append(("stays", borders.staying - borders.to_stay))
    needs = [_find_need(race, race.entries.index(entry), zone, last) for zone, last in goals]
    return Reach(best, worst, tuple(need for need in needs if need), borders.anybody_falls)


def _find_need(race: DivisionRace, own: int, zone: Zone, last: int) -> ZoneNeed | None:
    """Return what is enough for a rank or better; None if no result of the entry's own is. ``own``: its column."""
    games, table = sum(own in game for game in race.games), race.table
    if not games or not 1 <= last < len(race.entries):
        return None
    totals = {0}
    for _ in range(games):
        totals = {total + race.count_units(one) for total in totals for one in (table.win, table.draw, table.loss)}
    # A game that the opponent does not come to is won, too.
    if_all_won = games * race.count_units(min(table.win, table.forfeit_win))
    most = _find_most_without(race, own, last)
    if most is None:
        return None
    missed = most - race.points[own]
    enough = min((total for total in totals if total > missed), default=None)
    if enough is not None and enough < if_all_won:
        return ZoneNeed(zone, Fraction(enough, race.scale), games)
    if if_all_won > missed or (race.endings is None and _keeps_by_winning(race, own, last, if_all_won)):
        return ZoneNeed(zone, None, games)
    return ZoneNeed(zone, Fraction(enough, race.scale), games) if enough is not None else None


def _find_most_without(race: DivisionRace, own: int, last: int) -> int | None:
    """Return the most points with which an entry can miss a rank, or a bound of them; None if it cannot.

    Rivals with as many points are ahead, as tie-breaks count against it.
    """
    if race.endings is not None:
        points = race.endings[:, own]
        ranks = (race.endings >= points[:, None]).sum(axis=1)
        return int(points[ranks > last].max()) if (ranks > last).any() else None
    return _rank_rivals(race, own, race.most)[last - 1]


def _keeps_by_winning(race: DivisionRace, own: int, last: int, gained: int) -> bool:
    """Return whether an entry that wins all its games has a rank, whatever else its rivals can gain."""
    table = race.table
    rivals = _rank_rivals(race, own, race.count_units(max(table.loss, table.forfeit_loss)))
    return race.points[own] + gained > rivals[last - 1]


def _rank_rivals(race: DivisionRace, own: int, against: int) -> list[int]:
    """Return the most points of each rival, the highest first; ``against``: what a game with the entry gives it."""
    highest = [*race.points]
    for game in race.games:
        for column in game:
            highest[column] += against if own in game else race.most
    return sorted((points for column, points in enumerate(highest) if column != own), reverse=True)
