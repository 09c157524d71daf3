"""Log entries as sentences for organisers."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.calendar import ALWAYS, parse_span
from league.core.capabilities import load_declared
from league.core.log.selectors.audience import PublicReader
from league.core.log.selectors.log_decode import OpenedEntry, open_payloads
from league.core.permissions import Viewer
from league.core.text.display_formats import format_exact, format_full_day
from league.core.text.names import format_author as who_did
from league.core.text.names import isolate_direction
from league.models import Ladder, League, LogEntry, Rating

#: The author of automatic entries.
CALENDAR = gettext_noop("calendar")
Payload = dict[str, Any]


class LogRow(NamedTuple):
    """An entry as a sentence.

    ``game`` is the number of the game to link to, or None. ``note`` and ``metadata`` are those of a recorded game.
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
        """The user-written texts of the entry."""
        metadata = [f"{key}: {text}" for key, text in self.metadata.items()]
        return [text for text in (self.reason, self.note, *metadata) if text]


def merge_rows(rows: Iterable[LogRow]) -> list[tuple[LogRow, int]]:
    """Return the first of rows of one kind, author and minute that follow one another, and how many follow it."""

    def key(row: LogRow) -> tuple[str, str, datetime]:
        return row.entry.kind, row.who, row.entry.at.replace(second=0, microsecond=0)

    groups = [list(group) for _key, group in groupby(rows, key)]
    return [(first, len(others)) for first, *others in groups]


def _format_period_title(payload: Payload) -> str:
    span = parse_span(payload["period"])
    return f"{span.name if span else payload['period']} ({payload['ladder']})"


def _add_ladder_title(payload: Payload, ladders: Mapping[str, str]) -> Payload:
    ladder = payload.get("ladder")
    return {**payload, "ladder": ladders.get(ladder, ladder)} if isinstance(ladder, str) else payload


def _join_setting_names(names: Sequence[str]) -> str:
    return ", ".join(_(FIELD_LABELS[name]) if name in FIELD_LABELS else name.replace("_", " ") for name in names)


def _describe_edition(payload: Payload) -> str:
    number = payload["edition"]
    text = _("closed {period}") if number == 1 else _("published edition {number} of {period}")
    return text.format(period=_format_period_title(payload), number=number)


def _describe_player(payload: Payload) -> str:
    if "active" in payload:
        text = _("set {player} active") if payload["active"] else _("set {player} inactive")
        return text.format(player=payload["player"])
    return _("changed {player}: {fields}").format(
        player=payload["player"], fields=_join_setting_names(payload["given"])
    )


def _describe_start(payload: Payload) -> str:
    return _("set the initial rating of {player} to {rating}").format(
        player=payload["player"], rating=format_exact(payload["rating"])
    )


def _describe_adjustment(payload: Payload) -> str:
    text = _("adjusted {player} by {points}: adjustment {number}")
    return text.format(player=payload["player"], points=_format_points(payload["amount"]), number=payload["number"])


def format_day(day: str) -> str:
    """Format an ISO date in the reader's language; raises ValueError if it is invalid."""
    return format_full_day(date.fromisoformat(day))


def _format_points(amount: float) -> str:
    return f"{'+' if amount > 0 else '−'}{format_exact(abs(amount))}"


def _make_formatter_with_day(first: str, later: str) -> Callable[[Payload], str]:

    def describe(payload: Payload) -> str:
        text = _(first if payload["from"] == ALWAYS.isoformat() else later)
        return text.format(**{**payload, "from": format_day(payload["from"])})

    return describe


def make_formatter(text: str) -> Callable[[Payload], str]:
    """Return what fills a payload into the translation of a text."""
    return lambda payload: _(text).format(**payload)


#: Keys of a payload whose values are handles of players.
PLAYER_KEYS = {"player", "into"}
#: Labels of settings of leagues and fields of players, by their names in the log.
FIELD_LABELS = {
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
    "played_by": gettext_noop("those who are ranked"),
    "external_ids": gettext_noop("external ids"),
    "name": gettext_noop("name"),
    "aliases": gettext_noop("other names"),
    "handle": gettext_noop("handle"),
}
#: Kind of an entry -> function of its payload that returns its sentence; apps declare those of theirs.
SENTENCES: dict[str, Callable[[Payload], str]] = {
    LogEntry.Kind.LEAGUE_CREATED: make_formatter(gettext_noop("created the league {title}")),
    LogEntry.Kind.LEAGUE_CHANGED: lambda payload: _("changed settings: {fields}").format(
        fields=_join_setting_names(list(payload))
    ),
    LogEntry.Kind.LEAGUE_RESTORED: make_formatter(gettext_noop("restored the league from an export")),
    LogEntry.Kind.RULE_ADOPTED: _make_formatter_with_day(
        gettext_noop("adopted a rule from the first game"), gettext_noop("adopted a rule from {from}")
    ),
    LogEntry.Kind.RULE_WITHDRAWN: _make_formatter_with_day(
        gettext_noop("withdrew the rule from the first game"), gettext_noop("withdrew the rule from {from}")
    ),
    LogEntry.Kind.START_SET: _describe_start,
    LogEntry.Kind.ADJUSTMENT_MADE: _describe_adjustment,
    LogEntry.Kind.ADJUSTMENT_VOIDED: make_formatter(gettext_noop("voided adjustment {number} of {player}")),
    LogEntry.Kind.PLAYER_CREATED: make_formatter(gettext_noop("added {player}")),
    LogEntry.Kind.PLAYER_CHANGED: _describe_player,
    LogEntry.Kind.PLAYER_MERGED: make_formatter(gettext_noop("merged {player} into {into}")),
    LogEntry.Kind.PLAYER_UNMERGED: make_formatter(gettext_noop("split {player} from {into}")),
    LogEntry.Kind.GAME_RECORDED: make_formatter(gettext_noop("recorded game {number}")),
    LogEntry.Kind.GAME_CORRECTED: make_formatter(gettext_noop("corrected game {number}, now game {game[number]}")),
    LogEntry.Kind.GAME_VOIDED: make_formatter(gettext_noop("voided game {number}")),
    LogEntry.Kind.GAME_RESTORED: make_formatter(gettext_noop("restored game {number}, now game {game[number]}")),
    LogEntry.Kind.GAMES_MOVED: make_formatter(gettext_noop("swapped games {games[0]} and {games[1]}")),
    LogEntry.Kind.CONTEXT_CREATED: make_formatter(gettext_noop("created the context {title}")),
    LogEntry.Kind.CONTEXT_CHANGED: make_formatter(gettext_noop("changed the context {title}")),
    LogEntry.Kind.CONTEXT_REMOVED: make_formatter(gettext_noop("removed the context {context}")),
    LogEntry.Kind.FIELD_DECLARED: make_formatter(gettext_noop("declared the field {title}")),
    LogEntry.Kind.FIELD_CHANGED: make_formatter(gettext_noop("changed the field {title}")),
    LogEntry.Kind.PLAYER_FIELDS_SET: make_formatter(gettext_noop("set the fields of {player}")),
    LogEntry.Kind.LADDER_CREATED: make_formatter(gettext_noop("created the ladder {title}")),
    LogEntry.Kind.LADDER_CHANGED: make_formatter(gettext_noop("changed the ladder {title}")),
    LogEntry.Kind.LADDER_RANKED: _make_formatter_with_day(
        gettext_noop("adopted a ranking rule for {ladder} from the first game"),
        gettext_noop("adopted a ranking rule for {ladder} from {from}"),
    ),
    LogEntry.Kind.EDITION_PUBLISHED: _describe_edition,
    LogEntry.Kind.PERIOD_REOPENED: lambda payload: _("reopened {period}").format(period=_format_period_title(payload)),
    LogEntry.Kind.PERIOD_CARRIED: lambda payload: _("kept edition {number} of {period}").format(
        number=payload["edition"], period=_format_period_title(payload)
    ),
    LogEntry.Kind.HEAD_PUBLISHED: make_formatter(gettext_noop("signed the log up to entry {position}")),
    LogEntry.Kind.TEXT_ERASED: make_formatter(gettext_noop("erased the text in entry {position}")),
    LogEntry.Kind.PLAYER_ERASED: make_formatter(gettext_noop("erased the personal data of {player}")),
    LogEntry.Kind.CLOCK_ACCEPTED: make_formatter(gettext_noop("continued with a clock that was behind the log")),
    LogEntry.Kind.EDITION_REDACTED: lambda payload: _("removed a name from edition {number} of {period}").format(
        number=payload["edition"], period=_format_period_title(payload)
    ),
}


def build_log_rows(league: League, entries: Iterable[LogEntry], *, viewer: Viewer, named: bool = False) -> list[LogRow]:
    """Return log entries as sentences, with the present titles of ladders, without what ``viewer`` may not see.

    ``named`` is whether players appear by name; the log stores handles.
    """
    ladders = dict(Ladder.objects.filter(league=league).values_list("slug", "title"))
    entries = list(entries)
    try:
        opened = open_payloads(league, [entry.payload for entry in entries])
    except ValueError:
        opened = [OpenedEntry({}, {}, {}) for _entry in entries]
    if not viewer.may("arbitrate", league):
        hide_content = PublicReader(league).hide_content
        opened = [hide_content(entry.at, entry.kind, one) for entry, one in zip(entries, opened, strict=True)]
    payloads = [one.payload for one in opened]
    if named:
        names = _load_names_by_handle(league, payloads)
        payloads = [_add_names(payload, names) for payload in payloads]
    rows = [build_log_row(entry, payload, ladders) for entry, payload in zip(entries, payloads, strict=True)]
    return [
        row._replace(words=_("did something that is not published"))
        if one.left_out and row.words == row.entry.kind
        else row
        for row, one in zip(rows, opened, strict=True)
    ]


def _load_names_by_handle(league: League, payloads: Iterable[Payload]) -> dict[str, str]:
    handles = {
        payload[key] for payload in payloads for key in PLAYER_KEYS & payload.keys() if isinstance(payload[key], str)
    }
    rated = Rating.objects.filter(league=league, player__handle__in=handles)
    return {handle: isolate_direction(name) for handle, name in rated.values_list("player__handle", "player__name")}


def _add_names(payload: Payload, names: Mapping[str, str]) -> Payload:
    replacements = {
        key: names.get(payload[key], payload[key])
        for key in PLAYER_KEYS & payload.keys()
        if isinstance(payload[key], str)
    }
    return {**payload, **replacements}


def build_log_row(entry: LogEntry, payload: Payload, ladders: Mapping[str, str] = MappingProxyType({})) -> LogRow:
    """Return an entry as a sentence, or its bare kind if the kind is unknown or the payload does not fit.

    ``payload`` is decoded. ``ladders`` is slug -> title; other ladders appear by their slugs.
    """
    author = who_did(entry.by) if entry.by else _(CALENDAR)
    try:
        sentences = ChainMap(SENTENCES, *load_declared(lambda app: app.log.sentences))
        message = sentences[entry.kind](_add_ladder_title(payload, ladders))
        about = payload.get("game")
        brought = about if isinstance(about, dict) else payload
        game, note = about if isinstance(about, int) else brought.get("number"), brought.get("note", "")
        metadata = dict(brought.get("metadata", {}))
    except (ValueError, LookupError, TypeError, AttributeError):
        return LogRow(entry, author, entry.kind, "", None)
    reason = payload.get("reason")
    reason, number = reason if isinstance(reason, str) else "", game if isinstance(game, int) else None
    return LogRow(entry, author, message, reason, number, note if isinstance(note, str) else "", metadata)
