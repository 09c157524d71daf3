from django.db import migrations, models

#: What boards show of players.
SHOWN = ("handle", "name", "active")


def count_edits(apps, schema_editor):
    """Have the database itself count the changes of what boards show of players, whoever makes them.

    On SQLite a later migration that remakes the table of players drops the trigger: call this there again.
    """
    apps.get_model("league", "Edits").objects.get_or_create(name="players")
    differ = " OR ".join(f"OLD.{name} <> NEW.{name}" for name in SHOWN)
    work = "UPDATE league_edits SET count = count + 1 WHERE name = 'players';"
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"CREATE FUNCTION league_count_edits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {work} RETURN NULL; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER league_count_edits AFTER UPDATE OF {', '.join(SHOWN)} ON league_player "
            f"FOR EACH ROW WHEN ({differ}) EXECUTE FUNCTION league_count_edits()"
        )
        return
    schema_editor.execute(
        f"CREATE TRIGGER league_count_edits AFTER UPDATE OF {', '.join(SHOWN)} ON league_player "
        f"WHEN {differ} BEGIN {work} END"
    )


def stop_counting(apps, schema_editor):
    """Undo ``count_edits``."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER league_count_edits ON league_player")
        schema_editor.execute("DROP FUNCTION league_count_edits()")
        return
    schema_editor.execute("DROP TRIGGER league_count_edits")


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0008_log"),
    ]

    operations = [
        migrations.CreateModel(
            name="Edits",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("count", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="RequestKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("owner", models.CharField(help_text="Whose key it is: a token or a user.", max_length=40)),
                ("key", models.CharField(max_length=255)),
                ("digest", models.CharField(help_text="SHA-256 of method, address and body.", max_length=64)),
                ("writer", models.UUIDField(help_text="Tells whoever inserted the row from those who came after.")),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("body", models.TextField(default="")),
                ("headers", models.JSONField(default=dict)),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("owner", "key"), name="one_request_a_key")],
            },
        ),
        migrations.RunPython(count_edits, stop_counting),
    ]
