"""The files that competitions were imported from."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("competitions", "0001_initial"),
        ("league", "0007_competitions"),
    ]

    operations = [
        migrations.CreateModel(
            name="SourceFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("data", models.BinaryField()),
                ("competition", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="competitions.competition")),
                ("league", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="league.league")),
            ],
            options={
                "constraints": (models.UniqueConstraint(fields=["league", "competition"], name="one_file_a_competition"),),
            },
        ),
    ]
