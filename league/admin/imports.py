"""Importing games on the admin site: a file, what it would change or its bad lines, and then the real thing."""

import base64
import zlib
from io import BytesIO
from typing import Any

from django import forms
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, npgettext

from league.admin.base import ServiceAdmin, by, put_above, viewer_of, warn_of_decisions
from league.errors import RungsError
from league.figures import number
from league.models import League
from league.selectors.rules import rules_of, system_of
from league.services.dispatch.uploads import Upload, ask_import, import_now, preview_now
from league.services.imports.run import Media, Report, media_of

TEMPLATE = "admin/league/import.html"
#: What to tell who sent a large file.
LARGE = gettext_noop("The file is large: a worker imports it, all of it or nothing. See here how far it is.")
#: A page that was left open for longer asks for the file again.
KEPT = 3600


class FileForm(forms.Form):
    """A file of games."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy(
            "CSV: one line a result (game_id, played_at, player, score or place); .ndjson: one line a game."
        ),
    )
    create_players = forms.BooleanField(
        required=False,
        label=gettext_lazy("Add players"),
        help_text=gettext_lazy("Players who are not known yet are added; else they are errors."),
    )


def keep(data: bytes, media: Media, league: League) -> str:
    """Return a file as a hidden field carries it, sealed: what was shown is what will be imported."""
    text = base64.b64encode(zlib.compress(data)).decode()
    return signing.dumps([league.pk, media, text], salt="import")


def kept(request: HttpRequest, league: League) -> tuple[bytes, Media] | None:
    """Return the file that a hidden field carried; None where there is none, or it is too old or another league's."""
    try:
        pk, media, text = signing.loads(request.POST.get("kept", ""), salt="import", max_age=KEPT)
    except signing.BadSignature:
        return None
    return (zlib.decompress(base64.b64decode(text)), media) if pk == league.pk else None


class ImportPages(ServiceAdmin):
    """The page of a league on which games are imported."""

    def import_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Take a file and show what it would change; then import it."""
        league: League = self.found(request, pk)
        self.demand(request, "record", league)
        form = FileForm(request.POST or None, request.FILES or None)
        outcome: dict[str, Any] = {}
        if request.method == "POST" and form.is_valid():
            outcome = self.take(request, league, form)
            if target := outcome.get("target"):
                return HttpResponseRedirect(target)
        rules = rules_of(league)
        decimals = system_of(rules[-1]).decimals if rules else 0
        title = _("Import games into {league}").format(league=league.title)
        return self.show(request, TEMPLATE, title, form=form, league=league, decimals=decimals, **outcome)

    def take(self, request: HttpRequest, league: League, form: FileForm) -> dict[str, Any]:
        """Carry out what was asked; returns what the page shows, or the target to go to."""
        file = form.cleaned_data["file"]
        options = {"create_players": form.cleaned_data["create_players"], "viewer": viewer_of(request)}
        again = kept(request, league) if "_import" in request.POST and file is None else None
        if file is None and again is None:
            form.add_error("file", _("Choose a file."))
            return {}
        source: Any = file if again is None else BytesIO(again[0])
        try:
            with Upload(source, media_of(file.name) if again is None else again[1]) as upload:
                if not upload.small:
                    job = ask_import(league, upload, by=by(request), **options)
                    self.say(request, _(LARGE))
                    return {"target": reverse("admin:league_job_change", args=[job.pk])}
                if again is not None:
                    report = import_now(league, upload, by=by(request), **options)
                    self.say(request, sentence(report))
                    warn_of_decisions(request, league)
                    return {"target": self.url("change", league.pk)}
                data = upload.file.read()
                upload.file.seek(0)
                diff = preview_now(league, upload, **options)
                return {"diff": diff, "kept": keep(data, upload.media, league)}
        except RungsError as error:
            put_above(form, error)
            return {"problems": error.problems}


def sentence(report: Report) -> str:
    """Return what an import did."""
    new, known, added = report.games, report.known, report.created_players
    results = npgettext("with what games come", "{count} result", "{count} results", report.results)
    said = ", ".join(
        (
            ngettext(
                "{count} game with {results} was imported", "{count} games with {results} were imported", new
            ).format(count=number(new), results=results.format(count=number(report.results))),
            ngettext("{count} was there already", "{count} were there already", known).format(count=number(known)),
            ngettext("{count} player was added", "{count} players were added", added).format(count=number(added)),
        )
    )
    if report.replayed or not new:
        return f"{said}."
    return f"{said}. {ngettext('It is rated in a moment.', 'They are rated in a moment.', new)}"
