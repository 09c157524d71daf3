"""Settles the reports of fixtures that got their result otherwise: from an organiser, or by another report."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from league.apps.reports.models import SETTLED_REASON, Report
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.reports import load_players_by_handle
from league.apps.reports.services.writing import mark_decided, mark_recorded
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import record_in
from league.core.text.names import build_name_key
from league.models import Game, League, Player, Result


def record_reported(
    league: League, report: Report, new: NewGame, now: datetime, username: str, reason: str = ""
) -> None:
    """Record the game of a report, and settle the other reports of its fixture; raises like ``record_in``."""
    recorded = record_in(league, now, new, username, settles=False, is_agreed=True)
    mark_recorded(league, report, recorded.game, now, username, reason)
    if recorded.fixture is not None:
        settle_reports(league, now, username, {recorded.fixture: recorded.game.number})


def settle_reports(league: League, now: datetime, by: str, games: Mapping[int, int]) -> None:
    """Settle the open reports of fixtures that have their result now (fixture -> number of its game).

    A report of the same result becomes that game; any other is refused, with a reason that its players can read.
    """
    reports = list(league.reports.open().filter(sheet__fixture__in=list(games)).order_by("entered_at", "pk"))
    if not reports:
        return
    players = load_players_by_handle(reports)
    found = league.games.filter(number__in=games.values()).prefetch_related("results")
    by_number = {game.number: game for game in found}
    reported = set(league.reports.filter(game__in=found).values_list("game__number", flat=True))
    for report in reports:
        fixture = report.sheet["fixture"]
        game = by_number[games[fixture]]
        if game.number not in reported and _is_same_result(report, game, players):
            reported.add(game.number)
            mark_recorded(league, report, game, now, by)
        else:
            reason = SETTLED_REASON.format(fixture=fixture, game=game.number)
            mark_decided(league, report, Report.State.REFUSED, now, by, ReportLogKind.REPORT_REFUSED, reason)


def _is_same_result(report: Report, game: Game, players: Mapping[str, Player]) -> bool:
    """Return whether a report has the scores of a game, or its places where one of both has no scores."""
    if game.kind == Game.Kind.FORFEIT:
        return False
    lines = {
        players[key].pk: (line.get("score"), line.get("place"))
        for line in report.sheet["results"]
        if (key := build_name_key(line["player"])) in players
    }
    results: Iterable[Result] = game.results.all()
    recorded = {result.player_id: (result.score, result.place) for result in results}
    if lines.keys() != recorded.keys():
        return False
    column = 0 if all(line[0] is not None for line in (*lines.values(), *recorded.values())) else 1
    return all(lines[pk][column] == line[column] is not None for pk, line in recorded.items())
