"""The pages of a private link: players report a game, and confirm or dispute reports. They need no account.

The URLs are secret, so these pages are not cached, not indexed and send no referrer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST

from league.apps.reports.installing import choose_colours
from league.apps.reports.link_access import PAGE_TITLE, require_link
from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.own_page import (
    find_reported_outcome,
    find_shown_change,
    load_own_games,
    load_standing,
)
from league.apps.reports.selectors.reports import (
    ReportView,
    find_link_player,
    has_public_page,
    list_active_players,
    load_player_reports,
    load_report_views,
)
from league.apps.reports.services.answering import RememberedAnswer, confirm_report, dispute_report, withdraw_report
from league.apps.reports.services.entering import (
    SimilarReport,
    build_link_viewer,
    enter_report,
    refuse_unresolved_players,
    resolve_sheet,
)
from league.apps.reports.services.links import LINKS
from league.apps.reports.services.writing import TABLE_AUTHOR
from league.core.capabilities import load_declared, load_mapping
from league.core.errors import NotFound, Refused, RungsError
from league.core.games.services.game_input import NewGame
from league.core.rules.selectors.rules import load_decimals, load_rule_in_force
from league.core.text.display_formats import format_signed
from league.core.text.names import is_storable
from league.models import Game, League, Player, Rule
from league.web.organiser.forms import get_form_key, get_submitted_key, parse_whole_number
from league.web.organiser.live_preview import preview_rating_changes, serialize_computed_scores
from league.web.organiser.player_chips import build_chips
from league.web.organiser.score_pad import build_pad_sheet, build_sheet_context
from league.web.organiser.score_sheets import IncomingSheet, choose_seat_count
from league.web.organiser.selectors import find_newest_game
from league.web.public.calendar_files import build_calendar
from league.web.public.page_parts import build_league_tabs
from league.web.sign_in.link_visits import LinkVisit, WaitingReport
from league.web.sign_in.secret_link_pages import render_message_page

#: Maximum number of players offered by name.
MAX_NAMED_PLAYERS = 500
ENTERED_MESSAGE = gettext_noop("The game was reported. It counts once another player at the table confirms it.")
ANSWER_STORED_MESSAGE = gettext_noop("Your answer was saved. An organiser will decide.")


def _find_player(request: HttpRequest, link: ReportLink) -> Player | None:
    player = find_link_player(link)
    if player is not None:
        return player
    handle = request.POST.get("who", request.GET.get("who", ""))
    return list_active_players(link.league).filter(handle=handle).first() if is_storable(handle) else None


@require_link
def report_link(request: HttpRequest, secret: str, link: ReportLink) -> HttpResponse:
    """Show the page of a link, or enter the sheet that was sent."""
    league, rule = link.league, load_rule_in_force(link.league)
    player = _find_player(request, link)
    if rule is None:
        return render_message_page(
            request, _(PAGE_TITLE), _("This league has no rating system yet, so games cannot be reported."), 409
        )
    if player is None:
        people = list_active_players(league)[:MAX_NAMED_PLAYERS]
        context = {"league": league, "link": link, "secret": secret, "people": people}
        return render(request, "apps/reports/link_who.html", context)
    sheet = _build_sheet(request, league, rule, player)
    status = 200
    if request.method == "POST" and "_more" not in request.POST and sheet.valid():
        try:
            return _enter_report(request, secret, player, sheet)
        except SimilarReport as error:
            return _render_page(request, secret, link, player, sheet, status=error.status, similar=error.found)
        except RungsError as error:
            status = error.status
            sheet.put(error)
    return _render_page(request, secret, link, player, sheet, status=status)


def _build_sheet(request: HttpRequest, league: League, rule: Rule, player: Player | None = None) -> IncomingSheet:
    """Return the sheet; a new one has the player's name on its first seat."""
    sheet = build_pad_sheet(request, league, rule, seated=[player.handle] if player else [])
    del sheet.form.fields["kind"]
    # Only organisers set the weight of a game.
    sheet.form.fields.pop("weight", None)
    return sheet


def _enter_report(request: HttpRequest, secret: str, player: Player, sheet: IncomingSheet) -> HttpResponse:
    game = _read_game(request, sheet)
    confirmed_other = request.POST.get("_another", "")
    submission = enter_report(
        secret,
        game,
        key=get_submitted_key(request) or uuid4().hex,
        handle=player.handle,
        confirmed_other=confirmed_other,
    )
    if submission.created:
        (view,) = load_report_views([submission.report])
        messages.success(request, f"{view.title}. {_(ENTERED_MESSAGE)}")
    else:
        messages.success(request, _describe_repeat(submission.report))
    fixture = {} if game.fixture is None else {"fixture": str(game.fixture)}
    response = _redirect_back(request, secret, just="1", **fixture)
    remember_answer(request, response, submission.report.pk, RememberedAnswer.ENTERED)
    return response


def _read_game(request: HttpRequest, sheet: IncomingSheet) -> NewGame:
    """Return the game on a valid sheet, for the fixture that the form is for."""
    return replace(sheet.game(build_link_viewer(sheet.league)), viewer=None, fixture=_read_fixture(request))


def _read_fixture(request: HttpRequest) -> int | None:
    """Return the number of the competition's fixture that the form is for."""
    return parse_whole_number(request.POST.get("fixture", request.GET.get("fixture", "")), 9)


def _build_visit(
    link: ReportLink, player: Player, secret: str, now: datetime, views: Sequence[ReportView] = ()
) -> LinkVisit:
    address = reverse("report", args=[secret])
    waiting = tuple(_describe_waiting(view) for view in views if view.report.state in Report.OPEN)
    return LinkVisit(link.league, player, now, address, link.player is not None, TABLE_AUTHOR, waiting)


def _describe_waiting(view: ReportView) -> WaitingReport:
    players = frozenset(line["player"] for line in view.report.sheet["results"])
    return WaitingReport(view.fixture, players)


def _describe_repeat(report: Report) -> str:
    if report.state == Report.State.WITHDRAWN:
        return _("This report was withdrawn. To report the game again, fill in a new form.")
    return _("This game has already been reported: the form was sent twice.")


def _redirect_back(request: HttpRequest, secret: str, **parameters: str) -> HttpResponseRedirect:
    handle = request.POST.get("who", "")
    query = {**({"who": handle} if handle else {}), **parameters}
    target = reverse("report", args=[secret])
    return HttpResponseRedirect(f"{target}?{urlencode(query)}" if query else target)


def _render_page(
    request: HttpRequest,
    secret: str,
    link: ReportLink,
    player: Player,
    sheet: IncomingSheet,
    *,
    status: int = 200,
    similar: Report | Game | None = None,
) -> HttpResponse:
    league, latest_game, now = link.league, find_newest_game(link.league), timezone.now()
    remembered = read_answers(request)
    views = [_limit_to_browser(view, link, remembered) for view in load_player_reports(league, player, now)]
    visit = _build_visit(link, player, secret, now, views)._replace(fixture=_read_fixture(request))
    views = [replace(view, outcome=find_reported_outcome(view, player, sheet.system)) for view in views]
    own_games = load_own_games(league, player, views, sheet.system, now)
    choices = [(view.handle, view.name) for view in list_active_players(league)[:MAX_NAMED_PLAYERS]]
    just = request.GET.get("just", "")
    panels = [build_panels(request, visit) for build_panels in load_declared(lambda app: app.pages.link_panel)]
    context = {
        **build_sheet_context(sheet, choose_seat_count(league, sheet.system, latest_game)),
        "league": league,
        "link": link,
        "secret": secret,
        "person": player,
        "tabs": build_league_tabs(league),
        "due": [view for view in views if view.due],
        "others": [own_games.add_recorded(view) for view in views if not view.due],
        "standing": load_standing(league, player, link, now),
        "own_games": own_games,
        "recorded": own_games.recorded,
        "bar_colours": choose_colours(league),
        "proposed": "players" not in request.GET,
        "has_page": has_public_page(league, player),
        "spoken": {} if link.player else {pk: answer.value for pk, answer in remembered.items()},
        "own_open": {view.report.pk for view in views if _may_withdraw(view, link, remembered)},
        "chips": build_chips(league, choices, {player.handle}),
        "people": choices,
        "once": get_form_key(request),
        "alike": similar,
        "same": next((view for view in views if similar is not None and view.report.pk == similar.pk), None),
        "just": just,
        "fixture": visit.fixture,
        "panels": panels,
        "asked": None if just else next(filter(None, (panel.asked for panel in panels)), None),
        "hours": league.report_hours,
        "timeout": league.report_timeout,
    }
    return render(request, "apps/reports/link_page.html", context, status=status)


def _limit_to_browser(view: ReportView, link: ReportLink, remembered: Mapping[UUID, RememberedAnswer]) -> ReportView:
    """With a table's link, a browser is not asked about a report that it already entered or answered."""
    return replace(view, due=False) if link.player is None and view.report.pk in remembered else view


def _may_withdraw(view: ReportView, link: ReportLink, remembered: Mapping[UUID, RememberedAnswer]) -> bool:
    """Return whether a report can be withdrawn; with a table's link, only in the sender's browser."""
    in_browser = link.player is not None or remembered.get(view.report.pk) == RememberedAnswer.ENTERED
    return view.own and in_browser and view.report.state in Report.OPEN


@require_POST
@require_link
def answer_report(request: HttpRequest, secret: str, link: ReportLink, pk: UUID) -> HttpResponse:
    """Confirm or dispute a report, or withdraw one's own, then redirect to the page of the link."""
    player, response = _find_player(request, link), _redirect_back(request, secret)
    handle, remembered = player.handle if player else "", read_answers(request).get(pk, RememberedAnswer.NOTHING)
    choice = request.POST.get("_say", "")
    try:
        if choice == "right":
            game = confirm_report(secret, pk, handle=handle, remembered=remembered).game
            message = _describe_confirmed(link, player, game) if game else _(ANSWER_STORED_MESSAGE)
        elif choice == "withdraw":
            withdraw_report(secret, pk, handle=handle, remembered=remembered)
            message = _("The report was withdrawn. No one needs to answer it.")
        else:
            dispute_report(secret, pk, reason=request.POST.get("reason", ""), handle=handle, remembered=remembered)
            message = _("The organiser was notified that the report is wrong, and will decide.")
    except Refused as error:
        messages.error(request, f"{_('Nothing was recorded.')} {error.detail}")
    except RungsError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, message)
        remember_answer(request, response, pk, RememberedAnswer.ANSWERED)
    return response


def _describe_confirmed(link: ReportLink, player: Player | None, game: Game) -> str:
    """Return the number of a confirmed game, and what it has changed for the player."""
    if game.kind != Game.Kind.PLAYED:
        return _("Confirmed: game {number}, not rated.").format(number=game.number)
    change = None if player is None else find_shown_change(link.league, player, link, game)
    if change is None:
        return _("Confirmed: game {number}.").format(number=game.number)
    shown = format_signed(change, load_decimals(link.league))
    return _("Confirmed: game {number}, {change}.").format(number=game.number, change=shown)


@require_POST
@require_link
def run_link_action(request: HttpRequest, secret: str, link: ReportLink, name: str) -> HttpResponse:
    """Do what a button of a capability's panel asks, then redirect to the page of the link. Only for players' links."""
    actions = load_mapping(lambda app: app.pages.link_actions)

    def run(league: League, link: ReportLink, now: datetime) -> str:
        player = find_link_player(link)
        if player is None or name not in actions:
            raise NotFound(_("This is possible with a player's own link only."))
        message: str = actions[name](_build_visit(link, player, secret, now), request.POST)
        return message

    try:
        messages.success(request, LINKS.use(secret, run))
    except RungsError as error:
        details = [problem.detail for problem in error.problems] or [error.detail]
        messages.error(request, f"{_('Nothing was changed.')} {' '.join(details)}")
    return HttpResponseRedirect(reverse("report", args=[secret]))


@require_link
def show_calendar(request: HttpRequest, secret: str, link: ReportLink) -> HttpResponse:
    """Return the player's calendar to subscribe to: own fixtures, and the periods of the ladders."""
    player = find_link_player(link)
    if player is None:
        return render_message_page(request, _(PAGE_TITLE), _("This is possible with a player's own link only."), 404)
    contents = build_calendar(request, link.league, player, periods=True)
    return HttpResponse(contents, content_type="text/calendar; charset=utf-8")


@require_link
def preview_change(request: HttpRequest, secret: str, link: ReportLink) -> HttpResponse:
    """Return the scores of worksheets and the rating changes of a sheet while it is typed; writes nothing.

    Rating changes reveal the players' ratings, so they are returned only if the league is public.
    """
    league, rule = link.league, load_rule_in_force(link.league)
    if request.method != "POST" or rule is None:
        return HttpResponseNotAllowed(["POST"])
    sheet = _build_sheet(request, league, rule)
    valid = sheet.valid()
    made = serialize_computed_scores(sheet) if sheet.formset.is_valid() else []
    response: dict[str, Any] = {"seats": [], "made": made}
    if valid and league.visibility == League.Visibility.PUBLIC:
        sent = _read_game(request, sheet)
        new, resolutions = resolve_sheet(league, sent)
        try:
            refuse_unresolved_players(sent, resolutions)
            response["seats"] = preview_rating_changes(league, new, is_agreed=True)
        except RungsError as error:
            response["why"] = error.detail
    return JsonResponse(response)


COOKIE = SALT = "rungs-reports"
#: Maximum number of remembered reports, newest first; it keeps the cookie below the browsers' size limit.
MAX_REMEMBERED_REPORTS = 80
#: Lifetime of the cookie, the maximum that browsers allow.
COOKIE_SECONDS = 400 * 86400


def read_answers(request: HttpRequest) -> dict[UUID, RememberedAnswer]:
    """Return the browser's remembered answers by report id, oldest first."""
    try:
        answers = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
        return {UUID(pk): RememberedAnswer(answer) for pk, answer in answers}
    except (signing.BadSignature, ValueError, TypeError):
        return {}


def remember_answer(request: HttpRequest, response: HttpResponse, pk: UUID, remembered: RememberedAnswer) -> None:
    """Store an answer in the browser's cookie, unless it already has one for the report."""
    earlier_answers: Mapping[UUID, RememberedAnswer] = read_answers(request)
    answers = {**earlier_answers, pk: earlier_answers.get(pk, remembered)}
    lines = [(report_id.hex, value.value) for report_id, value in list(answers.items())[-MAX_REMEMBERED_REPORTS:]]
    response.set_cookie(
        COOKIE,
        signing.dumps(lines, salt=SALT, compress=True),
        max_age=COOKIE_SECONDS,
        path=reverse("report", args=["-"]).removesuffix("-/"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
