"""The board of a second system."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("league", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SecondBoard",
            fields=[
                (
                    "league",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="second_board",
                        serialize=False,
                        to="league.league",
                    ),
                ),
                ("system", models.CharField(max_length=40)),
                ("parameters", models.JSONField(help_text="All of them, so that another default changes no board.")),
                ("chosen_at", models.DateTimeField()),
                ("chosen_by", models.CharField(blank=True, max_length=200)),
                (
                    "log_sha256",
                    models.CharField(
                        blank=True,
                        help_text="The head of the log when its games were read; empty: never.",
                        max_length=64,
                    ),
                ),
                ("made_at", models.DateTimeField(blank=True, null=True)),
                ("games", models.PositiveBigIntegerField(default=0, help_text="Rated games that it is made of.")),
                ("last_number", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "why_not",
                    models.JSONField(
                        blank=True, help_text="Why the system cannot rate the games, as a sentence is kept.", null=True
                    ),
                ),
                (
                    "standings",
                    models.BinaryField(
                        default=bytes, help_text="Players, states and scores as packed columns; nobody: empty."
                    ),
                ),
            ],
            options={
                "db_table": "league_secondboard",
            },
        ),
    ]
