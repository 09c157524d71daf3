"""The pages of a private link: players enter a sheet, and confirm or dispute those of others. No account is needed.

Their addresses are secrets: they are kept by no cache, told to no other site and named by no search machine.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.report_cookie import remember, spoken_in
from league.apps.reports.selectors.reports import ReportView, of_player, people_of, player_of
from league.apps.reports.services.answering import RememberedAnswer, confirm, dispute, withdraw
from league.apps.reports.services.entering import SimilarReport, enter, plain, refuse_strangers
from league.apps.reports.services.links import LINKS
from league.core.errors import Refused, RungsError
from league.core.leagues.selectors.rules import system_in_force
from league.core.permissions import Viewer
from league.core.text.names import storable
from league.models import Game, League, Player
from league.web.organiser.live_preview import changes, worksheet_scores
from league.web.organiser.score_pad import chips, on_the_sheet, sheet_of, usual_table
from league.web.organiser.score_sheets import IncomingSheet
from league.web.organiser.selectors import newest_game
from league.web.organiser.submit_once import given_key, key_for
from league.web.sign_in.secret_link_pages import hidden, opened, sentence
from ratings.contract.system import RatingSystem

TITLE = gettext_noop("Report a game")
#: Maximum number of players offered by name.
MAX_NAMED_PLAYERS = 500
ENTERED = gettext_noop("The game was reported. It is rated once another player at the table confirms it.")
ANSWER_STORED_MESSAGE = gettext_noop("Your answer was saved. An organiser will decide.")
View = Callable[..., HttpResponse]


def by_link(view: View) -> View:
    """Let a view be asked for by whoever has a link that is in force; others get a sentence that names nothing."""

    @never_cache
    @wraps(view)
    def inner(request: HttpRequest, secret: str, *args: Any, **kwargs: Any) -> HttpResponse:
        link = opened(request, LINKS, secret, _(TITLE))
        return link if isinstance(link, HttpResponse) else hidden(view(request, secret, link, *args, **kwargs))

    return inner


def speaking(request: HttpRequest, link: ReportLink) -> Player | None:
    """Return who looks: the player of the link; at a table, who they say they are. None: they have not said yet."""
    player = player_of(link)
    if player is not None:
        return player
    who = request.POST.get("who", request.GET.get("who", ""))
    return people_of(link.league).filter(handle=who).first() if storable(who) else None


def viewer_in(league: League) -> Viewer:
    """Return whom a link makes of someone: who reads this league, and keeps no books."""
    return Viewer("", "read", frozenset({league.pk}), {league.pk: "recorder"})


@by_link
def link(request: HttpRequest, secret: str, found: ReportLink) -> HttpResponse:
    """Show what one may do by a link, or enter the sheet that was sent."""
    league, system = found.league, system_in_force(found.league)
    person = speaking(request, found)
    if system is None:
        return sentence(request, _(TITLE), _("This league has no rating system yet, so games cannot be reported."), 409)
    if person is None:
        context = {"league": league, "link": found, "secret": secret, "people": people_of(league)[:MAX_NAMED_PLAYERS]}
        return render(request, "apps/reports/link_who.html", context)
    sheet = report_sheet(request, league, system)
    status = 200
    if request.method == "POST" and "_more" not in request.POST and sheet.valid():
        try:
            return entered(request, secret, person, sheet)
        except SimilarReport as error:
            return page(request, secret, found, person, sheet, status=error.status, alike=error.found)
        except RungsError as error:
            status = error.status
            sheet.put(error)
    return page(request, secret, found, person, sheet, status=status)


def report_sheet(request: HttpRequest, league: League, system: RatingSystem) -> IncomingSheet:
    """Return the sheet of a link: the pad's, for games that were played only."""
    sheet = sheet_of(request, league, system)
    del sheet.form.fields["kind"]
    # How much a game counts, the organiser says.
    sheet.form.fields.pop("weight", None)
    return sheet


def entered(request: HttpRequest, secret: str, person: Player, sheet: IncomingSheet) -> HttpResponse:
    """Enter a sheet and lead back."""
    new = replace(sheet.game(viewer_in(sheet.league)), viewer=None)
    another = request.POST.get("_another", "")
    done = enter(secret, new, key=given_key(request) or uuid4().hex, who=person.handle, another=another)
    messages.success(request, _(ENTERED) if done.created else came_twice(done.report))
    answer = back(request, secret, just="1")
    remember(request, answer, done.report.pk, RememberedAnswer.ENTERED)
    return answer


def came_twice(report: Report) -> str:
    """Return what to say of a sheet that had come before."""
    if report.state == Report.State.WITHDRAWN:
        return _("This report was withdrawn. To report the game again, fill in a new form.")
    return _("This game has already been reported: the form was sent twice.")


def back(request: HttpRequest, secret: str, **more: str) -> HttpResponseRedirect:
    """Lead to the page of the link, as who someone said they are."""
    who = request.POST.get("who", "")
    query = {**({"who": who} if who else {}), **more}
    target = reverse("report", args=[secret])
    return HttpResponseRedirect(f"{target}?{urlencode(query)}" if query else target)


def page(
    request: HttpRequest,
    secret: str,
    link: ReportLink,
    person: Player,
    sheet: IncomingSheet,
    *,
    status: int = 200,
    alike: Report | Game | None = None,
) -> HttpResponse:
    """Return the page of someone: what waits for them, a sheet, and what became of their games."""
    league, newest = link.league, newest_game(link.league)
    spoken = spoken_in(request)
    found = [as_seen(one, link, spoken) for one in of_player(league, person, timezone.now())]
    people = [(one.handle, one.name) for one in people_of(league)[:MAX_NAMED_PLAYERS]]
    context = {
        **on_the_sheet(sheet),
        "league": league,
        "link": link,
        "secret": secret,
        "person": person,
        "due": [one for one in found if one.due],
        "others": [one for one in found if not one.due],
        "spoken": {} if link.player else {pk: said.value for pk, said in spoken.items()},
        "own_open": {one.report.pk for one in found if may_withdraw(one, link, spoken)},
        "chips": chips(people, {person.handle}),
        "people": people,
        "once": key_for(request),
        "usual": usual_table(sheet.system, newest),
        "alike": alike,
        "same": next((one for one in found if alike is not None and one.report.pk == alike.pk), None),
        "just": request.GET.get("just", ""),
        "hours": league.report_hours,
        "timeout": league.report_timeout,
    }
    return render(request, "apps/reports/link_page.html", context, status=status)


def as_seen(one: ReportView, link: ReportLink, spoken: Mapping[UUID, RememberedAnswer]) -> ReportView:
    """Return a report as a browser sees it: by a table's link it answers nothing of which it spoke before."""
    return replace(one, due=False) if link.player is None and one.report.pk in spoken else one


def may_withdraw(one: ReportView, link: ReportLink, spoken: Mapping[UUID, RememberedAnswer]) -> bool:
    """Return whether a report is offered to be withdrawn: one's own, at a table's link entered in this browser."""
    known = link.player is not None or spoken.get(one.report.pk) == RememberedAnswer.ENTERED
    return one.own and known and one.report.state in Report.OPEN


@require_POST
@by_link
def answer(request: HttpRequest, secret: str, found: ReportLink, pk: UUID) -> HttpResponse:
    """Confirm a report, dispute it or withdraw one's own, and lead back."""
    person, say, leading = speaking(request, found), request.POST.get("_say", ""), back(request, secret)
    who, spoken = person.handle if person else "", spoken_in(request).get(pk, RememberedAnswer.NOTHING)
    try:
        if say == "right":
            game = confirm(secret, pk, who=who, spoken=spoken).game
            said = _("It is now game {number}.").format(number=game.number) if game else _(ANSWER_STORED_MESSAGE)
        elif say == "withdraw":
            withdraw(secret, pk, who=who, spoken=spoken)
            said = _("The report was withdrawn. No one needs to answer it.")
        else:
            dispute(secret, pk, reason=request.POST.get("reason", ""), who=who, spoken=spoken)
            said = _("The organiser was notified that the report is wrong, and will decide.")
    except Refused as error:
        messages.error(request, f"{_('Nothing was recorded.')} {error.detail}")
    except RungsError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, said)
        remember(request, leading, pk, RememberedAnswer.ANSWERED)
    return leading


@by_link
def change(request: HttpRequest, secret: str, found: ReportLink) -> HttpResponse:
    """Answer what the worksheets of a sheet make and what it would change, while someone types. Nothing is written.

    What it would change says what everyone's rating is: it is told where the league is public.
    """
    league, system = found.league, system_in_force(found.league)
    if request.method != "POST" or system is None:
        return HttpResponseNotAllowed(["POST"])
    sheet = report_sheet(request, league, system)
    whole = sheet.valid()
    answer: dict[str, Any] = {"seats": [], "made": worksheet_scores(sheet) if sheet.formset.is_valid() else []}
    if whole and league.visibility == League.Visibility.PUBLIC:
        new = plain(replace(sheet.game(viewer_in(league)), viewer=None))
        try:
            refuse_strangers(league, new)
            answer["seats"] = changes(league, new)
        except RungsError as error:
            answer["why"] = error.detail
    return JsonResponse(answer)
