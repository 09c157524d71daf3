"""The organiser's pages of player reports: decisions, and links for reporting."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache

from league.apps.reports.models import NAME_LENGTH, Report, ReportLink
from league.apps.reports.selectors.reports import (
    compute_mark,
    find_report,
    list_active_players,
    list_open_reports,
    list_recently_decided,
    list_valid_links,
    load_report_views,
)
from league.apps.reports.services.deciding import record_report, refuse_report
from league.apps.reports.services.links import LINKS, make_link, revoke_link
from league.core.errors import Conflict, KeyReused, NotFound, RungsError
from league.core.games.services.game_input import NewGame
from league.core.players.selectors.search import load_offered_players
from league.core.text.labels import end_sentence
from league.models import League, Player
from league.web.organiser.field_forms import name_form_fields
from league.web.organiser.forms import (
    CHANGED,
    build_link_secret,
    create_link_once,
    get_back_address,
    get_form_key,
    get_request_username,
    is_recent,
    run_once,
    warn_of_decisions,
)
from league.web.organiser.score_sheets import (
    IncomingSheet,
    convert_to_local,
    fill_in_sets,
    find_retired_side,
    format_single_line,
    replace_handles_by_names,
    rule_at,
)
from league.web.organiser.site import add_error_message, organiser_page, post_action, show
from league.web.public.qr_codes import encode_qr_code
from league.web.sign_in.sessions import viewer_of

#: Lifetimes of a link: days and label.
LIFETIME_CHOICES = (
    ("", gettext_lazy("Until it is revoked")),
    ("1", gettext_lazy("A day")),
    ("31", gettext_lazy("A month")),
    ("366", gettext_lazy("A year")),
)


#: Message if the form of a link is sent again later.
SHOWN_BEFORE_MESSAGE = gettext_noop(
    "This form has already created a link, which was shown then. If it is lost, create another one."
)
AMBIGUOUS_NAME_MESSAGE = gettext_noop("Several players have this name; enter the handle.")


class LinkForm(forms.Form):
    """The player or table of a new link, and how long it is valid."""

    player = forms.CharField(
        max_length=Player.name.field.max_length,
        required=False,
        label=gettext_lazy("Player"),
        help_text=gettext_lazy("The player's own link. Empty: a link for a table, where players choose their name."),
        widget=forms.TextInput(attrs={"list": "own", "autocomplete": "off"}),
    )
    name = forms.CharField(
        max_length=NAME_LENGTH,
        required=False,
        label=gettext_lazy("Table"),
        help_text=gettext_lazy("E.g. Table 1."),
    )
    good_for = forms.ChoiceField(choices=LIFETIME_CHOICES, required=False, label=gettext_lazy("Valid for"))

    def __init__(self, league: League, data: Any = None) -> None:
        super().__init__(data)
        self.league = league
        self.whose: Player | None = None

    def clean_player(self) -> str:
        """Find the player by handle, or by a unique name."""
        text = self.cleaned_data["player"].strip()
        if text:
            active = list_active_players(self.league)
            matches = list(active.filter(handle=text)) or list(active.filter(name=text)[:2])
            if len(matches) != 1:
                raise forms.ValidationError(
                    _(AMBIGUOUS_NAME_MESSAGE) if matches else _("No active player has this name.")
                )
            self.whose = matches[0]
        return str(text)

    def clean(self) -> dict[str, Any]:
        """Reject a link for both a player and a table."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("player") and data.get("name"):
            self.add_error("name", _("A link is for a player or for a table: leave one of them empty."))
        return data


@organiser_page("record")
def list_reports(request: HttpRequest, league: League) -> HttpResponse:
    """Show the open reports and the links."""
    return _render_page(request, league, LinkForm(league))


def _render_page(request: HttpRequest, league: League, form: LinkForm, **extra: Any) -> HttpResponse:
    now = timezone.now()
    # Each report has two forms, which need separate keys.
    open_views = [(view, (uuid4().hex, uuid4().hex)) for view in load_report_views(list_open_reports(league))]
    context = {
        "due": [pair for pair in open_views if pair[0].report.state != Report.State.WAITING],
        "waiting": [pair for pair in open_views if pair[0].report.state == Report.State.WAITING],
        "decided": load_report_views(list_recently_decided(league, now)),
        "links": list_valid_links(league, now),
        "form": form,
        "own": list_active_players(league)[:500],
        "once": get_form_key(request, new=True),
        "owns": viewer_of(request).may("own", league),
        "on": league.reporting != League.Reporting.OFF,
        **extra,
    }
    return show(request, league, "apps/reports/reports.html", "games", **context)


def redirect_to_reports(league: League) -> HttpResponseRedirect:
    """Redirect to the reports page."""
    return HttpResponseRedirect(reverse("desk:reports", args=[league.slug]))


@post_action("record", "reports")
def decide_report(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Record a report as entered, or reject it with a reason; return to the page of the form."""
    refuse = request.POST.get("_say") == "refuse"
    try:
        submission = run_once(
            request, lambda: _refuse(request, league, pk) if refuse else _record(request, league, pk, None)
        )
    except RungsError as error:
        add_error_message(request, error)
    else:
        messages.success(request, str(submission.answer["said"]))
        warn_of_decisions(request, league)
    back = get_back_address(request)
    return HttpResponseRedirect(back) if back else redirect_to_reports(league)


def _record(request: HttpRequest, league: League, pk: UUID, amended: NewGame | None) -> dict[str, Any]:
    report = record_report(
        league.pk, pk, mark=request.POST.get("seen", ""), username=get_request_username(request), amended=amended
    )
    if report.game is None:
        return {"said": ""}
    (view,) = load_report_views([report])
    message = _("The report is now game {number}.").format(number=report.game.number)
    return {"said": f"{end_sentence(view.title)} {message}"}


def _refuse(request: HttpRequest, league: League, pk: UUID) -> dict[str, Any]:
    reason, mark = request.POST.get("reason", ""), request.POST.get("seen", "")
    refuse_report(league.pk, pk, reason=reason, mark=mark, username=get_request_username(request))
    return {"said": _("The report was rejected. The players can read the reason.")}


@organiser_page("record")
def amend_report(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show the sheet of a report for correction, and record it."""
    report = find_report(league, pk)
    if report is None:
        raise Http404
    if report.state not in Report.OPEN and request.method != "POST":
        messages.warning(request, _("This report has already been decided."))
        return redirect_to_reports(league)
    sheet = _build_sheet(request, league, report)
    if request.method == "POST" and "_more" not in request.POST and sheet.valid():
        amended = _read_amended_game(request, sheet, report)
        try:
            submission = run_once(request, lambda: _record(request, league, pk, amended))
        except KeyReused:
            sheet.form.add_error(None, CHANGED)
        except (Conflict, NotFound) as error:
            add_error_message(request, error)
            return redirect_to_reports(league)
        except RungsError as error:
            sheet.put(error)
        else:
            messages.success(request, str(submission.answer["said"]))
            warn_of_decisions(request, league)
            return redirect_to_reports(league)
    return show(
        request,
        league,
        "apps/reports/amend.html",
        "games",
        one=load_report_views([report])[0],
        sheet=sheet,
        form=sheet.form,
        more=len(sheet.formset.forms) < sheet.system.max_players,
        people=load_offered_players(league, viewer_of(request)),
        once=get_form_key(request),
        seen=request.POST.get("seen", compute_mark(report)),
    )


def _build_sheet(request: HttpRequest, league: League, report: Report) -> IncomingSheet:
    rule = rule_at(league, report.played_at)
    played_at = convert_to_local(report.played_at, league)
    details = {f"details_{key}": value for key, value in report.sheet["details"].items()}
    initial = {"played_at": played_at, "turn": str(played_at.fold), "note": report.sheet["note"], **details}
    initial |= name_form_fields(report.sheet.get("fields", {}))
    if "weight" in report.sheet:
        initial["weight"] = format_single_line(report.sheet["weight"])
    seats = []
    for line in report.sheet["results"]:
        worksheet = {f"worksheet_{key}": value for key, value in line.get("worksheet", {}).items()}
        seats.append({key: line[key] for key in ("player", "score", "place", "side") if key in line} | worksheet)
        seats[-1] |= name_form_fields(line.get("fields", {}))
        if "sets" in line:
            fill_in_sets(seats[-1], line)
    lines = report.sheet["results"]
    initial["retired"] = find_retired_side(lines, [line.get("side") for line in lines])
    names = dict(list_active_players(league).values_list("handle", "name"))
    seats = replace_handles_by_names(seats, names, league, viewer_of(request))
    sheet = IncomingSheet(league, rule, request.POST if request.method == "POST" else None, initial, seats)
    text = _("In the league's time zone ({zone}). Empty: as reported.")
    sheet.form.fields["played_at"].help_text = text.format(zone=league.time_zone)
    return sheet


def _read_amended_game(request: HttpRequest, sheet: IncomingSheet, report: Report) -> NewGame:
    game = sheet.game(viewer_of(request))
    old = report.played_at.replace(second=0, microsecond=0)
    unchanged = game.played_at is None or game.played_at.replace(second=0, microsecond=0) == old
    return replace(game, played_at=report.played_at if unchanged else game.played_at)


@never_cache
@organiser_page("record")
def create_link(request: HttpRequest, league: League) -> HttpResponse:
    """Create a link and show it once, with its QR code."""
    if request.method != "POST":
        return redirect_to_reports(league)
    form = LinkForm(league, request.POST)
    if not form.is_valid():
        return _render_page(request, league, form)
    secret, days = build_link_secret(request, LINKS, league), form.cleaned_data["good_for"]
    name, good_for = form.cleaned_data["name"], timedelta(days=int(days)) if days else None
    message = _(
        "This form has already created a link, and its contents have changed. Submit it again to create another link."
    )
    submission = create_link_once(
        request,
        form,
        lambda: make_link(
            league.pk, secret, username=get_request_username(request), player=form.whose, name=name, good_for=good_for
        ),
        message,
    )
    if submission is None:
        return _render_page(request, league, form)
    link = ReportLink.objects.select_related("player").get(pk=submission.answer["link"])
    if link.revoked_at is not None or not is_recent(submission):
        messages.info(request, _(SHOWN_BEFORE_MESSAGE))
        return redirect_to_reports(league)
    address = request.build_absolute_uri(reverse("report", args=[secret]))
    return show(
        request,
        league,
        "apps/reports/link_made.html",
        "games",
        made=link,
        address=address,
        code=encode_qr_code(address),
    )


@post_action("record", "reports")
def revoke_player_link(request: HttpRequest, league: League, pk: UUID) -> None:
    """Revoke a link."""
    link = revoke_link(league.pk, pk, username=get_request_username(request))
    messages.success(request, _("The link for {name} was revoked. Games reported with it stay.").format(name=link))
