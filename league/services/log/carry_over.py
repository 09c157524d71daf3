"""Carries logs over in the database: entries that an earlier version wrote, sealed and chained anew (``carrying``).

Migration 0036 does it for every log; where web processes or workers of the release before wrote on beside it, or after
it, ``manage.py carry_log`` does it once more. The guard of the log stands open for that alone.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from league.chain import canonical, digest, instant, serialize_entry
from league.models import League, LogEntry, LogText, Player
from league.sealing import new_opaque
from league.services.locking import with_league_lock
from league.services.log.carrying import Carrying

BATCH = 2000
REWRITE = "UPDATE league_logentry SET payload = %s, sha256 = %s WHERE id = %s"
REFUSAL = "The log never changes: it is only appended to."
RAISE = f"RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';"
#: What stands in the payload of an entry that names somebody by a handle, or holds a text.
UNSEALED = r'"(player|into|recorded_as)":"[^~"]|"(note|reason)":"[^"]'


def name_players() -> int:
    """Give every player an opaque handle who has none, as the release before adds players; returns how many."""
    count = 0
    while found := list(Player.objects.filter(opaque=None).values_list("pk", flat=True)[:BATCH]):
        for pk in found:
            count += Player.objects.filter(pk=pk, opaque=None).update(opaque=new_opaque())
    return count


def unsealed(league: League) -> QuerySet[LogEntry]:
    """Return the entries of a log that name people by handles or hold texts, as earlier versions wrote them."""
    return league.log.filter(payload__regex=UNSEALED).order_by("position")


def carry_over(league_id: int) -> int:
    """Carry a log over in which something is not sealed; returns how many entries were not."""
    name_players()

    def work(league: League, now: datetime) -> int:
        found = unsealed(league).count()
        if found:
            opaque = {handle: name for handle, name in Player.objects.values_list("handle", "opaque") if name}
            with transaction.atomic():
                open_log()
                carry(league, LogEntry, LogText, opaque, now)
                close_log()
        return found

    return with_league_lock(league_id, work)


def carry(league: Any, log: Any, beside: Any, opaque: Mapping[str, str], now: datetime) -> None:
    """Carry the log of a league over, which is locked; ``log`` and ``beside`` are the models, maybe a migration's."""
    carrying = Carrying(opaque)
    entries = log.objects.filter(league=league).order_by("position")
    last = 0
    while rows := list(entries.filter(position__gt=last)[:BATCH]):
        for row in rows:
            said = row.position, instant(row.at), row.by, row.kind, row.payload
            row.payload, row.sha256 = carrying.carried_as_it_stood(said, row.sha256)
            last = row.position
        with connection.cursor() as cursor:
            cursor.executemany(REWRITE, [(row.payload, row.sha256, row.pk) for row in rows])
        beside.objects.bulk_create(
            beside(league=league, position=position, sha256=text.sha256, salt=text.salt, text=text.text)
            for position, text in carrying.texts
        )
        carrying.texts.clear()
    # A log that does not end where the league says is none to go on from: what was cut off would be forgotten.
    if not carrying.changed or (carrying.length, carrying.old_head) != (league.log_length, league.log_sha256):
        return
    payload = canonical(carrying.anchor())
    text = serialize_entry(carrying.length + 1, instant(now), "", "log.carried", payload, carrying.head)
    league.log_length, league.log_sha256 = carrying.length + 1, digest(text)
    log.objects.create(
        league=league, position=league.log_length, at=now, by="", kind="log.carried", payload=payload,
        sha256=league.log_sha256,
    )  # fmt: skip
    league.save(update_fields=["log_length", "log_sha256"])


def open_log() -> None:
    """Let entries be changed by whoever carries logs over, in this transaction."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # The function, not the trigger: that would lock the table.
            cursor.execute(
                "CREATE OR REPLACE FUNCTION league_log_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                "IF TG_OP = 'UPDATE' AND current_setting('rungs.carrying', true) = '1' THEN RETURN NEW; END IF; "
                f"{RAISE} END $$"
            )
            cursor.execute("SET LOCAL rungs.carrying = '1'")
        else:
            cursor.execute("DROP TRIGGER IF EXISTS league_log_stands_update")


def close_log() -> None:
    """Let nobody change entries any more."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "CREATE OR REPLACE FUNCTION league_log_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                f"{RAISE} END $$"
            )
            return
        cursor.execute("DROP TRIGGER IF EXISTS league_log_stands_update")
        cursor.execute(
            f"CREATE TRIGGER league_log_stands_update BEFORE UPDATE ON league_logentry "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )
