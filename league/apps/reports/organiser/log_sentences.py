"""Log entries of links and reports as sentences."""

from collections.abc import Callable

from django.utils.translation import gettext_noop

from league.apps.reports.records import ReportLogKind
from league.web.organiser.log_sentences import Payload, make_formatter

SENTENCES: dict[str, Callable[[Payload], str]] = {
    ReportLogKind.LINK_MADE: make_formatter(gettext_noop("created a link to report games")),
    ReportLogKind.LINK_REVOKED: make_formatter(gettext_noop("revoked a link to report games")),
    ReportLogKind.REPORT_ENTERED: make_formatter(gettext_noop("reported a game")),
    ReportLogKind.REPORT_ANSWERED: make_formatter(gettext_noop("answered a disputed report")),
    ReportLogKind.REPORT_DISPUTED: make_formatter(gettext_noop("disputed a report")),
    ReportLogKind.REPORT_CONFIRMED: make_formatter(gettext_noop("confirmed a report as game {game}")),
    ReportLogKind.REPORT_REFUSED: make_formatter(gettext_noop("rejected a report")),
    ReportLogKind.REPORT_WITHDRAWN: make_formatter(gettext_noop("withdrew a report")),
    ReportLogKind.REPORT_OVERDUE: make_formatter(gettext_noop("passed a report to the organiser")),
    ReportLogKind.REPORT_TWIN: make_formatter(
        gettext_noop("passed a report to the organiser: the same game is already recorded")
    ),
    ReportLogKind.REPORT_LAPSED: make_formatter(gettext_noop("discarded an unconfirmed report")),
    ReportLogKind.REPORT_REOPENED: make_formatter(
        gettext_noop("reopened a report: its fixture has no result any more")
    ),
    ReportLogKind.REPORT_REWORDED: make_formatter(gettext_noop("removed a name from a report")),
    ReportLogKind.LINK_REWORDED: make_formatter(gettext_noop("removed a name from a link to report games")),
}
