"""What Django does not generate: triggers by which the database itself refuses and counts, whoever asks.

On SQLite a later migration that remakes one of these tables drops its triggers: call ``guard`` or ``count_edits`` there
again.
"""

from django.db import migrations

#: Function or beginning of the triggers' names -> table, what else is unique in it beside ``id``, and the refusal.
GUARDED = {
    "league_edition_stands": (
        "league_edition", ("ladder_id", "key", "number"), "An edition never changes: publish another one.",
    ),
    "league_log_stands": (
        "league_logentry", ("league_id", "position"), "The log never changes: it is only appended to.",
    ),
    "league_heads_stand": ("league_head", ("league_id", "position"), "A published head never changes."),
}
#: What of an edition stays also when it is redacted, which is all that may be done to it.
STAYS = (
    "id", "ladder_id", "key", "number", "starts_at", "ends_at", "due_at", "published_at", "published_by",
    "log_position", "sha256",
)
#: Changes of players that boards show.
SHOWN = ("handle", "name", "active")
COUNT = (
    "INSERT INTO league_edits (name, count) VALUES ('players', 1) "
    "ON CONFLICT (name) DO UPDATE SET count = league_edits.count + 1;"
)


def guard(apps, schema_editor):
    """Have the database refuse to change or delete an edition, an entry of the log or a head."""
    for name, (table, unique, refusal) in GUARDED.items():
        if schema_editor.connection.vendor == "postgresql":
            new, old = (", ".join(f"{row}.{column}" for column in STAYS) for row in ("NEW", "OLD"))
            redacted = (
                f"IF TG_OP = 'UPDATE' AND NEW.redacted_sha256 <> '' AND ({new}) IS NOT DISTINCT FROM ({old}) "
                "THEN RETURN NEW; END IF; "
            )
            schema_editor.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN {redacted if table == 'league_edition' else ''}"
                f"RAISE EXCEPTION '{refusal}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
            )
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()"
            )
            continue
        same = " AND ".join(f"NEW.{column} IS OLD.{column}" for column in STAYS)
        there = " AND ".join(f"{column} = NEW.{column}" for column in unique)
        for action, when in {
            "UPDATE": f"WHEN NOT (NEW.redacted_sha256 <> '' AND {same})" if table == "league_edition" else "",
            "DELETE": "",
            # INSERT OR REPLACE deletes without a word: no trigger of DELETE fires.
            "INSERT": f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id OR ({there}))",
        }.items():
            schema_editor.execute(
                f"CREATE TRIGGER {name}_{action.lower()} BEFORE {action} ON {table} {when} "
                f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
            )


def release(apps, schema_editor):
    """Undo ``guard``."""
    for name, (table, *_) in GUARDED.items():
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
            continue
        for action in ("update", "delete", "insert"):
            schema_editor.execute(f"DROP TRIGGER {name}_{action}")


def count_edits(apps, schema_editor):
    """Have the database count changes of what boards show of players, and of who is inactive."""
    apps.get_model("league", "Edits").objects.get_or_create(name="players")
    postgresql = schema_editor.connection.vendor == "postgresql"
    if postgresql:
        schema_editor.execute(
            f"CREATE FUNCTION league_count_edits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {COUNT} RETURN NULL; END $$"
        )
    differ = " OR ".join(f"OLD.{name} <> NEW.{name}" for name in SHOWN)
    each = f"FOR EACH ROW WHEN ({differ})" if postgresql else f"WHEN {differ}"
    work = "EXECUTE FUNCTION league_count_edits()" if postgresql else f"BEGIN {COUNT} END"
    schema_editor.execute(
        f"CREATE TRIGGER league_count_edits AFTER UPDATE OF {', '.join(SHOWN)} ON league_player {each} {work}"
    )
    for action in ("insert", "update", "delete"):
        schema_editor.execute(
            f"CREATE TRIGGER league_count_inactive_{action} AFTER {action} ON league_inactive "
            f"{'FOR EACH ROW' if postgresql else ''} {work}"
        )


def stop_counting(apps, schema_editor):
    """Undo ``count_edits``."""
    postgresql = schema_editor.connection.vendor == "postgresql"
    schema_editor.execute(f"DROP TRIGGER league_count_edits{' ON league_player' if postgresql else ''}")
    for action in ("insert", "update", "delete"):
        where = " ON league_inactive" if postgresql else ""
        schema_editor.execute(f"DROP TRIGGER league_count_inactive_{action}{where}")
    if postgresql:
        schema_editor.execute("DROP FUNCTION league_count_edits()")


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(guard, release),
        migrations.RunPython(count_edits, stop_counting),
    ]
