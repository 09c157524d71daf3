"""Entering a report, which is checked like a game and then waits for another player's confirmation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.reports import list_active_players, load_players_by_handle
from league.apps.reports.services import writing
from league.apps.reports.services.links import LINKS, identify_player
from league.apps.reports.services.writing import TABLE_AUTHOR, save_and_log, serialize_sheet
from league.core.errors import Conflict, Invalid, Problem, Refused
from league.core.games.selectors.games import group_partners, may_be_same
from league.core.games.services.game_input import NewGame, NewResult, normalize_negative_zero
from league.core.games.services.record import check_game
from league.core.games.services.similar_games import find_similar_game
from league.core.log.chain import serialize_canonically
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import Resolution, find_problem, resolve_players
from league.core.text.names import build_name_key, shorten_name
from league.models import Game, League, Player

MAX_GAME_AGE = timedelta(days=settings.RUNGS_DAYS["report_age"])
#: Maximum difference between the times that two players report for the same game.
SAME_GAME_TOLERANCE = timedelta(hours=12)
#: Maximum number of open reports per league and per player.
MAX_OPEN_REPORTS, MAX_OPEN_REPORTS_PER_PLAYER = 300, 30
A_DAY = timedelta(days=1)
KEY_LENGTH = Report.key.field.max_length or 0


class SimilarReport(Conflict):
    """A report or game with the same players and scores exists; the sender must confirm that theirs is another game."""

    def __init__(self, found: Report | Game) -> None:
        super().__init__(_("A game with the same players and scores already exists."))
        self.found = found


@dataclass(frozen=True)
class EnteredReport:
    """A report; ``created`` is False if the same form was sent before."""

    report: Report
    created: bool


def enter_report(
    secret: str, sheet: NewGame, *, key: str, handle: str = "", confirmed_other: str = ""
) -> EnteredReport:
    """Enter the sheet of a played game, as the link's player, or with a table's link as ``handle``.

    Players are identified by handle. ``confirmed_other`` is the key of a similar report or game that the sender
    declared to be another game. Raises what recording the game would raise, SimilarReport, and Conflict if the link has
    ended or the key belongs to another sheet.
    """
    if not key or len(key) > KEY_LENGTH or not key.isascii():
        message = _("The key of a report has 1 to {limit} characters.").format(limit=KEY_LENGTH)
        raise Invalid.of([Problem("/key", "invalid", message)])

    def enter(league: League, link: ReportLink, now: datetime) -> EnteredReport:
        player = identify_player(league, link, handle)
        normalized, resolutions = resolve_sheet(league, sheet)
        earlier_report = _find_earlier_report(league, link, player, normalized, key)
        if earlier_report is not None:
            return EnteredReport(earlier_report, created=False)
        refuse_unresolved_players(sheet, resolutions)
        players = check_game(league, now, normalized, TABLE_AUTHOR)
        if now - (normalized.played_at or now) > MAX_GAME_AGE:
            message = _("Players can report games from the last {days} days. Ask an organiser to record older games.")
            raise Refused.of([Problem("/played_at", "too_old", message.format(days=MAX_GAME_AGE.days))])
        if player not in players:
            message = _("{player} is not on this sheet: only players of a game can report it.")
            raise Refused.of([Problem("/results", "not_there", message.format(player=player.name))])
        _check_limits(league, player, now)
        _refuse_similar(league, normalized, players, now, confirmed_other)
        return EnteredReport(
            _write_report(league, link, player, _replace_outdated_handles(normalized, players), now, key), created=True
        )

    return LINKS.use(secret, enter)


def normalize_sheet(sheet: NewGame) -> NewGame:
    """Return a sheet as reports store it: a played game without new players, external id or -0.0."""
    results = [replace(line, score=normalize_negative_zero(line.score)) for line in sheet.results]
    details = {key: normalize_negative_zero(value) for key, value in sheet.details.items()}
    return replace(sheet, results=results, details=details, kind="played", create_players=False, external_id=None)


def _replace_outdated_handles(sheet: NewGame, players: Sequence[Player]) -> NewGame:
    seats = zip(sheet.results, players, strict=True)
    return replace(sheet, results=[replace(line, player=player.handle) for line, player in seats])


def _find_earlier_report(league: League, link: ReportLink, player: Player, sheet: NewGame, key: str) -> Report | None:
    """Return the report with this key, or None; raises Conflict if its sheet or sender differ."""
    report = league.reports.with_sender().filter(key=key).first()
    if report is None:
        return None
    has_same_sheet = serialize_canonically(report.sheet) == serialize_canonically(serialize_sheet(sheet))
    is_same = has_same_sheet and sheet.played_at in (None, report.played_at)
    if not is_same or report.link_id != link.pk or report.entered_by not in (player, *player.merged.all()):
        raise Conflict(
            _("This game has already been reported, but the form has changed. Reload the page to report another game.")
        )
    return report


def build_link_viewer(league: League) -> Viewer:
    """Return whom a link's holder counts as: a recorder of the league who reads only."""
    return Viewer("", "read", frozenset({league.pk}), {league.pk: "recorder"})


def resolve_sheet(league: League, sheet: NewGame) -> tuple[NewGame, dict[str, Resolution]]:
    """Return a normalized sheet with the handles of the active players whom its texts name, and whom each text names.

    Only active players of the league can be meant, so that a link does not reveal who plays elsewhere.
    """
    active = set(list_active_players(league).values_list("pk", flat=True))
    viewer = build_link_viewer(league)
    resolutions = resolve_players([line.player for line in sheet.results], league, viewer, among=active)
    results = [
        line if (one := resolutions[line.player].one) is None else replace(line, player=one.original.handle)
        for line in sheet.results
    ]
    return normalize_sheet(replace(sheet, results=results)), resolutions


def refuse_unresolved_players(sheet: NewGame, resolutions: Mapping[str, Resolution]) -> None:
    """Raise Refused with the seats whose text does not name one active player of the league."""
    problems = []
    for seat, line in enumerate(sheet.results):
        problem = find_problem(resolutions[line.player])
        if problem is None:
            continue
        why = problem.detail
        if not resolutions[line.player].found:
            why = _("“{name}” is not an active player of this league. Ask an organiser to add new players.").format(
                name=shorten_name(line.player)
            )
        detail = _("Seat {seat}: {why}").format(seat=seat + 1, why=why)
        problems.append(replace(problem, pointer=f"/results/{seat}/player", detail=detail))
    if problems:
        raise Refused.of(problems)


def _check_limits(league: League, player: Player, now: datetime) -> None:
    withdrawn = league.reports.filter(state=Report.State.WITHDRAWN, decided_at__gt=now - A_DAY)
    if withdrawn.filter(entered_by=player).count() >= MAX_OPEN_REPORTS_PER_PLAYER:
        message = _("{player} withdrew {count} reports within a day. Ask an organiser to record further games.")
        raise Refused(message.format(count=MAX_OPEN_REPORTS_PER_PLAYER, player=player.name))
    open_reports = league.reports.open()
    if open_reports.filter(entered_by=player).count() >= MAX_OPEN_REPORTS_PER_PLAYER:
        message = _("{count} reports by {player} are still open and must be confirmed or decided first.")
        raise Refused(message.format(count=MAX_OPEN_REPORTS_PER_PLAYER, player=player.name))
    if open_reports.count() >= MAX_OPEN_REPORTS:
        message = _("{count} reports are open in this league; an organiser must decide them first.")
        raise Refused(message.format(count=MAX_OPEN_REPORTS))


def _refuse_similar(
    league: League, sheet: NewGame, players: Sequence[Player], now: datetime, confirmed_other: str
) -> None:
    """Raise SimilarReport if an open report or a recent game has the same players, partners and scores.

    Otherwise two players of a table could both report its game, and confirm each other's report.
    """
    seats = [(player.pk, line) for player, line in zip(players, sheet.results, strict=True)]
    span = (sheet.played_at or now) - SAME_GAME_TOLERANCE, (sheet.played_at or now) + SAME_GAME_TOLERANCE
    open_reports = list(league.reports.open().filter(played_at__range=span).order_by("-entered_at"))
    players_by_handle = load_players_by_handle(open_reports)
    report = next(
        (candidate for candidate in open_reports if _is_same_sheet(_build_seats(candidate, players_by_handle), seats)),
        None,
    )
    similar = report or find_similar_game(league, sheet, now, "")
    if similar is not None and str(similar.pk) != confirmed_other:
        raise SimilarReport(similar)


def _build_seats(report: Report, players_by_handle: Mapping[str, Player]) -> list[tuple[int, NewResult]]:
    lines = [NewResult(**line) for line in report.sheet["results"]]
    return [
        (players_by_handle[build_name_key(line.player)].pk, line)
        for line in lines
        if build_name_key(line.player) in players_by_handle
    ]


def _is_same_sheet(first: Sequence[tuple[int, NewResult]], second: Sequence[tuple[int, NewResult]]) -> bool:
    """Return whether two sheets have the same players, scores and partners, however sides are numbered."""
    lines = [
        {
            (
                player,
                line.score,
                line.place,
                serialize_canonically([line.worksheet and dict(line.worksheet), line.sets, line.retired]),
            )
            for player, line in seats
        }
        for seats in (first, second)
    ]
    partners = [group_partners((player, line.side) for player, line in seats) for seats in (first, second)]
    return lines[0] == lines[1] and may_be_same(*partners)


def _write_report(league: League, link: ReportLink, player: Player, sheet: NewGame, now: datetime, key: str) -> Report:
    report = Report(
        pk=writing.generate_id(),
        league=league,
        sheet=serialize_sheet(sheet),
        played_at=sheet.played_at or now,
        key=key,
        link=link,
        entered_by=player,
        entered_at=now,
        due_at=now + timedelta(hours=league.report_hours),
        salt=writing.generate_salt(),
    )
    save_and_log(league, report, now, TABLE_AUTHOR, ReportLogKind.REPORT_ENTERED)
    return report
