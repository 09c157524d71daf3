"""Verification of facts other than games: each table declared once, its rows compared with those that the log says.

A declaration has the columns that are compared, each called as the log calls it. Tables of which the log says something
else than their columns have a function that reads their rows so. Capabilities declare their own tables. Where one is
left out, its entries of the log are verified as part of the chain, and compared with no rows.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Exists, Model, OuterRef, QuerySet, Subquery

from league.core.calendar import start_of_day
from league.core.capabilities import load_declared
from league.core.errors import UnknownZone
from league.core.log.chain import canonical, instant
from league.core.log.services import entries
from league.core.players.services.merges import BY_ITSELF
from league.core.text.stored_messages import Said, phrase
from league.core.verify.editions import edition_name
from league.core.verify.findings import VerifyFindings, unlike
from league.core.verify.log_replay import LoggedRow, LogReplay, key_of
from league.models import (
    Adjustment,
    Decision,
    Edition,
    Game,
    Head,
    InitialRating,
    Ladder,
    LadderRule,
    League,
    LogEntry,
    Merge,
    Player,
    Result,
    Rule,
)
from league.models.declared import SETTINGS

Rows = Iterator[tuple[Any, Mapping[str, Any]]]
Reader = Callable[[League, LogReplay], Rows]
#: Rows or handles that are read at once.
BATCH = 500
VOID, EDITION = "number at=voided_at by=voided_by reason=void_reason", "ladder=ladder__slug period=key edition=number"
NOT_VOID = {"voided_at": None, "voided_by": "", "void_reason": ""}


@dataclass(frozen=True)
class FactTable:
    """A table of facts: what it is called, how its rows are read, and how a sentence names one by its key."""

    what: str
    read: Reader
    name: Callable[..., Said]


def declared(
    model: type[Model], what: str, columns: str, name: Callable[..., Said], none: Mapping[str, Any] | None = None
) -> FactTable:
    """Return a table of columns, each ``member`` or ``member=column``; rows with all the values of ``none`` are not."""
    pairs = [column.partition("=") for column in columns.split()]
    members, names = [pair[0] for pair in pairs], [pair[2] or pair[0] for pair in pairs]

    def read(league: League, log: LogReplay) -> Rows:
        rows: QuerySet[Any] = model._default_manager.filter(league=league).order_by("pk")
        found = rows.exclude(**none) if none else rows
        for values in found.values_list(*names).iterator(chunk_size=2000):
            row = dict(zip(members, map(format_as_logged, values), strict=True))
            yield key_of(what, row), row

    return FactTable(what, read, name)


def format_as_logged(value: Any) -> Any:
    """Return a value as the log writes it."""
    if isinstance(value, datetime):
        return instant(value)
    return str(value) if isinstance(value, date | UUID) else value


def compare_facts(league: League, log: LogReplay, findings: VerifyFindings) -> None:
    """Compare every table: which rows there are, and what the log says of each."""
    for row in log.tables["rules"].values():
        # The log says the day: a rule begins when that does in the league's zone.
        with suppress(UnknownZone, TypeError, ValueError):
            row.values["starts_at"] = instant(start_of_day(date.fromisoformat(row.values["from"]), league.time_zone))
    for table in chain(TABLES, *load_declared("fact_tables")):
        stored = dict(table.read(league, log))
        logged = log.tables[table.what]
        for key in {**stored, **logged}:
            name = table.name(*key) if isinstance(key, tuple) else table.name(key)
            row, members = logged.get(key, LoggedRow(0, {})), stored.get(key)
            if members is None:
                entry = row.position
                sentences = [
                    phrase("{fact} is missing, but is recorded in entry {entry} of the log.", fact=name, entry=entry)
                ]
            elif key not in logged:
                sentences = [phrase("{fact} exists, but is not in the log.", fact=name)]
            else:
                sentences = list(unlike(name, members, row.values, row.position))
            for sentence in sentences:
                findings.add(table.what, key, row.position, sentence)
    add_unlogged_merges(league, log, findings)


def read_league(league: League, log: LogReplay) -> Rows:
    """Read the league's settings; a setting never logged must have its default."""
    fresh = League()
    for row in log.tables["the league"].values():
        row.values = {name: getattr(fresh, name) for name in SETTINGS} | row.values
    settings = {name: getattr(league, name) for name in ("slug", *SETTINGS)}
    yield None, {**settings, "created_at": instant(league.created_at)}


def read_players(league: League, log: LogReplay) -> Rows:
    """Read the players of whom the log says something, are inactive, or were erased and have played here."""
    logged = log.tables["players"]
    inactive = set(league.inactive.values_list("player__handle", flat=True))
    erased = Result.objects.filter(league=league, player__erased_at__isnull=False).order_by()
    played = set(erased.values_list("player__handle", flat=True))
    for handle in sorted(inactive | played):
        logged.setdefault(handle, LoggedRow(0, {"active": True, "erased": False}))
    handles = sorted(logged)
    for start in range(0, len(handles), BATCH):
        found = Player.objects.filter(handle__in=handles[start : start + BATCH]).values_list("handle", "erased_at")
        for handle, erased_at in found:
            known = handle in played or logged[handle].values["erased"]
            yield handle, {"active": handle not in inactive, "erased": known and erased_at is not None}


def read_merges(league: League, log: LogReplay) -> Rows:
    """Read the merges of the players of whom the log says one.

    Who wrote one, and when, is this site's own if the league was restored from an export since: then of every player,
    while it is restored of those who were here before.
    """
    logged, restored = log.tables["merges"], log.restored
    players = list(Player.objects.filter(handle__in=list(logged)).select_related("merged_into"))
    force = Merge.objects.filter(undone_at=None, player__in=players).select_related("into")
    merges = {merge.player_id: merge for merge in force}
    for player in players:
        merge, row = merges.get(player.pk), logged[player.handle]
        into = None if player.merged_into is None else player.merged_into.handle
        members = {"merged_into": into, "into": merge and merge.into.handle}
        own = row.position > log.restored_at if restored is None else player.handle not in restored
        if merge is not None and own and row.values.get("by") not in (None, BY_ITSELF):
            members |= {"at": instant(merge.at), "by": merge.by}
        yield player.handle, members


def read_ended_merges(league: League, log: LogReplay) -> Rows:
    """Read those merges that were undone of which the log says."""
    logged = log.tables["ended merges"]
    ended = Merge.objects.filter(undone_at__isnull=False, player__handle__in={key[0] for key in logged})
    names = ("at", "by", "undone_at", "undone_by")
    for player, into, *values in ended.values_list("player__handle", "into__handle", *names):
        members = {"player": player, "into": into, **dict(zip(names, map(format_as_logged, values), strict=True))}
        if key_of("ended merges", members) in logged:
            yield key_of("ended merges", members), members


def add_unlogged_merges(league: League, log: LogReplay, findings: VerifyFindings) -> None:
    """Note who is merged into whom and has results here all the same, although no log says that they are.

    If another league's log does, a game was on its way here while that was done: the sweep gathers it.
    """
    force = Merge.objects.filter(undone_at=None, player=OuterRef("pk")).values("into")[:1]
    merged = Player.objects.annotate(row=Subquery(force)).exclude(row=None, merged_into=None)
    lines = Result.objects.filter(league=league, player=OuterRef("pk"))
    found = list(merged.filter(Exists(lines)).order_by("handle"))
    into = Player.objects.in_bulk([row for player in found if (row := player.merged_into_id or player.row)])
    for player in found:
        other = into[player.merged_into_id or player.row]
        payload = canonical(entries.of_merge(player.opaque, other.opaque))
        said = LogEntry.objects.filter(kind=LogEntry.Kind.PLAYER_MERGED, payload=payload)
        if player.handle not in log.tables["merges"] and (player.merged_into_id != player.row or not said.exists()):
            sentence = phrase(
                "The player {player} is merged into {into}, but that is not in the league's log.",
                player=player.handle,
                into=other.handle,
            )
            findings.add("merges", player.handle, 0, sentence)


def decision_key(decision: Decision) -> tuple[str, str, int, str, str]:
    """Return the key of a decision."""
    return decision.ladder.slug, decision.key, decision.edition, str(decision.kind), instant(decision.at)


def decision_name(ladder: str, period: str, edition: int, kind: str, at: str) -> Said:
    """Return how a sentence names a decision."""
    values = {"kind": kind, "at": at, "edition": edition, "ladder": ladder, "period": period}
    return phrase("The decision ({kind}) of {at} about edition {edition} of {ladder} {period}", **values)


TABLES = (
    FactTable("the league", read_league, lambda key: phrase("The league")),
    declared(Rule, "rules", "from=from_date system parameters season start starts_at by=created_by created_at",
             lambda day: phrase("The rule from {day}", day=day)),
    FactTable("players", read_players, lambda handle: phrase("The league's player {player}", player=handle)),
    declared(InitialRating, "starts", "rating player=player__handle recorded_as=recorded_as__handle",
             lambda handle: phrase("The initial rating of {player}", player=handle)),
    FactTable("merges", read_merges, lambda handle: phrase("The merge of {player}", player=handle)),
    FactTable("ended merges", read_ended_merges,
              lambda player, into, at: phrase("The ended merge of {player}", player=player)),
    declared(Adjustment, "adjustments", "number player=player__handle recorded_as=recorded_as__handle since=at amount "
             "reason by=recorded_by at=recorded_at", lambda number: phrase("Adjustment {number}", number=number)),
    declared(Adjustment, "void adjustments", VOID,
             lambda number: phrase("The void mark of adjustment {number}", number=number), NOT_VOID),
    declared(Game, "void games", VOID,
             lambda number: phrase("The void mark of game {number}", number=number), NOT_VOID),
    declared(Ladder, "ladders", "ladder=slug title ended_on by=created_by created_at",
             lambda slug: phrase("The ladder {ladder}", ladder=slug)),
    declared(LadderRule, "rules of ladders", "ladder=ladder__slug from=from_date to=to_date method cadence parameters "
             "by=created_by created_at",
             lambda slug, day: phrase("The rule of {ladder} from {day}", ladder=slug, day=day)),
    declared(Edition, "editions", EDITION + " reason sha256 at=published_at by=published_by log_position",
             edition_name),
    declared(Edition, "redacted editions", EDITION + " sha256=redacted_sha256",
             lambda slug, key, number: phrase("Redacted edition {number} of {ladder} {key}", number=number, ladder=slug,
                                              key=key), {"redacted_sha256": ""}),
    declared(Decision, "decisions", "ladder=ladder__slug period=key edition decision=kind at reason digest by",
             decision_name),
    declared(Head, "heads", "position at sha256 key signature",
             lambda position: phrase("The signed log head at {position}", position=position)),
)  # fmt: skip
