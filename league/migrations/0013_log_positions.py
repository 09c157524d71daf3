"""An edition's position in the log: it was the number of the league's last game.

Documents stay as they were published, to the byte; the column beside them is what is put right, and so the trigger
that lets nobody change an edition is lifted for it and put back.
"""

import importlib
import json

from django.db import migrations, models

GUARD = importlib.import_module("league.migrations.0002_ladders")


def note_positions(apps, schema_editor):
    """Give every edition the position of the entry that tells of it."""
    Edition, LogEntry = apps.get_model("league", "Edition"), apps.get_model("league", "LogEntry")
    found = {}
    for league, position, payload in LogEntry.objects.filter(kind="edition.published").values_list(
        "league_id", "position", "payload"
    ):
        told = json.loads(payload)
        found[league, told["ladder"], told["period"], told["edition"]] = position
    wrong = [
        (key, position)
        for key, league, ladder, period, number, noted in Edition.objects.order_by("pk").values_list(
            "pk", "ladder__league_id", "ladder__slug", "key", "number", "log_position"
        )
        if (position := found.get((league, ladder, period, number))) not in (None, noted)
    ]
    if not wrong:
        return
    GUARD.release_editions(apps, schema_editor)
    for key, position in wrong:
        Edition.objects.filter(pk=key).update(log_position=position)
    GUARD.guard_editions(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0012_edits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="edition",
            name="log_position",
            field=models.PositiveBigIntegerField(help_text="The position of its own entry in the league's log."),
        ),
        migrations.RunPython(note_positions, migrations.RunPython.noop, elidable=False),
    ]
