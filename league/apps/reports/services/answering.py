"""Answers to a report by other players at the table: confirming it records its game, disputing it gives a reason.

The sender can withdraw an open report. A player's link identifies its player; a table's link does not, so there the
browser's earlier answers count too (``RememberedAnswer``).
"""

from datetime import datetime
from enum import Enum
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.reports import (
    find_partner_ids,
    find_seated_ids,
    load_players_by_handle,
    resolve_merged,
)
from league.apps.reports.services.links import LINKS, identify_player
from league.apps.reports.services.settling import record_reported
from league.apps.reports.services.writing import (
    TABLE_AUTHOR,
    build_game,
    describe_twin,
    get_report,
    leave_to_organisers,
    mark_decided,
    refuse_decided,
    save_and_log,
)
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.text.instants import format_instant
from league.core.text.names import build_name_key, is_storable
from league.models import League, Player
from league.models.recorded import MAX_REASON_LENGTH

State = Report.State


class RememberedAnswer(Enum):
    """The earlier answer of a browser to a report, as its cookie remembers it."""

    NOTHING = "nothing"
    ENTERED = "entered"
    ANSWERED = "answered"


#: Refusals for a browser that answers as a second player with a table's link.
ENTERED_HERE_MESSAGE = gettext_noop(
    "This game was reported in this browser. Another player at the table must confirm it "
    "on another phone or with their own link; otherwise an organiser decides."
)
ANSWERED_HERE_MESSAGE = gettext_noop(
    "This report was already answered in this browser. Each player must answer on their own phone."
)
NOT_ENTERED_HERE_MESSAGE = gettext_noop(
    "You can withdraw a report only in the browser it was sent from, or with your own link."
)


def confirm_report(
    secret: str, report_id: UUID, *, handle: str = "", remembered: RememberedAnswer = RememberedAnswer.NOTHING
) -> Report:
    """Confirm a report: its game is recorded as played at the reported time, in the same transaction.

    A confirmed report is returned unchanged. If a similar game is recorded, the report waits for the organiser. Raises
    NotFound, Refused, Conflict (already decided, or answered differently) or Busy.
    """
    return _answer_report(secret, report_id, "", handle, remembered)


def dispute_report(
    secret: str,
    report_id: UUID,
    *,
    reason: str,
    handle: str = "",
    remembered: RememberedAnswer = RememberedAnswer.NOTHING,
) -> Report:
    """Dispute a report, which then waits for the organiser. Raises as ``confirm_report``, and Invalid."""
    reason = reason.strip()
    if not reason:
        text = _("Describe what is wrong, for the organiser who decides.")
        raise Invalid.of([Problem("/reason", "missing", text)])
    if len(reason) > MAX_REASON_LENGTH or not is_storable(reason):
        text = _("The description can have at most {limit} characters.").format(limit=MAX_REASON_LENGTH)
        raise Invalid.of([Problem("/reason", "too_long", text)])
    return _answer_report(secret, report_id, reason, handle, remembered)


def withdraw_report(
    secret: str, report_id: UUID, *, handle: str = "", remembered: RememberedAnswer = RememberedAnswer.NOTHING
) -> Report:
    """Withdraw one's own open report; withdrawing it again changes nothing."""

    def withdraw(league: League, link: ReportLink, now: datetime) -> Report:
        player, report = identify_player(league, link, handle), get_report(league, report_id)
        if player.pk not in find_seated_ids(report, load_players_by_handle([report])):
            raise NotFound(_("There is no such report."))
        if not _is_own(report, player):
            raise Refused(_("Another player reported this game. You can dispute it instead."))
        if link.player is None and remembered != RememberedAnswer.ENTERED:
            raise Refused(_(NOT_ENTERED_HERE_MESSAGE))
        if report.state != State.WITHDRAWN:
            refuse_decided(report)
            mark_decided(league, report, State.WITHDRAWN, now, TABLE_AUTHOR, ReportLogKind.REPORT_WITHDRAWN)
        return report

    return LINKS.use(secret, withdraw)


def _answer_report(secret: str, report_id: UUID, reason: str, handle: str, remembered: RememberedAnswer) -> Report:

    def add_answer(league: League, link: ReportLink, now: datetime) -> Report:
        player, report = identify_player(league, link, handle), get_report(league, report_id)
        if _is_repeated(report, player, right=not reason):
            return report
        refuse_decided(report)
        if link.player is None and remembered != RememberedAnswer.NOTHING:
            raise Refused(
                _(ENTERED_HERE_MESSAGE) if remembered == RememberedAnswer.ENTERED else _(ANSWERED_HERE_MESSAGE)
            )
        entry = {
            "player": player.handle, "at": format_instant(now), "right": not reason, "reason": reason,
            "link": str(link.pk),
        }  # fmt: skip
        report.answers = [*report.answers, entry]
        if report.state == State.DISPUTED:
            save_and_log(league, report, now, TABLE_AUTHOR, ReportLogKind.REPORT_ANSWERED)
        elif reason:
            report.state = State.DISPUTED
            save_and_log(league, report, now, TABLE_AUTHOR, ReportLogKind.REPORT_DISPUTED)
        elif twin := describe_twin(league, report, now):
            leave_to_organisers(league, report, twin, now, TABLE_AUTHOR, twin=True)
        else:
            record_reported(league, report, build_game(report), now, TABLE_AUTHOR)
        return report

    return LINKS.use(secret, add_answer)


def _is_own(report: Report, player: Player) -> bool:
    return resolve_merged(report.entered_by).pk == player.pk


def _is_repeated(report: Report, player: Player, *, right: bool) -> bool:
    players = load_players_by_handle([report])
    if player.pk not in find_seated_ids(report, players):
        raise NotFound(_("There is no such report."))
    if _is_own(report, player):
        raise Refused(_("You reported this game, so another player at the table must confirm it."))
    if right and player.pk in find_partner_ids(report, players):
        raise Refused(_("Your partner reported this game, so a player from another team must confirm it."))
    for answer in report.answers:
        answerer = players.get(build_name_key(answer["player"]))
        if answerer is not None and answerer.pk == player.pk:
            if answer["right"] == right:
                return True
            raise Conflict(_("You have already answered this report. An organiser will decide."))
    return right and report.state == State.CONFIRMED
