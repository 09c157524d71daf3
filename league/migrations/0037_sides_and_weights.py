"""Who played together, and how much a game counts; everything there is as usual: everyone alone, weight 1."""

from django.db import migrations, models

from league.db.migrating import AddConstraintQuietly


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0036_sealed_logs"),
    ]

    operations = [
        migrations.AddField(
            model_name="game",
            name="weight",
            field=models.FloatField(db_default=1.0, default=1.0, help_text="How much it counts; 1 is usual."),
        ),
        migrations.AddField(
            model_name="result",
            name="side",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Players of one side share their result; empty: everyone plays alone.",
                null=True,
            ),
        ),
        AddConstraintQuietly(
            model_name="game",
            constraint=models.CheckConstraint(
                condition=models.Q(("weight__gte", 0), ("weight__lte", 10.0)), name="weight_bounds"
            ),
        ),
        AddConstraintQuietly(
            model_name="result",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("side__isnull", True), models.Q(("side__gte", 1), ("side__lte", 100)), _connector="OR"
                ),
                name="side_bounds",
            ),
        ),
    ]
