"""Reports of fixtures follow the result: they are settled once it comes otherwise, and wait again once it is void."""

from collections.abc import Collection, Mapping
from datetime import datetime

from league.apps.reports.models import SETTLED_REASON, Report
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.fixture_reports import has_same_result, load_games_of, load_open_reports_of
from league.apps.reports.selectors.reports import load_players_by_handle
from league.apps.reports.services.writing import mark_decided, mark_recorded, reopen
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import record_in
from league.models import League


def record_reported(
    league: League, report: Report, new: NewGame, now: datetime, username: str, reason: str = ""
) -> None:
    """Record the game of a report, and settle the other reports of its fixture; raises like ``record_in``."""
    recorded = record_in(league, now, new, username, settles=False, is_agreed=True)
    mark_recorded(league, report, recorded.game, now, username, reason)
    if recorded.fixture is not None:
        follow_results(league, now, username, {recorded.fixture: recorded.game.number})


def follow_results(league: League, now: datetime, by: str, results: Mapping[int, int | None]) -> None:
    """Let the reports of fixtures follow their results (fixture -> number of its game, None if it waits for one)."""
    _settle_reports(league, now, by, {fixture: game for fixture, game in results.items() if game is not None})
    _reopen_reports(league, now, by, [fixture for fixture, game in results.items() if game is None])


def _settle_reports(league: League, now: datetime, by: str, games: Mapping[int, int]) -> None:
    """Settle the open reports of fixtures that have their result now (fixture -> number of its game).

    A report of the same result becomes that game; any other is refused, with a reason that its players can read.
    """
    reports = load_open_reports_of(league, games) if games else []
    if not reports:
        return
    players, by_number = load_players_by_handle(reports), load_games_of(league, games)
    reported = set(league.reports.filter(game__in=by_number.values()).values_list("game__number", flat=True))
    for report in reports:
        fixture = report.sheet["fixture"]
        game = by_number[games[fixture]]
        report.state_before = report.state
        if game.number not in reported and has_same_result(report, game, players):
            reported.add(game.number)
            mark_recorded(league, report, game, now, by)
        else:
            reason = SETTLED_REASON.format(fixture=fixture, game=game.number)
            mark_decided(league, report, Report.State.REFUSED, now, by, ReportLogKind.REPORT_REFUSED, reason)


def _reopen_reports(league: League, now: datetime, by: str, fixtures: Collection[int]) -> None:
    """Reopen the reports that a game settled whose fixture waits for a result again.

    One whose time has run out meanwhile waits for an organiser, and is not recorded or dropped at once.
    """
    reports = league.reports.settled().filter(sheet__fixture__in=list(fixtures)).order_by("entered_at", "pk")
    for report in reports if fixtures else ():
        state = Report.State(report.state_before)
        is_late = state == Report.State.WAITING and report.due_at <= now
        reopen(league, report, Report.State.OVERDUE if is_late else state, now, by)
