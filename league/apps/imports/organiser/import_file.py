"""Pages to import a file of games: upload, preview by a worker, and import.

The file is uploaded once: the preview stores it for the import. Small files are processed at once.
"""

import hashlib
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.base import File
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.apps.imports.services.run import guess_media
from league.apps.imports.services.uploads import (
    FILE_GONE_MESSAGE,
    Upload,
    enqueue_preview,
    enqueue_previewed_file,
    import_small_file,
)
from league.core.dry_runs.services.diff import RatingDiff
from league.core.errors import MAX_PROBLEMS, KeyReused, RungsError
from league.core.jobs.selectors import find_job, has_tried_stored_file, may_cancel
from league.core.rules.selectors.rules import load_decimals, load_system_in_force
from league.core.text.decoding import CHOICES
from league.core.text.display_formats import format_number
from league.models import Job, League
from league.web.organiser.differences import find_largest_changes
from league.web.organiser.forms import ONCE, add_errors, get_form_key, get_request_username, get_submitted_key, run_once
from league.web.organiser.jobs import build_job_row, get_job, render_polled_page
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: Maximum number of players named with their change.
MAX_NAMED_PLAYERS = 12


#: The encodings that a user may choose; the empty one is recognized.
ENCODING_CHOICES = [("", gettext_lazy("recognised")), *((name, name) for name in CHOICES)]


class FileForm(forms.Form):
    """A file of games."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("CSV or lines of JSON (.ndjson, .jsonl), optionally compressed (.gz)."),
        error_messages={"required": gettext_lazy("Choose a file."), "empty": gettext_lazy("The file is empty.")},
    )
    create_players = forms.BooleanField(required=False, label=gettext_lazy("Add unknown players"))
    encoding = forms.ChoiceField(required=False, label=gettext_lazy("Encoding of the text"), choices=ENCODING_CHOICES)
    order = forms.ChoiceField(
        required=False,
        label=gettext_lazy("In 11/06/2026, the first number is"),
        choices=[
            ("", gettext_lazy("as the other dates show")),
            ("day", gettext_lazy("the day")),
            ("month", gettext_lazy("the month")),
        ],
    )


@organiser_page("record")
def upload_file(request: HttpRequest, league: League) -> HttpResponse:
    """Show the upload form; redirect to the preview of an uploaded file."""
    system = load_system_in_force(league)
    if system is None:
        return redirect_to_first_rule(request, league)
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if form.is_bound and form.is_valid():
        try:
            return start_preview(request, league, form)
        except RungsError as error:
            add_errors(form, error, lambda pointer: "file") if error.problems else form.add_error("file", error.detail)
    return show(
        request,
        league,
        "apps/imports/bring.html",
        "pad",
        form=form,
        reading=[form["encoding"], form["order"]],
        once=get_form_key(request),
        columns=list_csv_columns(system),
    )


def list_csv_columns(system: RatingSystem) -> list[str]:
    """Return the CSV columns for a rating system."""
    knows = type(system)
    is_used = {
        "score": system.score != "unused",
        "place": system.place != "unused",
        "side": knows.sides,
        "weight": knows.weights,
    }
    columns = [name for name, used in is_used.items() if used]
    return ["game_id", "played_at", "player", *columns, *(spec.key for spec in system.game_fields)]


def start_preview(request: HttpRequest, league: League, form: FileForm) -> HttpResponse:
    """Start the preview of a file once, and redirect to it; raises RungsError."""
    file = form.cleaned_data["file"]
    bind_key_to_file(request, file)

    def work() -> dict[str, Any]:
        with Upload(file, guess_media(file.name)) as upload:
            names = ("create_players", "encoding", "order")
            options = {name: form.cleaned_data[name] for name in names} | {"viewer": viewer_of(request)}
            job = enqueue_preview(league, upload, username=get_request_username(request), **options)
            return {"job": str(job.pk), "small": upload.small}

    return redirect_to_job(league, run_once(request, work).answer, "desk:tried")


def bind_key_to_file(request: HttpRequest, file: "File[bytes]") -> None:
    """Include the file's hash in the form's key, so that another file counts as another form."""
    chosen = [get_submitted_key(request), request.POST.get("encoding", ""), request.POST.get("order", "")]
    digest = hashlib.sha256("\n".join(chosen).encode())
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    if get_submitted_key(request):
        data = request.POST.copy()
        data[ONCE] = digest.hexdigest()[:32]
        request.POST = data  # type: ignore[assignment]  # a copy of it, as the form would have come


def redirect_to_job(league: League, job_data: dict[str, Any], page: str) -> HttpResponse:
    """Run a small job in this request if possible, and redirect to its page."""
    if job_data["small"]:
        import_small_file(UUID(job_data["job"]))
    return HttpResponseRedirect(reverse(page, args=[league.slug, job_data["job"]]))


@organiser_page("record")
def show_preview(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show the progress and result of a preview; import the file on POST."""
    job = get_job(request, league, pk)
    if job.kind != Job.Kind.IMPORT or not job.arguments.get("keep"):
        raise Http404
    if not may_cancel(viewer_of(request), job):
        raise PermissionDenied
    if request.method == "POST":
        return start_import(request, league, job)
    context = {
        "line": build_job_row(viewer_of(request), job),
        "under_way": job.ended_at is None,
        "kept": has_tried_stored_file(job),
        "once": get_form_key(request),
        "decimals": load_decimals(league),
        **describe_preview(job),
    }
    return render_polled_page(
        request, league, "apps/imports/bring_tried.html", "apps/imports/bring_part.html", [job], context, "pad"
    )


def describe_preview(job: Job) -> dict[str, Any]:
    """Return the template context of a preview's result."""
    result, problem = job.result or {}, job.problem or {}
    movers, more_count = find_largest_changes(
        (RatingDiff(**entry) for entry in result.get("ratings", [])), MAX_NAMED_PLAYERS
    )
    closed = result.get("closed_periods", [])
    errors = sorted(problem.get("errors", []), key=lambda entry: entry.get("line") or 0)
    wrong = [entry.get("detail", "") for entry in errors]
    return {
        "result": job.result,
        "movers": movers,
        "more": more_count,
        "closed": [
            _("{period} of {ladder}").format(period=entry["period"], ladder=entry["ladder"]) for entry in closed
        ],
        "wrong": wrong,
        "wrong_lines": len({entry.get("line") for entry in errors}),
        "wrong_more": len(wrong) >= MAX_PROBLEMS,
    }


def start_import(request: HttpRequest, league: League, job: Job) -> HttpResponse:
    """Start the import of a previewed file once and redirect to its job, or show why it cannot start."""

    def work() -> dict[str, Any]:
        queued_job = enqueue_previewed_file(job, username=get_request_username(request), viewer=viewer_of(request))
        return {"job": str(queued_job.pk), "small": bool(job.arguments.get("small"))}

    try:
        outcome = run_once(request, work)
    except RungsError as error:
        messages.error(request, FILE_GONE_MESSAGE if isinstance(error, KeyReused) else error.detail)
        return HttpResponseRedirect(reverse("desk:tried", args=[league.slug, job.pk]))
    response = redirect_to_job(league, outcome.answer, "desk:job")
    show_import_message(request, find_job(outcome.answer["job"], viewer_of(request)))
    return response


def show_import_message(request: HttpRequest, job: Job) -> None:
    """Show a message about the import on the next page."""
    if job.state == Job.State.DONE and job.result:
        new, known_count = job.result["games"], job.result["known"]
        message = ngettext("{count} game was imported.", "{count} games were imported.", new).format(
            count=format_number(new)
        )
        if known_count:
            template = ngettext(
                "{count} game was already recorded.", "{count} games were already recorded.", known_count
            )
            message += " " + template.format(count=format_number(known_count))
        messages.success(request, message)
    elif job.ended_at is None:
        messages.info(
            request, _("The file is being imported in the background, all or nothing. Follow its progress here.")
        )
