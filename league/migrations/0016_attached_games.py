"""A league knows whether games were ever recorded for a competition, so that their pages name it after its end."""

from django.db import migrations, models

from league.core.db.migrating import AddColumn


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0015_contexts'),
    ]

    operations = [
        AddColumn(
            model_name='league',
            name='has_attached_games',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
