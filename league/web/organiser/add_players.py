"""Adding many players at once: what a list of names means is shown before anything is written."""

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
from league.core.leagues.selectors.rules import system_in_force
from league.core.players.selectors.duplicates import TwinCandidate, pairs_of
from league.core.players.selectors.roster import RosterPlayer
from league.core.players.services.players import add_all_to_league, new_handles
from league.core.text.names import key_of, name_problem
from league.core.text.wording import with_thousands_separator
from league.models import League
from league.web.organiser.add_player import NewcomerForm, resolve_names, where_they_start
from league.web.organiser.form_errors import put_errors
from league.web.organiser.page_frame import at_desk, show
from league.web.organiser.submit_once import DIFFERS, done_before, key_for, once
from league.web.viewer import viewer_of

#: Names in one list; refusals of names that a page shows.
MAX_NAMES, MAX_REFUSALS = 500, 20
#: The button that adds them, the field of names that are new although others are alike, the mark of the preview.
ADD, TICKED, SHOWN = "_add", "new", "_shown"
#: What parts names of a line, and what a list has before a name: "1. Anna", "2.Ben", "(3) Cleo", "#4 Dan", "- Eva".
SEPARATOR, BULLET = re.compile(r"[,;\t]"), re.compile(r"^\s*(?:[-–—*•]\s+|\(?\d+[.)]\s*(?=[^\W\d])|#\d+\s+)")
#: A rule between parts of a list is no one.
RULE = "-–—*•.=_"


class WrittenName(NamedTuple):
    """A name as it is in a list, and its line there."""

    line: int
    name: str


@dataclass(frozen=True)
class NameLine:
    """A name of a list with what is known of it: the players whom it may mean, and names before it that are alike."""

    line: int
    name: str
    near: list[tuple[RosterPlayer, str]]
    alike: list[tuple[WrittenName, str]]
    ticked: bool

    @property
    def is_doubtful(self) -> bool:
        """Return whether the name may be of a player who is known, or listed already."""
        return bool(self.near or self.alike)


@dataclass(frozen=True)
class NameList:
    """What a list of names means: each name once, in its order; names that are there again, with their first line."""

    lines: list[NameLine]
    again: list[tuple[WrittenName, int]]
    #: Name -> the handle that the player gets.
    handles: dict[str, str]

    @property
    def doubtful(self) -> list[NameLine]:
        """Return the names that are added only if they are ticked."""
        return [one for one in self.lines if one.is_doubtful]

    @property
    def new(self) -> list[tuple[NameLine, str]]:
        """Return the other names, with the handles of their players."""
        return [(one, self.handles[one.name]) for one in self.lines if not one.is_doubtful]

    def names_to_add(self) -> list[str]:
        """Return the names of the players that are added."""
        return [*(one.name for one, __ in self.new), *(one.name for one in self.doubtful if one.ticked)]

    def mark(self, start: float | None) -> str:
        """Return a digest of what a page shows of the list: another one must be shown before it is carried out."""
        shown = [start, [one.name for one in self.lines], [one.name for one in self.doubtful]]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def names_in(text: str) -> Iterator[WrittenName]:
    """Yield the names of a list: one a line, or several parted by commas, semicolons or tabs."""
    for number, line in enumerate(text.splitlines(), start=1):
        for part in SEPARATOR.split(line):
            name = " ".join(BULLET.sub("", part).split())
            if name.strip(RULE):
                yield WrittenName(number, name)


class NamesForm(NewcomerForm):
    """Players who have not played yet, by their names."""

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

    def clean_names(self) -> list[WrittenName]:
        """Return the names with their lines; each one that cannot be a name is refused with its line."""
        written = list(names_in(self.cleaned_data["names"]))
        if not written:
            raise forms.ValidationError(self.fields["names"].error_messages["required"])
        if len(written) > MAX_NAMES:
            sentence = _("You can add at most {limit} names at once; this list has {count}.")
            raise forms.ValidationError(
                sentence.format(limit=with_thousands_separator(MAX_NAMES), count=with_thousands_separator(len(written)))
            )
        problems = ((one.line, name_problem(one.name)) for one in written)
        refused = [_("Line {line}: {reason}").format(line=line, reason=why) for line, why in problems if why]
        if refused:
            raise forms.ValidationError(refused[:MAX_REFUSALS])
        return written


@at_desk("organise")
def add_many(request: HttpRequest, league: League) -> HttpResponse:
    """Ask for names; show which are new; then add these players, all or none."""
    # Sent twice: by now these names are known.
    before = done_before(request) if ADD in request.POST else None
    if before is not None:
        return report_added(request, league, before.answer)
    form = NamesForm(system_in_force(league), request.POST if request.method == "POST" else None)
    read: NameList | None = None
    mark = ""
    if form.is_bound and form.is_valid():
        start = form.cleaned_data.get("initial_rating")
        read = read_names(request, league, form.cleaned_data["names"])
        mark = read.mark(start)
        try:
            if ADD in request.POST and request.POST.get(SHOWN) == mark:
                return add_players(request, league, read.names_to_add(), start)
            if ADD in request.POST:
                form.add_error(None, DIFFERS)
        except RungsError as error:
            put_errors(form, error)
    context = {"form": form, "read": read, "mark": mark, "once": key_for(request)}
    return show(request, league, "web/organiser/add_many.html", "people", **context)


def read_names(request: HttpRequest, league: League, written: Sequence[WrittenName]) -> NameList:
    """Return what a list of names means in a league; nothing is written."""
    first: dict[str, WrittenName] = {}
    again = []
    for one in written:
        earlier = first.setdefault(key_of(one.name), one)
        if earlier is not one:
            again.append((one, earlier.line))
    names = [one.name for one in first.values()]
    near, ticked = resolve_names(request, league, names), set(request.POST.getlist(TICKED))
    alike: dict[str, list[tuple[WrittenName, str]]] = {}
    listed = list(first.values())
    for first_name, second_name, why in pairs_of(
        [TwinCandidate(place, "", name, 0) for place, name in enumerate(names)]
    ):
        before, after = sorted((first_name.pk, second_name.pk))
        alike.setdefault(names[after], []).append((listed[before], _(why)))
    lines = [NameLine(*one, near[one.name], alike.get(one.name, []), one.name in ticked) for one in listed]
    # In the order in which they are added.
    ordered = sorted(lines, key=lambda one: one.is_doubtful)
    return NameList(lines, again, new_handles([one.name for one in ordered]))


def add_players(request: HttpRequest, league: League, names: list[str], start: float | None) -> HttpResponse:
    """Add the players of a list that was shown, once; raises what refuses it."""
    if not names:
        raise Refused(_("No name on this list is new. Tick names to add as new players, or leave the page."))

    def act() -> dict[str, Any]:
        count = add_all_to_league(league.pk, names, initial_rating=start, viewer=viewer_of(request))
        return {"count": count, "start": start}

    return report_added(request, league, once(request, act).answer)


def report_added(request: HttpRequest, league: League, answer: dict[str, Any]) -> HttpResponse:
    """Return to the league's people with a message of how many were added."""
    count = answer["count"]
    sentence = ngettext(
        "{count} player was added and can be chosen on the score pad.",
        "{count} players were added and can be chosen on the score pad.",
        count,
    )
    messages.success(
        request, f"{sentence.format(count=with_thousands_separator(count))} {where_they_start(answer['start'])}"
    )
    return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))
