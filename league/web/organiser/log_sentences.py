"""The entries of a league's log as sentences: who did what, for people who keep a club and no database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.calendar import ALWAYS, span_named
from league.core.log.selectors.log_decode import open_payloads
from league.core.text.names import isolated
from league.core.text.names import who as who_did
from league.core.text.numbers import exact
from league.core.text.timestamps import day_in_full
from league.models import Ladder, League, LogEntry, Rating

#: Who does what no one does by hand.
CALENDAR = gettext_noop("calendar")
Said = dict[str, Any]


class LogRow(NamedTuple):
    """An entry in words; ``game`` is the number of the game that it leads to, None if it leads to none.

    ``note`` is that of a game which it brought into the league's data.
    """

    entry: LogEntry
    who: str
    words: str
    reason: str
    game: int | None
    note: str = ""
    metadata: Mapping[str, str] = MappingProxyType({})

    @property
    def texts(self) -> list[str]:
        """Return what was written in it."""
        metadata = [f"{key}: {text}" for key, text in self.metadata.items()]
        return [text for text in (self.reason, self.note, *metadata) if text]


def period_of(said: Said) -> str:
    """Return the period that an entry is about, such as May 2026, and its ladder."""
    span = span_named(said["period"])
    return f"{span.name if span else said['period']} ({said['ladder']})"


def with_title(said: Said, ladders: Mapping[str, str]) -> Said:
    """Return what an entry says, a ladder by its title."""
    ladder = said.get("ladder")
    return {**said, "ladder": ladders.get(ladder, ladder)} if isinstance(ladder, str) else said


def join_setting_names(names: Sequence[str]) -> str:
    """Return names of settings as people read them."""
    return ", ".join(_(NAMES[name]) if name in NAMES else name.replace("_", " ") for name in names)


def edition(said: Said) -> str:
    """Tell of a published edition: the first one closed the period."""
    number = said["edition"]
    words = _("closed {period}") if number == 1 else _("published edition {number} of {period}")
    return words.format(period=period_of(said), number=number)


def player(said: Said) -> str:
    """Tell what was changed of a player."""
    if "active" in said:
        words = _("set {player} active") if said["active"] else _("set {player} inactive")
        return words.format(player=said["player"])
    return _("changed {player}: {fields}").format(player=said["player"], fields=join_setting_names(said["given"]))


def start(said: Said) -> str:
    """Tell with which rating a user starts."""
    return _("set where {player} starts: {rating}").format(player=said["player"], rating=exact(said["rating"]))


def adjustment(said: Said) -> str:
    """Tell of points beside the games."""
    words = _("adjusted {player} by {points}: adjustment {number}")
    return words.format(player=said["player"], points=points(said["amount"]), number=said["number"])


def written_day(day: str) -> str:
    """Write a day of the log, which has it as 2026-11-10, as who reads writes it; raises ValueError for no day."""
    return day_in_full(date.fromisoformat(day))


def points(amount: float) -> str:
    """Write points with their sign."""
    return f"{'+' if amount > 0 else '−'}{exact(abs(amount))}"


def from_day(first: str, later: str) -> Callable[[Said], str]:
    """Return what tells of something that holds from the first game on, or from a day."""

    def words(said: Said) -> str:
        text = _(first if said["from"] == ALWAYS.isoformat() else later)
        return text.format(**{**said, "from": written_day(said["from"])})

    return words


def plainly(text: str) -> Callable[[Said], str]:
    """Return what tells of an entry by a sentence with what the entry says in its gaps."""
    return lambda said: _(text).format(**said)


#: What an entry says by handles of people, and its sentences place.
PEOPLE = {"player", "into"}
#: Settings of leagues, and fields of players, by their names in the log.
NAMES = {
    "title": gettext_noop("title"),
    "game": gettext_noop("game"),
    "description": gettext_noop("description"),
    "time_zone": gettext_noop("time zone"),
    "visibility": gettext_noop("visibility"),
    "min_games": gettext_noop("minimum games"),
    "inactive_after_days": gettext_noop("days until inactive"),
    "close_after_hours": gettext_noop("hours until closing"),
    "closing": gettext_noop("closing"),
    "language": gettext_noop("language"),
    "reporting": gettext_noop("reporting"),
    "report_hours": gettext_noop("hours to confirm"),
    "report_timeout": gettext_noop("unconfirmed reports"),
    "colour": gettext_noop("colour"),
    "division": gettext_noop("field of the emblem"),
    "charge": gettext_noop("symbol of the emblem"),
    "metadata": gettext_noop("metadata"),
    "external_ids": gettext_noop("external ids"),
    "name": gettext_noop("name"),
    "aliases": gettext_noop("other names"),
    "handle": gettext_noop("handle"),
}
WORDS: dict[str, Callable[[Said], str]] = {
    LogEntry.Kind.LEAGUE_CREATED: plainly(gettext_noop("created the league {title}")),
    LogEntry.Kind.LEAGUE_CHANGED: lambda said: _("changed settings: {fields}").format(
        fields=join_setting_names(list(said))
    ),
    LogEntry.Kind.LEAGUE_RESTORED: plainly(gettext_noop("restored the league from an export")),
    LogEntry.Kind.RULE_ADOPTED: from_day(
        gettext_noop("adopted a rule from the first game"), gettext_noop("adopted a rule from {from}")
    ),
    LogEntry.Kind.RULE_WITHDRAWN: from_day(
        gettext_noop("withdrew the rule from the first game"), gettext_noop("withdrew the rule from {from}")
    ),
    LogEntry.Kind.START_SET: start,
    LogEntry.Kind.ADJUSTMENT_MADE: adjustment,
    LogEntry.Kind.ADJUSTMENT_VOIDED: plainly(gettext_noop("voided adjustment {number} of {player}")),
    LogEntry.Kind.PLAYER_CREATED: plainly(gettext_noop("added {player}")),
    LogEntry.Kind.PLAYER_CHANGED: player,
    LogEntry.Kind.PLAYER_MERGED: plainly(gettext_noop("merged {player} into {into}")),
    LogEntry.Kind.PLAYER_UNMERGED: plainly(gettext_noop("split {player} from {into}")),
    LogEntry.Kind.GAME_RECORDED: plainly(gettext_noop("recorded game {number}")),
    LogEntry.Kind.GAME_CORRECTED: plainly(gettext_noop("corrected game {number}, now game {game[number]}")),
    LogEntry.Kind.GAME_VOIDED: plainly(gettext_noop("voided game {number}")),
    LogEntry.Kind.GAME_RESTORED: plainly(gettext_noop("restored game {number}, now game {game[number]}")),
    LogEntry.Kind.GAMES_MOVED: plainly(gettext_noop("swapped games {games[0]} and {games[1]}")),
    LogEntry.Kind.LADDER_CREATED: plainly(gettext_noop("created the ladder {title}")),
    LogEntry.Kind.LADDER_CHANGED: plainly(gettext_noop("changed the ladder {title}")),
    LogEntry.Kind.LADDER_RANKED: from_day(
        gettext_noop("set how {ladder} ranks from the first game"),
        gettext_noop("set how {ladder} ranks from {from}"),
    ),
    LogEntry.Kind.EDITION_PUBLISHED: edition,
    LogEntry.Kind.PERIOD_REOPENED: lambda said: _("reopened {period}").format(period=period_of(said)),
    LogEntry.Kind.PERIOD_CARRIED: lambda said: _("kept edition {number} of {period}").format(
        number=said["edition"], period=period_of(said)
    ),
    LogEntry.Kind.LINK_MADE: plainly(gettext_noop("created a link to report games")),
    LogEntry.Kind.LINK_REVOKED: plainly(gettext_noop("revoked a link to report games")),
    LogEntry.Kind.REPORT_ENTERED: plainly(gettext_noop("reported a game")),
    LogEntry.Kind.REPORT_ANSWERED: plainly(gettext_noop("answered a disputed report")),
    LogEntry.Kind.REPORT_DISPUTED: plainly(gettext_noop("disputed a report")),
    LogEntry.Kind.REPORT_CONFIRMED: plainly(gettext_noop("confirmed a report as game {game}")),
    LogEntry.Kind.REPORT_REFUSED: plainly(gettext_noop("rejected a report")),
    LogEntry.Kind.REPORT_WITHDRAWN: plainly(gettext_noop("withdrew a report")),
    LogEntry.Kind.REPORT_OVERDUE: plainly(gettext_noop("passed a report to the organiser")),
    LogEntry.Kind.REPORT_TWIN: plainly(
        gettext_noop("passed a report to the organiser: the same game is already recorded")
    ),
    LogEntry.Kind.REPORT_LAPSED: plainly(gettext_noop("discarded an unconfirmed report")),
    LogEntry.Kind.REPORT_REWORDED: plainly(gettext_noop("removed a name from a report")),
    LogEntry.Kind.LINK_REWORDED: plainly(gettext_noop("removed a name from a link to report games")),
    LogEntry.Kind.HEAD_PUBLISHED: plainly(gettext_noop("signed the log up to entry {position}")),
    LogEntry.Kind.TEXT_ERASED: plainly(gettext_noop("erased the text in entry {position}")),
    LogEntry.Kind.PLAYER_ERASED: plainly(gettext_noop("erased the personal data of {player}")),
    LogEntry.Kind.CLOCK_ACCEPTED: plainly(gettext_noop("continued with a clock that was behind the log")),
    LogEntry.Kind.EDITION_REDACTED: lambda said: _("removed a name from edition {number} of {period}").format(
        number=said["edition"], period=period_of(said)
    ),
}


def lines_of(league: League, entries: Iterable[LogEntry], *, named: bool = False) -> list[LogRow]:
    """Return entries of a league in words, its ladders by the titles that they have now.

    ``named``: people of the league by their names, not by their handles, as the log has them.
    """
    ladders = dict(Ladder.objects.filter(league=league).values_list("slug", "title"))
    found = list(entries)
    try:
        said: list[Said] = [one.payload for one in open_payloads(league, [entry.payload for entry in found])]
    except ValueError:
        said = [{} for _entry in found]
    if named:
        names = names_of(league, said)
        said = [with_names(one, names) for one in said]
    return [line_of(entry, one, ladders) for entry, one in zip(found, said, strict=True)]


def names_of(league: League, said: Iterable[Said]) -> dict[str, str]:
    """Return handle -> name of those whom entries tell of and who have a rating in the league."""
    handles = {one[key] for one in said for key in PEOPLE & one.keys() if isinstance(one[key], str)}
    rated = Rating.objects.filter(league=league, player__handle__in=handles)
    return {handle: isolated(name) for handle, name in rated.values_list("player__handle", "player__name")}


def with_names(said: Said, names: Mapping[str, str]) -> Said:
    """Return what an entry says, people by their names where these are known."""
    named = {key: names.get(said[key], said[key]) for key in PEOPLE & said.keys() if isinstance(said[key], str)}
    return {**said, **named}


def line_of(entry: LogEntry, said: Said, ladders: Mapping[str, str] = MappingProxyType({})) -> LogRow:
    """Return an entry in words; of a kind that is not known, or that says otherwise than its kind, its bare kind.

    ``said``: its payload, opened. ``ladders``: slug -> title; a ladder that is not among them is told by its slug, as
    the log has it.
    """
    who = who_did(entry.by) if entry.by else _(CALENDAR)
    try:
        words = WORDS[entry.kind](with_title(said, ladders))
        about = said.get("game")
        brought = about if isinstance(about, dict) else said
        game, note = about if isinstance(about, int) else brought.get("number"), brought.get("note", "")
        metadata = dict(brought.get("metadata", {}))
    except (ValueError, LookupError, TypeError, AttributeError):
        return LogRow(entry, who, entry.kind, "", None)
    reason = said.get("reason")
    reason, number = reason if isinstance(reason, str) else "", game if isinstance(game, int) else None
    return LogRow(entry, who, words, reason, number, note if isinstance(note, str) else "", metadata)
