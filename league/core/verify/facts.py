"""Verification of facts other than games: each table is declared once, and its rows are compared with the log.

A declaration lists the compared columns under their names in the log, or a function that reads rows in the log's form.
Apps declare their own tables. If an app is not installed, its log entries are only checked as part of the hash chain.
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
from league.core.log.chain import format_instant, serialize_canonically
from league.core.log.services import entries
from league.core.players.services.merges import SWEEP_AUTHOR
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.editions import format_edition_name
from league.core.verify.findings import VerifyFindings, compare_members
from league.core.verify.log_replay import LoggedRow, LogReplay, make_row_key
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
from league.models.leagues import SETTINGS

Rows = Iterator[tuple[Any, Mapping[str, Any]]]
Reader = Callable[[League, LogReplay], Rows]
#: Rows or handles read per query.
BATCH = 500
VOID, EDITION = "number at=voided_at by=voided_by reason=void_reason", "ladder=ladder__slug period=key edition=number"
NOT_VOID = {"voided_at": None, "voided_by": "", "void_reason": ""}


@dataclass(frozen=True)
class FactTable:
    """A table of facts: its title, the function that reads its rows, and the one that names a row in messages."""

    what: str
    read: Reader
    name: Callable[..., StoredMessage]


def declare_table(
    model: type[Model],
    table: str,
    columns: str,
    name: Callable[..., StoredMessage],
    none: Mapping[str, Any] | None = None,
) -> FactTable:
    """Return a table of columns, each ``member`` or ``member=column``; excludes rows with all of ``none``."""
    pairs = [column.partition("=") for column in columns.split()]
    members, names = [pair[0] for pair in pairs], [pair[2] or pair[0] for pair in pairs]

    def read(league: League, log: LogReplay) -> Rows:
        rows: QuerySet[Any] = model._default_manager.filter(league=league).order_by("pk")
        selected_rows = rows.exclude(**none) if none else rows
        for values in selected_rows.values_list(*names).iterator(chunk_size=2000):
            row = dict(zip(members, map(format_as_logged, values), strict=True))
            yield make_row_key(table, row), row

    return FactTable(table, read, name)


def format_as_logged(value: Any) -> Any:
    """Return a value as the log contains it."""
    if isinstance(value, datetime):
        return format_instant(value)
    return str(value) if isinstance(value, date | UUID) else value


def compare_facts(league: League, log: LogReplay, findings: VerifyFindings) -> None:
    """Compare the rows of every table with the log."""
    for row in log.tables["rules"].values():
        # The log contains the date; the rule begins at midnight in the league's time zone.
        with suppress(UnknownZone, TypeError, ValueError):
            row.values["starts_at"] = format_instant(
                start_of_day(date.fromisoformat(row.values["from"]), league.time_zone)
            )
    for table in chain(TABLES, *load_declared("fact_tables")):
        stored = dict(table.read(league, log))
        logged = log.tables[table.what]
        for key in {**stored, **logged}:
            name = table.name(*key) if isinstance(key, tuple) else table.name(key)
            row, members = logged.get(key, LoggedRow(0, {})), stored.get(key)
            if members is None:
                entry = row.position
                messages = [
                    phrase("{fact} is missing, but is recorded in entry {entry} of the log.", fact=name, entry=entry)
                ]
            elif key not in logged:
                messages = [phrase("{fact} exists, but is not in the log.", fact=name)]
            else:
                messages = list(compare_members(name, members, row.values, row.position))
            for message in messages:
                findings.add(table.what, key, row.position, message)
    add_unlogged_merges(league, log, findings)


def read_league(league: League, log: LogReplay) -> Rows:
    """Read the league's settings; a setting never logged must have its default."""
    fresh = League()
    for row in log.tables["the league"].values():
        row.values = {name: getattr(fresh, name) for name in SETTINGS} | row.values
    settings = {name: getattr(league, name) for name in ("slug", *SETTINGS)}
    yield None, {**settings, "created_at": format_instant(league.created_at)}


def read_players(league: League, log: LogReplay) -> Rows:
    """Read the players who are in the log, are inactive, or were erased and have played in the league."""
    logged = log.tables["players"]
    inactive = set(league.inactive.values_list("player__handle", flat=True))
    erased = Result.objects.filter(league=league, player__erased_at__isnull=False).order_by()
    erased_handles = set(erased.values_list("player__handle", flat=True))
    for handle in sorted(inactive | erased_handles):
        logged.setdefault(handle, LoggedRow(0, {"active": True, "erased": False}))
    for handle, erased_at in Player.objects.filter(handle__in=[*logged]).values_list("handle", "erased_at"):
        is_erasure_known = handle in erased_handles or logged[handle].values["erased"]
        yield handle, {"active": handle not in inactive, "erased": is_erasure_known and erased_at is not None}


def read_merges(league: League, log: LogReplay) -> Rows:
    """Read the merges of the players whose merges are in the log.

    Author and time of merges before the last restore belong to another site and are not compared.
    During a restore that concerns the players who were here before.
    """
    logged, restored = log.tables["merges"], log.restored
    players = list(Player.objects.filter(handle__in=list(logged)).select_related("merged_into"))
    force = Merge.objects.filter(undone_at=None, player__in=players).select_related("into")
    merges = {merge.player_id: merge for merge in force}
    for player in players:
        merge, row = merges.get(player.pk), logged[player.handle]
        survivor = None if player.merged_into is None else player.merged_into.handle
        members = {"merged_into": survivor, "into": merge and merge.into.handle}
        was_merged_here = row.position > log.restored_at if restored is None else player.handle not in restored
        if merge is not None and was_merged_here and row.values.get("by") not in (None, SWEEP_AUTHOR):
            members |= {"at": format_instant(merge.at), "by": merge.by}
        yield player.handle, members


def read_ended_merges(league: League, log: LogReplay) -> Rows:
    """Read the ended merges that are in the log."""
    logged = log.tables["ended merges"]
    ended = Merge.objects.filter(undone_at__isnull=False, player__handle__in={key[0] for key in logged})
    names = ("at", "by", "undone_at", "undone_by")
    for player, survivor, *values in ended.values_list("player__handle", "into__handle", *names):
        members = {"player": player, "into": survivor, **dict(zip(names, map(format_as_logged, values), strict=True))}
        if make_row_key("ended merges", members) in logged:
            yield make_row_key("ended merges", members), members


def add_unlogged_merges(league: League, log: LogReplay, findings: VerifyFindings) -> None:
    """Report merged players who still have results here although no league's log has the merge.

    If another league's log has it, a game was recorded here during the merge; the sweep reassigns it.
    """
    force = Merge.objects.filter(undone_at=None, player=OuterRef("pk")).values("into")[:1]
    merged = Player.objects.annotate(row=Subquery(force)).exclude(row=None, merged_into=None)
    lines = Result.objects.filter(league=league, player=OuterRef("pk"))
    merged_players = list(merged.filter(Exists(lines)).order_by("handle"))
    survivors = Player.objects.in_bulk(
        [row for player in merged_players if (row := player.merged_into_id or player.row)]
    )
    for player in merged_players:
        other = survivors[player.merged_into_id or player.row]
        payload = serialize_canonically(entries.build_merge_payload(player.opaque, other.opaque))
        logged_merges = LogEntry.objects.filter(kind=LogEntry.Kind.PLAYER_MERGED, payload=payload)
        if player.handle not in log.tables["merges"] and (
            player.merged_into_id != player.row or not logged_merges.exists()
        ):
            message = phrase(
                "The player {player} is merged into {into}, but that is not in the league's log.",
                player=player.handle,
                into=other.handle,
            )
            findings.add("merges", player.handle, 0, message)


def build_decision_key(decision: Decision) -> tuple[str, str, int, str, str]:
    """Return the key of a decision in the log."""
    return decision.ladder.slug, decision.key, decision.edition, str(decision.kind), format_instant(decision.at)


def _format_decision_name(ladder: str, period: str, edition: int, kind: str, decided_at: str) -> StoredMessage:
    values = {"kind": kind, "at": decided_at, "edition": edition, "ladder": ladder, "period": period}
    return phrase("The decision ({kind}) of {at} about edition {edition} of {ladder} {period}", **values)


TABLES = (
    FactTable("the league", read_league, lambda key: phrase("The league")),
    declare_table(Rule, "rules", "from=from_date system parameters season start starts_at by=created_by created_at",
             lambda day: phrase("The rule from {day}", day=day)),
    FactTable("players", read_players, lambda handle: phrase("The league's player {player}", player=handle)),
    declare_table(InitialRating, "starts", "rating player=player__handle recorded_as=recorded_as__handle",
             lambda handle: phrase("The initial rating of {player}", player=handle)),
    FactTable("merges", read_merges, lambda handle: phrase("The merge of {player}", player=handle)),
    FactTable("ended merges", read_ended_merges,
              lambda player, into, at: phrase("The ended merge of {player}", player=player)),
    declare_table(Adjustment, "adjustments", "number player=player__handle recorded_as=recorded_as__handle since=at "
             "amount reason by=recorded_by at=recorded_at",
             lambda number: phrase("Adjustment {number}", number=number)),
    declare_table(Adjustment, "void adjustments", VOID,
             lambda number: phrase("The void mark of adjustment {number}", number=number), NOT_VOID),
    declare_table(Game, "void games", VOID,
             lambda number: phrase("The void mark of game {number}", number=number), NOT_VOID),
    declare_table(Ladder, "ladders", "ladder=slug title ended_on by=created_by created_at",
             lambda slug: phrase("The ladder {ladder}", ladder=slug)),
    declare_table(LadderRule, "rules of ladders", "ladder=ladder__slug from=from_date to=to_date method cadence "
             "parameters by=created_by created_at",
             lambda slug, day: phrase("The rule of {ladder} from {day}", ladder=slug, day=day)),
    declare_table(Edition, "editions", EDITION + " reason sha256 at=published_at by=published_by log_position",
             format_edition_name),
    declare_table(Edition, "redacted editions", EDITION + " sha256=redacted_sha256",
             lambda slug, key, number: phrase("Redacted edition {number} of {ladder} {key}", number=number, ladder=slug,
                                              key=key), {"redacted_sha256": ""}),
    declare_table(Decision, "decisions", "ladder=ladder__slug period=key edition decision=kind at reason digest by",
             _format_decision_name),
    declare_table(Head, "heads", "position at sha256 key signature",
             lambda position: phrase("The signed log head at {position}", position=position)),
)  # fmt: skip
