"""A file that was imported before the log had the hashes of files: the upgrade logs it, and verify finds it right."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from league.apps.competitions.models import Competition, SourceFile
from league.core.verify.run import verify_league
from league.models import League
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
migration = import_module("league.apps.competitions.migrations.0004_log_source_files")


def test_the_upgrade_logs_files_once() -> None:
    make_league("elo", players=())
    api = Api("organise")
    made = api.post_file("leagues/club/competitions/import/?create_players=true", FIVE, "text/plain")
    other = api.post("leagues/club/competitions/", {"title": "Old", "format": "swiss", "slug": "old"})
    assert (made.status_code, other.status_code) == (201, 201)
    league = League.objects.get()
    before = league.log_length
    old = Competition.objects.get(slug="old")
    SourceFile.objects.create(league=league, competition=old, data=FIVE.encode())
    assert len(list(verify_league(league.pk).differences)) == 1
    for _time in range(2):
        migration.log_files(apps, connection.schema_editor())
        league.refresh_from_db()
        assert league.log_length == before + 1
        assert verify_league(league.pk).state == "is right"
    # From then on a change is seen.
    SourceFile.objects.filter(competition=old).update(data=b"012 Another\n")
    (found,) = verify_league(league.pk).differences
    assert "old" in str(found)
