"""No index where another one begins with the same column, and one for the external_ids of void games."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0010_webhooks"),
    ]

    operations = [
        migrations.AlterField(
            model_name="game",
            name="league",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="games", to="league.league"
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="game",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="results", to="league.game"
            ),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("voided_at__isnull", False)),
                fields=["league", "external_id"],
                name="void_external_ids",
            ),
        ),
    ]
