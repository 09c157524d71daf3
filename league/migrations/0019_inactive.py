"""Inactive is a fact of a league and a player."""

import django.db.models.deletion
from django.db import migrations, models

TABLE = "league_inactive"
COUNT = (
    "INSERT INTO league_edits (name, count) VALUES ('players', 1) "
    "ON CONFLICT (name) DO UPDATE SET count = league_edits.count + 1;"
)


def count_edits(apps, schema_editor):
    """Have the database itself count who becomes inactive or active again, as it counts edits of players.

    On SQLite a later migration that remakes the table drops the triggers: call this there again.
    """
    for action in ("insert", "update", "delete"):
        name = f"league_count_inactive_{action}"
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                f"CREATE TRIGGER {name} AFTER {action} ON {TABLE} FOR EACH ROW EXECUTE FUNCTION league_count_edits()"
            )
        else:
            schema_editor.execute(f"CREATE TRIGGER {name} AFTER {action} ON {TABLE} BEGIN {COUNT} END")


def stop_counting(apps, schema_editor):
    """Undo ``count_edits``."""
    for action in ("insert", "update", "delete"):
        where = f" ON {TABLE}" if schema_editor.connection.vendor == "postgresql" else ""
        schema_editor.execute(f"DROP TRIGGER league_count_inactive_{action}{where}")


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0018_worksheets"),
    ]

    operations = [
        migrations.CreateModel(
            name="Inactive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "league",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="inactive",
                        to="league.league",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="inactive_in", to="league.player"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "inactive players",
                "ordering": ("league", "player"),
                "constraints": [models.UniqueConstraint(fields=("league", "player"), name="inactive_once_a_league")],
            },
        ),
        migrations.AlterField(
            model_name="player",
            name="active",
            field=models.BooleanField(default=True, help_text="Whether somebody who has not played yet is offered."),
        ),
        migrations.RunPython(count_edits, stop_counting),
    ]
