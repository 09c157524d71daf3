"""The open reports of fixtures, compared with the games that are recorded for those."""

from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from league.apps.reports.models import Report
from league.apps.reports.selectors.reports import (
    ReportView,
    build_pair,
    compute_mark,
    group_by_side,
    join_lines,
    load_players_by_handle,
    load_report_views,
    resolve_merged,
)
from league.core.capabilities import Contradiction
from league.core.text.game_results import format_figure
from league.core.text.names import build_name_key
from league.models import Game, League, Player, Result


def load_followers_of(league: League, fixtures: Iterable[int]) -> list[Report]:
    """Return the reports that follow the results of fixtures, earliest first: those that are open or were settled."""
    reports = league.reports.open_or_settled().with_sender().filter(sheet__fixture__in=list(fixtures))
    return list(reports.order_by("entered_at", "pk"))


def load_reports_of_places(league: League, order_keys: Iterable[int]) -> list[tuple[Report, int]]:
    """Return the reports that were recorded as games themselves, with the order keys of those, if among these."""
    reports = league.reports.with_sender().filter(game__order_key__in=list(order_keys), state_before="")
    return [(report, report.game.order_key) for report in reports if report.game is not None]


def load_games_of(league: League, games: Mapping[int, int]) -> dict[int, Game]:
    """Return number -> game, of games of fixtures (fixture -> number), with their results."""
    found = league.games.filter(number__in=games.values()).prefetch_related("results__player")
    return {game.number: game for game in found}


def has_same_result(report: Report, game: Game, players: Mapping[str, Player]) -> bool:
    """Return whether a report has the scores of a game, or its places where one of both has no scores.

    A player who was not reported stands for the one who is missing, as in a fixture whose game was split off.
    """
    if game.kind == Game.Kind.FORFEIT:
        return False
    lines = {
        players[key].pk: (line.get("score"), line.get("place"))
        for line in report.sheet["results"]
        if (key := build_name_key(line["player"])) in players
    }
    results: Iterable[Result] = game.results.all()
    recorded = {result.player_id: (result.score, result.place) for result in results}
    missing, others = lines.keys() - recorded.keys(), recorded.keys() - lines.keys()
    if len(missing) == len(others) == 1:
        lines[others.pop()] = lines.pop(missing.pop())
    if lines.keys() != recorded.keys():
        return False
    column = 0 if all(line[0] is not None for line in (*lines.values(), *recorded.values())) else 1
    return all(lines[pk][column] == line[column] is not None for pk, line in recorded.items())


def list_contradictions(league: League, games: Mapping[int, int]) -> list[Contradiction]:
    """Return the open reports of fixtures (fixture -> number of its game) that have another result than its game."""
    reports = [report for report in load_followers_of(league, games) if not report.state_before]
    if not reports:
        return []
    players, by_number = load_players_by_handle(reports), load_games_of(league, games)
    found = []
    for view in load_report_views(reports):
        game = by_number[games[view.report.sheet["fixture"]]]
        if not has_same_result(view.report, game, players):
            mark = f"{view.report.pk}-{compute_mark(view.report)}"
            consequence = _("If you record it, the report is rejected, and its players can read why.")
            found.append(Contradiction(mark, _describe_contradiction(view, game), consequence))
    return found


def describe_reported(view: ReportView, first: str = "") -> str:
    """Return what a report says: "Anna reported 1–0"; in a game of two with the side of ``first`` (a handle) first."""
    return _("{name} reported {result}").format(
        name=resolve_merged(view.report.entered_by).name, result=_format_reported(view, first)
    )


def _describe_contradiction(view: ReportView, game: Game) -> str:
    lines = sorted(game.results.all(), key=lambda line: line.seat)
    template = _("{name} reported {reported}; you record {recorded}.")
    return template.format(
        name=resolve_merged(view.report.entered_by).name,
        reported=_format_reported(view, lines[0].player.handle),
        recorded=_("a forfeit") if game.kind == Game.Kind.FORFEIT else _format_recorded(game, lines),
    )


def _format_reported(view: ReportView, first: str) -> str:
    pair = view.find_pair_of(first)
    return pair.result if pair else join_lines([(line["name"], line["entry"]) for line in view.lines])


def _format_recorded(game: Game, lines: Sequence[Result]) -> str:
    """Return the result of a game as a report writes it."""
    rows = [
        {**row, "side": line.side, "score": line.score, "place": line.place}
        for row, line in zip(game.set_rows or [{}] * len(lines), lines, strict=True)
    ]
    pair = build_pair(rows, group_by_side(rows))
    return (
        pair.result
        if pair
        else join_lines([(line.player.name, format_figure((line.score, line.place))) for line in lines])
    )
