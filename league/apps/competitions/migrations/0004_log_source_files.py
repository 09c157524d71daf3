"""Log the hashes of files that were imported before the log had them."""

import secrets

from django.db import migrations, transaction
from django.utils import timezone

from league.apps.competitions.records import build_file_row
from league.core.log.chain import (FIRST, chain_payloads, serialize_canonically)
from league.core.text.instants import format_instant

KIND = "competition.changed"


def log_files(apps, schema_editor):
    """Append an entry for each file whose hash is not in its league's log, one league at a time."""
    files = apps.get_model("competitions", "SourceFile").objects
    for league in files.order_by("league").values_list("league", flat=True).distinct():
        with transaction.atomic():
            _log_files_of_league(apps, league)


def _log_files_of_league(apps, league_id):
    League, LogEntry = (apps.get_model("league", name) for name in ("League", "LogEntry"))
    league = League.objects.select_for_update().get(pk=league_id)
    log = LogEntry.objects.filter(league=league)
    files = apps.get_model("competitions", "SourceFile").objects.filter(league=league).select_related("competition")
    for file in files.order_by("pk"):
        logged = log.filter(kind=KIND, payload__contains='"file":{"competition":' + f'"{file.competition.slug}"')
        if logged.exists():
            continue
        slug, now, position = file.competition.slug, timezone.now(), league.log_length + 1
        row = {"competition": slug, "file": build_file_row(slug, file), "salt": secrets.token_hex(16)}
        previous = league.log_sha256 or FIRST
        (link,) = chain_payloads(position, format_instant(now), "", KIND, [serialize_canonically(row)], previous)
        payload, sha256 = link
        log.create(league=league, position=position, at=now, by="", kind=KIND, payload=payload, sha256=sha256)
        league.log_length, league.log_sha256 = position, sha256
    league.save(update_fields=["log_length", "log_sha256"])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("competitions", "0003_source_event"),
        ("league", "0010_pairing_jobs"),
    ]

    operations = [
        migrations.RunPython(log_files, migrations.RunPython.noop),
    ]
