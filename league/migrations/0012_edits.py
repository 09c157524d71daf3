"""The trigger that counts the edits of players makes its row where somebody has emptied the table (``flush``)."""

from django.db import migrations

SHOWN = ("handle", "name", "active")
BEFORE = "UPDATE league_edits SET count = count + 1 WHERE name = 'players';"
NOW = (
    "INSERT INTO league_edits (name, count) VALUES ('players', 1) "
    "ON CONFLICT (name) DO UPDATE SET count = league_edits.count + 1;"
)


def replaced(work):
    """Return what has the trigger do this."""

    def replace(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                "CREATE OR REPLACE FUNCTION league_count_edits() RETURNS trigger LANGUAGE plpgsql "
                f"AS $$ BEGIN {work} RETURN NULL; END $$"
            )
            return
        differ = " OR ".join(f"OLD.{name} <> NEW.{name}" for name in SHOWN)
        schema_editor.execute("DROP TRIGGER league_count_edits")
        schema_editor.execute(
            f"CREATE TRIGGER league_count_edits AFTER UPDATE OF {', '.join(SHOWN)} ON league_player "
            f"WHEN {differ} BEGIN {work} END"
        )

    return replace


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0011_indexes"),
    ]

    operations = [
        migrations.RunPython(replaced(NOW), replaced(BEFORE), elidable=False),
    ]
