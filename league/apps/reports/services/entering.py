"""Entering a report: checked as the game would be, then it waits for another one at the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.open_reports import table_at
from league.apps.reports.selectors.reports import OPEN, find_report, people_of
from league.apps.reports.services import random_names
from league.apps.reports.services.links import LINKS, speaker
from league.apps.reports.services.writing import THE_TABLE, note, sheet_of
from league.core.errors import Conflict, Invalid, Problem, Refused
from league.core.games.selectors.games import may_be_same, partners_of
from league.core.games.services.game_input import NewGame, NewResult, without_negative_zero
from league.core.games.services.record import check_game
from league.core.games.services.similar_games import find_similar_game
from league.core.log.chain import canonical
from league.core.text.names import key_of, shortened
from league.models import Game, League, LogEntry, Player

MAX_GAME_AGE = timedelta(days=settings.RUNGS_DAYS["report_age"])
#: Two sheets of one game are dated within this: whoever leaves the time open enters theirs when they are home.
SAME_EVENING = timedelta(hours=12)
#: Maximum number of pending reports per league, and per person.
MAX_WAITING, MAX_WAITING_PER_PERSON = 300, 30
A_DAY = timedelta(days=1)
KEY_LENGTH = 64


class SimilarReport(Conflict):
    """A report or a game of the same people and scores is there already: whoever enters a sheet is asked once."""

    def __init__(self, found: Report | Game) -> None:
        super().__init__(_("A game with the same players and scores already exists."))
        self.found = found


@dataclass(frozen=True)
class EnteredReport:
    """A report that waits; ``created`` is False if this sheet had come before."""

    report: Report
    created: bool


def enter(secret: str, new: NewGame, *, key: str, who: str = "", another: str = "") -> EnteredReport:
    """Enter the sheet of a game that was played: by a player's link as that player, by a table's as ``who``.

    Players are named by their handles. ``another`` is the key of the report or game about which someone was asked, and
    said that theirs is another one. Raises what recording the game would raise, Alike if there is one to be asked
    about, and Conflict if the link has ended or the key stands for another sheet.
    """
    if not key or len(key) > KEY_LENGTH or not key.isascii():
        sentence = _("The key of a report has 1 to {limit} characters.").format(limit=KEY_LENGTH)
        raise Invalid.of([Problem("/key", "invalid", sentence)])

    def work(league: League, link: ReportLink, now: datetime) -> EnteredReport:
        person = speaker(league, link, who)
        told = plain(new)
        known = known_report(league, link, person, told, key)
        if known is not None:
            return EnteredReport(known, created=False)
        refuse_strangers(league, told)
        players = check_game(league, now, told)
        if now - (told.played_at or now) > MAX_GAME_AGE:
            sentence = _("Players can report games from the last {days} days. Ask an organiser to record older games.")
            raise Refused.of([Problem("/played_at", "too_old", sentence.format(days=MAX_GAME_AGE.days))])
        if person not in players:
            sentence = _("{player} is not on this sheet: only players of a game can report it.")
            raise Refused.of([Problem("/results", "not_there", sentence.format(player=person.name))])
        refuse_more(league, person, now)
        refuse_alike(league, told, players, now, another)
        return EnteredReport(write_report(league, link, person, named(told, players), now, key), created=True)

    return LINKS.use(secret, work)


def plain(new: NewGame) -> NewGame:
    """Return a sheet as reports have it: a played game, no one added, no word of another system, no -0.0."""
    results = [replace(line, score=without_negative_zero(line.score)) for line in new.results]
    details = {key: without_negative_zero(value) for key, value in new.details.items()}
    return replace(new, results=results, details=details, kind="played", create_players=False, external_id=None)


def named(new: NewGame, players: Sequence[Player]) -> NewGame:
    """Return a sheet that names everyone by the handle that is theirs now."""
    seats = zip(new.results, players, strict=True)
    return replace(new, results=[replace(line, player=player.handle) for line, player in seats])


def known_report(league: League, link: ReportLink, person: Player, new: NewGame, key: str) -> Report | None:
    """Return the report that this key stands for already; raises Conflict if that says something else."""
    row = Report.objects.filter(league=league, key=key).first()
    report = None if row is None else find_report(league, row.pk)
    if report is None:
        return None
    same = canonical(report.sheet) == canonical(sheet_of(new)) and new.played_at in (None, report.played_at)
    if not same or report.link_id != link.pk or report.entered_by not in (person, *person.merged.all()):
        raise Conflict(
            _("This game has already been reported, but the form has changed. Reload the page to report another game.")
        )
    return report


def refuse_strangers(league: League, new: NewGame) -> None:
    """Raise Refused if the sheet names someone who is no active player of the league, whoever else bears the name.

    So no one learns by a link who plays elsewhere. Who is new comes into the league's data by who keeps them.
    """
    here = {key_of(handle) for handle in people_of(league).values_list("handle", flat=True)}
    sentence = _("Seat {seat}: “{name}” is not an active player of this league. Ask an organiser to add new players.")
    problems = [
        Problem(
            f"/results/{seat}/player",
            "unknown_player",
            sentence.format(seat=seat + 1, name=shortened(line.player)),
        )
        for seat, line in enumerate(new.results)
        if key_of(line.player) not in here
    ]
    if problems:
        raise Refused.of(problems)


def refuse_more(league: League, person: Player, now: datetime) -> None:
    """Raise Refused if too many reports wait already, or were entered and withdrawn: each is in the log."""
    lately = Report.objects.filter(league=league, state=Report.State.WITHDRAWN, decided_at__gt=now - A_DAY)
    if lately.filter(entered_by=person).count() >= MAX_WAITING_PER_PERSON:
        sentence = _("{player} withdrew {count} reports within a day. Ask an organiser to record further games.")
        raise Refused(sentence.format(count=MAX_WAITING_PER_PERSON, player=person.name))
    waiting = Report.objects.filter(league=league, state__in=OPEN)
    if waiting.filter(entered_by=person).count() >= MAX_WAITING_PER_PERSON:
        sentence = _("{count} reports by {player} are still open and must be confirmed or decided first.")
        raise Refused(sentence.format(count=MAX_WAITING_PER_PERSON, player=person.name))
    if waiting.count() >= MAX_WAITING:
        sentence = _("{count} reports are open in this league; an organiser must decide them first.")
        raise Refused(sentence.format(count=MAX_WAITING))


def refuse_alike(league: League, new: NewGame, players: Sequence[Player], now: datetime, another: str) -> None:
    """Raise Alike if a report that waits, or a game of just before, has the same people, partners and scores.

    Two who sat at one table may both enter its game; both would confirm the other's sheet.
    """
    seats = [(player.pk, line) for player, line in zip(players, new.results, strict=True)]
    near = (new.played_at or now) - SAME_EVENING, (new.played_at or now) + SAME_EVENING
    waiting = list(Report.objects.filter(league=league, state__in=OPEN, played_at__range=near).order_by("-entered_at"))
    table = table_at(waiting)
    found = next((one for one in waiting if same_sheet(seats_of(one, table), seats)), None)
    alike_one = found or find_similar_game(league, new, now, "")
    if alike_one is not None and str(alike_one.pk) != another:
        raise SimilarReport(alike_one)


def seats_of(report: Report, table: Mapping[str, Player]) -> list[tuple[int, NewResult]]:
    """Return who sits on a report, each with their line."""
    lines = [NewResult(**line) for line in report.sheet["results"]]
    return [(table[key_of(line.player)].pk, line) for line in lines if key_of(line.player) in table]


def same_sheet(one: Sequence[tuple[int, NewResult]], other: Sequence[tuple[int, NewResult]]) -> bool:
    """Return whether two sheets have the same people and scores, and no other partners, however sides are numbered."""
    lines = [
        {(player, line.score, line.place, canonical(line.worksheet and dict(line.worksheet))) for player, line in seats}
        for seats in (one, other)
    ]
    partners = [partners_of((player, line.side) for player, line in seats) for seats in (one, other)]
    return lines[0] == lines[1] and may_be_same(*partners)


def write_report(league: League, link: ReportLink, person: Player, new: NewGame, now: datetime, key: str) -> Report:
    """Write a report that waits."""
    report = Report(
        pk=random_names.name(),
        league=league,
        sheet=sheet_of(new),
        played_at=new.played_at or now,
        key=key,
        link=link,
        entered_by=person,
        entered_at=now,
        due_at=now + timedelta(hours=league.report_hours),
        salt=random_names.salt(),
    )
    note(league, report, now, THE_TABLE, LogEntry.Kind.REPORT_ENTERED)
    return report
