"""Reports that are not confirmed in time, limits on open reports, and their log entries."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.reports import compute_mark, find_report, load_report_views
from league.apps.reports.services import entering
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.deciding import refuse_report
from league.apps.reports.services.lapsing import find_leagues_due, lapse_due_reports
from league.apps.reports.services.links import revoke_link
from league.core.errors import Conflict, Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.log.services import entries
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry
from tests.helpers.builders import make_league, player_of, ratings, record, reread
from tests.helpers.ladder_builders import clock
from tests.helpers.report_builders import built_club, link_of, played, reported, reporting_club
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


LATER = timedelta(hours=49)


@pytest.mark.parametrize(
    ("chosen", "state", "kind", "games"),
    [("wait", "overdue", "report.overdue", 2), ("drop", "lapsed", "report.lapsed", 2),
     ("confirm", "confirmed", "report.confirmed", 3)],
)  # fmt: skip
def test_the_leagues_timeout_is_applied_once(chosen: str, state: str, kind: str, games: int) -> None:
    league = built_club(report_timeout=chosen)
    ben = link_of(league, "ben")
    report = reported(link_of(league, "anna"))
    assert report.due_at - report.entered_at == timedelta(hours=48)
    assert (find_leagues_due(), lapse_due_reports(league.pk)) == ([], 0)
    now = timezone.now() + LATER
    assert find_leagues_due(now) == [league.pk]
    assert [lapse_due_reports(league.pk, now) for _ in range(2)] == [1, 0]
    assert (reread(report).state, Game.objects.count()) == (state, games)
    newest = LogEntry.objects.order_by("-position")[0]
    assert (newest.kind, newest.by) == (kind, "the clock")
    with clock(now):
        if chosen == "wait":
            assert confirm_report(ben, report.pk).state == "confirmed", "it is what it waits for"
        elif chosen == "drop":
            with pytest.raises(Conflict, match="This report expired"):
                confirm_report(ben, report.pk)
        else:
            assert Game.objects.get(number=3).recorded_by == "the clock"
            assert confirm_report(ben, report.pk).game == reread(report).game
    assert verify_league(league.pk).state == "is right"


def test_hours_are_fixed_when_reported_and_the_timeout_at_the_end() -> None:
    league = built_club(report_hours=2, report_timeout="drop")
    report = reported(link_of(league, "anna"))
    change_league(league.pk, {"report_hours": 100, "report_timeout": "wait"})
    lapse_due_reports(league.pk, timezone.now() + timedelta(hours=3))
    assert reread(report).state == "overdue"


@long_way
def test_reports_wait_if_they_cannot_be_disputed_or_recorded() -> None:
    league = built_club(report_timeout="confirm")
    anna = link_of(league, "anna")
    broken, unread, long = (reported(anna, played(hours=hours)) for hours in (1, 4, 6))
    Report.objects.filter(pk=long.pk).update(sheet={**long.sheet, "note": "x" * 501})
    Report.objects.filter(pk=broken.pk).update(sheet={**broken.sheet, "details": {"bula": 1}})
    # A worksheet that no rule reads any more.
    lines = [{"player": one, "worksheet": {"middle": 1}} for one in ("anna", "ben")]
    Report.objects.filter(pk=unread.pk).update(sheet={**unread.sheet, "results": lines})
    fine = reported(anna, played(hours=2))
    now = timezone.now() + LATER
    assert lapse_due_reports(league.pk, now) == 4
    assert [reread(one).state for one in (broken, unread, long, fine)] == ["overdue"] * 3 + ["confirmed"]
    assert "bula" in reread(broken).reason
    assert League.objects.get().last_number == 3
    with clock(now):
        later = reported(anna, played(hours=3))
        change_league(league.pk, {"reporting": "off"})
    lapse_due_reports(league.pk, now + LATER)
    assert reread(later).state == "overdue"


def test_a_similar_recorded_game_prevents_automatic_recording() -> None:
    league = built_club(report_timeout="confirm")
    report = reported(link_of(league, "anna"))
    record(league, played())
    lapse_due_reports(league.pk, timezone.now() + LATER)
    assert (reread(report).state, reread(report).answers) == ("twin", [])
    newest = LogEntry.objects.order_by("-position")[0]
    assert (newest.kind, newest.by) == ("report.twin", "the clock")
    assert reread(report).reason == "Game 3 at about that time has the same players and scores."
    assert League.objects.get().last_number == 3
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize("moment", ["report.entered", "report.confirmed"])
def test_a_killed_worker_leaves_nothing(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    league = built_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    report = None if moment == "report.entered" else reported(anna)
    before = (Game.objects.count(), Report.objects.count(), LogEntry.objects.count(), ratings(league))
    append = entries.append

    def dying(league: League, now: datetime, by: str, kind: ReportLogKind, payload: Any) -> None:
        append(league, now, by, kind, payload)
        if kind == moment:
            raise RuntimeError("killed")

    monkeypatch.setattr("league.core.log.services.entries.append", dying)
    with pytest.raises(RuntimeError, match="killed"):
        reported(anna) if report is None else confirm_report(ben, report.pk)
    monkeypatch.undo()
    assert before == (Game.objects.count(), Report.objects.count(), LogEntry.objects.count(), ratings(league))
    if report is not None:
        assert confirm_report(ben, report.pk).game == Game.objects.get(number=3)
    assert verify_league(league.pk).state == "is right"


def test_the_log_contains_no_names_or_reasons() -> None:
    league = built_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    one, two, three = (reported(anna, played(hours=hours)) for hours in (1, 2, 3))
    reported(anna, replace(played(), played_at=three.played_at))
    confirm_report(ben, one.pk)
    dispute_report(ben, two.pk, reason="They cheated.")
    refuse_report(league.pk, two.pk, reason="They did cheat.", mark=compute_mark(reread(two)), username="olga")
    now = timezone.now() + LATER
    lapse_due_reports(league.pk, now)
    with clock(now):
        revoke_link(league.pk, ReportLink.objects.get(player=player_of("anna")).pk, username="olga")
    result: dict[str, tuple[set[str], str]] = {}
    for entry in LogEntry.objects.filter(kind__regex="^(link|report)").order_by("position"):
        result.setdefault(entry.kind, (set(json.loads(entry.payload)), entry.by))
        assert not any(word in entry.payload for word in ("anna", "ben", "cheat", "Table"))
    assert result == {
        "link.made": ({"link", "seal"}, "olga"),
        "link.revoked": ({"link"}, "olga"),
        "report.entered": ({"report", "seal"}, "the table"),
        "report.confirmed": ({"report", "seal", "game"}, "the table"),
        "report.disputed": ({"report", "seal"}, "the table"),
        "report.refused": ({"report", "seal"}, "olga"),
        "report.overdue": ({"report", "seal"}, "the clock"),
    }
    assert reread(three).state == "overdue"
    # Two that say the same have other seals.
    seals = {json.loads(entry.payload)["seal"] for entry in LogEntry.objects.filter(kind="report.entered")}
    assert len(seals) == 4


def test_preferans_worksheets_are_stored_and_recorded() -> None:
    league = make_league("preferans", ("pedja", "marko", "johnny"), slug="cards", reporting="by_link")
    first = [NewResult(name, score) for name, score in zip(("pedja", "marko", "johnny"), (-60, 40, 20), strict=True)]
    record_game(league.pk, NewGame(first, details={"bula": 30}, played_at=datetime(2024, 3, 5, tzinfo=UTC)), by="olga")
    papers = ((-20, 320, 160), (4, 120, 60), (16, 20, 60))
    results = [
        NewResult(name, worksheet=dict(zip(("middle", "left", "right"), paper, strict=True)))
        for name, paper in zip(("pedja", "marko", "johnny"), papers, strict=True)
    ]
    new = NewGame(results, details={"bula": 30}, played_at=timezone.now() - timedelta(hours=1))
    secret = link_of(league, "pedja")
    with pytest.raises(Refused, match="Right is missing on the worksheet"):
        reported(secret, replace(new, results=[replace(results[0], worksheet={"middle": 1}), *results[1:]]))
    report = reported(secret, new)
    (one,) = load_report_views([report])
    assert [line["entry"] for line in one.lines] == ["−20, 320, 160", "4, 120, 60", "16, 20, 60"]
    assert one.details == [("bula", "30")]
    confirm_report(link_of(league, "marko"), report.pk)
    recorded = record_game(
        league.pk, replace(new, played_at=new.played_at and new.played_at - timedelta(days=1)), by=""
    )
    by_link = Game.objects.get(league=league, number=2)
    assert by_link.worksheets == recorded.game.worksheets
    assert [line.score for line in by_link.results.order_by("seat")] == [
        line.score for line in recorded.game.results.order_by("seat")
    ]


def test_the_current_rule_applies_when_recording() -> None:
    league = built_club()
    report = reported(link_of(league, "anna"))
    adopt_rule(league.pk, "elo", {"k": 100}, timezone.now().date() - timedelta(days=2), username="olga")
    before = ratings(league)["ben"]
    confirm_report(link_of(league, "ben"), report.pk)
    assert before - ratings(league)["ben"] > 16, "half of the old factor is the most that a loss among equals cost"


def test_reports_are_shown_if_a_player_no_longer_exists() -> None:
    league = built_club()
    report = reported(link_of(league, "anna"))
    Report.objects.filter(pk=report.pk).update(
        sheet={"results": [{"player": "gone", "place": 1}, {"player": "anna"}], "details": {}, "note": ""}
    )
    found = find_report(league, report.pk)
    assert found is not None
    (one,) = load_report_views([found])
    assert [(line["name"], line["entry"]) for line in one.lines] == [("gone", "1."), ("Anna", "")]
    assert str(found).startswith("waiting, reported 20")


def test_open_reports_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    league = built_club()
    anna = link_of(league, "anna")
    reported(anna)
    monkeypatch.setattr(entering, "MAX_OPEN_REPORTS_PER_PLAYER", 1)
    with pytest.raises(Refused, match="1 reports by Anna are still open"):
        reported(anna)
    monkeypatch.setattr(entering, "MAX_OPEN_REPORTS", 1)
    with pytest.raises(Refused, match="1 reports are open in this league"):
        reported(link_of(league, "cleo"), played(("cleo", "dan")))


def test_old_games_cannot_be_reported() -> None:
    league = built_club()
    anna = link_of(league, "anna")
    with pytest.raises(Refused, match="Players can report games from the last 14 days") as refused:
        reported(anna, played(hours=14 * 24 + 1))
    assert refused.value.problems[0].pointer == "/played_at"
    assert reported(anna, played(hours=14 * 24 - 1)).state == "waiting"


@long_way
def test_a_public_export_contains_no_reports() -> None:
    league = built_club()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    confirm_report(ben, reported(anna, played(hours=3)).pk)
    reported(anna, played(("anna", "ben"), (0, 1), note="Not told"))
    text = "\n".join(export_lines(league.pk, timezone.now(), aliases=False))
    assert "Not told" not in text
    assert {json.loads(line)["type"] for line in text.splitlines()} <= {
        "header", "league", "rule", "player", "game", "period", "entry", "end",
    }  # fmt: skip
    created = restore_league(BytesIO(f"{text}\n".encode()), slug="again", known_players=True, by="root").league
    assert created.reporting == "by_link"
    assert verify_league(created.pk).state == "is right"
    assert not Report.objects.filter(league=created).exists()
    confirm_report(link_of(created, "ben"), reported(link_of(created, "anna"), played(hours=5)).pk)
    assert verify_league(created.pk).state == "is right"
    lost = Report.objects.get(league=created)
    Report.objects.filter(pk=lost.pk).delete()
    assert "is missing" in str(verify_league(created.pk).differences)
