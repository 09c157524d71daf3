"""The tables of imports; they keep the names that they had when the league's own migrations made them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('league', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='PasteBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='paste_batches', to='league.league')),
                ('key', models.CharField(help_text='The key of the form that recorded them.', max_length=32)),
                ('recorded_at', models.DateTimeField()),
                ('recorded_by', models.CharField(blank=True, max_length=200)),
                ('first', models.PositiveBigIntegerField(help_text='The number of its first game.')),
                ('last', models.PositiveBigIntegerField(help_text='The number of its last game.')),
            ],
            options={
                'db_table': 'league_pastebatch',
                'ordering': ('league', '-recorded_at'),
                'constraints': [models.UniqueConstraint(fields=('league', 'key'), name='one_paste_a_key'), models.CheckConstraint(condition=models.Q(('last__gte', models.F('first'))), name='pastes_have_games')],
            },
        ),
        migrations.CreateModel(
            name='PasteColumns',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='paste_columns', to='league.league')),
                ('head', models.CharField(help_text='SHA-256 of what tells such texts from others.', max_length=64)),
                ('said', models.JSONField(help_text='Position of a column -> its role, where that is not as guessed; and the order.')),
                ('used_at', models.DateTimeField()),
            ],
            options={
                'db_table': 'league_pastecolumns',
                'ordering': ('league', '-used_at'),
                'constraints': [models.UniqueConstraint(fields=('league', 'head'), name='one_reading_a_head')],
            },
        ),
    ]
