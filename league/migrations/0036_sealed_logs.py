"""Logs name people by opaque handles and have salted hashes of free texts; what was written before is carried over.

League by league, each in a transaction of its own under the league's lock, so that a migration that was stopped goes on
where it was. Web processes and workers of the version before may run meanwhile: what they write stays as they wrote it.
"""

from django.db import migrations, transaction
from django.utils import timezone

import league.sealing
from league.services.log import carry_over

BATCH = 2000


def name_players(apps, schema_editor):
    """Give every player an opaque handle, some thousand at a time."""
    Player = apps.get_model("league", "Player")
    while found := list(Player.objects.filter(opaque=None).only("pk")[:BATCH]):
        for player in found:
            player.opaque = league.sealing.new_opaque()
        Player.objects.bulk_update(found, ["opaque"])


def carry_logs(apps, schema_editor):
    """Carry every log over that was not; who stops in the middle begins anew with the log that was under way."""
    League, LogEntry, LogText, Player = (
        apps.get_model("league", name) for name in ("League", "LogEntry", "LogText", "Player")
    )
    done = LogEntry.objects.filter(kind="log.carried").values("league")
    opaque = dict(Player.objects.values_list("handle", "opaque"))
    for pk in League.objects.exclude(pk__in=done).order_by("pk").values_list("pk", flat=True):
        # The guard stands open in this transaction alone, and nobody else sees that.
        with transaction.atomic():
            carry_over.open_log()
            carry_over.carry(League.objects.select_for_update().get(pk=pk), LogEntry, LogText, opaque, timezone.now())
            carry_over.close_log()


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("league", "0035_opaque_handles"),
    ]

    operations = [
        migrations.RunPython(name_players, migrations.RunPython.noop),
        migrations.RunPython(carry_logs, migrations.RunPython.noop),
    ]
