"""Another one at the table says that a report is right, which records its game, or that it is wrong, and why.

Until it is a game, who entered it may withdraw it. A table's link knows no one: there, beside who someone says they
are, it counts which browser spoke about a report before, and as whom (``RememberedAnswer``). By a link of one's own one
is known.
"""

from datetime import datetime
from enum import Enum
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.open_reports import survivor, table_at
from league.apps.reports.selectors.reports import at_table, partners_in
from league.apps.reports.services.links import LINKS, speaker
from league.apps.reports.services.writing import (
    THE_TABLE,
    become,
    decide,
    game_of,
    get_report,
    leave,
    note,
    refuse_decided,
    twin_of,
)
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.games.services.record import record_in
from league.core.log.chain import instant
from league.core.text.names import key_of, storable
from league.models import League, LogEntry, Player

REASON_LENGTH = 500
State = Report.State


class RememberedAnswer(Enum):
    """What a browser said about a report before, as far as it remembers."""

    NOTHING = "nothing"
    ENTERED = "entered"
    ANSWERED = "answered"


#: Why a browser is refused that speaks by a table's link for another one than before.
ENTERED_HERE = gettext_noop(
    "This game was reported in this browser. Another player at the table must confirm it "
    "on another phone or with their own link; otherwise an organiser decides."
)
ANSWERED_HERE = gettext_noop(
    "This report was already answered in this browser. Each player must answer on their own phone."
)
NOT_ENTERED_HERE = gettext_noop(
    "You can withdraw a report only in the browser it was sent from, or with your own link."
)


def confirm(
    secret: str, report_id: UUID, *, who: str = "", spoken: RememberedAnswer = RememberedAnswer.NOTHING
) -> Report:
    """Say that a report is right: its game is recorded at the time at which it was played, in the same transaction.

    Where the report is a game already, that is the answer; where a game is recorded that looks like it, it waits for
    the organiser. Raises NotFound, Refused, Conflict (it was decided or answered otherwise) or Busy.
    """
    return answer(secret, report_id, "", who, spoken)


def dispute(
    secret: str, report_id: UUID, *, reason: str, who: str = "", spoken: RememberedAnswer = RememberedAnswer.NOTHING
) -> Report:
    """Say that a report is wrong, and why: it waits for the organiser. Raises as ``confirm``, and Invalid."""
    reason = reason.strip()
    if not reason:
        sentence = _("Describe what is wrong, for the organiser who decides.")
        raise Invalid.of([Problem("/reason", "missing", sentence)])
    if len(reason) > REASON_LENGTH or not storable(reason):
        sentence = _("The description can have at most {limit} characters.").format(limit=REASON_LENGTH)
        raise Invalid.of([Problem("/reason", "too_long", sentence)])
    return answer(secret, report_id, reason, who, spoken)


def withdraw(
    secret: str, report_id: UUID, *, who: str = "", spoken: RememberedAnswer = RememberedAnswer.NOTHING
) -> Report:
    """Take back a report that one entered oneself and that is no game yet; twice is as good as once."""

    def work(league: League, link: ReportLink, now: datetime) -> Report:
        person, report = speaker(league, link, who), get_report(league, report_id)
        if person.pk not in at_table(report, table_at([report])):
            raise NotFound(_("There is no such report."))
        if not is_own(report, person):
            raise Refused(_("Another player reported this game. You can dispute it instead."))
        if link.player is None and spoken != RememberedAnswer.ENTERED:
            raise Refused(_(NOT_ENTERED_HERE))
        if report.state != State.WITHDRAWN:
            refuse_decided(report)
            decide(league, report, State.WITHDRAWN, now, THE_TABLE, LogEntry.Kind.REPORT_WITHDRAWN)
        return report

    return LINKS.use(secret, work)


def answer(secret: str, report_id: UUID, reason: str, who: str, spoken: RememberedAnswer) -> Report:
    """Take someone's answer: ``reason`` says what is wrong, "" that all is right."""

    def work(league: League, link: ReportLink, now: datetime) -> Report:
        person, report = speaker(league, link, who), get_report(league, report_id)
        if given_before(report, person, right=not reason):
            return report
        refuse_decided(report)
        if link.player is None and spoken != RememberedAnswer.NOTHING:
            raise Refused(_(ENTERED_HERE) if spoken == RememberedAnswer.ENTERED else _(ANSWERED_HERE))
        said = {
            "player": person.handle, "at": instant(now), "right": not reason, "reason": reason, "link": str(link.pk),
        }  # fmt: skip
        report.answers = [*report.answers, said]
        if report.state == State.DISPUTED:
            note(league, report, now, THE_TABLE, LogEntry.Kind.REPORT_ANSWERED)
        elif reason:
            report.state = State.DISPUTED
            note(league, report, now, THE_TABLE, LogEntry.Kind.REPORT_DISPUTED)
        elif twin := twin_of(league, report, now):
            leave(league, report, twin, now, THE_TABLE, twin=True)
        else:
            become(league, report, record_in(league, now, game_of(report), THE_TABLE).game, now, THE_TABLE)
        return report

    return LINKS.use(secret, work)


def is_own(report: Report, person: Player) -> bool:
    """Return whether someone entered a report; who was merged is who they turned out to be."""
    return survivor(report.entered_by).pk == person.pk


def given_before(report: Report, person: Player, *, right: bool) -> bool:
    """Return whether an answer changes nothing, as it was given before; raises where this person may not give it."""
    table = table_at([report])
    if person.pk not in at_table(report, table):
        raise NotFound(_("There is no such report."))
    if is_own(report, person):
        raise Refused(_("You reported this game, so another player at the table must confirm it."))
    if right and person.pk in partners_in(report, table):
        raise Refused(_("Your partner reported this game, so a player from another team must confirm it."))
    for answer in report.answers:
        given = table.get(key_of(answer["player"]))
        if given is not None and given.pk == person.pk:
            if answer["right"] == right:
                return True
            raise Conflict(_("You have already answered this report. An organiser will decide."))
    return right and report.state == State.CONFIRMED
