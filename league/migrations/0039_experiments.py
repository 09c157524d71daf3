from django.db import migrations, models

from league.db.migrating import AddConstraintQuietly, ValidateQuietly, without_jobs

KINDS = models.CheckConstraint(
    condition=models.Q(kind__in=["replay", "verify", "import", "compare"]), name="job_kinds"
)


class Migration(migrations.Migration):
    """Jobs may be experiments. Old code makes none, and shows those that there are by the word of their kind."""

    short = "Nothing forwards; backwards the jobs of one kind go."

    dependencies = [
        ("league", "0038_bounds_of_sides_and_weights"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="job", name="job_kind"),
        AddConstraintQuietly(model_name="job", constraint=KINDS),
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[
                    ("replay", "Replay"), ("verify", "Verify"), ("import", "Import"), ("compare", "Experiment"),
                ],
                max_length=8,
            ),
        ),
        ValidateQuietly(model_name="job", name="job_kinds"),
        migrations.RunPython(migrations.RunPython.noop, without_jobs("compare")),
    ]
