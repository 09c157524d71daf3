"""Compares reports of fixtures with the games that are recorded for those."""

from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from league.apps.reports.models import SETTLED_REASON, Report
from league.apps.reports.selectors.fixture_reports import format_reported, load_followers_of, load_games_of
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
from league.apps.reports.services.writing import build_game
from league.core.capabilities import Contradiction
from league.core.errors import Refused
from league.core.finish import HasFigures, list_sort_keys
from league.core.games.services.computed_results import compute_results
from league.core.log.chain import compute_digest, serialize_canonically
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, load_rules
from league.core.text.game_results import format_figure
from league.core.text.names import build_name_key
from league.models import Game, League, Player, Result
from ratings.contract.system import RatingSystem


def has_same_result(report: Report, game: Game, players: Mapping[str, Player]) -> bool:
    """Return whether a report has the scores of a game, or its order where one of both has no scores.

    A player who was not reported stands for the one who is missing, as in a fixture whose game was split off.
    """
    if game.kind == Game.Kind.FORFEIT:
        return False
    try:
        # Sets and worksheets have no scores before they are computed.
        sheet = compute_results(game.league, build_game(report), report.played_at)
    except Refused:
        return False  # The rules have changed since: it can no longer be recorded.
    lines: dict[int, HasFigures] = {
        players[key].pk: line for line in sheet.results if (key := build_name_key(line.player)) in players
    }
    results: Iterable[Result] = game.results.all()
    recorded = {result.player_id: result for result in results}
    missing, others = lines.keys() - recorded.keys(), recorded.keys() - lines.keys()
    if len(missing) == len(others) == 1:
        lines[others.pop()] = lines.pop(missing.pop())
    if lines.keys() != recorded.keys():
        return False
    if all(line.score is not None for line in (*lines.values(), *recorded.values())):
        return all(lines[pk].score == line.score for pk, line in recorded.items())
    rule = find_rule_at(load_rules(game.league), game.played_at)
    system = None if rule is None else build_rule_system(rule)
    reported_order, order = (_list_ranks([each[pk] for pk in recorded], system) for each in (lines, recorded))
    return reported_order == order != []


def _list_ranks(lines: Sequence[HasFigures], system: RatingSystem | None) -> list[int]:
    """Return for each line how many are better, as places or scores say; empty if neither are complete."""
    keys = list_sort_keys(lines, system)
    return [sum(other > own for other in keys) for own in keys]


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
            mark = f"{view.report.pk}-{compute_mark(view.report)}-{_digest_result(game)}"
            consequence = _("If you record it, the report is rejected, and its players can read why.")
            found.append(Contradiction(mark, _describe_contradiction(view, game), consequence))
    return found


def list_rejections(league: League, games: Mapping[int, int]) -> list[str]:
    """Return a sentence for each report of fixtures that their games (fixture -> number) have rejected."""
    reasons = [SETTLED_REASON.format(fixture=fixture, game=game) for fixture, game in games.items()]
    reports = load_followers_of(league, games)
    rejected = [one for one in reports if one.state == Report.State.REFUSED and one.reason in reasons]
    template = _("The report of {name}, {result}, was rejected.")
    firsts = _list_first_players(league, games) if rejected else {}
    return [
        template.format(
            name=resolve_merged(view.report.entered_by).name,
            result=format_reported(view, firsts[view.report.sheet["fixture"]]),
        )
        for view in load_report_views(rejected)
    ]


def _list_first_players(league: League, games: Mapping[int, int]) -> dict[int, str]:
    """Return fixture -> handle of the player on the first seat of its game (fixture -> number)."""
    by_number = load_games_of(league, games)
    return {
        fixture: min(by_number[number].results.all(), key=lambda line: line.seat).player.handle
        for fixture, number in games.items()
    }


def _digest_result(game: Game) -> str:
    """Return a mark of the result of a game: who has which score or place, in which sets."""
    lines = [[line.seat, line.player_id, line.side, line.score, line.place] for line in game.results.all()]
    return compute_digest(serialize_canonically([game.kind, sorted(lines), game.set_rows]))[:16]


def _describe_contradiction(view: ReportView, game: Game) -> str:
    lines = sorted(game.results.all(), key=lambda line: line.seat)
    template = _("{name} reported {reported}; you record {recorded}.")
    return template.format(
        name=resolve_merged(view.report.entered_by).name,
        reported=format_reported(view, lines[0].player.handle),
        recorded=_("a forfeit") if game.kind == Game.Kind.FORFEIT else _format_recorded(game, lines),
    )


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
