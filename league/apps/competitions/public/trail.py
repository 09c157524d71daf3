"""What an arbiter changed by hand, as a page shows it."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.public.context import build_page
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.trail import TrailLine, load_trail
from league.web.public.files import answer
from league.web.public.views.base import cached_page

#: Kind of a change -> its name.
KIND_NAMES = {
    "import": gettext_lazy("Import of a file"),
    "pairing": gettext_lazy("Pairing by hand"),
    "result": gettext_lazy("Correction"),
    "points": gettext_lazy("Points by decision"),
    "reported": gettext_lazy("Correction in the report alone"),
    "adjourned": gettext_lazy("Adjournment"),
    "full_bye": gettext_lazy("Full-point bye"),
    "added": gettext_lazy("Points by the arbiter"),
    "setting": gettext_lazy("Settings"),
    "left": gettext_lazy("Regulations left"),
}
#: Titles of settings in remarks -> their names on pages.
SETTING_NAMES = {
    "Rounds": gettext_lazy("Rounds"),
    "Points": gettext_lazy("Points"),
    "Tie-breaks": gettext_lazy("Tie-breaks"),
    "Tie-break rules": gettext_lazy("Rules of tie-breaks"),
}


class ShownChange(NamedTuple):
    """A change as a row of the page."""

    line: TrailLine
    kind: str
    text: str


def list_shown_changes(loaded: LoadedCompetition) -> list[ShownChange]:
    """Return what was changed by hand, the newest first."""
    lines = reversed(load_trail(loaded))
    return [ShownChange(line, str(KIND_NAMES[line.kind.key]), _describe(loaded, line)) for line in lines]


def _describe(loaded: LoadedCompetition, line: TrailLine) -> str:
    """Return whom a change is about, and the values before and after."""
    is_pairing = line.kind.key == "pairing"
    old, new = (_format_value(loaded, value, are_entries=is_pairing) for value in (line.old, line.new))
    if line.kind.key == "reported":
        new = line.new.partition(" ")[0] if line.new != "as it was" else _("as it was")
    change = _("{new} instead of {old}").format(new=new, old=old) if old and new else new
    if old and not new:
        change = (_("without {old}") if is_pairing else _("instead of {old}")).format(old=old)
    subject = loaded.join_names(line.entries) if line.entries else ""
    if line.kind.key == "setting":
        subject = str(SETTING_NAMES[line.kind.remark])
    return ": ".join(part for part in (subject, change) if part)


def _format_value(loaded: LoadedCompetition, value: object, *, are_entries: bool) -> str:
    if isinstance(value, tuple):
        return loaded.join_names(value) if are_entries else "–".join(map(str, value))
    return str(value)


@cached_page()
def show_trail(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show what an arbiter changed by hand in the rounds that are published."""
    page, context = build_page(request, slug, competition, "rules")
    changes = list_shown_changes(page.loaded.hide_unpublished())
    return answer(request, "apps/competitions/public/trail.html", {**context, "changes": changes}, {})
