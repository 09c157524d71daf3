"""Previews of imports: the import is carried out and rolled back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO

from league.apps.imports.services.run import ImportOptions, ImportReport, check_games, read_file, record_games
from league.core.dry_runs.services.diff import Diff, serialize_diff
from league.core.dry_runs.services.rollback import dry_run, games_since, run_and_roll_back
from league.core.dry_runs.services.run import DRY_RUN_AUTHOR
from league.core.games.services.game_columns import GameColumns
from league.core.games.services.game_files import ReadFile
from league.core.jobs.services.progress import Progress, silent
from league.models import League, RatingChange


def preview_import(
    league: League, source: BinaryIO, options: ImportOptions, progress: Progress | None = None
) -> dict[str, Any]:
    """Return the report and diff of an import as JSON types; raises what ``import_games`` raises."""
    note = progress or silent
    games = read_file(league.pk, source, options.media, note)
    reports: list[ImportReport] = []
    # New games come after all others of their time.
    position = (min(games.moments), league.last_number + 1) if games.moments else None
    diff = dry_run(
        league.pk, position, lambda: reports.append(_import_for_rollback(league, games, options, note)), progress
    )
    return {**asdict(reports[-1]), "ignored": list(games.ignored), **serialize_diff(diff)}


@dataclass(frozen=True)
class GamesPreview:
    """The report and diff of an import, and each new game's rating changes in seat order."""

    report: ImportReport
    diff: Diff
    changes: Mapping[str, Sequence[float]]
    """external_id -> changes; without games that would be rated later."""


def preview_games(league: League, read: ReadFile, options: ImportOptions) -> GamesPreview:
    """Preview parsed games; raises what an import raises, and WorkerNeeded."""
    games = check_games(league.pk, read)
    reports: list[ImportReport] = []
    changes: dict[str, list[float]] = {}

    def act() -> None:
        before = League.objects.values_list("last_number", flat=True).get(pk=league.pk)
        reports.append(_import_for_rollback(league, games, options, silent))
        changes.clear()
        new = RatingChange.objects.filter(league=league, number__gt=before, cause=RatingChange.Cause.GAME)
        for name, change in new.order_by("number", "seat").values_list("game__external_id", "change"):
            changes.setdefault(name or "", []).append(change)

    position = (min(games.moments), league.last_number + 1) if games.moments else None
    diff = dry_run(league.pk, position, act)
    return GamesPreview(reports[-1], diff, changes)


def preview_report(
    league: League, source: BinaryIO, options: ImportOptions, progress: Progress = silent
) -> ImportReport:
    """Return only the report of an import, for commands; raises what ``import_games`` raises."""
    games = read_file(league.pk, source, options.media, progress)
    return run_and_roll_back([league.pk], lambda leagues: _import_for_rollback(league, games, options, progress))


def _import_for_rollback(
    league: League, games: GameColumns, options: ImportOptions, progress: Progress
) -> ImportReport:
    """Import games in a dry run; many later games are counted, not rated."""
    report = record_games(
        league.pk, games, replace(options, by=DRY_RUN_AUTHOR, rating="later", compiled=False), progress
    )
    due = League.objects.get(pk=league.pk)
    if report.games and due.stale_from is not None:
        return replace(report, replayed=games_since(league.pk, (due.stale_from, due.stale_key)).count())
    return report
