"""Imports of uploaded files: small ones run at once, large ones are stored in the database for a worker.

The file is stored as compressed parts in the transaction that creates the job, so that all workers can read it and
backups contain it. It is deleted in the transaction that records its games and ends the job: a killed worker has
done everything or nothing.

A previewed file is uploaded once: the dry run stores it for a day, and the import uses the same file.
"""

import zlib
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.imports.models import PasteBatch
from league.apps.imports.paste.workbook import is_old_workbook, is_workbook
from league.apps.imports.services.run import (
    ImportOptions,
    ImportReport,
    Media,
    has_unrated_games,
    import_games,
    preview_import,
    rate_unrated_games,
)
from league.core.errors import Conflict, Invalid, Refused, RungsError
from league.core.games.services import game_files
from league.core.jobs.selectors import has_tried_stored_file
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import WorkerNeeded, finish_job, refuse_cancelled, request_job, run_job
from league.core.locking import run_in_transaction
from league.core.permissions import Viewer, load_viewer, refuse_lost_permission, serialize_viewer
from league.core.rules.selectors.rules import load_rules
from league.core.text.gzip_files import is_gzip
from league.core.text.wording import format_with_separators
from league.core.text.written_days import DayOrder
from league.models import Job, JobPart, League

#: Maximum number of lines imported at once: 2,000 games, with four results each in CSV.
MAX_SMALL_LINES: Mapping[Media, int] = {"ndjson": 2000, "csv": 8000}
#: Bytes of a part before compression, and bytes read at once.
PART_BYTES, BLOCK_BYTES = 1_000_000, 65_536
MAX_MEMORY_BYTES = 2_500_000
FILE_GONE_MESSAGE = gettext_noop(
    "The file is no longer stored: its import was started, or it was uploaded more than "
    "a day ago. Choose it again; games already recorded are skipped."
)
WORKBOOK_MESSAGE = gettext_noop(
    "This is a workbook. Save it as CSV with a line for each result, or use Paste, which reads workbooks."
)
TAKEN_MESSAGE = "Another worker has taken this job up. Nothing was written by this one."
#: Start and end of each phase in percent (measured on 1,000,000 games).
PHASE_PERCENTAGES = {
    "reading": (0, 15), "checking": (10, 15), "adding players": (15, 17), "writing": (17, 69), "rating": (69, 99),
    "reading the games": (69, 99), "computing": (69, 99), "ranking the ladders": (69, 99),
}  # fmt: skip


class TooLarge(Invalid):
    """The file is too large."""

    status = 413
    code = "too_large"
    title = gettext_noop("The request is too large.")


class Upload:
    """An uploaded file, on disk if large; ``small`` files are imported at once."""

    def __init__(self, stream: Any, media: Media) -> None:
        """Copy a stream in blocks; raises TooLarge."""
        self.media: Media = media
        max_bytes = game_files.MAX_FILE_BYTES if media == "csv" else game_files.MAX_STREAM_BYTES
        self.file = cast("BinaryIO", SpooledTemporaryFile(max_size=MAX_MEMORY_BYTES))  # noqa: SIM115 -- closed by __exit__
        size = lines = 0
        packed, digest = False, sha256()
        while block := stream.read(BLOCK_BYTES):
            packed = packed or (not size and is_gzip(block))
            size += len(block)
            lines += block.count(b"\n")
            if size > max_bytes:
                self.file.close()
                raise TooLarge(
                    _("The file is larger than {most} bytes; send it in parts. Nothing was imported.").format(
                        most=format_with_separators(max_bytes)
                    )
                )
            self.file.write(block)
            digest.update(block)
        self.file.seek(0)
        self.sha256 = digest.hexdigest()
        # The number of lines in a gzip file is unknown.
        self.small = not packed and lines <= MAX_SMALL_LINES[media]

    def __enter__(self) -> "Upload":
        """Return the upload."""
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the file."""
        self.file.close()


def enqueue_import(
    league: League,
    upload: Upload,
    *,
    username: str,
    create_players: bool,
    dry_run: bool = False,
    viewer: Viewer | None = None,
    encoding: str = "",
    order: DayOrder = "",
    paste: str = "",
    keep: bool = False,
) -> Job:
    """Store a file in the database and enqueue its import; raises Refused if the league has no rule.

    ``paste``: the key of the paste, if any. ``keep``: keep the file of a dry run for its import.
    """
    if not load_rules(league):
        raise Refused(_("The league has no rule yet. Choose a rating system before importing games."))
    arguments: dict[str, Any] = {
        "media": upload.media,
        "create_players": create_players,
        "dry_run": dry_run,
        "encoding": encoding,
        "order": order,
        "lines": 0,
        "paste": paste,
        "keep": keep,
        "small": upload.small,
        "viewer": None if viewer is None else serialize_viewer(viewer),
    }
    with transaction.atomic():
        job = request_job(league, Job.Kind.IMPORT, by=username, arguments=arguments)
        number = lines = 0
        while data := upload.file.read(PART_BYTES):
            number += 1
            lines += data.count(b"\n")
            JobPart.objects.create(league=league, job=job, number=number, data=zlib.compress(data, 1))
        job.arguments["lines"] = lines
        job.save(update_fields=["arguments"])
    return job


class StoredFile:
    """The file of a job, read from the database part by part."""

    def __init__(self, job: Job) -> None:
        numbers = job.parts.order_by("number").values_list("number", flat=True)
        # Only one part is in memory at a time.
        self.parts = (zlib.decompress(job.parts.get(number=number).data) for number in numbers)
        self.rest = b""

    def read(self, size: int) -> bytes:
        """Return at most ``size`` bytes, none at the end."""
        if not self.rest:
            self.rest = next(self.parts, b"")
        data, self.rest = self.rest[:size], self.rest[size:]
        return data


def import_job(job: Job, progress: Progress, *, inside: bool = False) -> Mapping[str, Any]:
    """Run a stored import; it records its games and ends the job in one transaction.

    If many later games must be rated, the report is stored with the games and the job ends after rating; a worker that
    finds a report only rates. ``inside`` a request, the next replay rates them, and a dry run raises WorkerNeeded.
    """
    if job.result is not None:
        replayed = job.result["replayed"] + rate_unrated_games(job.league_id, scale_progress(progress, 1))
        return {**job.result, "replayed": replayed}
    reported, arguments = scale_progress(progress, job.arguments["lines"]), job.arguments
    source, viewer = cast("BinaryIO", StoredFile(job)), load_asker(job)
    options = ImportOptions(
        job.asked_by,
        arguments["media"],
        arguments["create_players"],
        compiled=not inside,
        rating="later" if inside else "after",
        viewer=viewer,
        encoding=arguments.get("encoding", ""),
        order=arguments.get("order", ""),
    )

    def finish(report: ImportReport) -> None:
        check_asker(job)
        if key := arguments.get("paste"):
            save_paste_batch(job.league_id, key, report.games, username=job.asked_by)
        (store_result_in_transaction if has_unrated_games(job.league_id) else finish_in_transaction)(
            job, serialize_report(report)
        )

    try:
        check_asker(job)
        if arguments["dry_run"]:
            result = preview_import(job.league, source, options, None if inside else reported)
            if not arguments.get("keep"):
                drop_parts(job)
        else:
            report = import_games(job.league_id, source, options, reported, finish)
            result = serialize_report(report)
    except RungsError:
        drop_parts(job)
        raise
    return result


def load_asker(job: Job) -> Viewer | None:
    """Return who asked for an import, with their present permissions; None for the command line."""
    return load_viewer(job.arguments["viewer"]) if job.arguments.get("viewer") else None


def check_asker(job: Job) -> None:
    """Raise Forbidden if who asked for an import may no longer record games, at its start or at its end."""
    if (asker := load_asker(job)) is not None:
        refuse_lost_permission(asker, job.league, "record")


def save_paste_batch(league_id: int, key: str, games: int, *, username: str) -> None:
    """Save the last ``games`` games of a league as a paste, in the transaction that recorded them.

    The league must be locked, so that their numbers are consecutive.
    """
    if games:
        last = League.objects.values_list("last_number", flat=True).get(pk=league_id)
        # A form may be sent again after its key expired and its games were voided.
        PasteBatch.objects.update_or_create(
            league_id=league_id,
            key=key,
            defaults={"recorded_at": timezone.now(), "recorded_by": username, "first": last - games + 1, "last": last},
        )


def finish_in_transaction(job: Job, result: Mapping[str, Any]) -> None:
    """End a job in the transaction of its work.

    Raises Conflict if another worker has taken it over, Cancelled if it was cancelled.
    """
    refuse_cancelled(job)
    finish_job(job, result=result)
    if not Job.objects.filter(pk=job.pk, state=Job.State.DONE, attempts=job.attempts).exists():
        raise Conflict(TAKEN_MESSAGE)
    drop_parts(job)


def store_result_in_transaction(job: Job, result: Mapping[str, Any]) -> None:
    """Store a job's report in the transaction of its work; raises what ``finish_in_transaction`` raises."""
    refuse_cancelled(job)
    running_job = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts)
    if not running_job.update(result=result):
        raise Conflict(TAKEN_MESSAGE)
    drop_parts(job)


def drop_parts(job: Job) -> None:
    """Delete the file of a job, unless another worker has taken the job over."""
    job.parts.filter(job__attempts=job.attempts).delete()


def scale_progress(progress: Progress, lines: int) -> Progress:
    """Return a progress callback that converts phases to percent of the whole import."""

    def report_percentage(phase: str, completed: int, total: int) -> None:
        first, last = PHASE_PERCENTAGES[phase]
        share = min(completed / (total or max(lines, 1)), 1.0)
        progress(phase, first + int(share * (last - first)), 100)

    return report_percentage


def serialize_report(report: ImportReport) -> dict[str, Any]:
    """Serialize an import report."""
    return {**asdict(report), "ignored": list(report.ignored)}


def import_now(league: League, upload: Upload, *, username: str, **form: Any) -> ImportReport:
    """Import a small file; if many later games must be rated, Celery does so. ``form``: what its sender chose."""
    options = ImportOptions(username, upload.media, rating="later", **form)
    return import_games(league.pk, upload.file, options)


def preview_upload(league: League, upload: Upload, *, username: str, **form: Any) -> dict[str, Any] | Job:
    """Preview a file, or return the job that previews it if it is large or many games follow."""
    if upload.small:
        try:
            return preview_import(league, upload.file, ImportOptions("", upload.media, **form))
        except WorkerNeeded:
            upload.file.seek(0)
    return enqueue_import(league, upload, username=username, dry_run=True, **form)


def enqueue_preview(league: League, upload: Upload, *, username: str, **form: Any) -> Job:
    """Enqueue the preview of a file and keep it for its import; raises Refused for workbooks and empty files."""
    start = upload.file.read(BLOCK_BYTES)
    upload.file.seek(0)
    if is_workbook(start) or is_old_workbook(start):
        raise Refused(_(WORKBOOK_MESSAGE))
    if not start.strip():
        raise Refused(_("The file is empty."))
    return enqueue_import(league, upload, username=username, dry_run=True, keep=True, **form)


def enqueue_previewed_file(previewed_job: Job, *, username: str, viewer: Viewer) -> Job:
    """Enqueue the import of a previewed file, once; raises Conflict if the file is no longer stored."""

    def work() -> Job:
        job = Job.objects.select_for_update(of=("self",)).select_related("league").get(pk=previewed_job.pk)
        if not has_tried_stored_file(job):
            raise Conflict(_(FILE_GONE_MESSAGE))
        arguments = {**job.arguments, "dry_run": False, "keep": False, "viewer": serialize_viewer(viewer)}
        new = request_job(job.league, Job.Kind.IMPORT, by=username, arguments=arguments)
        job.parts.update(job=new)
        return new

    return run_in_transaction(work)


def import_small_file(job_id: UUID) -> None:
    """Run the import of a small file in the request, unless it needs a worker."""
    run_job(job_id, {Job.Kind.IMPORT: partial(import_job, inside=True)})
