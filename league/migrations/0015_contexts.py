"""Leagues may have contexts: ratings of their own for some of their games."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from league.core.db.migrating import AddColumn


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0014_declared_fields'),
    ]

    operations = [
        AddColumn(
            model_name='league',
            name='has_contexts',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.CreateModel(
            name='Context',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9_-]*\\Z')])),
                ('title', models.CharField(max_length=80)),
                ('filter', models.JSONField(blank=True, default=dict, help_text='Which games count; empty: all.')),
                ('start', models.CharField(choices=[('own', 'As a newcomer'), ('from_main', "From the league's own rating")], default='own', max_length=9)),
                ('system', models.CharField(blank=True, help_text="The rating system; empty: the league's own rules.", max_length=40)),
                ('parameters', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.CharField(blank=True, editable=False, max_length=200)),
                ('pending', models.BooleanField(default=False, editable=False, help_text='Whether a worker is about to compute all its ratings.')),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='contexts', to='league.league')),
            ],
            options={
                'ordering': ('league', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='ContextChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(help_text='When the game was played.')),
                ('number', models.PositiveBigIntegerField(help_text="The game's number in the league.")),
                ('order_key', models.PositiveBigIntegerField(help_text="The game's place among games of the same time.")),
                ('step', models.PositiveSmallIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('cause', models.CharField(choices=[('game', 'Game'), ('pool', 'Pool')], max_length=8)),
                ('games', models.PositiveIntegerField(help_text="The game is the player's n-th in the league.")),
                ('before', models.FloatField()),
                ('change', models.FloatField(help_text="Sum of the explanation's parts; after = before + change.")),
                ('after', models.FloatField()),
                ('state_1', models.FloatField(default=0.0, help_text='What the system keeps beside the rating, after the game.')),
                ('state_2', models.FloatField(default=0.0)),
                ('state_3', models.FloatField(default=0.0)),
                ('performance', models.FloatField(null=True)),
                ('shift', models.FloatField(default=0.0, help_text="The pool's shift after the game.")),
                ('context', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.context')),
                ('game', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.game')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
            ],
            options={
                'ordering': ('-at', '-order_key', '-step'),
            },
        ),
        migrations.CreateModel(
            name='ContextGamelessChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('number', models.IntegerField(help_text="The adjustment's; 0: the turn of a season; -1: a change of the system.")),
                ('games', models.PositiveIntegerField(help_text='So many games the player had in the league.')),
                ('before', models.FloatField()),
                ('change', models.FloatField()),
                ('after', models.FloatField()),
                ('state_1', models.FloatField(db_default=0.0, default=0.0, help_text='What the system keeps beside the rating, after it.')),
                ('state_2', models.FloatField(db_default=0.0, default=0.0)),
                ('state_3', models.FloatField(db_default=0.0, default=0.0)),
                ('shift', models.FloatField(db_default=0.0, default=0.0, help_text="The pool's shift as of the player's last game.")),
                ('context', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.context')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
            ],
            options={
                'ordering': ('-at', '-number'),
            },
        ),
        migrations.CreateModel(
            name='ContextRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rating', models.FloatField(help_text='With what the pool has shifted since the last game.')),
                ('settled', models.FloatField(help_text="The rating as of the last line of the player's history.")),
                ('shift', models.FloatField(default=0.0, help_text="The pool's shift as of the player's last game.")),
                ('state_1', models.FloatField(default=0.0)),
                ('state_2', models.FloatField(default=0.0)),
                ('state_3', models.FloatField(default=0.0)),
                ('games', models.PositiveIntegerField()),
                ('score', models.FloatField(help_text="The system's display score; the leaderboard's order.")),
                ('peak', models.FloatField(help_text='The highest rating after a game.')),
                ('change', models.FloatField(help_text='The change of the last game.')),
                ('last_at', models.DateTimeField(help_text='When the last game was played.')),
                ('last_number', models.PositiveBigIntegerField()),
                ('context', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.context')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
            ],
            options={
                'ordering': ('-score', 'player'),
            },
        ),
        migrations.AddConstraint(
            model_name='context',
            constraint=models.UniqueConstraint(fields=('league', 'slug'), name='one_context_a_slug'),
        ),
        migrations.AddConstraint(
            model_name='context',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('slug', ''), _negated=True), models.Q(('title', ''), _negated=True)), name='context_is_named'),
        ),
        migrations.AddConstraint(
            model_name='context',
            constraint=models.CheckConstraint(condition=models.Q(('start__in', ['own', 'from_main'])), name='context_start'),
        ),
        migrations.AddIndex(
            model_name='contextchange',
            index=models.Index(fields=['league', 'context', 'at', 'order_key'], name='context_change_order'),
        ),
        migrations.AddConstraint(
            model_name='contextchange',
            constraint=models.UniqueConstraint(fields=('league', 'context', 'player', 'games', 'step'), name='one_context_change_a_step'),
        ),
        migrations.AddConstraint(
            model_name='contextgamelesschange',
            constraint=models.UniqueConstraint(fields=('league', 'context', 'player', 'at', 'number'), name='one_context_gameless_change'),
        ),
        migrations.AddIndex(
            model_name='contextrating',
            index=models.Index(fields=['league', 'context', '-score'], name='context_board_order'),
        ),
        migrations.AddConstraint(
            model_name='contextrating',
            constraint=models.UniqueConstraint(fields=('league', 'context', 'player'), name='one_context_rating_a_player'),
        ),
    ]
