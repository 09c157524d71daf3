"""The log and the heads of a league may be deleted once the league's own row is: an empty league, as a whole."""

from importlib import import_module

from django.db import migrations

TRIGGERS = import_module("league.migrations.0002_triggers")
#: Those of the guarded tables whose rows an empty league may have.
NAMES = ("league_log_stands", "league_heads_stand")
LEAGUE = "EXISTS (SELECT 1 FROM league_league WHERE id = OLD.league_id)"


def guard(schema_editor, name, *, whole):
    """Write the trigger of a table anew; ``whole``: it refuses to delete a row of a league that is gone, too."""
    table, _unique, refusal = TRIGGERS.GUARDED[name]
    if schema_editor.connection.vendor == "postgresql":
        gone = "" if whole else f"IF TG_OP = 'DELETE' AND NOT {LEAGUE} THEN RETURN OLD; END IF; "
        schema_editor.execute(
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {gone}"
            f"RAISE EXCEPTION '{refusal}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        return
    schema_editor.execute(f"DROP TRIGGER {name}_delete")
    schema_editor.execute(
        f"CREATE TRIGGER {name}_delete BEFORE DELETE ON {table} {'' if whole else f'WHEN {LEAGUE}'} "
        f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
    )


def release(apps, schema_editor):
    """Let rows of a league that is gone be deleted."""
    for name in NAMES:
        guard(schema_editor, name, whole=False)


def guard_again(apps, schema_editor):
    """Undo ``release``."""
    for name in NAMES:
        guard(schema_editor, name, whole=True)


class Migration(migrations.Migration):
    short = "Triggers alone."
    dependencies = [
        ("league", "0003_meta"),
    ]

    operations = [
        migrations.RunPython(release, guard_again),
    ]
