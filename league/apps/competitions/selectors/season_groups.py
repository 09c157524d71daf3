"""The standings of the groups of a stage, with the stage that each place leads to."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from league.apps.competitions.models import Competition, SeasonPart
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.season_standings import SeasonReader, StageTree, read_final_places
from league.apps.competitions.selectors.standings import compute_possible_ranks, compute_standings
from league.models import Player
from ratings.seasons.rules import StageRule


@dataclass(frozen=True)
class GroupLine:
    """A line of a group. ``target``: the stage that the place leads to, if any; ``certain``: whatever happens.

    ``is_gone``: who has left the season, so that the places below move up.
    """

    rank: int
    player: Player
    entry: int
    points: Fraction
    played: int
    target: StageRule | None
    certain: bool
    is_gone: bool = False


@dataclass(frozen=True)
class GroupTable:
    """The standings of a group, best first."""

    part: SeasonPart
    lines: tuple[GroupLine, ...]


def read_group_tables(reader: SeasonReader, tree: StageTree) -> list[GroupTable]:
    """Return the standings of a stage's groups that have begun, if places of the stage lead to others."""
    targets = reader.list_targets(tree.rule.key)
    status = Competition.Status
    begun = [part for part in tree.parts if part.competition.status in (status.RUNNING, status.FINISHED)]
    if not targets:
        return []
    loaded = load_competitions([part.competition for part in begun])
    final = read_final_places([part.competition for part in begun if part.competition.status == status.FINISHED])
    return [
        _read_group(reader, part, one, targets, [line.player for line in final.get(part.competition_id, [])])
        for part, one in zip(begun, loaded, strict=True)
    ]


def _read_group(
    reader: SeasonReader,
    part: SeasonPart,
    loaded: LoadedCompetition,
    targets: dict[int, StageRule],
    final: list[int],
) -> GroupTable:
    """Return the standings of a group; ``final``: the players of a finished one, best first."""
    standings = compute_standings(loaded)
    finished = part.competition.status == Competition.Status.FINISHED
    ranks = {} if finished else compute_possible_ranks(loaded, standings, unplayed=True)
    played = [entry for one in loaded.fixtures if one.status == "played" for entry in one.entries]
    rows = [(reader.find_player(loaded, row.entry), row) for row in standings.rows]
    if final:
        # Those who share a rank have places by lot.
        rows.sort(key=lambda pair: (pair[1].rank, final.index(pair[0].pk) if pair[0].pk in final else len(final)))
    sharing = Counter(row.rank for _, row in rows)
    gone = reader.find_gone({stage.key for stage in targets.values()})
    lines: list[GroupLine] = []
    for player, row in rows:
        is_gone = player.pk in gone
        position = 1 + sum(not line.is_gone for line in lines)
        possible = ranks.get(row.entry)
        worst = max(possible.worst, row.rank + sharing[row.rank] - 1) if possible else 0
        reached = [targets.get(rank) for rank in range(possible.best, worst + 1)] if possible else []
        target = None if is_gone else targets.get(position)
        lines.append(
            GroupLine(
                row.rank,
                player,
                row.entry,
                row.points,
                played.count(row.entry),
                target,
                finished or is_gone or all(stage is target for stage in reached),
                is_gone,
            )
        )
    return GroupTable(part, tuple(lines))
