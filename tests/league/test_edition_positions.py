"""An edition's position in the log: that of its own entry, also of what was published before it was told."""

import hashlib
import importlib
import json
from io import BytesIO
from typing import Any

import pytest
import rfc8785
from django.apps import apps
from django.db import connection
from django.utils import timezone

from league.chain import canonical, digest, instant, serialize_entry
from league.errors import Invalid
from league.models import Edition, League, LogEntry
from league.selectors.exports import export_lines
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder

pytestmark = pytest.mark.django_db

LOG_GUARD: Any = importlib.import_module("league.migrations.0008_log")
GUARD: Any = importlib.import_module("league.migrations.0002_ladders")
#: What stands today: a guard that lets editions be redacted.
NEWER_GUARD: Any = importlib.import_module("league.migrations.0035_opaque_handles")
#: League, rule, ladder, its rule and two games have entries; the next one tells of the edition.
POSITION, GAMES = 7, 2


def published() -> League:
    """Return a league with a published month."""
    league = make_league()
    make_ladder(league, "month", "points")
    for day in ("2024-03-10", "2024-03-11"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-03")
    return league


def as_before() -> Edition:
    """Make the edition one that was published when the number of the last game was told; returns it.

    Its entry in the log then has the hash of such a document; what else is in the log stands.
    """
    edition = Edition.objects.get()
    document = rfc8785.dumps({**json.loads(edition.document), "log_position": GAMES})
    with connection.schema_editor() as editor:
        GUARD.release_editions(apps, editor)
        LOG_GUARD.release_log(apps, editor)
    sha256 = hashlib.sha256(document).hexdigest()
    Edition.objects.update(document=document.decode(), sha256=sha256, log_position=GAMES)
    tell_last(sha256)
    with connection.schema_editor() as editor:
        GUARD.guard_editions(apps, editor)
        NEWER_GUARD.guard_editions(apps, editor)
        LOG_GUARD.guard_log(apps, editor)
    return Edition.objects.get()


def tell_last(sha256: str) -> None:
    """Let the last entry of the log, which is the edition's own, tell of another document, chained as it must be."""
    before, entry = LogEntry.objects.order_by("position")[POSITION - 2 : POSITION]
    payload = canonical({**json.loads(entry.payload), "sha256": sha256})
    link = digest(serialize_entry(POSITION, instant(entry.at), entry.by, entry.kind, payload, before.sha256))
    LogEntry.objects.filter(pk=entry.pk).update(payload=payload, sha256=link)
    League.objects.update(log_sha256=link)


def test_an_editions_position_leads_to_its_own_entry_in_the_changes() -> None:
    published()
    api = Api()
    (edition,) = api.get("leagues/club/ladders/month/periods/2024-03/").data["editions"]
    document = api.get("leagues/club/ladders/month/periods/2024-03/editions/1/").data
    assert (edition["log_position"], document["log_position"]) == (POSITION, POSITION)
    lines = b"".join(api.get(f"leagues/club/changes/?after={POSITION - 1}&limit=1")).splitlines()
    (entry,) = map(json.loads, lines)
    assert (entry["position"], entry["kind"]) == (POSITION, "edition.published")
    assert entry["payload"]["sha256"] == edition["sha256"]


@pytest.mark.django_db(transaction=True)
def test_what_was_published_before_keeps_its_document_and_gets_its_position() -> None:
    published()
    before = as_before()
    migration: Any = importlib.import_module("league.migrations.0013_log_positions")
    for _ in range(2):
        with connection.schema_editor() as editor:
            migration.note_positions(apps, editor)
        after = Edition.objects.get()
        assert (after.log_position, after.document, after.sha256) == (POSITION, before.document, before.sha256)
    with pytest.raises(Exception, match="never changes"):
        Edition.objects.update(log_position=1)


@pytest.mark.django_db(transaction=True)
def test_an_export_of_before_gets_the_positions_of_its_own_log() -> None:
    league = published()
    as_before()
    lines = list(export_lines(league.pk, timezone.now(), aliases=True))
    assert f'"log_position":{GAMES},' in "".join(lines)
    done = restore_league(BytesIO("".join(f"{line}\n" for line in lines).encode()), slug="again", by="operator")
    edition = Edition.objects.get(ladder__league=done.league)
    assert (edition.log_position, json.loads(edition.document)["log_position"]) == (POSITION, GAMES)
    assert verify_league(done.league.pk).differences == []


@pytest.mark.parametrize("position", [POSITION - 1, POSITION + 1])
def test_an_export_whose_edition_stands_elsewhere_in_its_log_is_refused(position: int) -> None:
    league = published()
    lines = list(export_lines(league.pk, timezone.now(), aliases=True))[:-1]
    (line,) = [number for number, text in enumerate(lines, start=1) if text.startswith('{"type":"edition"')]
    lines[line - 1] = lines[line - 1].replace(
        f'"log_position":{POSITION},"winners"', f'"log_position":{position},"winners"'
    )
    text = "".join(f"{line}\n" for line in lines)
    end = {"type": "end", "lines": len(lines), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    with pytest.raises(Invalid, match=f"Line {line}: "):
        restore_league(BytesIO((text + json.dumps(end) + "\n").encode()), slug="again", by="operator")
    assert not League.objects.filter(slug="again").exists()


def test_an_edition_of_which_the_log_does_not_tell_is_found() -> None:
    league = published()
    edition = Edition.objects.get()
    Edition.objects.create(
        **{
            name: getattr(edition, name)
            for name in (
                "ladder",
                "starts_at",
                "ends_at",
                "due_at",
                "published_at",
                "winners",
                "document",
                "sha256",
                "standings_sha256",
                "log_position",
            )
        },
        key="2024-04",
        number=1,
    )
    assert "Edition 1 of month 2024-04 is told by no entry of the log." in verify_league(league.pk).differences
