"""Check-in: who has come. If anyone has, the others are not paired."""

from collections.abc import Sequence

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.organiser.entries import build_rows
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.halls import build_listed_name_key, write_listed_name
from league.apps.competitions.services.entries import check_in
from league.core.errors import RungsError
from league.models import League
from league.web.organiser.forms import get_request_username, parse_whole_number
from league.web.organiser.previewed_actions import offer_undo, pop_undo
from league.web.organiser.site import add_error_message, organiser_page, show


@organiser_page("arbitrate")
def check_in_entries(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Tick who has come, or all at once; whoever is not ticked is not paired."""
    found = find_competition(league, competition, for_organisers=True)
    loaded = load_competition(found)
    rows = [row for row in build_rows(loaded) if row.entry.status == Entry.Status.ENTERED]
    entries = [row.entry for row in rows]
    if request.method == "POST":
        name = "check_in" if {"_all", "_absent"} & request.POST.keys() else "competition"
        try:
            _save_presence(request, league, found, entries, _read_ticked(request, entries))
        except RungsError as error:
            add_error_message(request, error)
        return HttpResponseRedirect(reverse(f"desk:{name}", args=[league.slug, found.slug]))
    return show(
        request,
        league,
        "apps/competitions/organiser/check_in.html",
        "competitions",
        **build_frame(request, loaded),
        rows=[
            (row, write_listed_name(found, row.name))
            for row in sorted(rows, key=lambda row: build_listed_name_key(found, row.name))
        ],
        here=sum(entry.checked_in_at is not None for entry in entries),
        undo=pop_undo(request, league),
    )


def _read_ticked(request: HttpRequest, entries: Sequence[Entry]) -> set[int | None]:
    """Return the numbers of the entries that are present: those ticked, all, or all but those of an undone "all"."""
    if "_all" in request.POST:
        return {entry.number for entry in entries}
    if "_absent" in request.POST:
        absent = {parse_whole_number(text, 4) for text in request.POST["_absent"].split()}
        return {entry.number for entry in entries if entry.checked_in_at is not None and entry.number not in absent}
    return {parse_whole_number(text, 4) for text in request.POST.getlist("entry")}


def _save_presence(
    request: HttpRequest, league: League, competition: Competition, entries: Sequence[Entry], ticked: set[int | None]
) -> None:
    """Store who has come; only entries whose presence changed are written."""
    username = get_request_username(request)
    came = [entry.number for entry in entries if entry.number in ticked and entry.checked_in_at is None]
    left = [entry.number for entry in entries if entry.number not in ticked and entry.checked_in_at is not None]
    with transaction.atomic():
        for numbers, present in ((came, True), (left, False)):
            if numbers:
                check_in(league.pk, competition.slug, numbers, by=username, present=present)
    if "_all" in request.POST and came:
        address = reverse("desk:check_in", args=[league.slug, competition.slug])
        offer_undo(request, league, address, fields={"_absent": " ".join(map(str, came))})
    count = sum(entry.number in ticked for entry in entries)
    messages.success(request, _("{count} of {total} are present.").format(count=count, total=len(entries)))
