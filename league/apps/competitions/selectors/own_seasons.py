"""The running seasons of a player: where the player stands in each."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from league.apps.competitions.models import Competition, Season
from league.apps.competitions.selectors.season_groups import GroupLine, GroupTable, read_group_tables
from league.apps.competitions.selectors.season_standings import DivisionLine, DivisionTable, SeasonReader
from league.models import League, Player
from ratings.seasons.series import SeriesRow

#: Seasons of a player that are shown, and how long one that has ended still is.
MAX_OWN, STAYS = 3, timedelta(days=45)
Status = Season.Status


@dataclass(frozen=True)
class OwnSeason:
    """A player's season: the lines in a division, in the table of the series and in groups of stages, if any.

    ``players``: of the series. ``to_come``: its events without a result.
    """

    season: Season
    table: DivisionTable | None
    line: DivisionLine | None
    row: SeriesRow | None
    players: int
    to_come: int
    groups: tuple[tuple[GroupTable, GroupLine], ...]


def list_own_seasons(league: League, player: Player) -> list[OwnSeason]:
    """Return the seasons of a player that are public and have not long ended, newest first."""
    lasting = Q(status__in=(Status.OPEN, Status.RUNNING)) | Q(
        status=Status.CLOSED, editions__published_at__gt=timezone.now() - STAYS
    )
    own = Q(entries__player=player) | Q(entries__player__merged_into=player)
    found = Season.objects.filter(own, lasting, league=league).distinct().order_by("-created_at", "slug")
    seasons = []
    for season in found[:MAX_OWN]:
        season.league = league
        seasons.append(_read_own(SeasonReader(season), player))
    return seasons


def _read_own(reader: SeasonReader, player: Player) -> OwnSeason:
    table, line = next(
        (
            (table, line)
            for table in reader.read_divisions(player.pk)
            for line in table.lines
            if line.player.pk == player.pk
        ),
        (None, None),
    )
    rows, parts, _people = reader.read_series()
    ended = sum(part.competition.status == Competition.Status.FINISHED for part in parts.values())
    row = next((row for row in rows if row.player == str(player.pk)), None) if ended else None
    to_come = int(reader.rule.series.of) - ended if reader.rule.series else 0
    groups = tuple(
        (group, own)
        for tree in reader.read_stages()
        for group in read_group_tables(reader, tree)
        for own in group.lines
        if own.player.pk == player.pk
    )
    return OwnSeason(reader.season, table, line, row, len(rows), to_come, groups)
