"""The tables of reports; they keep the names that they had when the league's own migrations made them."""

import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('league', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ReportLink',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_links', to='league.league')),
                ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='report_links', to='league.player')),
                ('name', models.CharField(blank=True, help_text="What the table is called; empty for a player's.", max_length=80)),
                ('digest', models.CharField(help_text='SHA-256 of the secret in the link.', max_length=64, unique=True)),
                ('salt', models.CharField(help_text='What the seal in the log is made with.', max_length=43)),
                ('made_at', models.DateTimeField()),
                ('made_by', models.CharField(max_length=200)),
                ('expires_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('revoked_by', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'db_table': 'league_reportlink',
                'ordering': ('league', 'made_at'),
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('player__isnull', True), models.Q(('name', ''), _negated=True)), models.Q(('name', ''), ('player__isnull', False)), _connector='OR'), name='a_link_is_for_a_player_or_a_table')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='league.league')),
                ('state', models.CharField(choices=[('waiting', 'Waiting for another player at the table'), ('overdue', 'Waiting for the organiser: not confirmed in time'), ('twin', 'Waiting for the organiser: the same game is already recorded'), ('disputed', 'Disputed'), ('confirmed', 'Recorded'), ('refused', 'Rejected'), ('withdrawn', 'Withdrawn by the sender'), ('lapsed', 'Expired: not confirmed in time')], default='waiting', max_length=9)),
                ('sheet', models.JSONField(help_text='Results by handles, in seat order, with details and note.')),
                ('played_at', models.DateTimeField()),
                ('key', models.CharField(help_text='Of the form: a sheet that is sent twice is one report.', max_length=64)),
                ('link', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='reports.reportlink')),
                ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='league.player')),
                ('entered_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(help_text='When the time to confirm it runs out.')),
                ('answers', models.JSONField(default=list, help_text='What others at the table said: who, when, right or not, why.')),
                ('decided_at', models.DateTimeField(null=True)),
                ('decided_by', models.CharField(blank=True, max_length=200)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('game', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='league.game')),
                ('salt', models.CharField(help_text='What the seals in the log are made with.', max_length=43)),
            ],
            options={
                'db_table': 'league_report',
                'ordering': ('league', '-entered_at'),
                'indexes': [models.Index(fields=['league', '-entered_at'], name='reports_of_a_league'), models.Index(condition=models.Q(('state', 'waiting')), fields=['due_at'], name='reports_that_lapse')],
                'constraints': [models.UniqueConstraint(fields=('league', 'key'), name='one_report_a_key'), models.UniqueConstraint(condition=models.Q(('game__isnull', False)), fields=('league', 'game'), name='one_report_a_game'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'overdue', 'twin', 'disputed', 'confirmed', 'refused', 'withdrawn', 'lapsed'])), name='report_state'), models.CheckConstraint(condition=models.Q(models.Q(('game__isnull', False), ('state', 'confirmed')), models.Q(models.Q(('state', 'confirmed'), _negated=True), ('game__isnull', True)), _connector='OR'), name='only_confirmed_reports_are_games')],
            },
        ),
    ]
