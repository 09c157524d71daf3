"""The tables of webhooks."""

import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [("league", "0001_initial")]
    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='league.league')),
                ('url', models.CharField(max_length=500)),
                ('format', models.CharField(choices=[('standard', 'Programs: signed JSON (Standard Webhooks)'), ('discord', 'Discord'), ('slack', 'Slack, Mattermost, Rocket.Chat'), ('matrix', 'Matrix (hookshot)')], default='standard', max_length=8)),
                ('kinds', models.JSONField(blank=True, default=list, help_text='Kinds of entries, or notices, that are sent; none: all.')),
                ('secret', models.CharField(editable=False, max_length=100)),
                ('old_secret', models.CharField(blank=True, editable=False, max_length=100)),
                ('old_secret_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('position', models.PositiveBigIntegerField(help_text='The entry, or notice, that was dealt with last.')),
                ('state', models.CharField(choices=[('active', 'Active'), ('disabled', 'Disabled')], default='active', max_length=8)),
                ('disabled_reason', models.CharField(blank=True, max_length=300)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text='Attempts that failed since the last success.')),
                ('next_try_at', models.DateTimeField(blank=True, null=True)),
                ('test_asked_at', models.DateTimeField(blank=True, help_text='When a test was asked for; sent: empty.', null=True)),
                ('claim', models.PositiveBigIntegerField(default=0, editable=False)),
                ('claimed_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'db_table': 'league_webhook',
                'ordering': ('league', 'created_at'),
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['active', 'disabled'])), name='webhook_state'), models.CheckConstraint(condition=models.Q(('format__in', ['standard', 'discord', 'slack', 'matrix'])), name='webhook_format')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
                ('position', models.PositiveBigIntegerField(blank=True, help_text='The entry, or notice; empty: a test.', null=True)),
                ('kind', models.CharField(max_length=40)),
                ('message', models.CharField(help_text='The webhook-id: the same at every attempt.', max_length=80)),
                ('attempt', models.PositiveSmallIntegerField(help_text='From 1.')),
                ('at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(blank=True, help_text='Of the answer; empty: none came.', null=True)),
                ('ms', models.PositiveIntegerField(help_text='How long it took.')),
                ('error', models.CharField(blank=True, help_text='Why it failed; empty: it was taken.', max_length=300)),
            ],
            options={
                'db_table': 'league_delivery',
                'verbose_name_plural': 'deliveries',
                'ordering': ('-id',),
                'indexes': [models.Index(fields=['league', 'webhook', '-id'], name='delivery_order'), models.Index(fields=['webhook'], name='delivery_of_webhook'), models.Index(fields=['at'], name='delivery_age')],
            },
        ),
    ]
