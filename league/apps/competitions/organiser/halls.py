"""The desk's pages of halls: rooms, the plan of an evening, the next free table, and sheets to print."""

import hashlib
import json
import zoneinfo
from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.apps.competitions.models import EVENING, Competition, Hall
from league.apps.competitions.organiser.hall_forms import (
    EveningForm,
    HallForm,
    add_room_problems,
    build_room_forms,
    list_rooms,
)
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.competitions import list_competitions
from league.apps.competitions.selectors.hall_texts import (
    describe_conflict,
    describe_plan,
    explain_unplaced,
    format_clock,
)
from league.apps.competitions.selectors.halls import (
    HallEvening,
    HallGame,
    find_hall,
    group_by_table,
    list_seats,
    load_evening,
)
from league.apps.competitions.services.evenings import call_match, plan_hall
from league.apps.competitions.services.halls import change_hall, create_hall, remove_hall
from league.core.dry_runs.services.rollback import run_and_roll_back
from league.core.errors import Refused, RungsError
from league.core.locking import transactional
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, parse_whole_number, run_once
from league.web.organiser.previewed_actions import REVISION_FIELD, StalePreview, list_submitted_fields
from league.web.organiser.site import add_error_message, organiser_page, show
from ratings.halls.evening import EveningPlan

#: Steps whose forms are shown again, with what was typed.
FORM_STEPS = ("plan", "publish", "edit", "all", "rooms")


class PrintedMatch(NamedTuple):
    """A line of a sheet: the match, where or in what, and who plays."""

    game: HallGame
    time: str
    place: str
    names: str


def _list_running(league: League) -> list[Competition]:
    """Return the competitions that can be played in a hall."""
    running = list_competitions(league, for_organisers=True).filter(status=Competition.Status.RUNNING)
    return list(running.order_by("title", "slug"))


@organiser_page("arbitrate")
def new_hall(request: HttpRequest, league: League) -> HttpResponse:
    """Show the form, or create the hall and redirect to its page."""
    data = request.POST if request.method == "POST" else None
    form, rows = HallForm(data), build_room_forms(None, _list_running(league), data)
    if data is not None and form.is_valid() and rows.is_valid():
        settings = {**form.cleaned_data, "rooms": list_rooms(rows)}

        def act() -> dict[str, Any]:
            return {"slug": create_hall(league.pk, "", settings, by=get_request_username(request)).slug}

        try:
            slug = str(run_once(request, act).answer["slug"])
        except RungsError as error:
            add_room_problems(form, rows, error)
        else:
            return HttpResponseRedirect(reverse("desk:hall", args=[league.slug, slug]))
    return show(
        request, league, "apps/competitions/organiser/new_hall.html", "competitions",
        form=form, rows=rows, once=get_form_key(request),
    )  # fmt: skip


@organiser_page("arbitrate")
def show_hall(request: HttpRequest, league: League, hall: str) -> HttpResponse:
    """Show the evening of a hall with its rooms, or carry out a step."""
    found = find_hall(league, hall)
    running = _list_running(league)
    step = request.POST.get("step", "") if request.method == "POST" else ""
    if request.method == "POST" and step not in FORM_STEPS:
        return _carry_out(request, league, found, step)
    with timezone.override(zoneinfo.ZoneInfo(league.time_zone)):
        for one in running:
            one.league = league
        loaded = load_competitions(running)
        is_typed = step in ("plan", "publish", "edit")
        evening_form = EveningForm(found, loaded, request.POST if is_typed else None)
        if step == "all":
            evening_form.choose_all(request.POST)
        form = HallForm(request.POST if step == "rooms" else None, initial={"title": found.title})
        rows = build_room_forms(found, running, request.POST if step == "rooms" else None)
        if step in ("plan", "publish") and (answer := _plan(request, league, found, evening_form, loaded)):
            return answer
        if step == "rooms" and _change_rooms(request, league, found, form, rows):
            return HttpResponseRedirect(_build_address(league, found))
        return show(
            request, league, "apps/competitions/organiser/hall.html", "competitions",
            **_build_context(league, find_hall(league, hall), loaded),
            evening_form=evening_form, is_chosen=step in ("all", "edit"), form=form, rows=rows,
            once=get_form_key(request, new=True),
        )  # fmt: skip


def _build_context(league: League, hall: Hall, loaded: list[LoadedCompetition]) -> dict[str, Any]:
    """Return the context of the evening as it stands."""
    evening = load_evening(hall)
    placed = [game for game in evening.games if game.booking is not None]
    return {
        "hall": hall,
        "evening": evening,
        "has_running": bool(loaded),
        "has_begun": hall.starts_at is not None and hall.starts_at <= timezone.now(),
        "titles": {slug: one.competition.title for slug, one in evening.competitions.items()},
        # A single room is named once, in the head of the page.
        "rooms": {table.number: table.room for table in evening.tables} if len(hall.rooms) > 1 else {},
        "room": hall.rooms[0]["title"] if len(hall.rooms) == 1 else "",
        "of_one": len(evening.competitions) == 1,
        "placed": placed,
        "times": {game.match.key: _format_start(evening, game) for game in placed},
        "to_play": [game for game in placed if game.is_open],
        "played": [game for game in placed if not game.is_open],
        "unplaced": explain_unplaced(evening) if hall.starts_at else {},
        "conflicts": [describe_conflict(evening, one) for one in evening.conflicts],
    }


def _format_start(evening: HallEvening, game: HallGame) -> str:
    """Return when a match of the plan begins."""
    return format_clock(evening, game.booking.start) if game.booking else ""


def _build_address(league: League, hall: Hall) -> str:
    return reverse("desk:hall", args=[league.slug, hall.slug])


def _plan(
    request: HttpRequest, league: League, hall: Hall, form: EveningForm, loaded: list[LoadedCompetition]
) -> HttpResponse | None:
    """Publish the plan that was shown, or show the one that the form asks for; None if it is refused.

    If another plan would be published than the one that was shown, it is shown: time passes, and results come in.
    """
    if not form.is_valid():
        return None
    settings, by = form.build_settings(), get_request_username(request)

    def plan_and_describe(_leagues: object) -> dict[str, Any]:
        plan = plan_hall(league.pk, hall.slug, settings, by=by)
        planned = find_hall(league, hall.slug)
        evening = load_evening(planned)
        return {
            "sentence": describe_plan(evening, plan),
            "seen": _compute_plan_digest(evening, plan),
            **_build_context(league, planned, loaded),
        }

    warning = ""
    try:
        if request.POST["step"] == "publish":
            try:
                return _publish_plan(request, league, hall, settings)
            except StalePreview as error:
                warning = error.detail
        context = run_and_roll_back([league.pk], plan_and_describe)
    except RungsError as error:
        form.add_problems(error)
        return None
    if warning:
        form.add_error(None, warning)
    return show(
        request, league, "apps/competitions/organiser/hall_preview.html", "competitions",
        **context,
        form=form,
        fields=[(name, value) for name, value in list_submitted_fields(request.POST) if name != "step"],
        once=get_form_key(request, new=True),
    )  # fmt: skip


def _publish_plan(request: HttpRequest, league: League, hall: Hall, settings: Mapping[str, Any]) -> HttpResponse:
    """Plan the evening and return to its page; raises StalePreview if that is not the plan that was shown."""

    @transactional
    def plan_as_shown() -> dict[str, Any]:
        plan = plan_hall(league.pk, hall.slug, settings, by=get_request_username(request))
        evening = load_evening(find_hall(league, hall.slug))
        if _compute_plan_digest(evening, plan) != request.POST.get(REVISION_FIELD, ""):
            raise StalePreview(_("The plan has changed since it was shown. This is the plan now."))
        return {"message": describe_plan(evening, plan)}

    messages.success(request, str(run_once(request, plan_as_shown).answer["message"]))
    return HttpResponseRedirect(_build_address(league, hall))


def _compute_plan_digest(evening: HallEvening, plan: EveningPlan) -> str:
    """Return a digest of a plan: the settings of the evening, each place, the matches without one, and conflicts."""
    places = [
        *((one.match.key, one.table, one.start) for one in plan.bookings),
        *((one.match.key,) for one in plan.left_out),
    ]
    conflicts = [(one.kind, [booking.match.key for booking in one.bookings]) for one in evening.conflicts]
    shown = [[str(getattr(evening.hall, name)) for name in EVENING], sorted(places), plan.ends, plan.bound, conflicts]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def _change_rooms(request: HttpRequest, league: League, hall: Hall, form: HallForm, rows: Any) -> bool:
    """Change the name and the rooms; return whether it was done."""
    if not form.is_valid() or not rows.is_valid():
        return False
    settings = {**form.cleaned_data, "rooms": list_rooms(rows)}
    try:
        change_hall(league.pk, hall.slug, settings, by=get_request_username(request))
    except RungsError as error:
        add_room_problems(form, rows, error)
        return False
    messages.success(request, _("The hall is saved."))
    return True


def _carry_out(request: HttpRequest, league: League, hall: Hall, step: str) -> HttpResponse:
    """Carry out the step of a pressed button."""
    by = get_request_username(request)

    def act() -> dict[str, Any]:
        if step == "call":
            number = parse_whole_number(request.POST.get("fixture", ""), 9) or 0
            table = parse_whole_number(request.POST.get("table", ""), 4) or 0
            call_match(league.pk, hall.slug, number, table, by=by)
            return {"message": _("Table {table}: the match begins.").format(table=table), "address": ""}
        if step == "again":
            plan = plan_hall(league.pk, hall.slug, {}, by=by)
            return {"message": describe_plan(load_evening(find_hall(league, hall.slug)), plan), "address": ""}
        if step == "remove":
            remove_hall(league.pk, hall.slug, by=by)
            address = reverse("desk:competitions", args=[league.slug])
            return {"message": _("The hall is removed. Its fixtures keep their tables and times."), "address": address}
        raise Refused(_("Nothing was done; press a button of this page."))

    try:
        answer = run_once(request, act).answer
    except RungsError as error:
        add_error_message(request, error)
        return HttpResponseRedirect(_build_address(league, hall))
    messages.success(request, str(answer["message"]))
    return HttpResponseRedirect(str(answer["address"]) or _build_address(league, hall))


@organiser_page("arbitrate")
def print_hall(request: HttpRequest, league: League, hall: str, sheet: str) -> HttpResponse:
    """Show the plan to print: by table, or by name. It has rounds that are not published, which arbiters see alone."""
    found = find_hall(league, hall)
    evening: HallEvening = load_evening(found)
    with timezone.override(zoneinfo.ZoneInfo(league.time_zone)):
        return show(
            request, league, "apps/competitions/organiser/print_hall.html", "competitions",
            hall=found,
            evening=evening,
            sheet_name=sheet,
            groups=_group_by_name(evening) if sheet == "names" else _group_by_table(evening),
        )  # fmt: skip


def _group_by_table(evening: HallEvening) -> list[tuple[str, str, list[PrintedMatch]]]:
    """Return the open matches of each table, under its number and room."""
    found = [(table, [game for game in games if game.is_open]) for table, games in group_by_table(evening)]
    several = len(evening.competitions) > 1
    return [
        (
            _("Table {number}").format(number=table.number),
            table.room,
            [
                PrintedMatch(
                    game, _format_start(evening, game), game.loaded.competition.title if several else "", game.names
                )
                for game in games
            ],
        )
        for table, games in found
        if games
    ]


def _group_by_name(evening: HallEvening) -> list[tuple[str, str, list[PrintedMatch]]]:
    """Return the open matches of each entry, under its name."""
    open_seats = [seat for seat in list_seats(evening) if seat.game.is_open and seat.game.booking]
    return [
        (
            name,
            "",
            [
                PrintedMatch(
                    seat.game,
                    _format_start(evening, seat.game),
                    _("Table {number}").format(number=seat.game.booking.table if seat.game.booking else ""),
                    seat.others,
                )
                for seat in seats
            ],
        )
        for name, seats in groupby(open_seats, key=lambda seat: seat.name)
    ]
