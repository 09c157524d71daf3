"""The reports of fixtures, and the games that are recorded for those."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from league.apps.reports.models import Report
from league.apps.reports.selectors.reports import (
    ReportView,
    join_lines,
    resolve_merged,
)
from league.models import Game, League


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


def describe_reported(view: ReportView, first: str = "") -> str:
    """Return what a report says: "Anna reported 1–0"; in a game of two with the side of ``first`` (a handle) first."""
    return _("{name} reported {result}").format(
        name=resolve_merged(view.report.entered_by).name, result=format_reported(view, first)
    )


def format_reported(view: ReportView, first: str) -> str:
    """Return the result of a report, in a game of two with the side of ``first`` (a handle) first."""
    pair = view.find_pair_of(first)
    return pair.result if pair else join_lines([(line["name"], line["entry"]) for line in view.lines])
