"""What a link to a page of a competition says of it: the sentence beside its picture."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.apps.competitions.public.brackets import DrawnBracket
from league.apps.competitions.public.lines import FixtureLine, ShownEntry
from league.apps.competitions.public.podium import PodiumStep, find_decision
from league.apps.competitions.public.standings_table import StandingsLine, StandingsTable
from league.apps.competitions.selectors.result_texts import count_as_points, format_points
from league.core.text.display_formats import format_number
from league.web.public.game_titles import format_names

#: Pairings and names of a sentence.
MAX_PAIRINGS, MAX_NAMES = 4, 8
#: Names that lead together in a sentence.
MAX_LEADERS = 3


def name_winners(podium: Sequence[PodiumStep]) -> str:
    """Return the names on the first step; many are counted."""
    first = podium[0]
    names = [entry.name for entry in first.entries]
    if first.more:
        more = ngettext("and %(shown)s more", "and %(shown)s more", first.more) % {"shown": format_number(first.more)}
        return f"{', '.join(names)} {more}"
    return format_names(names)


def describe_win(podium: Sequence[PodiumStep]) -> str:
    """Return how the first step was won, to be read after the names."""
    first = podium[0]
    if first.worth is None:
        return pgettext("a competition", "wins")
    count = count_as_points(first.worth)
    template = (
        ngettext("share the first place with %(points)s point", "share the first place with %(points)s points", count)
        if len(first.entries) + first.more > 1
        else ngettext("wins with %(points)s point", "wins with %(points)s points", count)
    )
    words = template % {"points": format_points(first.worth)}
    return f"{words}, {first.decided}" if first.decided else words


def describe_leaders(table: StandingsTable, *, with_decision: bool = True) -> tuple[str, str]:
    """Return who leads before the end, and the words to be read after the names; "" where many do, or one has left."""
    first = [row for row in table.standings.rows[: MAX_LEADERS + 1] if row.rank == 1]
    lines = table.lines[: len(first)]
    if not table.by_points or not 1 <= len(first) <= MAX_LEADERS or any(line.entry.has_left for line in lines):
        return "", ""
    count = count_as_points(first[0].points)
    template = (
        ngettext("leads with %(points)s point", "leads with %(points)s points", count)
        if len(first) == 1
        else ngettext("lead with %(points)s point", "lead with %(points)s points", count)
    )
    words = template % {"points": format_points(first[0].points)}
    decided = find_decision(table, lines)[0] if with_decision else ""
    return format_names([line.entry.name for line in lines]), f"{words}, {decided}" if decided else words


def describe_finalists(bracket: DrawnBracket) -> tuple[str, str]:
    """Return who is in the final that is still to be played, and the words to be read after the names; "" if nobody."""
    (final, *_others) = next((one.matches for one in bracket.rounds if one.alone), bracket.rounds[-1].matches)
    names = [side.entry.name for side in final.sides if side.entry and not side.entry.has_left]
    if not names or any(side.won or side.out for side in final.sides):
        return "", ""
    words = _("is in the final") if len(names) == 1 else _("are in the final")
    return " – ".join(names), words


def describe_results(number: int, total: int, games: int, played: int) -> str:
    """Return a round in play with the number of its results."""
    template = _("Round %(number)s of %(total)s") if total else _("Round %(number)s")
    title = template % {"number": number, "total": total}
    counted = ngettext("%(played)s of %(counter)s result", "%(played)s of %(counter)s results", games)
    return f"{title} · {counted % {'played': played, 'counter': games}}"


def list_pairings(lines: Sequence[FixtureLine]) -> str:
    """Return the first pairings with their results."""
    words = []
    for line in lines[:MAX_PAIRINGS]:
        between = f" {line.result} " if line.of_two and line.result else " – "
        words.append(between.join(seat.entry.name for seat in line.seats))
    return "; ".join(words)


def list_first(table: StandingsTable) -> str:
    """Return the first lines of a table, with their points if these rank it."""
    names = [f"{line.shown_rank}. {line.entry.name}" for line in table.lines[:MAX_PAIRINGS]]
    points = [f" {line.points}" if table.by_points else "" for line in table.lines[:MAX_PAIRINGS]]
    return ", ".join(map("".join, zip(names, points, strict=True)))


def list_names(entries: Sequence[ShownEntry]) -> str:
    """Return the number of entries with the first names."""
    counted = ngettext("%(shown)s entry", "%(shown)s entries", len(entries)) % {"shown": format_number(len(entries))}
    names = ", ".join(entry.name for entry in entries[:MAX_NAMES])
    return f"{counted}: {names}" if names else counted


def describe_standing(line: StandingsLine, entries: int) -> str:
    """Return the rank and the points of an entry."""
    rank = f"{_('Rank')} {line.shown_rank} {_('of %(of)s') % {'of': entries}}"
    return f"{rank} · {pgettext('of a competition', 'Points')} {line.points}"
