"""Bringing games from a file on the desk: tried by a worker, told as a report, imported by one key, once."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from league.apps.imports.services import uploads
from league.core.dispatch.sweep import run_requested_job
from league.core.jobs.services.work import delete_old_jobs
from league.models import Game, Job, JobPart, Membership, Player, RequestKey
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import page_messages, page_text, sign_in_member
from tests.helpers.ladder_builders import close, make_ladder, tables, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
BRING = "/admin/leagues/club/import/"
CSV = (
    "game_id,played_at,player,score,mood\n1,2024-03-05,anna,1,x\n1,2024-03-05,ben,0,x\n"
    "2,2024-03-06,anna,0,x\n2,2024-03-06,cleo,1,x\n"
)
JSON = (
    '{"external_id":"1","played_at":"2024-03-05","results":[{"player":"anna","score":1},{"player":"Zoe","score":0}]}\n'
)


def brought(browser: Client, content: str | bytes = CSV, name: str = "games.csv", **more: Any) -> Any:
    """Return the page that tells of a file that was brought."""
    data = content.encode() if isinstance(content, str) else content
    return browser.post(BRING, {"file": SimpleUploadedFile(name, data), **more}, follow=True)


def address(page: Any) -> str:
    """Return the address of the page that tells of a file."""
    return f"{BRING}{page.context['line'].job.pk}/"


def test_a_file_is_tried_told_of_and_imported_once(olga: Client) -> None:
    make_league()
    page = olga.get(BRING)
    assert page.context["columns"] == ["game_id", "played_at", "player", "score", "place", "side", "weight"]
    before = tables("Session", "Job", "JobPart", "RequestKey")
    page = brought(olga)
    assert tables("Session", "Job", "JobPart", "RequestKey") == before
    said = page_text(page)
    assert "New games 2 Already recorded 0 New players 0 Games rated again 2" in said
    assert "Ignored columns: mood." in said
    assert "Nothing has been saved yet." in said
    # K is 20 among equals: won and lost, as the first and the second game say.
    movers = {one.name: one.after for one in page.context["movers"]}
    assert movers["Ben"] == 1490
    form = {"once": page.context["once"]}
    for _ in range(2):
        done = olga.post(address(page), form, follow=True)
    assert "2 games were imported." in page_messages(done)
    assert [game.recorded_by for game in Game.objects.order_by("number")] == ["olga", "olga"]
    (job,) = Job.objects.filter(arguments__dry_run=False)
    assert done.redirect_chain == [(f"/admin/leagues/club/jobs/{job.pk}/", 302)]
    assert JobPart.objects.count() == 0
    assert "The file is no longer stored" in page_text(olga.get(address(page)))
    again = olga.post(address(page), {"once": "f" * 32}, follow=True)
    assert "The file is no longer stored" in page_messages(again)
    assert Game.objects.count() == 2
    assert "No game in this file is new." in page_text(brought(olga))


def test_the_same_form_tries_its_file_once_and_another_file_anew(olga: Client) -> None:
    make_league()
    key = olga.get(BRING).context["once"]
    first, second = (brought(olga, once=key) for _ in range(2))
    assert address(first) == address(second)
    other = brought(olga, JSON, "games.ndjson", once=key, create_players="on")
    assert address(other) != address(first)
    assert Job.objects.count() == 2
    assert "New players 1" in page_text(other)


def test_unknown_people_are_errors_unless_they_are_added(olga: Client) -> None:
    make_league()
    page = brought(olga, JSON, "games.jsonl")
    assert "1 line is wrong" in page_text(page)
    assert "Line 1: no player is called “Zoe”." in page_text(page)
    assert "Import 1 game" not in page_text(page)
    page = brought(olga, JSON, "games.jsonl", create_players="on")
    done = olga.post(address(page), {"once": page.context["once"]}, follow=True)
    assert "1 game was imported." in page_messages(done)
    assert Player.objects.filter(name="Zoe").count() == 1


def test_each_wrong_line_is_named_and_nothing_is_written(olga: Client) -> None:
    make_league()
    before = tables("Session", "Job", "JobPart", "RequestKey")
    page = brought(olga, CSV.replace("ben,0", "ben,many").replace("2024-03-06,anna", "yesterday,anna"))
    lines = page.context["wrong"]
    assert [line.partition(":")[0] for line in lines] == ["Line 3", "Line 4", "Line 5"]
    assert "Nothing can be imported: 3 lines are wrong. Fix the file and upload it again." in page_text(page)
    assert tables("Session", "Job", "JobPart", "RequestKey") == before
    refused = olga.post(address(page), {"once": "a" * 32}, follow=True)
    assert "The file is no longer stored" in page_messages(refused)
    # Lines are counted, and not their faults; lines without anything before the head are no empty file.
    page = brought(olga, '{}\n{"external_id":"2"}\n', "games.ndjson")
    assert len(page.context["wrong"]) > 2
    assert "Nothing can be imported: 2 lines are wrong." in page_text(page)
    assert "Line 11: the header lacks" in page_text(brought(olga, "\n" * 10 + CSV.replace("player", "who", 1)))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "Choose a file."),
        (b"", "The file is empty."),
        (b"  \n \n  \n \n", "The file is empty."),
        (b"PK\x03\x04 and more", "This is a workbook. Save it as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "This is a workbook."),
    ],
)
def test_what_is_no_file_of_games_is_said_at_its_field(olga: Client, content: bytes | None, why: str) -> None:
    make_league()
    page = olga.post(BRING, {} if content is None else {"file": SimpleUploadedFile("games.csv", content)})
    assert why in " ".join(page.context["form"].errors["file"])
    assert Job.objects.count() == RequestKey.objects.count() == 0


def test_a_file_that_is_too_large_is_refused_as_it_comes(olga: Client) -> None:
    make_league()
    with patch("league.core.games.services.game_files.MAX_FILE_BYTES", 50):
        page = brought(olga)
    assert "The file is larger than 50 bytes; send it in parts." in " ".join(page.context["form"].errors["file"])


def test_a_large_file_is_a_workers_who_tells_how_far_it_is(olga: Client) -> None:
    make_league()
    with patch.dict(uploads.MAX_SMALL_LINES, csv=2):
        page = brought(olga)
        job = page.context["line"].job
        assert job.state == "waiting"
        assert "waiting to start" in page_text(page)
        part = olga.get(f"{address(page)}?part=1")
        assert 'data-open="yes"' in part.content.decode()
        assert olga.get(f"{address(page)}?part=1", headers={"If-None-Match": part["ETag"]}).status_code == 304
        assert run_requested_job(job.pk)
        part = olga.get(f"{address(page)}?part=1", headers={"If-None-Match": part["ETag"]})
        assert "Import 2 games" in page_text(part)
        assert Game.objects.count() == 0
        done = olga.post(address(page), {"once": part.context["once"]}, follow=True)
        assert "The file is being imported in the background, all or nothing." in page_messages(done)
        new = Job.objects.get(arguments__dry_run=False)
        assert JobPart.objects.get().job == new
        assert run_requested_job(new.pk)
    assert Game.objects.count() == 2


def test_what_is_recorded_after_the_report_is_left_alone_or_named(olga: Client) -> None:
    """The books may move between report and import: the import looks again, all of it or nothing."""
    league = make_league()
    one, two = brought(olga), brought(olga, CSV.replace("ben,0", "ben,-1"))
    olga.post(address(two), {"once": two.context["once"]})
    done = olga.post(address(one), {"once": one.context["once"]}, follow=True)
    assert "game_id “1” belongs to game 1, which has other content." in page_text(done)
    assert "Failed." in page_text(done)
    assert league.games.count() == 2


def test_closed_periods_are_named_before_anything_is_written(olga: Client) -> None:
    league = make_league()
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-03-02")))
    close(league, "2024-03")
    assert "1 closed period would change: 2024-03 of month." in page_text(brought(olga))


@long_way
def test_a_file_that_was_tried_is_its_senders_and_the_organisers(olga: Client) -> None:
    league = make_league()
    rita, rosa = (sign_in_member(name, Membership.Role.RECORDER, league) for name in ("rita", "rosa"))
    page = brought(rita)
    assert rosa.get(address(page)).status_code == rosa.post(address(page)).status_code == 403
    assert "Import preview" in page_text(olga.get(f"/admin/leagues/club/jobs/{page.context['line'].job.pk}/"))
    assert "Import preview" not in page_text(rosa.get(f"/admin/leagues/club/jobs/{page.context['line'].job.pk}/"))
    rita.post(address(page), {"once": page.context["once"]})
    assert {game.recorded_by for game in Game.objects.all()} == {"rita"}
    other = Job.objects.create(league=league, kind="import", asked_at=timezone.now(), arguments={"dry_run": True})
    assert olga.get(f"{BRING}{other.pk}/").status_code == 404


def test_a_file_that_was_tried_is_kept_for_a_day_unless_its_dry_run_is_cancelled(olga: Client) -> None:
    make_league()
    page = brought(olga)
    delete_old_jobs()
    assert JobPart.objects.count() == 1
    Job.objects.update(ended_at=timezone.now() - timedelta(days=1, minutes=1))
    delete_old_jobs()
    assert JobPart.objects.count() == 0
    assert "The file is no longer stored" in page_text(olga.get(address(page)))
    with patch.dict(uploads.MAX_SMALL_LINES, csv=2):
        page = brought(olga)
    olga.post(f"/admin/leagues/club/jobs/{page.context['line'].job.pk}/cancel/")
    assert "Nothing can be imported." in page_text(olga.get(address(page)))
    assert JobPart.objects.count() == 0


def test_of_an_import_that_failed_nobody_says_that_it_was_done(olga: Client) -> None:
    make_league()
    page = brought(olga)
    olga.post(address(page), {"once": "a" * 32})
    Job.objects.filter(arguments__dry_run=False).update(state=Job.State.FAILED, problem={"detail": "It failed."})
    assert "its import was started, or it was uploaded more than a day ago" in page_text(olga.get(address(page)))
    said = page_messages(olga.post(address(page), {"once": "b" * 32}, follow=True))
    assert "The file is no longer stored" in said
    assert "Choose it again; games already recorded are skipped." in said
