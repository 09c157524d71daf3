"""Reports of fixtures follow the result: they are settled once it comes otherwise, and wait again once it is void."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from league.apps.reports.models import SETTLED_REASON, Report
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.fixture_reports import load_followers_of, load_games_of, load_reports_of_places
from league.apps.reports.selectors.reports import load_players_by_handle
from league.apps.reports.services.comparing import has_same_result
from league.apps.reports.services.writing import mark_decided, mark_recorded, reopen
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import record_in
from league.models import Game, League, Player


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
    followers = load_followers_of(league, results)
    if not followers:
        return
    games = {fixture: game for fixture, game in results.items() if game is not None}
    _settle_reports(league, now, by, games, [one for one in followers if one.sheet["fixture"] in games])
    _reopen_reports(league, now, by, [one for one in followers if one.sheet["fixture"] not in games])


def _settle_reports(league: League, now: datetime, by: str, games: Mapping[int, int], reports: list[Report]) -> None:
    """Settle the reports of fixtures that have their result (fixture -> number of its game), open or settled before.

    The first report of the same result becomes that game; any other is refused, with a reason that its players can
    read. What stands already is not written again.
    """
    if not reports:
        return
    by_number = load_games_of(league, games)
    game_of = {report.pk: by_number[games[report.sheet["fixture"]]] for report in reports}
    places = {game.order_key: game for game in by_number.values()}
    own = load_reports_of_places(league, places)
    players = load_players_by_handle([*reports, *(report for report, _place in own)])
    reported = {places[place].number for report, place in own if _is_of(report, places[place], players)}
    # A report that is the game already comes first: it keeps the game if it still says the same.
    for report in sorted(reports, key=lambda one: one.game != game_of[one.pk]):
        game = game_of[report.pk]
        report.state_before = report.state_before or report.state
        if game.number not in reported and has_same_result(report, game, players):
            reported.add(game.number)
            if report.game != game:
                mark_recorded(league, report, game, now, by)
            continue
        reason = SETTLED_REASON.format(fixture=report.sheet["fixture"], game=game.number)
        if (report.state, report.reason) != (Report.State.REFUSED, reason):
            report.game = None
            mark_decided(league, report, Report.State.REFUSED, now, by, ReportLogKind.REPORT_REFUSED, reason)


def _is_of(report: Report, game: Game, players: Mapping[str, Player]) -> bool:
    """Return whether a report that was recorded as a game, which may have been corrected since, is this game."""
    return report.game == game or has_same_result(report, game, players)


def _reopen_reports(league: League, now: datetime, by: str, reports: Iterable[Report]) -> None:
    """Reopen the reports that a game settled whose fixture waits for a result again.

    One whose time has run out meanwhile waits for an organiser, and is not recorded or dropped at once.
    """
    for report in reports:
        if report.state_before:
            state = Report.State(report.state_before)
            is_late = state == Report.State.WAITING and report.due_at <= now
            reopen(league, report, Report.State.OVERDUE if is_late else state, now, by)
