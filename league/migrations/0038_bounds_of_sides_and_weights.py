"""The rows that stood before sides and weights are checked, too, while others write: a transaction of its own."""

from django.db import migrations

from league.db.migrating import ValidateQuietly


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0037_sides_and_weights"),
    ]

    operations = [
        ValidateQuietly(model_name="game", name="weight_bounds"),
        ValidateQuietly(model_name="result", name="side_bounds"),
    ]
