"""Verification of facts other than games: the rows of each declared table are compared with the log.

Most tables contain rows of a record (``league.core.log_tables.LogTable``); others have a function here that reads rows
in the log's form. Apps declare their own tables. If an app is not installed, its log entries are only checked as part
of the hash chain.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from itertools import chain
from typing import Any

from django.db.models import Exists, OuterRef, Subquery

from league.core.calendar import start_of_day
from league.core.capabilities import load_declared
from league.core.errors import UnknownZone
from league.core.log.chain import serialize_canonically
from league.core.log.services import entries
from league.core.log_tables import FactTable
from league.core.players.services.merges import SWEEP_AUTHOR
from league.core.text.instants import format_instant
from league.core.text.stored_messages import phrase
from league.core.verify.findings import VerifyFindings, compare_members
from league.core.verify.log_replay import ENDED_MERGE_LOG, LoggedRow, LogReplay
from league.models import League, LogEntry, Merge, Player, Result
from league.models.contexts import CONTEXT_LOG
from league.models.facts import ADJUSTMENT_LOG, ADJUSTMENT_VOID_LOG, GAME_VOID_LOG, RULE_LOG, START_LOG
from league.models.fields import FIELD_LOG, PLAYER_FIELDS_LOG
from league.models.ladders import LADDER_LOG, LADDER_RULE_LOG
from league.models.leagues import SETTINGS
from league.models.record import DECISION_LOG, EDITION_LOG, HEAD_LOG, REDACTION_LOG

Rows = Iterator[tuple[Any, Mapping[str, Any]]]


def compare_facts(league: League, log: LogReplay, findings: VerifyFindings) -> None:
    """Compare the rows of every table with the log."""
    for row in log.tables["rules"].values():
        # The log contains the date; the rule begins at midnight in the league's time zone.
        with suppress(UnknownZone, TypeError, ValueError):
            row.values["starts_at"] = format_instant(
                start_of_day(date.fromisoformat(row.values["from"]), league.time_zone)
            )
    for table in log.declared:
        if table.counted is not None:
            findings.counted_in[table.category] = table.counted
        stored = dict(table.read(league, log))
        logged = log.tables[table.title]
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
                findings.add(table.category, key, row.position, message)
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


TABLES: tuple[FactTable, ...] = (
    FactTable(
        "the league", read_league, lambda key: phrase("The league"), phrase("in the league, compared with the log")
    ),
    RULE_LOG,
    FactTable(
        "players",
        read_players,
        lambda handle: phrase("The league's player {player}", player=handle),
        phrase("in players, compared with the log"),
    ),
    START_LOG,
    FactTable(
        "merges",
        read_merges,
        lambda handle: phrase("The merge of {player}", player=handle),
        phrase("in merges, compared with the log"),
    ),
    ENDED_MERGE_LOG,
    ADJUSTMENT_LOG,
    ADJUSTMENT_VOID_LOG,
    FIELD_LOG,
    PLAYER_FIELDS_LOG,
    CONTEXT_LOG,
    GAME_VOID_LOG,
    LADDER_LOG,
    LADDER_RULE_LOG,
    EDITION_LOG,
    REDACTION_LOG,
    DECISION_LOG,
    HEAD_LOG,
)


def load_fact_tables() -> list[FactTable]:
    """Return the tables of the core and of the installed apps."""
    return list(chain(TABLES, *load_declared(lambda app: app.log.fact_tables)))
