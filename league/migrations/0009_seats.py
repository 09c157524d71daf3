"""A league's template may name the seats of its score pad."""

from django.db import migrations, models

from league.core.db.migrating import AddColumn


class Migration(migrations.Migration):
    dependencies = [("league", "0008_names")]

    operations = [AddColumn("league", "seats", models.PositiveSmallIntegerField(editable=False, null=True))]
