"""Files that are tried before they are imported: the dry run is a job that keeps its file, the import takes it over.

So a file travels once, however large; what is imported is what was tried. It is kept for a day.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.errors import Conflict, Refused
from league.models import Job, League
from league.selectors.jobs import tried_file
from league.selectors.permissions import Viewer, noted
from league.services.dispatch.uploads import BLOCK, Upload, ask_import
from league.services.imports.paste.workbook import is_old_workbook, is_workbook
from league.services.jobs.work import ask
from league.services.locking import in_transaction

GONE = gettext_noop(
    "The file is not kept any more: its import was asked for, or it was tried longer than a day "
    "ago. Nothing more was written. Choose it again; games that are there already are left alone."
)
WORKBOOK = gettext_noop(
    "This is a workbook. Save it as CSV with a line for each result, or paste an evening of it: that reads workbooks."
)


def try_file(league: League, upload: Upload, *, by: str, create_players: bool, viewer: Viewer) -> Job:
    """Have a worker tell what a file would do, and keep it for its import; raises Refused where it is none of games."""
    start = upload.file.read(BLOCK)
    upload.file.seek(0)
    if is_workbook(start) or is_old_workbook(start):
        raise Refused(_(WORKBOOK))
    if not start.strip():
        raise Refused(_("The file is empty."))
    return ask_import(league, upload, by=by, create_players=create_players, dry_run=True, viewer=viewer, keep=True)


def import_tried(tried: Job, *, by: str, viewer: Viewer) -> Job:
    """Have a worker import the file that a dry run has kept, once; raises Conflict where it is there no more."""

    def work() -> Job:
        job = Job.objects.select_for_update(of=("self",)).select_related("league").get(pk=tried.pk)
        if not tried_file(job):
            raise Conflict(_(GONE))
        arguments = {**job.arguments, "dry_run": False, "keep": False, "viewer": noted(viewer)}
        new = ask(job.league, Job.Kind.IMPORT, by=by, arguments=arguments)
        job.parts.update(job=new)
        return new

    return in_transaction(work)
