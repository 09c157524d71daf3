"""Writes of a report: each saves the row and appends to the league's log, under the league's lock."""

import secrets
from datetime import datetime
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from league.apps.reports.models import TWIN_REASON, Report
from league.apps.reports.records import REPORT_LOG, ReportLogKind
from league.apps.reports.selectors.reports import find_report
from league.core.errors import Conflict, NotFound
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.similar_games import find_similar_game
from league.core.log.services import entries
from league.models import Game, League
from league.models.recorded import MAX_REASON_LENGTH

#: The author in the log when a link was used, which hides the player. Usernames have no spaces.
TABLE_AUTHOR = "the table"
#: The author in the log when a report was not confirmed in time.
TIMEOUT_AUTHOR = "the clock"


def get_report(league: League, pk: UUID) -> Report:
    """Return a report of a league; raises NotFound."""
    report = find_report(league, pk)
    if report is None:
        raise NotFound(_("There is no such report."))
    return report


def serialize_sheet(game: NewGame) -> dict[str, object]:
    """Return the entered values of a sheet as a report stores them."""
    return {
        "results": [
            {
                "player": line.player,
                **({} if line.score is None else {"score": line.score}),
                **({} if line.place is None else {"place": line.place}),
                **({} if line.side is None else {"side": line.side}),
                **({} if line.worksheet is None else {"worksheet": dict(line.worksheet)}),
                **({} if line.sets is None else {"sets": list(line.sets)}),
                **({"retired": True} if line.retired else {}),
                **({"fields": dict(line.fields)} if line.fields else {}),
            }
            for line in game.results
        ],
        "details": dict(game.details),
        "note": game.note,
        **({} if game.weight == 1.0 else {"weight": game.weight}),
        **({} if game.fixture is None else {"fixture": game.fixture}),
        **({"fields": dict(game.fields)} if game.fields else {}),
    }


def build_game(report: Report) -> NewGame:
    """Return a report's sheet as a new game."""
    results = [NewResult(**line) for line in report.sheet["results"]]
    return NewGame(**{**report.sheet, "results": results}, played_at=report.played_at)


def save_and_log(league: League, report: Report, now: datetime, username: str, kind: ReportLogKind) -> None:
    """Save a report and append it to the log."""
    report.save(force_insert=report._state.adding)
    entries.append(league, now, username, kind, REPORT_LOG.build_payload(report))


def mark_recorded(league: League, report: Report, game: Game, now: datetime, username: str, reason: str = "") -> None:
    """Write that a report was recorded as a game."""
    report.game = game
    mark_decided(league, report, Report.State.CONFIRMED, now, username, ReportLogKind.REPORT_CONFIRMED, reason)


def mark_decided(
    league: League,
    report: Report,
    state: Report.State,
    now: datetime,
    username: str,
    kind: ReportLogKind,
    reason: str = "",
) -> None:
    """Write the decision on a report, its author and reason."""
    report.state, report.decided_at, report.decided_by, report.reason = state, now, username, reason
    save_and_log(league, report, now, username, kind)


def describe_twin(league: League, report: Report, now: datetime) -> str:
    """Return a sentence about a similar game that a member recorded after the report was entered, or "".

    The database and the log store the sentence in English. Earlier games are ignored: the sender was asked about them.
    """
    game = find_similar_game(league, build_game(report), now, "")
    if game is None or game.recorded_at <= report.entered_at or game.reports.exists():
        return ""
    return TWIN_REASON.format(number=game.number)


def leave_to_organisers(
    league: League, report: Report, reason: str, now: datetime, username: str, *, twin: bool = False
) -> None:
    """Leave a report to the organisers: it was not confirmed in time, or (``twin``) a similar game is recorded."""
    report.state, report.reason = Report.State.TWIN if twin else Report.State.OVERDUE, reason[:MAX_REASON_LENGTH]
    save_and_log(league, report, now, username, ReportLogKind.REPORT_TWIN if twin else ReportLogKind.REPORT_OVERDUE)


def reopen(league: League, report: Report, state: Report.State, now: datetime, username: str) -> None:
    """Write that a settled report is open again, in the state that it had before."""
    report.game, report.decided_at, report.state_before = None, None, ""
    report.state, report.decided_by = state, ""
    report.reason = describe_twin(league, report, now) if state == Report.State.TWIN else ""
    save_and_log(league, report, now, username, ReportLogKind.REPORT_REOPENED)


def refuse_decided(report: Report) -> None:
    """Raise Conflict if a report is already decided."""
    if report.state not in Report.OPEN:
        raise Conflict(_describe_outcome(report))


def _describe_outcome(report: Report) -> str:
    if report.game is not None:
        return _("This report has already been recorded as game {number}.").format(number=report.game.number)
    if report.state == Report.State.REFUSED:
        return _("This report was rejected: {reason}").format(reason=report.displayed_reason)
    if report.state == Report.State.WITHDRAWN:
        return _("This report was withdrawn by its sender.")
    return _("This report expired: no one confirmed it in time.")


def generate_id() -> UUID:
    """Return an id that cannot be guessed."""
    return uuid4()


def generate_salt() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)
