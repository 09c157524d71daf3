"""What an arbiter changed by hand, as a page shows it."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.public.context import build_page
from league.apps.competitions.public.lines import format_signed_points
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.trail import TrailLine, load_trail
from league.web.public.files import answer
from league.web.public.views.base import cached_page
from ratings.contract.competition import parse_fraction

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
    "expelled": gettext_lazy("Expulsion"),
}
#: Kinds of changes that give an entry something, of which an old value is said in words.
TAKEN_BACK = ("full_bye", "added", "expelled")
#: Titles of settings in remarks -> their names on pages.
SETTING_NAMES = {
    "Rounds": gettext_lazy("Rounds"),
    "Points": gettext_lazy("Points"),
    "Tie-breaks": gettext_lazy("Tie-breaks"),
    "Tie-break rules": gettext_lazy("Rules of tie-breaks"),
}


class ShownChange(NamedTuple):
    """A change as a row of the page: whom it is about (numbers and names of entries), and what was changed."""

    line: TrailLine
    kind: str
    subjects: tuple[tuple[int, str], ...]
    text: str


def list_shown_changes(loaded: LoadedCompetition) -> list[ShownChange]:
    """Return what was changed by hand, the newest first."""
    lines = reversed(load_trail(loaded))
    return [
        ShownChange(
            line,
            str(KIND_NAMES[line.kind.key]),
            tuple((number, loaded.name(number)) for number in line.entries),
            _describe(loaded, line),
        )
        for line in lines
    ]


def _describe(loaded: LoadedCompetition, line: TrailLine) -> str:
    """Return the values before and after, of a setting with its name."""
    is_pairing = line.kind.key == "pairing"
    if line.kind.key in TAKEN_BACK and line.old:
        return _("taken back")
    old, new = (_format_value(loaded, value, line.kind.key) for value in (line.old, line.new))
    if line.kind.key == "reported":
        new = line.new.partition(" ")[0] if line.new != "as it was" else _("as it was")
    change = _("{new} instead of {old}").format(new=new, old=old) if old and new else new
    if old and not new:
        change = (_("without {old}") if is_pairing else _("instead of {old}")).format(old=old)
    return f"{SETTING_NAMES[line.kind.remark]}: {change}" if line.kind.key == "setting" else change


def _format_value(loaded: LoadedCompetition, value: object, kind: str) -> str:
    if isinstance(value, tuple):
        return loaded.join_names(value) if kind == "pairing" else "–".join(map(str, value))
    if kind == "added" and value:
        return format_signed_points(parse_fraction(str(value)))
    return str(value)


@cached_page()
def show_trail(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show what an arbiter changed by hand in the rounds that are published."""
    page, context = build_page(request, slug, competition, "rules")
    changes = list_shown_changes(page.loaded.hide_unpublished())
    return answer(request, "apps/competitions/public/trail.html", {**context, "changes": changes}, {})
