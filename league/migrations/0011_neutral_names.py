"""The league's columns that apps write have neutral names in the code. The database keeps the names of before."""

from django.db import migrations, models

BEFORE = {
    "has_webhooks": ("has_listeners", models.BooleanField(db_column="has_webhooks", default=False, editable=False)),
    "has_fixtures": (
        "attaches_games",
        models.BooleanField(db_column="has_fixtures", db_default=False, default=False, editable=False),
    ),
    "last_notice": (
        "last_message",
        models.PositiveBigIntegerField(db_column="last_notice", default=0, editable=False),
    ),
    "second_system": (
        "also_rated_by",
        models.CharField(blank=True, db_column="second_system", default="", editable=False, max_length=40),
    ),
}


class Migration(migrations.Migration):
    dependencies = [("league", "0010_pairing_jobs")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                operation
                for before, (name, field) in BEFORE.items()
                for operation in (
                    migrations.RenameField("league", before, name),
                    migrations.AlterField("league", name, field),
                )
            ]
        )
    ]
