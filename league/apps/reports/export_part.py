"""The open reports, as lines of an export."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from league.apps.reports.models import Report
from league.apps.reports.records import REPORT_LINE, REPORT_RECORD
from league.apps.reports.selectors.reports import list_player_ids, serialize_open_reports
from league.apps.reports.services.restoring import read_restored_report, write_restored_report
from league.core.text.display_formats import format_count
from league.core.transfer.export_parts import ExportPart
from league.core.transfer.services.reading import build_shape, list_reader, read_flag, read_text, read_time
from league.models import League, Player

ANSWERS = list_reader({"player": read_text, "at": read_time, "right": read_flag, "reason": read_text})


class ReportPart(ExportPart):
    """Open reports. Links are not exported."""

    kind = "report"
    left_out = ("reports",)
    shape = build_shape(REPORT_RECORD, {"answers": ANSWERS}, REPORT_LINE)

    @staticmethod
    def list_players(league: League, *, for_organisers: bool) -> set[int]:
        """Return the ids of the players who entered, answered or played."""
        return list_player_ids(league)

    @staticmethod
    def list_rows(league: League, *, for_organisers: bool) -> Iterator[dict[str, Any]]:
        """Yield the open reports, earliest first."""
        return serialize_open_reports(league)

    @staticmethod
    def describe_state(league_id: int) -> tuple[object, ...]:
        """Return the state and answers of the open reports."""
        reports = Report.objects.filter(league=league_id).open()
        return tuple(reports.values_list("pk", "state", "answers").order_by("pk"))

    @staticmethod
    def read_line(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> Report:
        """Return an unsaved report."""
        return read_restored_report(league, values, player)

    @staticmethod
    def write_row(league: League, row: Report, now: datetime, by: str) -> None:
        """Write a report and its log entry."""
        write_restored_report(league, row, now, by)

    @staticmethod
    def describe_restored(count: int) -> str:
        """Return the remaining work for the organiser."""
        return (
            f"{format_count(count, 'player report')} restored, to be confirmed or decided here. "
            "Links are not exported; create new ones under Player reports."
        )
