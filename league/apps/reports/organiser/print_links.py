"""A sheet to print and cut, with the private links of all players; it is shown once."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from league.apps.reports.models import ReportLink
from league.apps.reports.organiser.review import LIFETIME_CHOICES, SHOWN_BEFORE_MESSAGE, redirect_to_reports
from league.apps.reports.selectors.reports import group_player_links, list_active_players
from league.apps.reports.services.links import LINKS, make_player_links
from league.core.errors import KeyReused, RungsError
from league.models import League, Player
from league.web.organiser.forms import (
    add_errors,
    add_timestamp,
    get_form_key,
    get_request_username,
    get_submitted_key,
    is_recent,
    run_once,
)
from league.web.organiser.site import organiser_page, show
from league.web.public.qr_codes import draw_small

MISSING, ALL = "missing", "all"


class PrintForm(forms.Form):
    """The players who get a link, and how long the links are valid."""

    players = forms.ChoiceField(
        choices=((MISSING, MISSING), (ALL, ALL)),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose one of these options."),
            "invalid_choice": gettext_lazy("Choose one of these options."),
        },
    )
    good_for = forms.ChoiceField(choices=LIFETIME_CHOICES, required=False, label=gettext_lazy("Valid for"))


@never_cache
@organiser_page("record")
def print_links(request: HttpRequest, league: League) -> HttpResponse:
    """Ask for the players; create their links and show the sheet once."""
    if league.reporting == League.Reporting.OFF:
        return redirect_to_reports(league)
    form = PrintForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            return _create_sheet(request, league, form.cleaned_data)
        except KeyReused:
            message = _(
                "This form has already created links, and its contents have changed. Submit it again "
                "to create more links."
            )
            form.add_error(None, message)
        except RungsError as error:
            add_errors(form, error)
    linked, players = group_player_links(league, timezone.now()), list_active_players(league).count()
    context = {"form": form, "players": players, "linked": len(linked), "missing": players - len(linked)}
    return show(request, league, "apps/reports/print_links.html", "games", once=get_form_key(request), **context)


def _create_sheet(request: HttpRequest, league: League, data: dict[str, Any]) -> HttpResponse:
    """Create the links and return their sheet; raises as ``make_player_links``.

    The same form sent again returns the same sheet, as long as a single link would be shown again.
    """
    key, days = get_submitted_key(request) or uuid4().hex, data["good_for"]
    good_for = timedelta(days=int(days)) if days else None

    def secret_of(player: Player) -> str:
        return LINKS.secret_of(request.user, league.pk, f"{key}/{player.pk}")

    def create_links() -> dict[str, Any]:
        replace = data["players"] == ALL
        links = make_player_links(
            league.pk, secret_of, username=get_request_username(request), replace=replace, good_for=good_for
        )
        return add_timestamp({"links": [str(link.pk) for link in links]})

    submission = run_once(request, create_links)
    valid_links = ReportLink.objects.filter(league=league, pk__in=submission.answer["links"], revoked_at=None)
    links = (
        valid_links.select_related("player").order_by("player__name", "player__handle")
        if is_recent(submission)
        else valid_links.none()
    )
    slips = []
    for link in links:
        assert link.player is not None, "tables have no link on this sheet"
        address = request.build_absolute_uri(reverse("report", args=[secret_of(link.player)]))
        slips.append((link.player, address, draw_small(address)))
    if not slips:
        messages.info(request, _(SHOWN_BEFORE_MESSAGE))
        return redirect_to_reports(league)
    until = links[0].expires_at
    return show(request, league, "apps/reports/print_links_made.html", "games", slips=slips, until=until)
