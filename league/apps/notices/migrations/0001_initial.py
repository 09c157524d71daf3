"""The tables of notices."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("league", "0001_initial")]
    operations = [
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='league.league')),
                ('number', models.PositiveBigIntegerField(help_text='From 1 in the league; where chats go on.')),
                ('kind', models.CharField(choices=[('notice.evening', 'Games of the day'), ('notice.period_closed', 'Closed months'), ('notice.decision_due', 'Decisions due'), ('notice.import_failed', 'Failed imports')], max_length=24)),
                ('subject', models.CharField(help_text='What it is about: of a kind each subject is told once.', max_length=120)),
                ('at', models.DateTimeField(help_text='When it was found.')),
                ('facts', models.JSONField(blank=True, null=True)),
            ],
            options={
                'db_table': 'league_notice',
                'ordering': ('league', '-number'),
                'constraints': [models.UniqueConstraint(fields=('league', 'number'), name='one_notice_a_number'), models.UniqueConstraint(fields=('league', 'kind', 'subject'), name='one_notice_a_subject'), models.CheckConstraint(condition=models.Q(('kind__in', ['notice.evening', 'notice.period_closed', 'notice.decision_due', 'notice.import_failed'])), name='notice_kind')],
            },
        ),
        migrations.CreateModel(
            name='NoticeChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('notice.evening', 'Games of the day'), ('notice.period_closed', 'Closed months'), ('notice.decision_due', 'Decisions due'), ('notice.import_failed', 'Failed imports')], max_length=24)),
                ('wanted', models.BooleanField()),
            ],
            options={
                'db_table': 'league_noticechoice',
                'ordering': ('league', 'user', 'kind'),
                'constraints': [models.UniqueConstraint(fields=('league', 'user', 'kind'), name='one_choice_a_kind')],
            },
        ),
        migrations.CreateModel(
            name='NoticeMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('notice', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mails', to='notices.notice')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sent', 'Sent'), ('failed', 'Failed'), ('unwanted', 'Not wanted')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_try_at', models.DateTimeField(help_text='Not before that; while somebody sends it, when their claim ends.')),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('error', models.CharField(blank=True, help_text='Why the last attempt failed.', max_length=300)),
            ],
            options={
                'db_table': 'league_noticemail',
                'ordering': ('-pk',),
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_try_at'], name='notice_mails_that_wait')],
                'constraints': [models.UniqueConstraint(fields=('league', 'notice', 'user'), name='one_mail_a_notice'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'sent', 'failed', 'unwanted'])), name='notice_mail_state')],
            },
        ),
    ]
