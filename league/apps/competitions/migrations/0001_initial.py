"""The tables of competitions."""
import django.core.validators
import django.db.models.deletion
import league.apps.competitions.models
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('league', '0007_competitions'),
    ]

    operations = [
        migrations.CreateModel(
            name='Competition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9_-]*\\Z')])),
                ('title', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True, max_length=4000)),
                ('format', models.CharField(max_length=20)),
                ('parameters', models.JSONField(blank=True, default=dict)),
                ('sides_of', models.PositiveSmallIntegerField(default=1, help_text='Players of an entry.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(8)])),
                ('rounds', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
                ('time_zone', models.CharField(blank=True, help_text="Empty: the league's.", max_length=64)),
                ('points', models.JSONField(default=league.apps.competitions.models.copy_points)),
                ('tie_breaks', models.JSONField(blank=True, default=list)),
                ('tie_break_rules', models.JSONField(blank=True, default=dict)),
                ('rated', models.BooleanField(default=True)),
                ('max_entries', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(2000)])),
                ('seeding', models.CharField(choices=[('rating', 'By the ratings at the start'), ('hand', 'In the order in which they are listed')], default='rating', max_length=6)),
                ('players_enter', models.BooleanField(default=False)),
                ('deadline_action', models.CharField(choices=[('wait', 'Nothing: it can still be played'), ('forfeit', 'Everyone in it loses by forfeit'), ('draw', 'It is a draw without play'), ('ask', 'The organiser decides')], default='wait', max_length=7)),
                ('venue', models.CharField(blank=True, max_length=200)),
                ('group', models.CharField(blank=True, max_length=80)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open for entries'), ('running', 'Running'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], default='draft', max_length=9)),
                ('seed', models.PositiveBigIntegerField(editable=False, help_text='What lots are drawn from.')),
                ('created_at', models.DateTimeField(editable=False)),
                ('created_by', models.CharField(blank=True, editable=False, max_length=200)),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='competitions', to='league.league')),
            ],
            options={
                'ordering': ('league', '-created_at', 'slug'),
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('name', models.CharField(blank=True, help_text='Of a side; empty: the names of its players.', max_length=120)),
                ('seed', models.PositiveSmallIntegerField(blank=True, help_text='By hand; empty: by rating.', null=True)),
                ('rating', models.PositiveSmallIntegerField(blank=True, help_text='At the start, or brought along.', null=True)),
                ('title', models.CharField(blank=True, max_length=10)),
                ('federation', models.CharField(blank=True, max_length=10)),
                ('status', models.CharField(choices=[('entered', 'Entered'), ('waiting', 'On the waiting list'), ('withdrawn', 'Withdrawn')], default='entered', max_length=9)),
                ('withdrawn_after', models.PositiveSmallIntegerField(blank=True, help_text='The last round it plays.', null=True)),
                ('byes', models.JSONField(blank=True, default=list, help_text='Requested: round and kind.')),
                ('not_against', models.JSONField(blank=True, default=list, help_text='Numbers of entries that it must not meet.')),
                ('checked_in_at', models.DateTimeField(blank=True, null=True)),
                ('entered_at', models.DateTimeField()),
                ('entered_by', models.CharField(blank=True, max_length=200)),
                ('competition', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='competitions.competition')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
            ],
            options={
                'ordering': ('competition', 'number'),
            },
        ),
        migrations.CreateModel(
            name='EntryPlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('competition', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition')),
                ('entry', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='players', to='competitions.entry')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='league.player')),
            ],
            options={
                'ordering': ('entry', 'position'),
            },
        ),
        migrations.CreateModel(
            name='FinalStandings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('document', models.TextField(help_text='Canonical JSON (RFC 8785).')),
                ('sha256', models.CharField(help_text='Of the document in UTF-8.', max_length=64)),
                ('published_at', models.DateTimeField()),
                ('published_by', models.CharField(blank=True, max_length=200)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('competition', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='editions', to='competitions.competition')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
            ],
            options={
                'ordering': ('competition', 'number'),
            },
        ),
        migrations.CreateModel(
            name='Fixture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('game', 'Game'), ('pairing_bye', 'Bye'), ('full_bye', 'Full-point bye'), ('half_bye', 'Half-point bye'), ('zero_bye', 'Zero-point bye')], default='game', max_length=11)),
                ('table', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('deadline', models.DateTimeField(blank=True, null=True)),
                ('venue', models.CharField(blank=True, max_length=200)),
                ('forfeit', models.CharField(blank=True, choices=[('no_show', 'Did not come'), ('late', 'Came too late'), ('illness', 'Illness'), ('retired', 'Retired'), ('by_arbiter', 'By decision of the arbiter'), ('other', 'Other')], help_text='Why its game is a forfeit.', max_length=10)),
                ('cancelled_at', models.DateTimeField(blank=True, null=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='competitions.competition')),
                ('game', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='fixtures', to='league.game')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
            ],
            options={
                'ordering': ('competition', 'number'),
            },
        ),
        migrations.CreateModel(
            name='FixtureSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('points', models.CharField(blank=True, help_text='A fraction, if other than by the points table.', max_length=20)),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='competitions.entry')),
                ('fixture', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='competitions.fixture')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
            ],
            options={
                'ordering': ('fixture', 'seat'),
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('deadline', models.DateTimeField(blank=True, null=True)),
                ('reasons', models.JSONField(blank=True, default=list, help_text='What a rule forced: entries, text and values.')),
                ('basis', models.CharField(blank=True, help_text='SHA-256 of the rounds that it was paired from.', max_length=64)),
                ('made_at', models.DateTimeField()),
                ('made_by', models.CharField(blank=True, max_length=200)),
                ('published_at', models.DateTimeField(blank=True, null=True)),
                ('competition', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='round_rows', to='competitions.competition')),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
            ],
            options={
                'ordering': ('competition', 'number'),
            },
        ),
        migrations.AddField(
            model_name='fixture',
            name='round',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='competitions.round'),
        ),
        migrations.AddConstraint(
            model_name='competition',
            constraint=models.UniqueConstraint(fields=('league', 'slug'), name='one_competition_a_slug'),
        ),
        migrations.AddConstraint(
            model_name='competition',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'open', 'running', 'finished', 'cancelled'])), name='competition_status'),
        ),
        migrations.AddConstraint(
            model_name='competition',
            constraint=models.CheckConstraint(condition=models.Q(('sides_of__gte', 1), ('sides_of__lte', 8)), name='players_of_an_entry'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('league', 'competition', 'number'), name='one_entry_a_number'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['entered', 'waiting', 'withdrawn'])), name='entry_status'),
        ),
        migrations.AddConstraint(
            model_name='entryplayer',
            constraint=models.UniqueConstraint(fields=('league', 'competition', 'player'), name='one_entry_a_player'),
        ),
        migrations.AddConstraint(
            model_name='entryplayer',
            constraint=models.UniqueConstraint(fields=('league', 'entry', 'position'), name='one_player_a_position'),
        ),
        migrations.AddConstraint(
            model_name='finalstandings',
            constraint=models.UniqueConstraint(fields=('league', 'competition', 'number'), name='one_final_edition_a_number'),
        ),
        migrations.AddConstraint(
            model_name='fixtureseat',
            constraint=models.UniqueConstraint(fields=('league', 'fixture', 'seat'), name='one_entry_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='fixtureseat',
            constraint=models.UniqueConstraint(fields=('league', 'fixture', 'entry'), name='one_seat_an_entry'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('league', 'competition', 'number'), name='one_round_a_number'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='rounds_begin_at_one'),
        ),
        migrations.AddConstraint(
            model_name='fixture',
            constraint=models.UniqueConstraint(fields=('league', 'number'), name='one_fixture_a_number'),
        ),
        migrations.AddConstraint(
            model_name='fixture',
            constraint=models.UniqueConstraint(condition=models.Q(('game__isnull', False)), fields=('league', 'game'), name='one_fixture_a_game'),
        ),
        migrations.AddConstraint(
            model_name='fixture',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'game'), models.Q(('forfeit', ''), ('game__isnull', True)), _connector='OR'), name='byes_have_no_game'),
        ),
    ]
