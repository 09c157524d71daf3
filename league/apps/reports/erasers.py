"""Erasing personal data from reports and links."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import ngettext

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.records import (
    LINK_LOG,
    REPORT_LOG,
    REVOCATION_LOG,
    ReportLogKind,
)
from league.core.log.services import entries
from league.core.players.erasers import Eraser, ErasureRun, StoredCount
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import build_mention_condition
from league.core.text.display_formats import format_number
from league.core.text.instants import format_instant
from league.models import League, Player


class ReportEraser(Eraser):
    """The report links of players, and the reports that name them."""

    @staticmethod
    def leagues_naming(people: Sequence[Player]) -> Q:
        """Return the condition for leagues with links or reports of the players."""
        reports = _find_reports_naming(people).order_by().values("league")
        return Q(report_links__player__in=people) | Q(pk__in=reports)

    @staticmethod
    def count_stored(people: Sequence[Player]) -> list[StoredCount]:
        """Return the numbers of reports that name the players, and of their valid links."""
        reports = _find_reports_naming(people).count()
        links = ReportLink.objects.filter(player__in=people, revoked_at=None).count()
        report_template = ngettext(
            "their name in %(shown)s report of a game", "their name in %(shown)s reports of games", reports
        )
        link_template = ngettext("%(shown)s link to report games", "%(shown)s links to report games", links)
        return [
            StoredCount(reports, "report", report_template % {"shown": format_number(reports)}),
            StoredCount(links, "link", link_template % {"shown": format_number(links)}),
        ]

    @staticmethod
    def describe_league(league: League, people: Sequence[Player], words: NameWords) -> dict[str, Any]:
        """Return the links and reports of a league that name the players."""
        return {
            "links": [
                {
                    "name": link.name,
                    "made_at": format_instant(link.made_at),
                    "made_by": link.made_by,
                    "revoked_at": link.revoked_at and format_instant(link.revoked_at),
                }
                for link in ReportLink.objects.filter(league=league).order_by("made_at")
                if link.player in people or words.written.name_in(link.name)
            ],
            "reports": [
                {
                    "entered_at": format_instant(report.entered_at),
                    "entered_by_them": report.entered_by in people,
                    "state": report.state,
                    "sheet": report.sheet,
                    "answers": [{name: answer[name] for name in answer if name != "link"} for answer in report.answers],
                    "reason": report.reason,
                    "game": report.game and report.game.number,
                }
                for report in _find_reports_naming(people).filter(league=league).order_by("entered_at")
            ],
        }

    @staticmethod
    def erase(erasure: ErasureRun, league: League) -> None:
        """Revoke the players' links and redact their names; each changed row is sealed again in the log."""
        players = {player.pk for player in erasure.people}
        links = ReportLink.objects.filter(league=league).select_related("player").order_by("made_at")
        for link in links:
            _erase_link(erasure, league, link, is_own=link.player_id in players)
        reports = Report.objects.filter(league=league).select_related("entered_by", "game").order_by("entered_at")
        for report in reports:
            _erase_report(erasure, league, report, is_own=report.entered_by_id in players)


def _erase_link(erasure: ErasureRun, league: League, link: ReportLink, *, is_own: bool) -> None:
    if not is_own and not erasure.words.written.name_in(link.name):
        return
    if is_own and link.revoked_at is None:
        link.revoked_at, link.revoked_by = erasure.now, erasure.by
        entries.append(league, erasure.now, erasure.by, ReportLogKind.LINK_REVOKED, REVOCATION_LOG.build_payload(link))
    link.name = erasure.words.written.of(link.name) if link.name else ""
    link.save(update_fields=["name", "revoked_at", "revoked_by"])
    entries.append(league, erasure.now, erasure.by, ReportLogKind.LINK_REWORDED, LINK_LOG.build_payload(link))
    erasure.count("links")


def _erase_report(erasure: ErasureRun, league: League, report: Report, *, is_own: bool) -> None:
    old = report.sheet, report.answers, report.reason
    sheet, answers = map(erasure.words.within, old[:2])
    new = sheet, answers, erasure.words.of_note(report.reason)
    if old == new and not is_own:
        return
    report.sheet, report.answers, report.reason = new
    report.save(update_fields=["sheet", "answers", "reason"])
    entries.append(league, erasure.now, erasure.by, ReportLogKind.REPORT_REWORDED, REPORT_LOG.build_payload(report))
    erasure.count("reports")


def _find_reports_naming(players: Sequence[Player]) -> QuerySet[Report]:
    texts = Report.objects.annotate(sheet_text=Cast("sheet", TextField()), answers_text=Cast("answers", TextField()))
    return texts.filter(
        Q(entered_by__in=players)
        | build_mention_condition("sheet_text", players)
        | build_mention_condition("answers_text", players)
    )
