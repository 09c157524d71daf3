import django.db.models.deletion
from django.db import migrations, models

from league.db.migrating import AddConstraintQuietly, ValidateQuietly, without_jobs

KINDS = models.CheckConstraint(
    condition=models.Q(kind__in=["replay", "verify", "import", "compare", "second"]), name="kinds_of_jobs"
)


class Migration(migrations.Migration):
    """Leagues may show a second system's board. Old code shows none, and its jobs by the word of their kind."""

    short = "Nothing forwards; backwards the jobs of one kind go."

    dependencies = [
        ("league", "0040_seasons_and_adjustments"),
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
                (
                    "parameters",
                    models.JSONField(help_text="All of them, so that another default changes no board."),
                ),
                ("chosen_at", models.DateTimeField()),
                ("chosen_by", models.CharField(blank=True, max_length=200)),
                (
                    "log_sha256",
                    models.CharField(
                        blank=True, help_text="The head of the log when its games were read; empty: never.",
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
        ),
        migrations.AddField(
            model_name="league",
            name="second_system",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=40),
        ),
        migrations.RemoveConstraint(model_name="job", name="job_kinds"),
        AddConstraintQuietly(model_name="job", constraint=KINDS),
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[
                    ("replay", "Replay"), ("verify", "Verify"), ("import", "Import"), ("compare", "Experiment"),
                    ("second", "Second board"),
                ],
                max_length=8,
            ),
        ),
        ValidateQuietly(model_name="job", name="kinds_of_jobs"),
        migrations.RunPython(migrations.RunPython.noop, without_jobs("second")),
    ]
