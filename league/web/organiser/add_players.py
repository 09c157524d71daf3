"""Add many players from a list of names, after a preview."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.core.errors import Refused, RungsError
from league.core.players.selectors.duplicates import TwinCandidate, iter_similar_pairs
from league.core.players.selectors.roster import RosterPlayer
from league.core.players.services.players import add_players_to_league, preview_handles
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.names import build_name_key, name_problem
from league.core.text.wording import format_with_separators
from league.models import League
from league.web.organiser.add_player import NewcomerForm, describe_start, find_similar_players
from league.web.organiser.forms import PREVIEW_DIFFERS_MESSAGE, add_errors, find_stored_result, get_form_key, run_once
from league.web.organiser.site import organiser_page, show
from league.web.sign_in.sessions import viewer_of

#: Maximum number of names in a list, and of error messages about them.
MAX_NAMES, MAX_REFUSALS = 500, 20
#: The button that adds players, the field for similar names that are new all the same, the digest of the preview.
ADD_BUTTON, TICKED_FIELD, DIGEST_FIELD = "_add", "new", "_shown"
#: Separators of names, and numbers or bullets before a name: "1. Anna", "2.Ben", "(3) Cleo", "#4 Dan", "- Eva".
SEPARATOR, BULLET = re.compile(r"[,;\t]"), re.compile(r"^\s*(?:[-–—*•]\s+|\(?\d+[.)]\s*(?=[^\W\d])|#\d+\s+)")
#: Lines of these characters only separate parts of a list.
RULE_CHARACTERS = "-–—*•.=_"


class ListedName(NamedTuple):
    """A name and its line in the list."""

    line: int
    name: str


@dataclass(frozen=True)
class NamePreview:
    """A name with similar players, and with similar names earlier in the list."""

    line: int
    name: str
    near: list[tuple[RosterPlayer, str]]
    alike: list[tuple[ListedName, str]]
    ticked: bool

    @property
    def is_doubtful(self) -> bool:
        """Return whether the name resembles a known player or an earlier name."""
        return bool(self.near or self.alike)


@dataclass(frozen=True)
class NameListPreview:
    """The distinct names of a list in order, and repeated names with the line of their first mention."""

    lines: list[NamePreview]
    again: list[tuple[ListedName, int]]
    #: Name -> handle of the new player.
    handles: dict[str, str]

    @property
    def doubtful(self) -> list[NamePreview]:
        """Names that are added only if ticked."""
        return [line for line in self.lines if line.is_doubtful]

    @property
    def new(self) -> list[tuple[NamePreview, str]]:
        """The other names, with the handles of their players."""
        return [(line, self.handles[line.name]) for line in self.lines if not line.is_doubtful]

    def names_to_add(self) -> list[str]:
        """Return the names of the players to add."""
        return [*(line.name for line, __ in self.new), *(line.name for line in self.doubtful if line.ticked)]

    def mark(self, start: float | None) -> str:
        """Return a digest of the preview; if it changes, the list must be previewed again."""
        content = [start, [line.name for line in self.lines], [line.name for line in self.doubtful]]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def parse_names(text: str) -> Iterator[ListedName]:
    """Yield the names of a list, separated by line breaks, commas, semicolons or tabs."""
    for number, line in enumerate(text.splitlines(), start=1):
        for entry in SEPARATOR.split(line):
            name = " ".join(BULLET.sub("", entry).split())
            if name.strip(RULE_CHARACTERS):
                yield ListedName(number, name)


class NamesForm(NewcomerForm):
    """The names and the starting rating of new players."""

    names = forms.CharField(
        label=gettext_lazy("Names"),
        strip=False,  # lines are counted
        help_text=gettext_lazy(
            "One name per line; commas and semicolons also separate names. Numbers and dashes "
            "before a name are ignored."
        ),
        widget=forms.Textarea(attrs={"rows": 12, "autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Enter at least one name.")},
    )
    field_order = ("names", "initial_rating")
    start_help = gettext_lazy(
        "For all of these players, e.g. {start}: they are listed at once and can get private "
        "links. If empty, {system} sets their starting rating and they are listed after "
        "their first game."
    )

    def clean_names(self) -> list[ListedName]:
        """Return the names with their lines; raises an error that names the lines of invalid names."""
        names = list(parse_names(self.cleaned_data["names"]))
        if not names:
            raise forms.ValidationError(self.fields["names"].error_messages["required"])
        if len(names) > MAX_NAMES:
            message = _("You can add at most {limit} names at once; this list has {count}.")
            raise forms.ValidationError(
                message.format(limit=format_with_separators(MAX_NAMES), count=format_with_separators(len(names)))
            )
        problems = ((name.line, name_problem(name.name)) for name in names)
        refused = [_("Line {line}: {reason}").format(line=line, reason=reason) for line, reason in problems if reason]
        if refused:
            raise forms.ValidationError(refused[:MAX_REFUSALS])
        return names


@organiser_page("organise")
def add_many(request: HttpRequest, league: League) -> HttpResponse:
    """Ask for names, preview the new players, then add all or none of them."""
    # If the form was sent twice, these names are known by now.
    outcome = find_stored_result(request) if ADD_BUTTON in request.POST else None
    if outcome is not None:
        return _report_added(request, league, outcome.answer)
    form = NamesForm(load_system_in_force(league), request.POST if request.method == "POST" else None)
    preview: NameListPreview | None = None
    digest = ""
    if form.is_bound and form.is_valid():
        start = form.cleaned_data.get("initial_rating")
        preview = _preview_names(request, league, form.cleaned_data["names"])
        digest = preview.mark(start)
        try:
            if ADD_BUTTON in request.POST and request.POST.get(DIGEST_FIELD) == digest:
                return _add_players(request, league, preview.names_to_add(), start)
            if ADD_BUTTON in request.POST:
                form.add_error(None, PREVIEW_DIFFERS_MESSAGE)
        except RungsError as error:
            add_errors(form, error)
    context = {"form": form, "read": preview, "mark": digest, "once": get_form_key(request)}
    return show(request, league, "web/organiser/add_many.html", "people", **context)


def _preview_names(request: HttpRequest, league: League, listed_names: Sequence[ListedName]) -> NameListPreview:
    first_mentions: dict[str, ListedName] = {}
    repeated = []
    for entry in listed_names:
        first_mention = first_mentions.setdefault(build_name_key(entry.name), entry)
        if first_mention is not entry:
            repeated.append((entry, first_mention.line))
    names = [entry.name for entry in first_mentions.values()]
    similar, ticked = find_similar_players(request, league, names), set(request.POST.getlist(TICKED_FIELD))
    alike: dict[str, list[tuple[ListedName, str]]] = {}
    distinct = list(first_mentions.values())
    for first_name, second_name, reason in iter_similar_pairs(
        [TwinCandidate(place, "", name, 0) for place, name in enumerate(names)]
    ):
        first_pk, second_pk = sorted((first_name.pk, second_name.pk))
        alike.setdefault(names[second_pk], []).append((distinct[first_pk], _(reason)))
    lines = [
        NamePreview(*entry, similar[entry.name], alike.get(entry.name, []), entry.name in ticked) for entry in distinct
    ]
    # New names are added first.
    ordered = sorted(lines, key=lambda entry: entry.is_doubtful)
    return NameListPreview(lines, repeated, preview_handles([entry.name for entry in ordered]))


def _add_players(request: HttpRequest, league: League, names: list[str], start: float | None) -> HttpResponse:
    if not names:
        raise Refused(_("No name on this list is new. Tick names to add as new players, or leave the page."))

    def act() -> dict[str, Any]:
        count = add_players_to_league(league.pk, names, initial_rating=start, viewer=viewer_of(request))
        return {"count": count, "start": start}

    return _report_added(request, league, run_once(request, act).answer)


def _report_added(request: HttpRequest, league: League, outcome: dict[str, Any]) -> HttpResponse:
    count = outcome["count"]
    message = ngettext(
        "{count} player was added and can be chosen on the score pad.",
        "{count} players were added and can be chosen on the score pad.",
        count,
    )
    messages.success(
        request, f"{message.format(count=format_with_separators(count))} {describe_start(outcome['start'])}"
    )
    return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))
