"""Jobs that pair the rounds of large competitions."""

from django.db import migrations, models

KINDS = ["replay", "verify", "import", "compare", "second", "dry_run", "pair"]


class Migration(migrations.Migration):
    short = "Jobs, which are few."
    dependencies = [("league", "0009_seats")]

    operations = [
        migrations.AlterField(
            "job",
            "kind",
            models.CharField(
                choices=[
                    ("replay", "Replay"),
                    ("verify", "Check"),
                    ("import", "Import"),
                    ("compare", "Experiment"),
                    ("second", "Second board"),
                    ("dry_run", "Dry run"),
                    ("pair", "Pairing"),
                ],
                max_length=8,
            ),
        ),
        migrations.RemoveConstraint("job", "kinds_of_jobs"),
        migrations.AddConstraint(
            "job", models.CheckConstraint(condition=models.Q(kind__in=KINDS), name="kinds_of_jobs")
        ),
    ]
