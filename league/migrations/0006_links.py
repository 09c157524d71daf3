"""An index by which the deliveries of a webhook are found when it is deleted."""

from django.db import migrations, models

from league.core.db.migrating import AddIndexQuietly


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("league", "0005_rule_start")]
    operations = [
        AddIndexQuietly("delivery", models.Index(fields=["webhook"], name="delivery_of_webhook")),
    ]
