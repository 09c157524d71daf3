"""Open reports in an organiser's export: they have no links, and continue after a restore."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import BytesIO, StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import DataError
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import compute_mark, load_report_views
from league.apps.reports.services.answering import confirm_report, dispute_report, withdraw_report
from league.apps.reports.services.deciding import record_report
from league.apps.reports.services.lapsing import lapse_due_reports
from league.core.errors import Invalid
from league.core.players.services.merges import merge_players
from league.core.players.services.players import set_active
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import RestoreResult, restore_league
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry
from tests.helpers.builders import player_of, record
from tests.helpers.report_builders import TABLE, built_club, link_of, played, reported, reporting_club
from tests.helpers.restore_builders import sealed_file
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


@pytest.fixture(autouse=True)
def any_order() -> Iterator[None]:
    """Allow reports to lapse early, and later ones to be entered afterwards."""
    with patch("league.core.locking.choose_write_time", lambda now, last, slug: now):
        yield


def organiser_export(league: League) -> list[str]:
    """Return the lines of an organiser's export."""
    return list(export_lines(league.pk, timezone.now(), aliases=True))


def restore_lines(lines: list[str]) -> RestoreResult:
    """Restore the export as another league."""
    return restore_league(BytesIO("".join(f"{line}\n" for line in lines).encode()), slug="again", by="root")


def report_facts(league: League) -> list[dict[str, Any]]:
    """Return the facts of a league's reports, in order of entry."""
    return [
        {
            "state": one.report.state,
            "lines": [(line["player"], line["entry"]) for line in one.lines],
            "note": one.report.sheet["note"],
            "answers": [(answer["name"], answer["right"], answer["reason"], answer["at"]) for answer in one.answers],
            "who": (one.report.entered_by.merged_into or one.report.entered_by).handle,
            "times": (one.report.played_at, one.report.entered_at, one.report.due_at),
            "reason": one.report.reason,
        }
        for one in load_report_views(Report.objects.filter(league=league, state__in=Report.OPEN).order_by("entered_at"))
    ]


def league_with_all_states() -> League:
    """Return a league with a report in each open state, and decided ones."""
    league = built_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    overdue = reported(anna, played(hours=7, note="Late"))
    lapse_due_reports(league.pk, overdue.due_at + timedelta(hours=1))
    wrong = reported(TABLE, played(("anna", "ben"), (0, 1), hours=2), who="anna")
    dispute_report(ben, wrong.pk, reason="I lost.")
    like = played(("ben", "anna"), (3, 2), hours=4)
    twin = reported(anna, like)
    record(league, like)
    confirm_report(ben, twin.pk)
    confirm_report(ben, reported(anna, played(hours=5)).pk)
    withdraw_report(anna, reported(anna, played(hours=6)).pk)
    reported(anna, played(note="It waits"))
    assert sorted(Report.objects.values_list("state", flat=True)) == [
        "confirmed", "disputed", "overdue", "twin", "waiting", "withdrawn",
    ]  # fmt: skip
    return league


@long_way
def test_open_reports_are_restored_and_continue_with_new_links() -> None:
    league = league_with_all_states()
    before, games = report_facts(league), Game.objects.filter(league=league).count()
    done = restore_lines(organiser_export(league))
    created = done.league
    assert (done.parts, report_facts(created)) == ({"report": 4}, before)
    assert not ReportLink.objects.filter(league=created).exists()
    assert not set(Report.objects.filter(league=created).values_list("key", "salt")) & set(
        Report.objects.filter(league=league).values_list("key", "salt")
    )
    assert verify_league(created.pk).state == "is right"
    kinds = LogEntry.objects.filter(league=created, by="root").order_by("position").values_list("kind", flat=True)
    assert list(kinds)[1:] == ["report.overdue", "report.disputed", "report.twin", "report.entered"]
    states = {one.state: one for one in Report.objects.filter(league=created)}
    assert confirm_report(link_of(created, "ben"), states["waiting"].pk).state == "confirmed"
    record_report(created.pk, states["overdue"].pk, mark=compute_mark(states["overdue"]), username="olga")
    assert withdraw_report(link_of(created, "anna"), states["disputed"].pk).state == "withdrawn"
    assert Game.objects.filter(league=created).count() == games + 2
    assert verify_league(created.pk).state == "is right"
    assert verify_league(league.pk).state == "is right"
    Report.objects.filter(pk=states["twin"].pk).update(reason="")
    assert " has seal “" in str(verify_league(created.pk).differences)


def test_merged_and_inactive_players_are_restored() -> None:
    league = built_club()
    report = reported(link_of(league, "dan"), played(("dan", "ben")))
    dispute_report(link_of(league, "ben"), report.pk, reason="No")
    merge_players(player_of("dan"), player_of("anna"), username="olga")
    set_active(league.pk, player_of("ben"), False, username="olga")
    lines = [json.loads(line) for line in organiser_export(league)]
    (line,) = (line for line in lines if line["type"] == "report")
    assert [one["player"] for one in line["sheet"]["results"]] == ["anna", "ben"]
    assert line["entered_by"] == "anna"
    assert report_facts(restore_lines(organiser_export(league)).league)[0]["who"] == "anna"


@long_way
def test_the_command_prints_the_number_of_reports(tmp_path: Any) -> None:
    file = tmp_path / "club.ndjson"
    file.write_text("".join(f"{line}\n" for line in organiser_export(league_with_all_states())), encoding="utf-8")
    out = StringIO()
    call_command("restore", str(file), slug="again", stdout=out)
    assert "4 player reports restored, to be confirmed or decided here." in out.getvalue()


def test_a_restored_report_is_not_confirmed_automatically() -> None:
    """No player has a link at the new site to dispute it."""
    league = built_club(report_timeout="confirm")
    reported(link_of(league, "anna"))
    created = restore_lines(organiser_export(league)).league
    for one, state in ((created, "overdue"), (league, "confirmed")):
        report = Report.objects.get(league=one)
        assert lapse_due_reports(one.pk, report.due_at + timedelta(hours=1)) == 1
        report.refresh_from_db()
        assert report.state == state
        assert verify_league(one.pk).state == "is right"


def test_database_errors_name_the_line() -> None:
    league = built_club()
    reported(link_of(league, "anna"))
    lines = [json.loads(line) for line in organiser_export(league)]
    number = next(at for at, line in enumerate(lines, start=1) if line["type"] == "report")
    fault = patch("league.apps.reports.export_part.write_restored_report", side_effect=DataError("value too long"))
    with fault, pytest.raises(Invalid, match=f"Line {number}: the database rejects its contents .value too long"):
        restore_league(sealed_file([json.dumps(line) for line in lines[:-1]]), slug="again", by="root")


WRONG: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("decided", lambda line: line.update(state="confirmed"), "must be one of waiting, overdue, twin, disputed."),
    ("a stranger", lambda line: line.update(entered_by="zoe"), "“zoe” is not defined above"),
    ("a seat", lambda line: line["sheet"]["results"][0].update(player="zoe"), "“zoe” is not defined above"),
    ("an answer", lambda line: line["answers"].append(
        {"player": "zoe", "at": "2024-03-05T19:30:00Z", "right": True, "reason": ""}), "“zoe” is not defined above"),
    ("no sheet", lambda line: line.update(sheet={}), "must have results, details and a note"),
    ("odd seats", lambda line: line["sheet"].update(results=[{"seat": 1}]), "is not valid"),
    ("a long note", lambda line: line["sheet"].update(note="x" * 501), "500"),
    ("a score", lambda line: line["sheet"]["results"][0].update(score="many"), "is not valid"),
    ("a name", lambda line: line["sheet"]["results"][0].update(player=["anna"]), "is not valid"),
    ("a side", lambda line: line["sheet"]["results"][0].update(side=[]), "is not valid"),
    ("a weight", lambda line: line["sheet"].update(weight="twice"), "is not valid"),
    ("a fixture", lambda line: line["sheet"].update(fixture=2**31), "is not valid"),
    ("a fixture's name", lambda line: line["sheet"].update(fixture="final"), "is not valid"),
    ("nothing", lambda line: line.pop("due_at"), "due_at"),
    ("a long reason", lambda line: line.update(reason="x" * 501), "500"),
    ("a huge score", lambda line: line["sheet"]["results"][0].update(score=10**400), "is not valid"),
    ("an empty list", lambda line: line["sheet"]["results"][0].update(worksheet=[]), "is not valid"),
    ("a paper of words", lambda line: line["sheet"]["results"][0].update(worksheet={"left": "many"}), "is not valid"),
    ("deep details", lambda line: line["sheet"].update(details={"a": {"b": []}}), "is not valid"),
    ("details with NUL", lambda line: line["sheet"].update(details={"a\0": 1}), "is not valid"),
]  # fmt: skip


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(("spoil", "sentence"), [one[1:] for one in WRONG], ids=[one[0] for one in WRONG])
def test_invalid_reports_are_refused_with_their_line(spoil: Callable[[dict[str, Any]], Any], sentence: str) -> None:
    league = built_club()
    reported(link_of(league, "anna"))
    lines = [json.loads(line) for line in organiser_export(league)]
    number = next(at for at, line in enumerate(lines, start=1) if line["type"] == "report")
    spoil(lines[number - 1])
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file([json.dumps(line) for line in lines[:-1]]), slug="again", by="root")
    assert f"Line {number}:" in refused.value.detail
    assert sentence in refused.value.detail
    assert not League.objects.filter(slug="again").exists()


def test_a_site_without_reports_refuses_a_file_with_reports(settings: Any) -> None:
    league = built_club()
    reported(link_of(league, "anna"))
    lines = organiser_export(league)
    number = next(at for at, line in enumerate(lines, start=1) if json.loads(line)["type"] == "report")
    settings.INSTALLED_APPS = [name for name in settings.INSTALLED_APPS if name != "league.apps.reports"]
    sentence = f"Line {number}: lines of the type “report” need the capability “reports”, which this site leaves out."
    with pytest.raises(Invalid, match=sentence):
        restore_league(sealed_file(lines[:-1]), slug="again", by="root")
    assert not any(json.loads(line)["type"] == "report" for line in organiser_export(league))
