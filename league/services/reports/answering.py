"""Another one at the table says that a report is right, which records its game, or that it is wrong, and why."""

from datetime import datetime
from uuid import UUID

from league.chain import instant
from league.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.models import League, LogEntry, Player, Report, ReportLink
from league.names import key_of, storable
from league.selectors.reports import at_table, table_at
from league.services.recording.games import record_in
from league.services.reports.links import speaker, with_link
from league.services.reports.writing import (
    THE_TABLE,
    become,
    found,
    game_of,
    leave,
    note,
    refuse_decided,
    twin_of,
)

REASON_LENGTH = 500
State = Report.State


def confirm(secret: str, report_id: UUID, *, who: str = "") -> Report:
    """Say that a report is right: its game is recorded at the time at which it was played, in the same transaction.

    Where the report is a game already, that is the answer; where a game is recorded that looks like it, it waits for
    the organiser. Raises NotFound (no report at whose table they sat),
    Refused (they entered it themselves, or the league's rules refuse the game by now), Conflict (the link has ended,
    the report was decided otherwise, or they had said that it is wrong) or Busy; then nothing was written.
    """
    return with_link(secret, lambda league, link, now: answered(league, link, now, report_id, who, ""))


def dispute(secret: str, report_id: UUID, *, reason: str, who: str = "") -> Report:
    """Say that a report is wrong, and why: it waits for the organiser. Raises as ``confirm``, and Invalid."""
    reason = checked(reason)
    return with_link(secret, lambda league, link, now: answered(league, link, now, report_id, who, reason))


def checked(reason: str) -> str:
    """Return the reason of a dispute; raises Invalid where there is none."""
    reason = reason.strip()
    if not reason:
        raise Invalid.of([Problem("/reason", "missing", "Say what is wrong: who decides about it reads that.")])
    if len(reason) > REASON_LENGTH or not storable(reason):
        raise Invalid.of([Problem("/reason", "too_long", f"What is wrong takes at most {REASON_LENGTH} characters.")])
    return reason


def answered(league: League, link: ReportLink, now: datetime, report_id: UUID, who: str, reason: str) -> Report:
    """Take an answer: ``reason`` says what is wrong, "" that all is right."""
    person = speaker(league, link, who)
    report = found(league, report_id)
    if given_before(report, person, right=not reason):
        return report
    refuse_decided(report)
    said = {"player": person.handle, "at": instant(now), "right": not reason, "reason": reason, "link": str(link.pk)}
    report.answers = [*report.answers, said]
    if report.state == State.DISPUTED:
        note(league, report, now, THE_TABLE, LogEntry.Kind.REPORT_ANSWERED)
    elif reason:
        report.state = State.DISPUTED
        note(league, report, now, THE_TABLE, LogEntry.Kind.REPORT_DISPUTED)
    elif twin := twin_of(league, report, now):
        leave(league, report, twin, now, THE_TABLE)
    else:
        game = record_in(league, now, game_of(report), THE_TABLE).game
        become(league, report, game, now, THE_TABLE)
    return report


def given_before(report: Report, person: Player, *, right: bool) -> bool:
    """Tell whether an answer changes nothing, as it was given before; raises where this person may not give it."""
    table = table_at([report])
    if person.pk not in at_table(report, table):
        raise NotFound("There is no such report.")
    if (report.entered_by.merged_into or report.entered_by).pk == person.pk:
        raise Refused("You entered this report yourself: another one at the table confirms it.")
    for answer in report.answers:
        given = table.get(key_of(answer["player"]))
        if given is not None and given.pk == person.pk:
            if answer["right"] == right:
                return True
            raise Conflict("You have answered this report already. Who keeps the books decides about it.")
    return right and report.state == State.CONFIRMED
