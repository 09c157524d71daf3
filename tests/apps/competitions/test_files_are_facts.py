"""The file that a competition was imported from: logged by its hash, verified, exported and restored."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from league.apps.competitions.models import Competition, SourceFile
from league.core.players.services.erase import erase_player
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League, Player
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db, pytest.mark.engine]
COMPETITIONS = "leagues/club/competitions/"
migration = import_module("league.apps.competitions.migrations.0004_log_source_files")


def build() -> str:
    """Import a tournament; return its slug."""
    make_league("elo", players=())
    made = Api("organise").post_file(f"{COMPETITIONS}import/?create_players=true", FIVE, "text/plain")
    assert made.status_code == 201, made.data
    slug: str = made.data["slug"]
    return slug


built = built_once(build)
FAULTS: dict[str, Callable[[], Any]] = {
    "changed": lambda: SourceFile.objects.update(data=b"012 Another\n"),
    "another encoding": lambda: SourceFile.objects.update(encoding="cp1250"),
    "another title": lambda: SourceFile.objects.update(title="another"),
    "another day": lambda: SourceFile.objects.update(first_day="2001-02-03"),
    "deleted": lambda: SourceFile.objects.all().delete(),
}


def export_report(league: str) -> bytes:
    slug = Competition.objects.get(league__slug=league).slug
    answer = Api("organise", name=f"reader of {league}").get(f"leagues/{league}/competitions/{slug}/export/?format=trf")
    assert answer.status_code == 200
    return bytes(answer.content)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_changed_or_deleted_file_is_named(fault: str) -> None:
    league = League.objects.get()
    assert verify_league(league.pk).state == "is right"
    FAULTS[fault]()
    (found,) = verify_league(league.pk).differences
    assert Competition.objects.get().slug in str(found)


def test_a_foreign_file_is_named() -> None:
    league = League.objects.get()
    other = Api("organise", name="other").post(COMPETITIONS, {"title": "Other", "format": "swiss", "slug": "other"})
    assert other.status_code == 201
    SourceFile.objects.create(league=league, competition=Competition.objects.get(slug="other"), data=b"x")
    (found,) = verify_league(league.pk).differences
    assert "other" in str(found)


def test_a_restored_report_is_exported_byte_for_byte() -> None:
    before = export_report("club")
    league = League.objects.get()
    again = restore_league(sealed_file(export_of(league)), slug="again", known_players=True, by="root").league
    assert export_report("again") == before
    assert bytes(SourceFile.objects.get(league=again).data) == bytes(SourceFile.objects.get(league=league).data)
    assert verify_league(again.pk).state == "is right"


def test_a_public_export_has_no_file_and_is_right_when_it_is_restored() -> None:
    lines = export_of(League.objects.get(), aliases=False)
    again = restore_league(sealed_file(lines), slug="again", known_players=True, by="root").league
    assert verify_league(again.pk).state == "is right"


def test_erasing_a_person_deletes_the_file_by_the_log() -> None:
    league = League.objects.get()
    erase_player(Player.objects.earliest("pk"), username="olga", parts=True)
    assert not SourceFile.objects.exists()
    assert verify_league(league.pk).state == "is right"


@long_way
def test_the_upgrade_logs_files_that_were_imported_before_the_log_had_hashes_once() -> None:
    other = Api("organise", name="other").post(COMPETITIONS, {"title": "Old", "format": "swiss", "slug": "old"})
    assert other.status_code == 201
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
