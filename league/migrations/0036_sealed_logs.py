"""Logs name people by opaque handles and have salted hashes of free texts; what was written before is carried over.

League by league, each in a transaction of its own under the league's lock, so that a migration that was stopped goes on
where it was. Web processes and workers of the version before may run meanwhile: what they write stays as they wrote it.
"""

from django.db import connection, migrations, transaction
from django.utils import timezone

import league.sealing
from league.chain import canonical, digest, instant, serialize_entry
from league.services.log.carrying import Carrying

BATCH = 2000
LOG = "league_logentry"
REFUSAL = "The log never changes: it is only appended to."
RAISE = "RAISE EXCEPTION '{}' USING ERRCODE = 'integrity_constraint_violation';"


def name_players(apps, schema_editor):
    """Give every player an opaque handle, some thousand at a time."""
    Player = apps.get_model("league", "Player")
    while found := list(Player.objects.filter(opaque=None).only("pk")[:BATCH]):
        for player in found:
            player.opaque = league.sealing.new_opaque()
        Player.objects.bulk_update(found, ["opaque"])


def carry_logs(apps, schema_editor):
    """Carry every log over, the guard of the log being open for that alone."""
    open_log(schema_editor)
    try:
        done = apps.get_model("league", "LogEntry").objects.filter(kind="log.carried").values("league")
        Player = apps.get_model("league", "Player")
        opaque = dict(Player.objects.values_list("handle", "opaque"))
        for pk in apps.get_model("league", "League").objects.exclude(pk__in=done).values_list("pk", flat=True):
            with transaction.atomic():
                if connection.vendor == "postgresql":
                    schema_editor.execute("SET LOCAL rungs.carrying = '1'")
                carry(apps, pk, opaque)
    finally:
        close_log(schema_editor)


def carry(apps, pk, opaque):
    """Carry the log of a league over."""
    league = apps.get_model("league", "League").objects.select_for_update().get(pk=pk)
    LogEntry, LogText = apps.get_model("league", "LogEntry"), apps.get_model("league", "LogText")
    carrying = Carrying(opaque)
    entries = LogEntry.objects.filter(league=league).order_by("position")
    last = 0
    while rows := list(entries.filter(position__gt=last)[:BATCH]):
        for row in rows:
            said = row.position, instant(row.at), row.by, row.kind, row.payload
            row.payload, row.sha256 = carrying.carried_as_it_stood(said, row.sha256)
            last = row.position
        with connection.cursor() as cursor:
            cursor.executemany(
                f"UPDATE {LOG} SET payload = %s, sha256 = %s WHERE id = %s",
                [(row.payload, row.sha256, row.pk) for row in rows],
            )
        LogText.objects.bulk_create(
            LogText(league=league, position=position, sha256=text.sha256, salt=text.salt, text=text.text)
            for position, text in carrying.texts
        )
        carrying.texts.clear()
    # A log that does not end where the league says is none to go on from: what was cut off would be forgotten.
    if not carrying.changed or (carrying.length, carrying.old_head) != (league.log_length, league.log_sha256):
        return
    now, payload = timezone.now(), canonical(carrying.anchor())
    text = serialize_entry(carrying.length + 1, instant(now), "", "log.carried", payload, carrying.head)
    league.log_length, league.log_sha256 = carrying.length + 1, digest(text)
    LogEntry.objects.create(
        league=league, position=league.log_length, at=now, by="", kind="log.carried", payload=payload,
        sha256=league.log_sha256,
    )  # fmt: skip
    league.save(update_fields=["log_length", "log_sha256"])


def open_log(schema_editor):
    """Let entries be changed by whoever carries logs over."""
    if schema_editor.connection.vendor == "postgresql":
        # The function, not the trigger: that would lock the table.
        schema_editor.execute(
            "CREATE OR REPLACE FUNCTION league_log_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF TG_OP = 'UPDATE' AND current_setting('rungs.carrying', true) = '1' THEN RETURN NEW; END IF; "
            f"{RAISE.format(REFUSAL)} END $$"
        )
        return
    schema_editor.execute("DROP TRIGGER IF EXISTS league_log_stands_update")


def close_log(schema_editor):
    """Let nobody change entries any more."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "CREATE OR REPLACE FUNCTION league_log_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"{RAISE.format(REFUSAL)} END $$"
        )
        return
    schema_editor.execute("DROP TRIGGER IF EXISTS league_log_stands_update")
    schema_editor.execute(
        f"CREATE TRIGGER league_log_stands_update BEFORE UPDATE ON {LOG} "
        f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    )


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("league", "0035_opaque_handles"),
    ]

    operations = [
        migrations.RunPython(name_players, migrations.RunPython.noop),
        migrations.RunPython(carry_logs, migrations.RunPython.noop),
    ]
