"""The entries of a league's log as sentences: who did what, for people who keep a club and no database."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from league.calendar import ALWAYS, span_named
from league.models import LogEntry

#: Who does what nobody does by hand.
CALENDAR = "calendar"
Said = dict[str, Any]


class Line(NamedTuple):
    """An entry in words; ``game`` is the number of the game that it leads to, None where it leads to none."""

    entry: LogEntry
    who: str
    words: str
    reason: str
    game: int | None


def period_of(said: Said) -> str:
    """Return the period that an entry is about, such as May 2026, and its ladder."""
    span = span_named(said["period"])
    return f"{span.title if span else said['period']} ({said['ladder']})"


def since(said: Said) -> str:
    """Return from when on something holds, in words."""
    return "from the first game on" if said["from"] == ALWAYS.isoformat() else f"from {said['from']}"


def listed(names: Sequence[str]) -> str:
    """Return names of settings as people read them."""
    return ", ".join(name.replace("_", " ") for name in names)


def edition(said: Said) -> str:
    """Tell of a published edition: the first one closed the period."""
    number = said["edition"]
    return f"closed {period_of(said)}" if number == 1 else f"published edition {number} of {period_of(said)}"


def player(said: Said) -> str:
    """Tell what was changed of a player."""
    if "active" in said:
        return f"set {said['player']} {'active' if said['active'] else 'inactive'}"
    return f"changed {said['player']}: {listed(said['given'])}"


WORDS: dict[str, Callable[[Said], str]] = {
    LogEntry.Kind.LEAGUE_CREATED: lambda said: f"made the league {said['title']}",
    LogEntry.Kind.LEAGUE_CHANGED: lambda said: f"changed settings: {listed(list(said))}",
    LogEntry.Kind.LEAGUE_RESTORED: lambda said: "restored the league from an export",
    LogEntry.Kind.RULE_ADOPTED: lambda said: f"adopted a rule {since(said)}",
    LogEntry.Kind.RULE_WITHDRAWN: lambda said: f"withdrew the rule {since(said)}",
    LogEntry.Kind.START_SET: lambda said: f"set where {said['player']} starts: {said['rating']:g}",
    LogEntry.Kind.PLAYER_CREATED: lambda said: f"added {said['player']}",
    LogEntry.Kind.PLAYER_CHANGED: player,
    LogEntry.Kind.PLAYER_MERGED: lambda said: f"merged {said['player']} into {said['into']}",
    LogEntry.Kind.PLAYER_UNMERGED: lambda said: f"split {said['player']} from {said['into']}",
    LogEntry.Kind.GAME_RECORDED: lambda said: f"recorded game {said['number']}",
    LogEntry.Kind.GAME_CORRECTED: lambda said: f"corrected game {said['number']}, now game {said['game']['number']}",
    LogEntry.Kind.GAME_VOIDED: lambda said: f"voided game {said['number']}",
    LogEntry.Kind.GAME_RESTORED: lambda said: f"restored game {said['number']}, now game {said['game']['number']}",
    LogEntry.Kind.GAMES_MOVED: lambda said: "exchanged games {} and {}".format(*said["games"]),
    LogEntry.Kind.LADDER_CREATED: lambda said: f"made the ladder {said['title']}",
    LogEntry.Kind.LADDER_CHANGED: lambda said: f"changed the ladder {said['title']}",
    LogEntry.Kind.LADDER_RANKED: lambda said: f"set how the ladder {said['ladder']} ranks {since(said)}",
    LogEntry.Kind.EDITION_PUBLISHED: edition,
    LogEntry.Kind.PERIOD_REOPENED: lambda said: f"reopened {period_of(said)}",
    LogEntry.Kind.PERIOD_CARRIED: lambda said: f"let edition {said['edition']} of {period_of(said)} stand",
    LogEntry.Kind.LINK_MADE: lambda said: "made a link to report games",
    LogEntry.Kind.LINK_REVOKED: lambda said: "revoked a link to report games",
    LogEntry.Kind.REPORT_ENTERED: lambda said: "reported a game",
    LogEntry.Kind.REPORT_ANSWERED: lambda said: "answered a disputed report",
    LogEntry.Kind.REPORT_DISPUTED: lambda said: "disputed a report",
    LogEntry.Kind.REPORT_CONFIRMED: lambda said: f"confirmed a report as game {said['game']}",
    LogEntry.Kind.REPORT_REFUSED: lambda said: "refused a report",
    LogEntry.Kind.REPORT_WITHDRAWN: lambda said: "withdrew a report",
    LogEntry.Kind.REPORT_OVERDUE: lambda said: "left a report to the organiser",
    LogEntry.Kind.REPORT_TWIN: lambda said: "left a report to the organiser: a game like it is recorded",
    LogEntry.Kind.REPORT_LAPSED: lambda said: "dropped an unconfirmed report",
    LogEntry.Kind.HEAD_PUBLISHED: lambda said: f"signed the log up to entry {said['position']}",
}


def line_of(entry: LogEntry) -> Line:
    """Return an entry in words; of a kind that is not known, or that says otherwise than its kind, its bare kind."""
    who = entry.by or CALENDAR
    try:
        said = json.loads(entry.payload)
        words = WORDS[entry.kind](said)
        about = said.get("game", said)
        game = about if isinstance(about, int) else about.get("number")
    except (ValueError, LookupError, TypeError, AttributeError):
        return Line(entry, who, entry.kind, "", None)
    reason = said.get("reason")
    return Line(entry, who, words, reason if isinstance(reason, str) else "", game if isinstance(game, int) else None)
