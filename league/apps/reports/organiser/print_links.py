"""A sheet with the private links of all players, to print and cut: made at once, shown once."""

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
from league.apps.reports.organiser.review import GOOD_FOR, SHOWN_BEFORE, to_reports
from league.apps.reports.selectors.reports import own_links, people_of
from league.apps.reports.services.links import LINKS, make_player_links
from league.core.errors import KeyReused, RungsError
from league.core.text.qr_codes import draw_small
from league.models import League, Player
from league.web.organiser.form_errors import by, put_errors
from league.web.organiser.page_frame import at_desk, show
from league.web.organiser.submit_once import given_key, key_for, lately, once, stamped

MISSING, ALL = "missing", "all"


class PrintForm(forms.Form):
    """For which players links are made, and how long these are good."""

    players = forms.ChoiceField(
        choices=((MISSING, MISSING), (ALL, ALL)),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose one of these options."),
            "invalid_choice": gettext_lazy("Choose one of these options."),
        },
    )
    good_for = forms.ChoiceField(choices=GOOD_FOR, required=False, label=gettext_lazy("Valid for"))


@never_cache
@at_desk("record")
def print_links(request: HttpRequest, league: League) -> HttpResponse:
    """Ask whose links are to be made; make them and show the sheet, this once."""
    if league.reporting == League.Reporting.OFF:
        return to_reports(league)
    form = PrintForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            return make_sheet(request, league, form.cleaned_data)
        except KeyReused:
            again = _(
                "This form has already created links, and its contents have changed. Submit it again "
                "to create more links."
            )
            form.add_error(None, again)
        except RungsError as error:
            put_errors(form, error)
    present, players = own_links(league, timezone.now()), people_of(league).count()
    context = {"form": form, "players": players, "linked": len(present), "missing": players - len(present)}
    return show(request, league, "apps/reports/print_links.html", "reports", once=key_for(request), **context)


def make_sheet(request: HttpRequest, league: League, data: dict[str, Any]) -> HttpResponse:
    """Make the links and return their sheet; raises what refuses them.

    The same form sent again gets the same sheet, for as long as one link would be shown again.
    """
    key, days = given_key(request) or uuid4().hex, data["good_for"]
    good_for = timedelta(days=int(days)) if days else None

    def secret_of(player: Player) -> str:
        return LINKS.secret_of(request.user, league.pk, f"{key}/{player.pk}")

    def act() -> dict[str, Any]:
        replace = data["players"] == ALL
        links = make_player_links(league.pk, secret_of, by=by(request), replace=replace, good_for=good_for)
        return stamped({"links": [str(link.pk) for link in links]})

    done = once(request, act)
    made = ReportLink.objects.filter(league=league, pk__in=done.answer["links"], revoked_at=None)
    links = made.select_related("player").order_by("player__name", "player__handle") if lately(done) else made.none()
    slips = []
    for link in links:
        assert link.player is not None, "tables have no link on this sheet"
        address = request.build_absolute_uri(reverse("report", args=[secret_of(link.player)]))
        slips.append((link.player, address, draw_small(address)))
    if not slips:
        messages.info(request, _(SHOWN_BEFORE))
        return to_reports(league)
    until = links[0].expires_at
    return show(request, league, "apps/reports/print_links_made.html", "reports", slips=slips, until=until)
