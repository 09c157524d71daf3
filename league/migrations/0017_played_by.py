"""A league says whether players or teams are ranked in it, which its pages call so."""

from django.db import migrations, models

from league.core.db.migrating import AddColumn


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0016_attached_games'),
    ]

    operations = [
        AddColumn(
            model_name='league',
            name='played_by',
            field=models.CharField(choices=[('players', 'Players'), ('teams', 'Teams')], db_default='players', default='players', help_text='What pages call those on the board.', max_length=7, verbose_name='Those who are ranked'),
        ),
    ]
