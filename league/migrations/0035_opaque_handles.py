"""Players have opaque handles, by which logs will name them; texts get a place beside the log; editions can be redacted."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

import league.sealing

TABLE = "league_edition"
REFUSAL = "An edition never changes: publish another one."
#: What of an edition stays also when it is redacted.
STAYS = (
    "id", "ladder_id", "key", "number", "starts_at", "ends_at", "due_at", "published_at", "published_by",
    "log_position", "sha256",
)  # fmt: skip
RAISE = f"RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';"


def guard_editions(apps, schema_editor):
    """Let an edition be redacted, and nothing else: what it was published as, and its hash, stay."""
    if schema_editor.connection.vendor == "postgresql":
        new, old = (", ".join(f"{row}.{name}" for name in STAYS) for row in ("NEW", "OLD"))
        schema_editor.execute(
            "CREATE OR REPLACE FUNCTION league_edition_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF TG_OP = 'UPDATE' AND NEW.redacted_sha256 <> '' AND ({new}) IS NOT DISTINCT FROM ({old}) "
            f"THEN RETURN NEW; END IF; {RAISE} END $$"
        )
        return
    same = " AND ".join(f"NEW.{name} IS OLD.{name}" for name in STAYS)
    # SQLite made the table again for the new column, without its triggers.
    for action, when in {
        "UPDATE": f"WHEN NOT (NEW.redacted_sha256 <> '' AND {same})",
        "DELETE": "",
        "INSERT": f"WHEN EXISTS (SELECT 1 FROM {TABLE} "
        "WHERE id = NEW.id OR (ladder_id = NEW.ladder_id AND key = NEW.key AND number = NEW.number))",
    }.items():
        schema_editor.execute(f"DROP TRIGGER IF EXISTS league_edition_stands_{action.lower()}")
        schema_editor.execute(
            f"CREATE TRIGGER league_edition_stands_{action.lower()} BEFORE {action} ON {TABLE} {when} "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )


def both(name, field, made):
    """Return a field's addition: in the database as ``made`` says, so that SQLite need not make the table again."""
    model = "player" if name == "opaque" else "edition"
    return migrations.SeparateDatabaseAndState(
        state_operations=[migrations.AddField(model, name, field)],
        database_operations=[migrations.AddField(model, name, made)],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0034_drills"),
    ]

    operations = [
        both(
            "opaque",
            models.CharField(
                default=league.sealing.new_opaque, editable=False, max_length=24, null=True,
            ),
            models.CharField(max_length=24, null=True),
        ),
        migrations.AddField(
            model_name="player",
            name="erased_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.UniqueConstraint(F("opaque"), name="one_player_an_opaque_handle"),
        ),
        both(
            "redacted_sha256",
            models.CharField(
                db_default="", default="", max_length=64,
                help_text="Of the document since it was redacted; empty: it was not.",
            ),
            models.CharField(db_default="", max_length=64),
        ),
        migrations.RunPython(guard_editions, migrations.RunPython.noop),
        migrations.CreateModel(
            name="FormerOpaque",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("opaque", models.CharField(max_length=24, unique=True)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="former_opaques", to="league.player"
                    ),
                ),
            ],
            options={"ordering": ("opaque",)},
        ),
        migrations.CreateModel(
            name="LogText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveBigIntegerField(help_text="Of the entry.")),
                ("sha256", models.CharField(help_text="What the entry says of it.", max_length=64)),
                (
                    "salt",
                    models.CharField(blank=True, help_text="Empty: it was erased with the text.", max_length=32),
                ),
                ("text", models.TextField(blank=True)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                (
                    "league",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="log_texts",
                        to="league.league",
                    ),
                ),
            ],
            options={
                "ordering": ("league", "position", "pk"),
                "indexes": [models.Index(fields=["league", "position"], name="texts_by_position")],
                "constraints": [
                    models.UniqueConstraint(fields=("league", "sha256"), name="one_text_a_seal"),
                    models.CheckConstraint(
                        condition=Q(("erased_at", None), Q(("salt", ""), ("text", "")), _connector="OR"),
                        name="erased_texts_are_gone",
                    ),
                ],
            },
        ),
        migrations.AlterField(
            model_name="logentry",
            name="payload",
            field=models.TextField(help_text="What was done, sealed: canonical JSON (RFC 8785)."),
        ),
    ]
