"""The standings of the groups of a stage, with the stage that each place leads to."""

from dataclasses import dataclass
from fractions import Fraction

from league.apps.competitions.models import Competition, SeasonPart
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.season_standings import SeasonReader, StageTree
from league.apps.competitions.selectors.standings import compute_possible_ranks, compute_standings
from league.models import Player
from ratings.seasons.rules import StageRule


@dataclass(frozen=True)
class GroupLine:
    """A line of a group. ``target``: the stage that the place leads to, if any; ``certain``: whatever happens."""

    rank: int
    player: Player
    entry: int
    points: Fraction
    played: int
    target: StageRule | None
    certain: bool


@dataclass(frozen=True)
class GroupTable:
    """The standings of a group, best first."""

    part: SeasonPart
    lines: tuple[GroupLine, ...]


def read_group_tables(reader: SeasonReader, tree: StageTree) -> list[GroupTable]:
    """Return the standings of a stage's groups that have begun, if places of the stage lead to others."""
    targets = {
        int(place): stage
        for stage in reader.rule.stages
        for source in stage.sources
        if source["stage"] == tree.rule.key
        for place in source["places"]
    }
    status = Competition.Status
    begun = [part for part in tree.parts if part.competition.status in (status.RUNNING, status.FINISHED)]
    if not targets:
        return []
    loaded = load_competitions([part.competition for part in begun])
    return [_read_group(reader, part, one, targets) for part, one in zip(begun, loaded, strict=True)]


def _read_group(
    reader: SeasonReader, part: SeasonPart, loaded: LoadedCompetition, targets: dict[int, StageRule]
) -> GroupTable:
    standings = compute_standings(loaded)
    finished = part.competition.status == Competition.Status.FINISHED
    ranks = {} if finished else compute_possible_ranks(loaded, standings, unplayed=True)
    played = [entry for one in loaded.fixtures if one.status == "played" for entry in one.entries]
    lines = []
    for position, row in enumerate(standings.rows, 1):
        # Of a finished group, those who share a rank have places by their order.
        possible = ranks.get(row.entry)
        reached = [targets.get(rank) for rank in range(possible.best, possible.worst + 1)] if possible else []
        target = targets.get(position)
        lines.append(
            GroupLine(
                row.rank,
                reader.find_player(loaded, row.entry),
                row.entry,
                row.points,
                played.count(row.entry),
                target,
                finished or all(stage is target for stage in reached),
            )
        )
    return GroupTable(part, tuple(lines))
