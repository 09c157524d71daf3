"""What an arbiter changed by hand, as a page shows it."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from league.apps.competitions.public.context import build_page
from league.apps.competitions.public.lines import POINT_NAMES, format_signed_points, write_pairing_number
from league.apps.competitions.public.standings_table import describe_tie_break
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_tie_break_rules
from league.apps.competitions.selectors.trail import ENTERED, TrailLine, load_trail
from league.web.public.files import answer
from league.web.public.present import list_parameters
from league.web.public.views.base import cached_page
from ratings.contract.competition import parse_fraction
from ratings.standings.ranking import parse_list
from ratings.standings.tie_break_codes import UnknownTieBreak

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
    "numbers": gettext_lazy("Exchange of numbers"),
    "entered": gettext_lazy("Result entered differently"),
    "withdrawn": pgettext_lazy("of an entry", "Withdrawal"),
}
#: Kinds of changes that give an entry something, of which an old value is said in words.
TAKEN_BACK = ("full_bye", "added", "adjourned", "expelled", "withdrawn")
#: Pairings by hand of a round, one after the other, that are shown one by one; more are folded into one row.
MAX_PAIRINGS = 3
#: Titles of settings in remarks -> their names on pages.
SETTING_NAMES = {
    "Rounds": gettext_lazy("Rounds"),
    "Points": gettext_lazy("Points"),
    "Tie-breaks": gettext_lazy("Tie-breaks"),
    "Tie-break rules": gettext_lazy("Rules of tie-breaks"),
}


class ShownChange(NamedTuple):
    """A change as a row of the page: whom it is about (numbers and names of entries), and what was changed.

    ``folded``: the texts of the pairings of a round that was paired by hand.
    """

    line: TrailLine
    kind: str
    subjects: tuple[tuple[int, str], ...]
    text: str
    folded: tuple[str, ...] = ()


def list_shown_changes(loaded: LoadedCompetition, *, for_organisers: bool = False) -> list[ShownChange]:
    """Return what was changed by hand, the newest first; only organisers see results that did not count."""
    lines = [line for line in reversed(load_trail(loaded)) if for_organisers or line.kind is not ENTERED]
    return list(_fold_pairings(_list_single_changes(loaded, lines)))


def _list_single_changes(loaded: LoadedCompetition, lines: Iterable[TrailLine]) -> list[ShownChange]:
    return [
        ShownChange(
            line,
            str(KIND_NAMES[line.kind.key]),
            tuple((number, loaded.name(number)) for number in line.entries),
            _describe(loaded, line),
        )
        for line in lines
    ]


def _fold_pairings(changes: Iterable[ShownChange]) -> Iterator[ShownChange]:
    """Yield the changes; many pairings of a round that were made one after the other become one."""

    def get_group(change: ShownChange) -> tuple[object, ...]:
        line = change.line
        return (line.kind.key, line.round, line.by, line.reason)

    for _group, found in groupby(changes, get_group):
        group = list(found)
        if group[0].line.kind.key != "pairing" or len(group) <= MAX_PAIRINGS:
            yield from group
            continue
        text = ngettext("{count} pairing", "{count} pairings", len(group)).format(count=len(group))
        yield group[0]._replace(text=text, folded=tuple(change.text for change in reversed(group)))


def _describe(loaded: LoadedCompetition, line: TrailLine) -> str:
    """Return the values before and after, of a setting with its name."""
    is_pairing = line.kind.key == "pairing"
    if line.kind.key in TAKEN_BACK and line.old:
        return _("taken back")
    values = _list_changed_members(line.old, line.new) if line.kind.key == "setting" else (line.old, line.new)
    old, new = (_format_value(loaded, value, line.kind.key) for value in values)
    if line.kind.key == "reported":
        new = _format_result(line.new.partition(" ")[0]) if line.new != "as it was" else _("as it was")
    change = _("{new} instead of {old}").format(new=new, old=old) if old and new else new
    if old and not new:
        change = (_("without {old}") if is_pairing else _("instead of {old}")).format(old=old)
    return f"{SETTING_NAMES[line.kind.remark]}: {change}" if line.kind.key == "setting" else change


def _list_changed_members(old: str, new: str) -> tuple[str, str]:
    """Return the members, such as win=3, that differ; of other values all."""
    if "=" not in old or "=" not in new:
        return old, new
    before, after = old.split(","), new.split(",")
    return ",".join(one for one in before if one not in after), ",".join(one for one in after if one not in before)


def _format_value(loaded: LoadedCompetition, value: object, kind: str) -> str:
    if kind == "numbers" and isinstance(value, tuple):
        return ", ".join(map(write_pairing_number, value))
    if isinstance(value, tuple):
        return loaded.join_names(value) if kind == "pairing" else _format_result("-".join(map(str, value)))
    if kind == "added" and value:
        return format_signed_points(parse_fraction(str(value)))
    if kind in ("result", "entered"):
        return _format_result(str(value))
    return _format_setting(loaded, str(value)) if kind == "setting" else str(value)


def _format_setting(loaded: LoadedCompetition, text: str) -> str:
    """Return the value of a setting in words: tie-breaks such as BH,SB, and members such as win=3,draw=1."""
    rules = build_tie_break_rules(loaded.competition)
    names = POINT_NAMES | {one["name"]: one["label"] for one in list_parameters(rules)}
    titles = {code: code for code in text.split(",")}
    with suppress(UnknownTieBreak):
        titles |= {one.code: describe_tie_break(one) for one in parse_list(text.split(","), rules)}
    pieces = [titles.get(piece, piece) for piece in text.split(",") if piece and not piece.endswith("=[]")]
    members = (re.fullmatch(r"(\w+)=(.*)", piece) or piece for piece in pieces)
    return ", ".join(
        one if isinstance(one, str) else f"{names.get(one[1], one[1])} {_format_result(one[2])}" for one in members
    )


def _format_result(text: str) -> str:
    """Return a result of the log, or of a tournament report, as pages show it: ½–½ for 1/2-1/2 and =-=."""
    if text == "void":
        return pgettext("result", "void")
    for written, shown in (("-", "–"), ("1/2", "½"), ("=", "½"), ("1F", "+"), ("0F", "−")):
        text = text.replace(written, shown)
    return text


@cached_page()
def show_trail(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show what an arbiter changed by hand in the rounds that are published."""
    page, context = build_page(request, slug, competition, "changes")
    context["changes"] = list_shown_changes(page.loaded.hide_unpublished())
    return answer(request, "apps/competitions/public/trail.html", {**context, "stepper": None}, {})
