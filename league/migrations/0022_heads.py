import django.db.models.deletion
from django.db import migrations, models

REFUSAL = "A published head never changes."
TABLE = "league_head"


def guard_heads(apps, schema_editor):
    """Have the database itself refuse to change or delete a head, whoever asks.

    On SQLite a later migration that remakes the table drops the triggers: call this there again.
    """
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "CREATE FUNCTION league_heads_stand() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER league_heads_stand BEFORE UPDATE OR DELETE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION league_heads_stand()"
        )
        return
    for action in ("UPDATE", "DELETE"):
        schema_editor.execute(
            f"CREATE TRIGGER league_heads_stand_{action.lower()} BEFORE {action} ON {TABLE} "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )
    # INSERT OR REPLACE deletes without a word: no trigger of DELETE fires.
    schema_editor.execute(
        f"CREATE TRIGGER league_heads_stand_insert BEFORE INSERT ON {TABLE} WHEN EXISTS (SELECT 1 FROM {TABLE} "
        "WHERE id = NEW.id OR (league_id = NEW.league_id AND position = NEW.position)) "
        f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    )


def release_heads(apps, schema_editor):
    """Undo ``guard_heads``."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER league_heads_stand ON {TABLE}")
        schema_editor.execute("DROP FUNCTION league_heads_stand()")
        return
    for action in ("update", "delete", "insert"):
        schema_editor.execute(f"DROP TRIGGER league_heads_stand_{action}")


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0021_added_parameters"),
    ]

    operations = [
        migrations.CreateModel(
            name="Head",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveBigIntegerField(help_text="Of the last entry of the log then.")),
                ("sha256", models.CharField(help_text="Of that entry.", max_length=64)),
                ("at", models.DateTimeField()),
                (
                    "key",
                    models.CharField(
                        help_text="The public key (Ed25519, base64url) by which the signature holds.", max_length=43
                    ),
                ),
                (
                    "signature",
                    models.CharField(help_text="Ed25519, base64url, of what heads.signed_text returns.", max_length=86),
                ),
                (
                    "league",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="heads",
                        to="league.league",
                    ),
                ),
            ],
            options={
                "ordering": ("league", "-position"),
                "constraints": [
                    models.UniqueConstraint(fields=("league", "position"), name="one_head_a_position"),
                    models.CheckConstraint(condition=models.Q(("position__gte", 1)), name="heads_begin_at_one"),
                ],
            },
        ),
        migrations.RunPython(guard_heads, release_heads),
    ]
