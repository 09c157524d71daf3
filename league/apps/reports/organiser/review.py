"""Players' reports at the desk: what waits for a decision, and the links by which players report."""

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

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import (
    OPEN,
    decided_lately,
    find_report,
    links_in_force,
    load_report_views,
    mark_of,
    open_reports,
    people_of,
)
from league.apps.reports.services.deciding import record_report, refuse_report
from league.apps.reports.services.links import LINKS, NAME_LENGTH, make_link, revoke_link
from league.core.errors import Conflict, KeyReused, NotFound, RungsError
from league.core.games.services.game_input import NewGame
from league.core.players.selectors.search import offered_players
from league.core.text.qr_codes import code_of
from league.models import League, Player
from league.web.organiser.form_errors import by, warn_of_decisions
from league.web.organiser.game_summaries import system_at
from league.web.organiser.page_frame import at_desk, posted, say_refusal, show
from league.web.organiser.score_sheets import IncomingSheet, by_their_names, local, plain
from league.web.organiser.submit_once import CHANGED, key_for, lately, link_once, once, secret_for
from league.web.viewer import viewer_of

#: How long a link may be good: days, and how that is called.
GOOD_FOR = (
    ("", gettext_lazy("Until it is revoked")),
    ("1", gettext_lazy("A day")),
    ("31", gettext_lazy("A month")),
    ("366", gettext_lazy("A year")),
)


#: What to say to a user who sends the form of a link again later.
SHOWN_BEFORE = gettext_noop(
    "This form has already created a link, which was shown then. If it is lost, create another one."
)
SEVERAL = gettext_noop("Several players have this name; enter the handle.")


class LinkForm(forms.Form):
    """For whom a link is: a player, or a table with a name; and how long it is good."""

    player = forms.CharField(
        max_length=120,
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
    good_for = forms.ChoiceField(choices=GOOD_FOR, required=False, label=gettext_lazy("Valid for"))

    def __init__(self, league: League, data: Any = None) -> None:
        super().__init__(data)
        self.league = league
        self.whose: Player | None = None

    def clean_player(self) -> str:
        """Find the player, by handle or by a name that one of them only bears."""
        text = self.cleaned_data["player"].strip()
        if text:
            here = people_of(self.league)
            found = list(here.filter(handle=text)) or list(here.filter(name=text)[:2])
            if len(found) != 1:
                raise forms.ValidationError(_(SEVERAL) if found else _("No active player has this name."))
            self.whose = found[0]
        return str(text)

    def clean(self) -> dict[str, Any]:
        """Ask for one of both."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("player") and data.get("name"):
            self.add_error("name", _("A link is for a player or for a table: leave one of them empty."))
        return data


@at_desk("record")
def reports(request: HttpRequest, league: League) -> HttpResponse:
    """Show what waits for a decision, and the links."""
    return page(request, league, LinkForm(league))


def page(request: HttpRequest, league: League, form: LinkForm, **more: Any) -> HttpResponse:
    """Return the page of a league's reports."""
    now = timezone.now()
    # Each report has two forms, each with a key of its own.
    waiting = [(one, (uuid4().hex, uuid4().hex)) for one in load_report_views(open_reports(league))]
    context = {
        "due": [pair for pair in waiting if pair[0].report.state != Report.State.WAITING],
        "waiting": [pair for pair in waiting if pair[0].report.state == Report.State.WAITING],
        "decided": load_report_views(decided_lately(league, now)),
        "links": links_in_force(league, now),
        "form": form,
        "own": people_of(league)[:500],
        "once": key_for(request, new=True),
        "owns": viewer_of(request).may("own", league),
        "on": league.reporting != League.Reporting.OFF,
        **more,
    }
    return show(request, league, "apps/reports/reports.html", "reports", **context)


def to_reports(league: League) -> HttpResponseRedirect:
    """Lead back to the reports."""
    return HttpResponseRedirect(reverse("desk:reports", args=[league.slug]))


@posted("record", "reports")
def decide(request: HttpRequest, league: League, pk: UUID) -> None:
    """Record a report as it was entered, or refuse it with a reason."""
    refuse = request.POST.get("_say") == "refuse"
    done = once(request, lambda: refused(request, league, pk) if refuse else recorded(request, league, pk, None))
    messages.success(request, str(done.answer["said"]))
    warn_of_decisions(request, league)


def recorded(request: HttpRequest, league: League, pk: UUID, new: NewGame | None) -> dict[str, Any]:
    """Carry out that a report is recorded; returns what to say."""
    done = record_report(league.pk, pk, seen=request.POST.get("seen", ""), by=by(request), new=new)
    said = _("The report is now game {number}.")
    return {"said": said.format(number=done.game.number) if done.game else ""}


def refused(request: HttpRequest, league: League, pk: UUID) -> dict[str, Any]:
    """Carry out that a report is refused; returns what to say."""
    reason, seen = request.POST.get("reason", ""), request.POST.get("seen", "")
    refuse_report(league.pk, pk, reason=reason, seen=seen, by=by(request))
    return {"said": _("The report was rejected. The players can read the reason.")}


@at_desk("record")
def amend(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show the sheet of a report to be put right, and record it so."""
    report = find_report(league, pk)
    if report is None:
        raise Http404
    if report.state not in OPEN and request.method != "POST":
        messages.warning(request, _("This report has already been decided."))
        return to_reports(league)
    sheet = sheet_of(request, league, report)
    if request.method == "POST" and "_more" not in request.POST and sheet.valid():
        new = amended(request, sheet, report)
        try:
            done = once(request, lambda: recorded(request, league, pk, new))
        except KeyReused:
            sheet.form.add_error(None, CHANGED)
        except (Conflict, NotFound) as error:
            say_refusal(request, error)
            return to_reports(league)
        except RungsError as error:
            sheet.put(error)
        else:
            messages.success(request, str(done.answer["said"]))
            warn_of_decisions(request, league)
            return to_reports(league)
    return show(
        request,
        league,
        "apps/reports/amend.html",
        "reports",
        one=load_report_views([report])[0],
        sheet=sheet,
        form=sheet.form,
        more=len(sheet.formset.forms) < sheet.system.most_players,
        people=offered_players(league, viewer_of(request)),
        once=key_for(request),
        seen=request.POST.get("seen", mark_of(report)),
    )


def sheet_of(request: HttpRequest, league: League, report: Report) -> IncomingSheet:
    """Return a report's sheet as a form: filled with what was entered, or with what was typed."""
    system = system_at(league, report.played_at)
    played = local(report.played_at, league)
    details = {f"details_{key}": value for key, value in report.sheet["details"].items()}
    initial = {"played_at": played, "turn": str(played.fold), "note": report.sheet["note"], **details}
    if "weight" in report.sheet:
        initial["weight"] = plain(report.sheet["weight"])
    seats = []
    for line in report.sheet["results"]:
        paper = {f"worksheet_{key}": value for key, value in line.get("worksheet", {}).items()}
        seats.append({key: line[key] for key in ("player", "score", "place", "side") if key in line} | paper)
    names = dict(people_of(league).values_list("handle", "name"))
    seats = by_their_names(seats, names, league, viewer_of(request))
    sheet = IncomingSheet(league, system, request.POST if request.method == "POST" else None, initial, seats)
    words = _("In the league's time zone ({zone}). Empty: as reported.")
    sheet.form.fields["played_at"].help_text = words.format(zone=league.time_zone)
    return sheet


def amended(request: HttpRequest, sheet: IncomingSheet, report: Report) -> NewGame:
    """Return the game of an amended sheet; a time that no one touched keeps its seconds."""
    new = sheet.game(viewer_of(request))
    was = report.played_at.replace(second=0, microsecond=0)
    same = new.played_at is None or new.played_at.replace(second=0, microsecond=0) == was
    return replace(new, played_at=report.played_at if same else new.played_at)


@never_cache
@at_desk("record")
def links(request: HttpRequest, league: League) -> HttpResponse:
    """Make a link and show it, with its code for the table, this once."""
    if request.method != "POST":
        return to_reports(league)
    form = LinkForm(league, request.POST)
    if not form.is_valid():
        return page(request, league, form)
    secret, days = secret_for(request, LINKS, league), form.cleaned_data["good_for"]
    name, good_for = form.cleaned_data["name"], timedelta(days=int(days)) if days else None
    again = _(
        "This form has already created a link, and its contents have changed. Submit it again to create another link."
    )
    done = link_once(
        request,
        form,
        lambda: make_link(league.pk, secret, by=by(request), player=form.whose, name=name, good_for=good_for),
        again,
    )
    if done is None:
        return page(request, league, form)
    made = ReportLink.objects.select_related("player").get(pk=done.answer["link"])
    if made.revoked_at is not None or not lately(done):
        messages.info(request, _(SHOWN_BEFORE))
        return to_reports(league)
    address = request.build_absolute_uri(reverse("report", args=[secret]))
    return show(
        request, league, "apps/reports/link_made.html", "reports", made=made, address=address, code=code_of(address)
    )


@posted("record", "reports")
def revoke(request: HttpRequest, league: League, pk: UUID) -> None:
    """End a link."""
    gone = revoke_link(league.pk, pk, by=by(request))
    messages.success(request, _("The link for {name} was revoked. Games reported with it stay.").format(name=gone))
