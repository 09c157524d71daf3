"""What Django does not generate: triggers by which the database itself refuses and counts; sizes for SQLite's planner.

On SQLite a later migration that remakes one of these tables drops both: call ``guard``, ``count_edits`` or
``expect_sizes`` there again.
"""

from django.db import migrations

#: Function or beginning of the triggers' names -> table, what else is unique in it beside ``id``, and the refusal.
GUARDED = {
    "league_edition_stands": (
        "league_edition", ("league_id", "ladder_id", "key", "number"), "An edition never changes: publish another one.",
    ),
    "league_log_stands": (
        "league_logentry", ("league_id", "position"), "The log never changes: it is only appended to.",
    ),
    "league_heads_stand": ("league_head", ("league_id", "position"), "A published head never changes."),
}
#: What of an edition stays also when it is redacted, which is all that may be done to it.
STAYS = (
    "id", "league_id", "ladder_id", "key", "number", "starts_at", "ends_at", "due_at", "published_at", "published_by",
    "log_position", "sha256",
)
#: Changes of players that boards show.
SHOWN = ("handle", "name", "active")
COUNT = (
    "INSERT INTO league_edits (name, count) VALUES ('players', 1) "
    "ON CONFLICT (name) DO UPDATE SET count = league_edits.count + 1;"
)

#: What SQLite is to expect of an index, by its columns or (of a part of a table) its name, as its own ANALYZE writes it:
#: the rows, then those of each value of the first column, of the first two … Here of 20 leagues of 5,000 games of four
#: by 1,000 players. Without it SQLite expects ten rows of each league, and reads whole leagues to find a player's games.
SIZES = {
    "league_game": {
        "league_id number": "100000 5000 1",
        "league_id played_at order_key number": "100000 5000 2 1 1",
        "one_external_id_a_league": "100000 5000 1",
        "one_game_counts_an_order_key": "100000 5000 1",
        "games_unrated": "1000 50",
    },
    "league_result": {
        "league_id game_id seat": "400000 20000 4 1",
        "league_id game_id player_id": "400000 20000 4 1",
        "player_id": "400000 400",
        "results_merged": "1000 10",
    },
}


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


def expect_sizes(apps, schema_editor):
    """Write what SQLite's planner is to expect; PostgreSQL counts by itself."""
    if schema_editor.connection.vendor == "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("ANALYZE league_game")  # which makes the table of sizes
        for table, sizes in SIZES.items():
            for _, index, _, _, partial in cursor.execute(f"PRAGMA index_list({table})").fetchall():
                columns = " ".join(row[2] for row in cursor.execute(f"PRAGMA index_info({index})").fetchall())
                if size := sizes.get(index if partial else columns):
                    cursor.execute("INSERT INTO sqlite_stat1 VALUES (%s, %s, %s)", [table, index, size])
        cursor.execute("ANALYZE sqlite_schema")  # which reads it


def expect_nothing(apps, schema_editor):
    """Undo ``expect_sizes``."""
    if schema_editor.connection.vendor != "postgresql":
        schema_editor.execute("DELETE FROM sqlite_stat1")


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(guard, release),
        migrations.RunPython(count_edits, stop_counting),
        migrations.RunPython(expect_sizes, expect_nothing),
    ]
