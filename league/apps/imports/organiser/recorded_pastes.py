"""What a recorded paste says of itself, and its undo."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.imports.services.paste_record import find_paste, undo_paste
from league.core.errors import RungsError
from league.core.text.display_formats import format_number
from league.models import League
from league.web.organiser.forms import get_request_username, warn_of_decisions
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of


def describe_recorded_paste(league: League, answer: Mapping[str, Any]) -> str:
    """Return what a paste has recorded, as HTML that leads to its first and last game."""
    if "said" in answer:
        return str(answer["said"])
    first, last = answer["numbers"]
    count, added = last - first + 1, answer["added"]
    links = [(reverse("pages:game", args=[league.slug, number]), number) for number in sorted({first, last})]
    template = ngettext("{count} game was recorded: {numbers}.", "{count} games were recorded: {numbers}.", count)
    numbers = format_html_join("–", '<a href="{}">{}</a>', links)
    message = format_html(template, count=format_number(count), numbers=numbers)
    if not added:
        return message
    added_template = ngettext("{count} player was added.", "{count} players were added.", added)
    return format_html("{} {}", message, added_template.format(count=format_number(added)))


@organiser_page("record")
def undo_pasted_games(request: HttpRequest, league: League, key: str) -> HttpResponse:
    """Show what undoing a paste would do, then void all its games at once."""
    target = HttpResponseRedirect(reverse("desk:paste", args=[league.slug]))
    paste = find_paste(league, key)
    if paste is None:
        messages.error(request, _("None of the pasted games counts any more."))
        return target
    if request.method != "POST":
        return show(request, league, "apps/imports/paste_undo.html", "pad", found=paste)
    try:
        count = undo_paste(league, key, username=get_request_username(request), viewer=viewer_of(request))
    except RungsError as error:
        add_error_message(request, error)
        return target
    template = ngettext(
        "{count} pasted game was voided; it can still be read.",
        "{count} pasted games were voided; they can still be read.",
        count,
    )
    messages.success(request, template.format(count=format_number(count)))
    warn_of_decisions(request, league)
    return HttpResponseRedirect(f"{target.url}?undone={key}")
