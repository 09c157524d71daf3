"""Metadata of leagues, players and games; external ids of players."""

from django.db import migrations, models

from league.core.db.migrating import AddColumn


def metadata(**options):
    """Return the field of metadata."""
    return models.JSONField(blank=True, db_default={}, default=dict, **options)


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0002_triggers"),
    ]

    operations = [
        AddColumn("league", "metadata", metadata()),
        AddColumn("player", "metadata", metadata()),
        AddColumn("game", "metadata", metadata(help_text="Texts of programs.")),
        migrations.CreateModel(
            name="ExternalId",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("provider", models.CharField(max_length=40)),
                ("value", models.CharField(max_length=200)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="external_ids", to="league.player"
                    ),
                ),
                (
                    "recorded_as",
                    models.ForeignKey(
                        blank=True, db_index=False, editable=False, null=True, on_delete=models.PROTECT,
                        related_name="+", to="league.player",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "external ids",
                "ordering": ("provider", "value"),
                "constraints": [
                    models.UniqueConstraint(fields=("provider", "value"), name="one_player_an_external_id")
                ],
            },
        ),
    ]
