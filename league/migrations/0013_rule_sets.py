"""A rule may say how the sets of a match count."""

from django.db import models

from django.db import migrations
from league.core.db.migrating import AddColumn


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0012_recorded"),
    ]

    operations = [
        AddColumn(
            "rule",
            "sets",
            models.JSONField(
                blank=True,
                default=dict,
                db_default={},
                help_text="How the sets of a match count; empty: games have no sets.",
            ),
        ),
    ]
