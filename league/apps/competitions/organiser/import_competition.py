"""Import a competition from a file or a pasted text: preview, then confirm. The page carries the file along."""

import base64
import binascii
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.apps.competitions.models import EntryPlayer
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import IMPORTED_ROUNDS, ImportResult, import_competition
from league.apps.competitions.services.read_files import FileHints, read_competition_file
from league.core.dry_runs.services.rollback import run_and_roll_back
from league.core.errors import MAX_PROBLEMS, RungsError
from league.core.game_words import may_have_chess
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.decoding import CHOICES, UnclearEncoding
from league.models import League, Player
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from league.web.sign_in.sessions import viewer_of

#: The page carries a file along; a form has at most 2.5 MB.
MAX_KILOBYTES = 1500
#: Codes of problems that stating the first day solves.
DAY_CODES = frozenset(("day", "ambiguous_day", "last_day_first", "round_day", "no_day"))


class CompetitionFileForm(forms.Form):
    """A file, or a text, and what is stated about it. ``content``: the file of the form before, in base64."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy("A tournament report (TRF), CSV of fixtures, or JSON."),
        error_messages={"empty": gettext_lazy("The file is empty.")},
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste its text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono", "wrap": "off"}),
    )
    title = forms.CharField(
        label=gettext_lazy("Name"), required=False, max_length=120, help_text=gettext_lazy("Empty: the file's.")
    )
    starts = forms.DateField(
        label=gettext_lazy("First day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("Only if the file does not state it, or not clearly."),
    )
    encoding = forms.ChoiceField(
        label=gettext_lazy("Encoding"),
        required=False,
        choices=[("", gettext_lazy("recognised")), *((name, name) for name in CHOICES)],
        help_text=gettext_lazy("Only if letters of names come out wrong."),
    )
    day_order = forms.ChoiceField(
        label=gettext_lazy("11/06/2026 is"),
        required=False,
        choices=[
            ("", gettext_lazy("as the file's other days")),
            ("day", gettext_lazy("11 June: day first")),
            ("month", gettext_lazy("6 November: month first")),
        ],
        help_text=gettext_lazy("Only if no day of a CSV file shows it."),
    )
    create_players = forms.BooleanField(required=False, initial=True, label=gettext_lazy("Add unknown players"))
    regulations = forms.BooleanField(
        required=False,
        label=gettext_lazy("By FIDE's regulations from now on, if it is a Swiss system or a round robin"),
    )
    into = forms.CharField(required=False, max_length=50, widget=forms.HiddenInput)
    content = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        """Require a file of a size that the page can carry along."""
        cleaned = super().clean() or {}
        data = self.read_file()
        if not data.strip() and "file" not in self.errors:
            self.add_error("file", _("Choose a file, or paste its text."))
        elif len(data) > MAX_KILOBYTES * 1000:
            message = _("The file is larger than {limit} kB. Import it by the API.")
            self.add_error("file", message.format(limit=MAX_KILOBYTES))
        return cleaned

    def read_file(self) -> bytes:
        """Return the uploaded file, else the text, else the file of the form before."""
        uploaded = self.cleaned_data.get("file")
        if uploaded:
            uploaded.seek(0)
            data: bytes = uploaded.read(MAX_KILOBYTES * 1000 + 1)
            return data
        if self.cleaned_data.get("text"):
            return str(self.cleaned_data["text"]).encode()
        try:
            return base64.b64decode(self.cleaned_data.get("content", ""), validate=True)
        except binascii.Error:
            return b""

    @property
    def carried(self) -> str:
        """The file in base64, for the next form."""
        return base64.b64encode(self.read_file()).decode() if self.is_bound else ""


def guess_kind(data: bytes) -> str:
    """Return whether a file is json, csv or trf by how it begins."""
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:2000]
    first_line = start.partition(b"\n")[0].lower()
    return "json" if start.startswith(b"{") else "csv" if b"player" in first_line else "trf"


@organiser_page("arbitrate")
def import_file(request: HttpRequest, league: League) -> HttpResponse:
    """Show the form, the preview of a file, or import it and redirect to the competition."""
    if load_system_in_force(league) is None:
        return redirect_to_first_rule(request, league)
    form = CompetitionFileForm(request.POST, request.FILES) if request.method == "POST" else CompetitionFileForm()
    form.fields["regulations"].initial = may_have_chess(league)
    context: dict[str, Any] = {}
    if form.is_bound and form.is_valid():
        try:
            if "import" in request.POST:
                return _import(request, league, form)
            context = run_and_roll_back([league.pk], lambda leagues: _preview(request, league, form))
        except RungsError as error:
            context = _describe_error(error)
    return show(
        request,
        league,
        "apps/competitions/organiser/import_competition.html",
        "competitions",
        form=form,
        once=get_form_key(request, new="import" not in request.POST),
        **context,
    )


def _read_and_write(request: HttpRequest, league: League, form: CompetitionFileForm) -> ImportResult:
    given, data, viewer = form.cleaned_data, form.read_file(), viewer_of(request)
    hints = FileHints(given["title"].strip(), given["starts"], given["encoding"], given["day_order"])
    read = read_competition_file(guess_kind(data), data, league, hints)
    by = get_request_username(request)
    # The preview lists each of these pairings, and the button below it confirms them.
    confirmed = [IMPORTED_ROUNDS]
    importer = ImportRequest(by, viewer, given["create_players"], given["regulations"], confirmed)
    return import_competition(league.pk, read, importer, given["into"])


def _preview(request: HttpRequest, league: League, form: CompetitionFileForm) -> dict[str, Any]:
    """Return what an import would do, for the page; what it writes is rolled back."""
    newest = Player.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    result = _read_and_write(request, league, form)
    lines = EntryPlayer.objects.filter(league=league, competition=result.competition)
    people = [line.survivor for line in lines.select_related("player__merged_into").order_by("entry__number")]
    return {
        "result": result,
        "added": [player.name for player in people if player.pk > newest],
        "found": [(player.name, player.handle) for player in people if player.pk <= newest],
    }


def _import(request: HttpRequest, league: League, form: CompetitionFileForm) -> HttpResponse:
    """Import the file once, and redirect to its competition."""

    def act() -> dict[str, Any]:
        result = _read_and_write(request, league, form)
        return {"slug": result.competition.slug, "games": result.games}

    answer = run_once(request, act).answer
    template = ngettext("{count} game was imported.", "{count} games were imported.", answer["games"])
    messages.success(request, template.format(count=answer["games"]))
    return HttpResponseRedirect(reverse("desk:competition", args=[league.slug, answer["slug"]]))


def _describe_error(error: RungsError) -> dict[str, Any]:
    """Return why a file cannot be imported, for the page: each line, and how to answer."""
    return {
        "why": "" if len(error.problems) > 1 else error.detail,
        "wrong": [problem.detail for problem in error.problems[:MAX_PROBLEMS]] if len(error.problems) > 1 else [],
        "first": error.members.get("competition"),
        "choices": error.choices if isinstance(error, UnclearEncoding) else (),
        "state_day": any(problem.code in DAY_CODES for problem in error.problems),
    }
